/** A kept answer as the reply to one request: its age, `Cache-Status` (RFC 9211), and the CORS headers of the request. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { Kept } from '#component/policy/response-cache.ts'

/** How a request was answered. */
export interface CacheStatus {
  readonly how: 'hit' | 'stale' | 'miss' | 'bypass'
  /** Why it was not answered from what was kept; undefined: it was. */
  readonly fwd?: 'miss' | 'stale' | 'bypass'
  /** Status of the answer that a stale one stands in for. */
  readonly fwdStatus?: number | undefined
  /** Milliseconds that the answer is fresh yet; negative: it has been stale for so long. */
  readonly ttlMs?: number | undefined
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

/** The headers with those of a policy where the mark has stayed. */
function policedHeaders(
  headers: ReplyHeaders,
  policy: Headers,
): Record<string, string | readonly string[]> {
  const laid: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    const own = value === mark ? policy[name] : value
    if (own !== undefined) laid[name] = own
  }
  return laid
}

/** A reply that was made under the mark. */
export const withPolicy = (reply: Reply, policy: Headers): Reply => ({
  ...reply,
  headers: policedHeaders(reply.headers, policy),
})

/** @param now milliseconds since the epoch */
export function hitReply(
  { status, headers, content, at, ageMs }: Kept,
  operation: CompiledOperation,
  policy: Headers,
  now: number,
  { how }: CacheStatus,
): Reply {
  const age = Math.floor((ageMs + Math.max(now - at, 0)) / 1000)
  const laid = policedHeaders(headers, policy)
  // of an answer that has just been made there is none to tell
  if (how !== 'miss' || age > 0) laid.age = String(age)
  return {
    status,
    headers: laid,
    body: content === undefined ? { kind: 'none' } : { kind: 'bytes', bytes: content },
    operation,
  }
}

/** The reply with what this cache did. */
export function withStatus(reply: Reply, status: CacheStatus): Reply {
  const before = reply.headers['cache-status']
  const own = textOf(status)
  const told = before === undefined ? own : `${String(before)}, ${own}`
  return { ...reply, headers: { ...reply.headers, 'cache-status': told } }
}

function textOf({ fwd, fwdStatus, ttlMs, isStored, isCollapsed, detail }: CacheStatus): string {
  const parts = ['wamp-gateway', fwd === undefined ? 'hit' : `fwd=${fwd}`]
  if (fwdStatus !== undefined) parts.push(`fwd-status=${fwdStatus}`)
  if (ttlMs !== undefined) parts.push(`ttl=${Math.floor(ttlMs / 1000)}`)
  if (isStored) parts.push('stored')
  if (isCollapsed) parts.push('collapsed')
  if (detail !== undefined) parts.push(`detail=${detail}`)
  return parts.join('; ')
}
