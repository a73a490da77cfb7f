/** What every store promises; a new one proves itself by passing these, and nothing else. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'

const spec = (id: string, ts: number) => ({
  id,
  ts,
  node: 'n1',
  hash: `hash of ${id}`,
  document: { id, text: 'ü\u0000"{{x}}', big: 2n ** 63n - 1n, nothing: null, list: [1.5, true] },
})

/** @param open gives a store with nothing in it */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(`${name} as a Store`, () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })
    afterEach(async () => {
      await store.close()
    })

    it('is empty at first', async () => {
      expect(await store.specs.all()).to.deep.equal([])
      expect(await store.realms.all()).to.deep.equal([])
    })

    it('gives back what it was given, every digit of it', async () => {
      await store.specs.put(spec('a', 1_800_000_000_000))
      expect(await store.specs.all()).to.deep.equal([spec('a', 1_800_000_000_000)])
    })

    it('keeps the last version of an id', async () => {
      await store.specs.put(spec('a', 1))
      await store.specs.put({ ...spec('a', 2), node: 'n2' })
      expect(await store.specs.all()).to.deep.equal([{ ...spec('a', 2), node: 'n2' }])
    })

    it('keeps a tombstone in the place of a deleted document', async () => {
      await store.specs.put(spec('a', 1))
      const tombstone = { id: 'a', ts: 2, node: 'n1', hash: null, document: null }
      await store.specs.put(tombstone)
      expect(await store.specs.all()).to.deep.equal([tombstone])
    })

    it('gives the oldest first', async () => {
      for (const [id, ts] of [
        ['c', 3],
        ['a', 1],
        ['b', 2],
      ] as const) {
        await store.specs.put(spec(id, ts))
      }
      expect((await store.specs.all()).map(({ id }) => id)).to.deep.equal(['a', 'b', 'c'])
    })

    for (const id of ['__proto__', 'constructor', "o'; drop table api_specs; --", 'a b']) {
      it(`takes ${id} as an id like any other`, async () => {
        await store.specs.put({ ...spec('x', 1), id })
        expect((await store.specs.all()).map((entry) => entry.id)).to.deep.equal([id])
      })
    }

    it('takes many changes at once', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => `id-${index}`)
      await Promise.all(ids.map((id, index) => store.specs.put(spec(id, index))))
      expect(await store.specs.all()).to.have.length(50)
    })

    it('keeps realms, several in one step, and the last version of each', async () => {
      const realm = (uri: string, text: string) => ({ uri, ts: 1, node: 'n1', document: { text } })
      await store.realms.put([realm('b', 'old'), realm('a', 'kept')])
      await store.realms.put([realm('b', 'new')])
      await store.realms.put([])
      expect(await store.realms.all()).to.deep.equal([realm('a', 'kept'), realm('b', 'new')])
    })

    it('remembers what was last loaded from a file', async () => {
      expect(await store.files.loadedHash('/a.json')).to.equal(undefined)
      await store.files.setLoadedHash('/a.json', 'one')
      await store.files.setLoadedHash('/a.json', 'two')
      expect(await store.files.loadedHash('/a.json')).to.equal('two')
      expect(await store.files.loadedHash('/b.json')).to.equal(undefined)
    })

    it('refuses everything after it was closed, and may be closed twice', async () => {
      await store.close()
      await store.close()
      for (const operation of [
        () => store.specs.all(),
        () => store.specs.put(spec('a', 1)),
        () => store.files.loadedHash('/a.json'),
      ]) {
        const error = await operation().catch((reason: unknown) => reason)
        expect(error).to.include({ uri: 'service.error.unavailable', status: 503 })
        expect(error).to.have.deep.property('headers', { 'Retry-After': '5' })
      }
    })
  })
}
