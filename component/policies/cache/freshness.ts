/** What a shared cache may keep and for how long (RFC 9111), as tables. */
import { CacheControl } from '#component/syntax/cache-control.ts'
import { readHttpDate } from '#component/syntax/http-date.ts'
import type { CachePlan } from './plan.ts'

/** Header fields with lower-case names. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

/** An answer, and how it was asked for. */
export interface Answer {
  readonly status: number
  readonly headers: Fields
  readonly control: CacheControl
  /** Whether the request had `Authorization` that the gateway did not check. */
  readonly isAuthorized: boolean
  /** Whether only one user gets it. */
  readonly isOfUser: boolean
  /** Whether an upstream sent it. */
  readonly isOfUpstream: boolean
}

/** One reason not to keep an answer. */
interface StoreRule {
  /** A token for `Cache-Status` (RFC 9211 §2.8). */
  readonly reason: string
  forbids(answer: Answer, plan: CachePlan): boolean
}

/** Whether an answer may serve requests that come with other credentials (RFC 9111 §3.5). */
export const isForAll = (control: CacheControl): boolean =>
  control.has('public') || control.has('s-maxage')

/** The first one that holds forbids. The gateway does not validate at its upstream, so what must be validated each time is not kept. */
const storeRules: readonly StoreRule[] = [
  { reason: 'status', forbids: ({ status }, { statuses }) => !statuses.has(status) },
  // §5.2.2.5
  { reason: 'no-store', forbids: ({ control }) => control.has('no-store') },
  // §5.2.2.7
  { reason: 'private', forbids: ({ control, isOfUser }) => !isOfUser && control.has('private') },
  // §5.2.2.4
  { reason: 'no-cache', forbids: ({ control }) => control.has('no-cache') },
  // §7.3: it would give the cookie of one client to others
  { reason: 'set-cookie', forbids: ({ headers }) => headers['set-cookie'] !== undefined },
  // §4.1
  { reason: 'vary', forbids: ({ headers }) => varyOf(headers).includes('*') },
  // §3.5
  {
    reason: 'authorization',
    forbids: ({ control, isAuthorized }) => isAuthorized && !isForAll(control),
  },
  // of a call the document alone says how long
  {
    reason: 'no-ttl',
    forbids: ({ isOfUpstream }, { ttlMs }) => ttlMs === undefined && !isOfUpstream,
  },
  // endless, or sent as it is made
  {
    reason: 'stream',
    forbids: ({ headers }) => streamTypes.test(textOf(headers['content-type']) ?? ''),
  },
]

const streamTypes = /^\s*(?:text\/event-stream|application\/x-ndjson|multipart\/)/i

/** Why an answer is not kept; undefined where it may be. */
export const whyNotStored = (answer: Answer, plan: CachePlan): string | undefined =>
  storeRules.find((rule) => rule.forbids(answer, plan))?.reason

/** The names in `Vary`, in lower case. */
export const varyOf = (headers: Fields): readonly string[] =>
  (textOf(headers.vary) ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

const textOf = (value: Fields[string] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.join(', ')

/** What is known of the age of an answer when it comes; milliseconds. */
export interface Freshness {
  readonly ageMs: number
  /** From when it comes; 0 or less: it is stale already. */
  readonly freshMs: number
  /** Whether it may be served when it is stale (RFC 9111 §4.2.4). */
  readonly mayBeStale: boolean
}

/** Where an answer says how long it is fresh: the first that is there holds (RFC 9111 §4.2.1). */
const lifetimes: readonly ((answer: Answer, now: number) => number | undefined)[] = [
  ({ control }) => control.seconds('s-maxage'),
  ({ control }) => control.seconds('max-age'),
  ({ headers }, now) => {
    const expires = textOf(headers.expires)
    if (expires === undefined) return undefined
    // §5.3: a malformed date, 0 above all, means that it has expired
    const at = readHttpDate(expires)
    return at === undefined ? 0 : Math.max((at - (dateOf(headers) ?? now)) / 1000, 0)
  },
]

const noStale = ['must-revalidate', 'proxy-revalidate', 's-maxage'] as const

/** @param now when the answer came; milliseconds since the epoch */
export function freshnessOf(answer: Answer, { ttlMs }: CachePlan, now: number): Freshness {
  const { headers, control } = answer
  const told = lifetimes
    .map((lifetime) => lifetime(answer, now))
    .find((seconds) => seconds !== undefined)
  const ageMs = ageOf(headers, now)
  const ofAnswer = told === undefined ? undefined : told * 1000 - ageMs
  const freshMs = Math.min(ttlMs ?? ofAnswer ?? 0, ofAnswer ?? Number.POSITIVE_INFINITY)
  const mayBeStale = !noStale.some((name) => control.has(name))
  return { ageMs, freshMs, mayBeStale }
}

/** Milliseconds (RFC 9111 §4.2.3: corrected_initial_age). A malformed `Age` is ignored; of several the first counts (§5.1). */
function ageOf(headers: Fields, now: number): number {
  const [first = ''] = (textOf(headers.age) ?? '').split(',')
  const told = /^\s*\d+\s*$/.test(first) ? Number(first) * 1000 : 0
  return Math.max(told, now - (dateOf(headers) ?? now), 0)
}

const dateOf = (headers: Fields): number | undefined =>
  typeof headers.date === 'string' ? readHttpDate(headers.date) : undefined

/** The directives of an answer. */
export const controlOf = (headers: Fields): CacheControl =>
  new CacheControl(textOf(headers['cache-control']))
