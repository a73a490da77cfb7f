/** Messages between gateways: their shapes, and readers that return undefined for everything else. */
import { maxAncestors } from '#component/replica/conflict-resolution.ts'
import {
  type Document,
  type Entry,
  type Kind,
  kinds,
  type Summary,
} from '#component/replica/entry.ts'
import type { Stamp } from '#component/replica/stamp.ts'
import { isMap } from '#component/syntax/values.ts'

/** The state of a node, part of every message. */
export interface Heartbeat {
  readonly node: string
  /** Random for each start of the process. */
  readonly boot: string
  /** Greater in each message of a boot. */
  readonly seq: number
  /** Its clock: milliseconds since the epoch. */
  readonly now: number
  /** Of all that it holds. */
  readonly digest: string
  /** Its last message. */
  readonly leaving: boolean
  /** Of its program. */
  readonly version: string
  /** What it knows of documents, beyond what all gateways know. */
  readonly features: readonly string[]
  /** Its next heartbeat follows within this time; milliseconds. */
  readonly every: number
  /** The names of the processes of its gateway, its own first; absent: it is the only one. */
  readonly workers?: readonly string[]
  /** The process of its gateway that sends heartbeats, where that is another one. */
  readonly speaker?: string
}

/** A gateway that another one is in touch with. */
export interface Introduced {
  /** Its last message that was heard. */
  readonly heartbeat: Heartbeat
  /** How long ago; milliseconds. */
  readonly ago: number
}

/** Members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** An opened message: the heartbeat of its sender, and its other fields. */
export interface Message {
  readonly heartbeat: Heartbeat
  readonly fields: Fields
}

/** A document, by its name. */
export type Name = Pick<Entry, 'kind' | 'id'>

/** A change, with its document if that is small enough for an event. */
export interface Announced {
  readonly summary: Summary
  readonly entry: Entry | undefined
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isHash = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value))

const isKind = (value: unknown): value is Kind => kinds.some((kind) => kind === value)

const readText = (value: unknown): string | undefined => (isText(value) ? value : undefined)

/** The name of a node: a component of the URIs of its procedures. */
const isNode = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z0-9-]{1,128}$/.test(value)

function readHeartbeat(fields: Fields): Heartbeat | undefined {
  const { node, boot, seq, now, digest, leaving = false, version, every, speaker } = fields
  if (!isNode(node) || !isText(boot) || !isCount(seq) || !isCount(now)) return undefined
  if (!isText(digest) || typeof leaving !== 'boolean') return undefined
  const features = readList(fields.features, readText)
  if (!isText(version) || !features || !isCount(every)) return undefined
  const workers = readList(fields.workers, (name) => (isNode(name) ? name : undefined))
  return {
    ...{ node, boot, seq, now, digest, leaving, features, every },
    version: version.slice(0, 64),
    ...(workers && { workers }),
    ...(isNode(speaker) && { speaker }),
  }
}

/** Reads what was sealed. */
export function readMessage(fields: unknown): Message | undefined {
  if (!isMap(fields)) return undefined
  const heartbeat = readHeartbeat(fields)
  return heartbeat && { heartbeat, fields }
}

/** Reads what one gateway tells of another. */
export function readIntroduced(value: unknown): Introduced | undefined {
  const heartbeat = isMap(value) ? readHeartbeat(value) : undefined
  const ago = heartbeat && readCount((value as Fields).ago)
  return heartbeat && ago !== undefined ? { heartbeat, ago } : undefined
}

/** Reads a list, without the items that are not understood: a newer gateway may know more kinds. Undefined for another type. */
export function readList<T>(
  value: unknown,
  read: (item: unknown) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.map(read).filter((item) => item !== undefined)
}

/** The name of a document of a kind that is known here. */
export function readName(value: unknown): Name | undefined {
  if (!isMap(value)) return undefined
  const { kind, id } = value
  return isKind(kind) && isText(id) ? { kind, id } : undefined
}

function readStamp(value: unknown): Stamp | undefined {
  if (!isMap(value)) return undefined
  const { ms, counter, node } = value
  return isCount(ms) && isCount(counter) && isText(node) ? { ms, counter, node } : undefined
}

/** Reads the summary of an entry, by which two nodes compare it; undefined when it is malformed. */
export function readSummary(value: unknown): Summary | undefined {
  const name = readName(value)
  if (!name || !isMap(value)) return undefined
  const { hash } = value
  const stamp = readStamp(value.stamp)
  return stamp && isHash(hash) ? { ...name, stamp, hash } : undefined
}

/** Most characters of who has made a version. */
const maxAuthor = 1_000

/** The versions before the parent; none when they are not told, or not as they should be. */
function readAncestors(value: unknown): Pick<Entry, 'ancestors'> {
  const ancestors = readList(value, readStamp)
  const isWhole =
    ancestors &&
    ancestors.length === (value as unknown[]).length &&
    ancestors.length <= maxAncestors
  return isWhole ? { ancestors } : {}
}

/** Who has made the version; not known when it is not told, or longer than a name. */
const readAuthor = (value: unknown): Pick<Entry, 'by'> =>
  isText(value) && value.length <= maxAuthor ? { by: value } : {}

/** An entry with its document, or a tombstone; whether the hash is that of the document is for the replica to see. */
export function readEntry(value: unknown): Entry | undefined {
  const summary = readSummary(value)
  if (!summary || !isMap(value)) return undefined
  const { document } = value
  const more = { ...readAncestors(value.ancestors), ...readAuthor(value.by) }
  const parent = value.parent === null ? null : readStamp(value.parent)
  if (parent === undefined || (document === null) !== (summary.hash === null)) return undefined
  if (document === null) return { ...summary, parent, ...more, document }
  if (!isMap(document)) return undefined
  return { ...summary, parent, ...more, document: document as Document }
}

/** Reads a change; one without the key `document` leaves the document to be fetched. */
export function readAnnounced(value: unknown): Announced | undefined {
  const summary = readSummary(value)
  if (!summary || !isMap(value)) return undefined
  if (!Object.hasOwn(value, 'document')) return { summary, entry: undefined }
  const entry = readEntry(value)
  return entry && { summary, entry }
}

const isBucket = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{2}$/.test(value)

/** The name of a bucket: two hex digits. */
export const readBucket = (value: unknown): string | undefined =>
  isBucket(value) ? value : undefined

/** Digests by the names of their buckets. */
export function readBuckets(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isMap(value)) return undefined
  const entries = Object.entries(value)
  const isWhole = entries.every(([name, digest]) => isBucket(name) && isText(digest))
  return isWhole ? (value as Record<string, string>) : undefined
}

/** A whole number that is not negative. */
export const readCount = (value: unknown): number | undefined =>
  isCount(value) ? value : undefined

/** Kept answers that are dropped. */
export interface Purged {
  /** Of the document. */
  readonly id: string
  /** undefined: all of it. */
  readonly tags: readonly string[] | undefined
}

export function readPurged({ id, tags }: Fields): Purged | undefined {
  const read = readList(tags, readText)
  if (!isText(id) || (tags !== undefined && !read)) return undefined
  return { id, tags: read }
}
