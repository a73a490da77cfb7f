/** What every store promises of quotas: what many processes add is summed, and ended windows can be removed. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import type { QuotaRow } from '#component/store/tables.ts'
import type { Place } from './store.contract.ts'

/** When a window begins. Milliseconds since the epoch. */
const start = 1_763_740_800_000
const hour = 3_600_000

const rowOf = (key: string, used: number, changes: Partial<QuotaRow> = {}): QuotaRow => ({
  ...{ rule: 'r', key, node: 'n', sharer: `who is ${key}`, used },
  ...{ window_start: start, window_end: start + hour },
  ...changes,
})

/** @param openPlace gives a place with nothing in it */
export function describeQuotas(name: string, openPlace: () => Promise<Place>): void {
  describe(`${name} as a store of quotas`, () => {
    let store: Store
    beforeEach(async () => {
      store = await (await openPlace()).open()
    })
    afterEach(() => store.close())

    const sumsOf = (...keys: readonly string[]) =>
      store.quotas.sums(keys.map((key) => ({ rule: 'r', window_start: start, key })))

    it('sums what nodes have added, in the order of the question, 0 where there is nothing', async () => {
      await store.quotas.add([rowOf('a', 3), rowOf('b', 1)])
      await store.quotas.add([rowOf('a', 4, { node: 'm' })])
      const sums = await sumsOf('b', 'c', 'a')
      expect(sums).to.deep.equal([1, 0, 7])
    })

    it('adds to the row of a node that is there, and takes back', async () => {
      for (const used of [5, 2, -3]) await store.quotas.add([rowOf('a', used)])
      expect(await sumsOf('a')).to.deep.equal([4])
    })

    it('keeps windows and quotas apart', async () => {
      const later = { window_start: start + hour, window_end: start + 2 * hour }
      await store.quotas.add([rowOf('a', 1), rowOf('a', 2, later), rowOf('a', 4, { rule: 's' })])
      expect(await sumsOf('a')).to.deep.equal([1])
    })

    it('loses nothing of what several processes add at once', async () => {
      const writers = Array.from({ length: 8 }, (_, writer) =>
        store.quotas.add([
          rowOf('a', 1),
          rowOf(`${writer}`, 1),
          rowOf('b', 1, { node: `${writer % 2}` }),
        ]),
      )
      await Promise.all(writers)
      expect(await sumsOf('a', 'b', '0', '7')).to.deep.equal([8, 8, 1, 1])
    })

    it('writes and reads 200 rows by one statement', async () => {
      const rows = Array.from({ length: 200 }, (_, index) => rowOf(`${index}`, index))
      await store.quotas.add(rows)
      const sums = await sumsOf(...rows.map(({ key }) => key))
      expect(sums).to.deep.equal(rows.map(({ used }) => used))
    })

    it('tells the greatest users of a quota in a window', async () => {
      await store.quotas.add([rowOf('a', 3), rowOf('b', 5), rowOf('c', 1)])
      await store.quotas.add([rowOf('a', 4, { node: 'm' })])
      expect(await store.quotas.greatest('r', start, 2)).to.deep.equal([
        { key: 'a', sharer: 'who is a', used: 7 },
        { key: 'b', sharer: 'who is b', used: 5 },
      ])
      expect(await store.quotas.greatest('r', start + hour, 2)).to.deep.equal([])
    })

    it('removes ended windows, at most 500 rows at once', async () => {
      const many = Array.from({ length: 501 }, (_, index) => rowOf(`${index}`, 1))
      await store.quotas.add(many)
      const open = { window_start: start + hour, window_end: start + 2 * hour }
      await store.quotas.add([rowOf('a', 2, open)])
      expect(await store.quotas.removeEnded(start + hour)).to.equal(false)
      expect(await sumsOf('0')).to.deep.equal([1])
      expect(await store.quotas.removeEnded(start + hour + 1)).to.equal(true)
      expect(await store.quotas.removeEnded(start + hour + 1)).to.equal(false)
      expect(await store.quotas.greatest('r', start, 2)).to.deep.equal([])
      expect(await store.quotas.greatest('r', start + hour, 2)).to.have.length(1)
    })

    it('refuses everything after it was closed', async () => {
      await store.close()
      for (const operation of [
        () => store.quotas.add([rowOf('a', 1)]),
        () => sumsOf('a'),
        () => store.quotas.greatest('r', start, 1),
        () => store.quotas.removeEnded(start),
      ]) {
        const error = await operation().catch((reason: unknown) => reason)
        expect(error).to.include({ uri: 'service.error.unavailable', status: 503 })
      }
    })
  })
}
