/** What every store promises of the uses of tickets: the latest one counts, whoever has told it. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import type { Place } from './store.contract.ts'

/** @param openPlace gives a place with nothing in it */
export function describeTicketUses(name: string, openPlace: () => Promise<Place>): void {
  describe(`${name} as a store of the uses of tickets`, () => {
    let store: Store
    beforeEach(async () => {
      store = await (await openPlace()).open()
    })
    afterEach(() => store.close())

    it('knows the latest use that it was told of, in whatever order', async () => {
      const { ticketUses } = store
      expect(await ticketUses.lastUse('a')).to.equal(undefined)
      await Promise.all([5, 9, 7].map((at) => ticketUses.note('a', at, 100)))
      await ticketUses.note('a', 8, 100)
      expect(await ticketUses.lastUse('a')).to.equal(9)
      expect(await ticketUses.lastUse('b')).to.equal(undefined)
    })

    it('tells the uses of many at once, of those that it knows', async () => {
      const { ticketUses } = store
      await ticketUses.note('a', 5, 100)
      await ticketUses.note('last', 7, 100)
      const ids = ['a', ...Array.from({ length: 2_000 }, (_, at) => `none${at}`), 'last']
      expect(await ticketUses.lastUses(ids)).to.deep.equal(
        new Map([
          ['a', 5],
          ['last', 7],
        ]),
      )
      expect(await ticketUses.lastUses([])).to.deep.equal(new Map())
    })

    it('keeps a use as long as the latest one says', async () => {
      const { ticketUses } = store
      await ticketUses.note('a', 5, 100)
      await ticketUses.note('a', 6, 101)
      await ticketUses.sweep(100)
      expect(await ticketUses.lastUse('a')).to.equal(6)
    })

    it('forgets tickets that have ended', async () => {
      const { ticketUses } = store
      await ticketUses.note('a', 1, 100)
      await ticketUses.note('b', 1, 101)
      await ticketUses.sweep(100)
      expect(await ticketUses.lastUse('a')).to.equal(undefined)
      expect(await ticketUses.lastUse('b')).to.equal(1)
    })
  })
}
