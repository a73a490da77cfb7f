/** What every store promises of the indexes of documents: each document has one, which is known to its maker alone. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import type { Place } from './store.contract.ts'

/** @param openPlace gives a place with nothing in it */
export function describeSpecIndexes(name: string, openPlace: () => Promise<Place>): void {
  describe(`${name} as a store of indexes`, () => {
    let store: Store
    beforeEach(async () => {
      store = await (await openPlace()).open()
    })
    afterEach(() => store.close())

    const row = (id: string, text: string, maker = 'one') => ({ id, hash: 'h', maker, text })
    const all = async (maker: string) => [...(await store.specIndexes.all(maker)).values()]

    it('has the last one of each document, for its maker', async () => {
      const { specIndexes } = store
      await specIndexes.keep([])
      await specIndexes.keep([row('a', '1'), row('b', '1')])
      await specIndexes.keep([row('a', '2'), row('b', '2', 'other')])
      expect(await all('one')).to.deep.equal([row('a', '2')])
      expect(await all('other')).to.deep.equal([row('b', '2', 'other')])
    })

    it('has all of many', async () => {
      const ids = Array.from({ length: 1_001 }, (_, at) => `id${at}`)
      for (let at = 0; at < ids.length; at += 200) {
        await store.specIndexes.keep(ids.slice(at, at + 200).map((id) => row(id, id)))
      }
      expect((await all('one')).map(({ id }) => id).sort()).to.deep.equal(ids.toSorted())
    })

    it('forgets those of documents that are gone', async () => {
      const { specIndexes } = store
      await specIndexes.keep([row('a', '1'), row('b', '1')])
      await specIndexes.remove([])
      await specIndexes.remove(['a', 'c'])
      expect(await all('one')).to.deep.equal([row('b', '1')])
    })
  })
}
