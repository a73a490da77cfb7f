/** Requests for a part of a body: `Range` and `If-Range` (RFC 9110 §13.1.5, §14). */
import { readHttpDate } from './http-date.ts'

/** The one range that a request asks for. */
export interface AskedRange {
  /** The first byte, from 0; negative: so many from the end. */
  readonly first: number
  /** The last byte; null: the last one that there is. */
  readonly last: number | null
}

/** What a request without a range asks for. */
export const wholeBody: AskedRange = Object.freeze({ first: 0, last: null })

/** The first and the last byte of a part. */
export interface Part {
  readonly first: number
  readonly last: number
}

const oneRange = /^bytes[ \t]*=[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/i

/** Reads `Range`; undefined where it does not count: several ranges, another unit, the last byte before the first. */
export function readByteRange(field: string | undefined): AskedRange | undefined {
  const [found, first, last, suffix] = oneRange.exec(field ?? '') ?? []
  if (found === undefined) return undefined
  if (suffix !== undefined) return { first: -Number(suffix), last: null }
  const asked = { first: Number(first), last: last ? Number(last) : null }
  return asked.last !== null && asked.last < asked.first ? undefined : asked
}

/** The part of a body that is asked for; undefined where no byte of it is there (416). @param size of the body; bytes */
export function partOf({ first, last }: AskedRange, size: number): Part | undefined {
  // the last 0 bytes
  if (Object.is(first, -0)) return undefined
  const begin = first < 0 ? Math.max(size + first, 0) : first
  return begin < size ? { first: begin, last: Math.min(last ?? size, size - 1) } : undefined
}

/** `Content-Range` of a part. @param part undefined: none is there */
export const contentRange = (part: Part | undefined, size: number): string =>
  part ? `bytes ${part.first}-${part.last}/${size}` : `bytes */${size}`

/**
 * Whether a client has a part of this very body, so that another part fits to it. Entity tags are compared strongly, times exactly.
 * @param condition `If-Range`; undefined: the request has none
 * @param headers those of the answer
 */
export function isOfSameBody(
  condition: string | undefined,
  headers: Readonly<Record<string, unknown>>,
): boolean {
  if (condition === undefined) return true
  const known = condition.trim()
  if (known.includes('"')) return !known.startsWith('W/') && known === headers.etag
  const time = readHttpDate(known)
  return time !== undefined && time === readHttpDate(String(headers['last-modified']))
}
