/** Nodes with a clock that the test sets, documents, and versions made elsewhere, for the tests of the replica. */

import { type Change, type Entry, hashOf, type Kind } from '#component/replica/entry.ts'
import { Replica } from '#component/replica/replica.ts'
import type { ReplicaStore } from '#component/replica/replica-store.ts'
import type { Stamp } from '#component/replica/stamp.ts'
import { MemoryStore } from './memory-store.ts'

/** When the tests begin. Milliseconds since the epoch. */
export const start = 1_763_740_800_000

/** A clock that stands still until it is set. */
export class SetClock {
  ms: number

  constructor(ms = start) {
    this.ms = ms
  }

  now(): number {
    return this.ms
  }
}

/** A document of an API Specification, as far as a replica cares. */
export const document = (id: string, text = 'one') => ({ id, text })

/** A stamp so many milliseconds after the tests begin. */
export const stampAt = (ms: number, node = 'elsewhere', counter = 0): Stamp => ({
  ms: start + ms,
  counter,
  node,
})

/** A version made elsewhere; `text` null is a tombstone. */
export function version(
  id: string,
  stamp: Stamp,
  text: string | null = 'one',
  { parent = null, kind = 'api_spec' }: { parent?: Stamp | null; kind?: Kind } = {},
): Entry {
  const value = text === null ? null : document(id, text)
  return { kind, id, stamp, parent, hash: value && hashOf(value), document: value }
}

/** What a promise is rejected with; undefined when it is not. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )

/** Lets everything run that does not wait for the test. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

interface Setup {
  readonly store?: ReplicaStore
  readonly clock?: SetClock
}

/** A node that has been started, and what it said. */
export async function nodeOf(name: string, { store, clock }: Setup = {}) {
  const own = new MemoryStore()
  const itsClock = clock ?? new SetClock()
  const logged: unknown[][] = []
  const log = {
    info: (...line: unknown[]) => void logged.push(line),
    warn: (...line: unknown[]) => void logged.push(line),
    error: (...line: unknown[]) => void logged.push(line),
  }
  const replica = new Replica({ store: store ?? own, clock: itsClock, node: name, log })
  const live: Change[] = []
  const told: Entry[] = []
  const lost: (readonly [loser: Entry, winner: Entry])[] = []
  replica.watch('api_spec', (changes) => void live.push(...changes))
  replica.onLocalChange = (entries) => void told.push(...entries)
  replica.onLost = (loser, winner) => void lost.push([loser, winner])
  await replica.start()
  /** Loads a document, or deletes it. */
  const load = (id: string, text: string | null = 'one') =>
    replica.change('api_spec', () => [{ id, document: text === null ? null : document(id, text) }])
  const textOf = (id: string) => replica.get('api_spec', id)?.document?.text
  return { name, replica, store: own, clock: itsClock, logged, live, told, lost, load, textOf }
}
