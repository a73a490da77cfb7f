/** What every store promises of entries that have ended: they are gone, and nothing newer is. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import { stampOf, tombstone, version } from './documents.ts'
import type { Place } from './store.contract.ts'

/** @param start gives a place with nothing in it */
export function describeForgetting(name: string, start: () => Promise<Place>): void {
  describe(`${name} as a store that forgets`, () => {
    let place: Place
    let store: Store
    beforeEach(async () => {
      place = await start()
      store = await place.open()
    })
    afterEach(() => store.close())

    const idsIn = async ({ entries }: Store) =>
      (await entries.since(0)).entries.map(({ kind, id }) => `${kind} ${id}`)

    it('removes these, and no others of the same name', async () => {
      const ended = version('a', 1, { kind: 'revocation' })
      const kept = [
        version('a', 1, { kind: 'realm' }),
        version('b', 2, { kind: 'revocation' }),
        tombstone('c', 3, { kind: 'revocation' }),
      ]
      await store.entries.merge([ended, ...kept])
      const { revision } = await store.entries.since(0)
      await store.entries.forget([ended])
      expect((await store.entries.since(0)).entries).to.deep.equal(kept)
      expect((await store.entries.since(revision)).entries).to.deep.equal([])
      expect(await store.entries.replace([version('a', 9, { kind: 'revocation' })])).to.equal(true)
    })

    it('keeps what has taken their place, and does not mind what is not there', async () => {
      const old = version('a', 1, { stamp: stampOf(1, 'n1', 5) })
      for (const stamp of [stampOf(2, 'n1', 5), stampOf(1, 'n2', 5), stampOf(1, 'n1', 6)]) {
        await store.entries.merge([{ ...old, stamp }])
        await store.entries.forget([old, version('gone', 1)])
        expect(await idsIn(store)).to.deep.equal(['api_spec a'])
      }
      await store.entries.forget([])
      expect(await idsIn(store)).to.deep.equal(['api_spec a'])
    })

    it('removes thousands, from several processes at once', async () => {
      const many = Array.from({ length: 1_050 }, (_, ms) =>
        version(`${ms}`, ms, { kind: 'revocation' }),
      )
      await store.entries.merge(many)
      const other = await place.open()
      await Promise.all([store, other].map(({ entries }) => entries.forget(many.slice(1))))
      expect(await idsIn(other)).to.deep.equal(['revocation 0'])
      await other.close()
    })

    it('loses nothing that another process puts in the place of what ends', async () => {
      const other = await place.open()
      for (let round = 0; round < 20; round++) {
        const ended = version('a', round * 2, { kind: 'revocation' })
        const next = version('a', round * 2 + 1, { kind: 'revocation', parent: ended.stamp })
        await store.entries.merge([ended])
        const [isKept] = await Promise.all([
          other.entries.replace([next]),
          store.entries.forget([ended]),
        ])
        const { entries } = await store.entries.since(0)
        expect(entries).to.deep.equal(isKept ? [next] : [])
        await store.entries.forget([next])
      }
      await other.close()
    })

    it('ends the history of what was deleted before a time, and of nothing else', async () => {
      const gone = Array.from({ length: 250 }, (_, index) => `gone-${index}`)
      await store.entries.merge(
        gone.flatMap((id) => [version(id, 1), version(id, 2), tombstone(id, 10)]),
      )
      const kept = {
        late: [tombstone('late', 11), version('late', 1)],
        live: [version('live', 2), version('live', 1)],
        back: [version('back', 5), tombstone('back', 4), version('back', 3)],
      }
      await store.entries.merge(Object.values(kept).flat())
      await store.entries.endHistory(11)
      for (const id of gone) expect(await store.entries.versions('api_spec', id)).to.deep.equal([])
      for (const [id, versions] of Object.entries(kept)) {
        expect(await store.entries.versions('api_spec', id)).to.deep.equal(versions)
      }
      // the tombstone stays: no other node can bring the document back
      expect(await idsIn(store))
        .to.include('api_spec gone-0')
        .and.have.length(253)
    })

    it('refuses it after it was closed', async () => {
      await store.close()
      const error = await store.entries.forget([version('a', 1)]).catch((cause: unknown) => cause)
      expect(error).to.include({ uri: 'service.error.unavailable' })
    })
  })
}
