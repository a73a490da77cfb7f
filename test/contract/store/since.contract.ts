/** What every store promises of being asked for changes: none is missed, and nothing is told twice. */
import { expect } from 'chai'
import type { Entry } from '#component/replica/entry.ts'
import type { Store } from '#component/store/database.ts'
import { stampOf, tombstone, version } from './documents.ts'
import type { Place } from './store.contract.ts'

/** @param start gives a place with nothing in it */
export function describeSince(name: string, start: () => Promise<Place>): void {
  describe(`${name} as a store that is asked for changes`, () => {
    let place: Place
    let store: Store
    beforeEach(async () => {
      place = await start()
      store = await place.open()
    })
    afterEach(() => store.close())

    const all = async () => (await store.entries.since(0)).entries

    it('gives what has changed, oldest stamp first', async () => {
      const made = [
        [3, 'n1'] as const,
        [1, 'n-b'] as const,
        [1, 'n-a'] as const,
        [2, 'n1'] as const,
      ]
      const entries = made.map(([ms, node]) =>
        version(`${ms}${node}`, ms, { stamp: stampOf(ms, node) }),
      )
      await store.entries.merge(entries)
      const first = await store.entries.since(0)
      expect(first.entries.map(({ id }) => id)).to.deep.equal(['1n-a', '1n-b', '2n1', '3n1'])
      await store.entries.merge([version('late', 0)])
      await store.entries.replace([tombstone('3n1', 4, { parent: stampOf(3) })])
      const second = await store.entries.since(first.revision)
      expect(second.entries).to.deep.equal([
        version('late', 0),
        tombstone('3n1', 4, { parent: stampOf(3) }),
      ])
      expect(second.revision).to.be.greaterThan(first.revision)
      expect((await store.entries.since(second.revision)).entries).to.deep.equal([])
    })

    it('leaves out what is known, and leads as far', async () => {
      const [a, b, gone] = [version('a', 1), version('b', 2), tombstone('c', 3)]
      await store.entries.merge([a, b, gone])
      const all = await store.entries.since(0)
      const seen: unknown[] = []
      const { revision, entries } = await store.entries.since(0, (one) => {
        seen.push(one)
        return one.id !== 'b'
      })
      expect(entries).to.deep.equal([b])
      expect(revision).to.equal(all.revision)
      const named = [a, b, gone].map(({ kind, id, stamp, hash }) => ({ kind, id, stamp, hash }))
      expect(seen).to.have.deep.members(named)
      expect((await store.entries.since(0, () => true)).revision).to.equal(revision)
    })

    it('gives as many as there are, of one step or of several', async () => {
      const many = Array.from({ length: 230 }, (_, ms) => version(`${ms}`, ms))
      await store.entries.merge(many.slice(0, 210))
      for (const entry of many.slice(210)) await store.entries.merge([entry])
      expect(await all()).to.deep.equal(many)
    })

    it('gives every document, once, while all of them change', async () => {
      const many = Array.from({ length: 230 }, (_, index) => version(`${index}`, index))
      await store.entries.merge(many)
      const other = await place.open()
      let isWriting = true
      const writing = (async () => {
        for (const { id } of many) await other.entries.merge([version(id, 999)])
      })().finally(() => {
        isWriting = false
      })
      while (isWriting) {
        const ids = (await all()).map(({ id }) => id)
        expect([ids.length, new Set(ids).size]).to.deep.equal([230, 230])
        await new Promise((resolve) => setImmediate(resolve))
      }
      await writing
      expect(new Set((await all()).map(({ stamp }) => stamp.ms))).to.deep.equal(new Set([999]))
      await other.close()
    })

    it('gives everything after a revision that the store has never come to', async () => {
      await store.entries.merge([version('a', 1)])
      const { revision } = await store.entries.since(0)
      expect(await store.entries.since(revision + 1_000)).to.deep.equal({
        revision,
        entries: [version('a', 1)],
      })
    })

    it('misses nothing of what two others write at the same time', async () => {
      const others = await Promise.all([place.open(), place.open()])
      const seen = new Map<string, Entry>()
      let isWriting = true
      let reached = 0
      const poll = async () => {
        const { revision, entries } = await store.entries.since(reached)
        expect(revision).to.be.at.least(reached)
        reached = revision
        for (const entry of entries) seen.set(entry.id, entry)
      }
      const reading = (async () => {
        while (isWriting) {
          await poll()
          await new Promise((resolve) => setImmediate(resolve)) // SQLite leaves no room for others
        }
      })()
      const writing = others.map(async ({ entries }, writer) => {
        for (let ms = 1; ms <= 200; ms++) await entries.merge([version(`${writer}-${ms}`, ms)])
      })
      await Promise.all(writing).finally(() => {
        isWriting = false
      })
      await reading
      await poll()
      expect(seen).to.have.property('size', 400)
      await Promise.all(others.map((other) => other.close()))
    })
  })
}
