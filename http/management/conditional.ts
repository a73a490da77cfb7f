/** Conditional requests: If-Match and If-None-Match as the hashes of documents (RFC 9110 §8.8.3, §13.1). */
import { createHash } from 'node:crypto'
import { ServiceError } from '#component/errors.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Conditions, Hashes } from '#component/replica/history.ts'

interface EntityTag {
  readonly isWeak: boolean
  readonly opaque: string
}

/** `etagc` of the grammar: no control, no blank, no quote; obs-text is allowed. */
function isTagText(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x21 || code === 0x22 || code === 0x7f) return false
  }
  return true
}

/** The entity tags of a list; undefined when it is malformed. Empty members are allowed (RFC 9110 §5.6.1). */
function readTags(value: string): EntityTag[] | undefined {
  const tags: EntityTag[] = []
  let at = 0
  for (;;) {
    while (value[at] === ' ' || value[at] === '\t' || value[at] === ',') at++
    if (at >= value.length) return tags
    const isWeak = value.startsWith('W/', at)
    const start = at + (isWeak ? 2 : 0)
    const end = value[start] === '"' ? value.indexOf('"', start + 1) : -1
    const opaque = value.slice(start + 1, end)
    if (end < 0 || !isTagText(opaque)) return undefined
    tags.push({ isWeak, opaque })
    at = end + 1
    while (value[at] === ' ' || value[at] === '\t') at++
    if (at < value.length && value[at] !== ',') return undefined
  }
}

/** The hashes of a field; undefined when it is absent. @throws ServiceError `service.error.bad_request` */
function readHashes(
  name: string,
  value: string | undefined,
  isMeant: (tag: EntityTag) => boolean,
): Hashes | undefined {
  if (value === undefined) return undefined
  if (value.trim() === '*') return '*'
  const tags = readTags(value)
  if (tags === undefined) {
    const message = `${name}: expected * or quoted entity tags, as in ETag fields`
    throw new ServiceError('service.error.bad_request', message)
  }
  return tags.filter(isMeant).map(({ opaque }) => opaque)
}

/**
 * The conditions of a request on the stored version.
 * @param headers lower-case names
 * @throws ServiceError `service.error.bad_request` for a malformed field
 */
export function readConditions(headers: Readonly<Record<string, string>>): Conditions {
  // strong comparison: a weak tag never matches
  const ifMatch = readHashes('If-Match', headers['if-match'], ({ isWeak }) => !isWeak)
  const ifNoneMatch = readHashes('If-None-Match', headers['if-none-match'], () => true)
  return { ...(ifMatch && { ifMatch }), ...(ifNoneMatch && { ifNoneMatch }) }
}

/** Whether the client already has the answer with this ETag (RFC 9110 §13.1.2). */
export const isKnown = (etag: string | undefined, { ifNoneMatch }: Conditions): boolean =>
  etag !== undefined &&
  ifNoneMatch !== undefined &&
  (ifNoneMatch === '*' || ifNoneMatch.some((hash) => etag === `"${hash}"`))

/** The reply with its ETag, or 304 for a client that has it. @throws ServiceError for a malformed If-None-Match */
export function tagged(exchange: Exchange, etag: string, reply: Reply): Reply {
  const headers = { ...reply.headers, etag }
  if (!isKnown(etag, readConditions(exchange.headers))) return { ...reply, headers }
  return { status: 304, headers, body: { kind: 'none' } }
}

/** The ETag of bytes that do not change. */
export const tagOf = (bytes: Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url')}"`
