/** A kept answer as the reply to one request: its age, `Cache-Status` (RFC 9211), and the CORS headers of the request. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { Kept } from './response-cache.ts'

/** How a request was answered. */
export interface CacheStatus {
  readonly how: 'hit' | 'stale' | 'miss' | 'bypass'
  /** Why it was not answered from what was kept; undefined: it was. */
  readonly fwd?: 'miss' | 'stale' | 'bypass'
  /** Status of the answer that a stale one stands in for. */
  readonly fwdStatus?: number | undefined
  readonly isStored?: boolean
  /** Whether it waited for the answer to another request. */
  readonly isCollapsed?: boolean
  /** Why the answer is not kept. */
  readonly detail?: string
}

const mark = '\0'

/** Laid under an answer in place of the configured CORS headers, which differ by request: no text of a document can be it. */
export const markedPolicy: Headers = {
  'access-control-allow-origin': mark,
  'access-control-allow-credentials': mark,
  'access-control-expose-headers': mark,
}

type ReplyHeaders = Reply['headers']

/** Headers without those that carry the mark, and the names of these. */
export function splitMarked(headers: ReplyHeaders): Pick<Kept, 'headers' | 'marked'> {
  const marked = Object.keys(headers).filter((name) => headers[name] === mark)
  const others = Object.entries(headers).filter(([name]) => !marked.includes(name))
  return { headers: Object.fromEntries(others), marked }
}

/** Headers with those of a policy in the place of the marked ones. */
function policedHeaders(
  { headers, marked }: Pick<Kept, 'headers' | 'marked'>,
  policy: Headers,
): Record<string, string | readonly string[]> {
  const laid = { ...headers }
  for (const name of marked) {
    const own = policy[name]
    if (own !== undefined) laid[name] = own
  }
  return laid
}

/** A reply that was made under the mark. */
export const withPolicy = (reply: Reply, policy: Headers): Reply => ({
  ...reply,
  headers: policedHeaders(splitMarked(reply.headers), policy),
})

const nothing = { kind: 'none' } as const

/** The reply of a kept answer, with what this cache did. @param now milliseconds since the epoch */
export function hitReply(
  kept: Kept,
  operation: CompiledOperation,
  policy: Headers,
  now: number,
  status: CacheStatus,
): Reply {
  const { content, codings, at, ageMs, freshUntil } = kept
  const age = Math.floor((ageMs + Math.max(now - at, 0)) / 1000)
  const headers = policedHeaders(kept, policy)
  // of an answer that has just been made there is none to tell
  if (status.how !== 'miss' || age > 0) headers.age = String(age)
  headers['cache-status'] = statusField(kept.headers, status, freshUntil - now)
  const body =
    content === undefined ? nothing : ({ kind: 'bytes', bytes: content, codings } as const)
  return { status: kept.status, headers, body, operation }
}

/** The reply of the action, with what this cache did. */
export const withStatus = (reply: Reply, status: CacheStatus): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'cache-status': statusField(reply.headers, status, 0) },
})

/** `Cache-Status`, behind that of caches before this one. @param ttlMs of a kept answer that nothing was asked for; milliseconds */
function statusField(headers: ReplyHeaders, status: CacheStatus, ttlMs: number): string {
  const { fwd, fwdStatus, isStored, isCollapsed, detail } = status
  const before = headers['cache-status']
  let field = before === undefined ? 'wamp-gateway' : `${String(before)}, wamp-gateway`
  field += fwd === undefined ? `; hit; ttl=${Math.floor(ttlMs / 1000)}` : `; fwd=${fwd}`
  if (fwdStatus !== undefined) field += `; fwd-status=${fwdStatus}`
  if (isStored) field += '; stored'
  if (isCollapsed) field += '; collapsed'
  if (detail !== undefined) field += `; detail=${detail}`
  return field
}
