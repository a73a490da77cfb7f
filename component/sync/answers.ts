/** Answers to requests of peers: this node's entries, in pages that routers carry. */
import { stringifyJson } from '#component/codec/json.ts'
import { ExpressionError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import type { Entry, Summary } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { Peers } from './peers.ts'
import { maxContentBytes } from './sealing.ts'
import type { Fields, Name } from './sync-messages.ts'

/** Bytes of JSON text that make a page; the first item is in it however long it is. */
const pageBytes = 1_000_000

/** The first of the items that a peer asked for; it asks again for the rest. */
export interface Page<T> {
  readonly items: readonly T[]
  /** How many of the requested items, from the first on, this page answers. */
  readonly answered: number
}

/** Bytes that an item takes in a message. */
const sizeOf = (item: unknown): number =>
  Buffer.byteLength(stringifyJson(item, Number.POSITIVE_INFINITY))

/** Whether an item takes at most this many bytes; stops writing a longer one. */
export function isWithin(item: unknown, bytes: number): boolean {
  try {
    return Buffer.byteLength(stringifyJson(item, bytes)) <= bytes
  } catch (error) {
    if (error instanceof ExpressionError) return false
    throw error
  }
}

/** The summaries in the buckets. */
export function summariesOf(replica: Replica, buckets: readonly string[]): Page<Summary> {
  const items: Summary[] = []
  let size = 0
  let answered = 0
  for (const bucket of buckets) {
    const summaries = replica.summaries([bucket])
    size += Buffer.byteLength(JSON.stringify(summaries))
    if (answered > 0 && size > pageBytes) break
    items.push(...summaries)
    answered++
  }
  return { items, answered }
}

/** The current entries; they may have changed since the peer received their summaries. */
export function entriesOf(replica: Replica, names: readonly Name[], log: Log): Page<Entry> {
  const items: Entry[] = []
  let size = 0
  let answered = 0
  for (const { kind, id } of names) {
    const entry = replica.get(kind, id)
    const bytes = entry ? sizeOf(entry) : 0
    if (size > 0 && size + bytes > pageBytes) break
    answered++
    if (bytes > maxContentBytes) {
      log.error(
        { kind, id, bytes },
        'the entry is too large for the router: the other gateways do not receive it',
      )
    } else if (entry) {
      items.push(entry)
      size += bytes
    }
  }
  return { items, answered }
}

/** The gateways that this node vouches for, as {@link readIntroduced} reads them. */
export const introductionsOf = (peers: Pick<Peers, 'introductions'>): readonly Fields[] =>
  peers.introductions().map(({ heartbeat, ago }) => ({ ...heartbeat, ago }))
