/** The store of the tests does what the real one does, whatever is done to both. */
import { expect } from 'chai'
import fc from 'fast-check'
import { systemClock } from '#component/clock.ts'
import { type Entry, hashOf } from '#component/replica/entry.ts'
import type { ReplicaStore } from '#component/replica/replica-store.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { document } from './doubles.ts'
import { MemoryStore } from './memory-store.ts'

const kinds = ['api_spec', 'realm'] as const
const ids = ['x', 'y']

const stamp = fc.record({ ms: fc.nat(20), counter: fc.nat(1), node: fc.constantFrom('a', 'b') })

const sketch = fc.record({
  kind: fc.constantFrom(...kinds),
  id: fc.constantFrom(...ids),
  stamp,
  parent: fc.option(stamp),
  text: fc.option(fc.constantFrom('1', '2')),
})

const step = fc.record({
  // what is there is hardly ever the parent by chance
  do: fc.constantFrom('replace', 'replace what is there', 'merge', 'merge', 'forget'),
  sketches: fc.uniqueArray(sketch, { maxLength: 3, selector: ({ kind, id }) => `${kind} ${id}` }),
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const nameOf = ({ kind, id }: Entry) => `${kind} ${id}`

/** Does something to a store; gives what can be seen of it then. Each run has ids of its own. */
async function follow(store: ReplicaStore, { do: what, sketches }: Step, run: number) {
  const ownIds = ids.map((id) => `${id} of ${run}`)
  const ownOf = (entries: readonly Entry[]) =>
    entries.filter(({ id }) => ownIds.includes(id)).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const before = await store.since(0)
  const entries = sketches.map(({ text, ...rest }): Entry => {
    const id = `${rest.id} of ${run}`
    const value = text === null ? null : document(id, text)
    const entry = { ...rest, id, hash: value && hashOf(value), document: value }
    const there = before.entries.find((other) => nameOf(other) === nameOf(entry))
    // half of what is to be forgotten is another version than the one that is there
    if (what === 'forget' && text !== '1') return there ?? entry
    if (what !== 'replace what is there') return entry
    return { ...entry, parent: there?.stamp ?? null }
  })
  const method = what === 'replace what is there' ? 'replace' : what
  const isKept = await store[method](entries)
  const [changed, all] = [await store.since(before.revision), await store.since(0)]
  const versions = await Promise.all(
    kinds.flatMap((kind) => ownIds.map((id) => store.versions(kind, id))),
  )
  return {
    isKept,
    changed: ownOf(changed.entries),
    all: ownOf(all.entries),
    versions: versions.map((list) => list.map(({ stamp: at, document: of }) => ({ at, of }))),
  }
}

describe('MemoryStore', () => {
  let real: Store
  before(async () => {
    real = await openStore('sqlite::memory:', systemClock)
  })
  after(() => real.close())

  it('does what the store of the gateway does', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
        const memory = new MemoryStore()
        run++
        for (const next of steps) {
          expect(await follow(memory, next, run)).to.deep.equal(
            await follow(real.entries, next, run),
          )
        }
      }),
      { numRuns: rounds(10, 50) },
    )
  })
})
