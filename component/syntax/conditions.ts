/** Conditions of a request on the state of what it asks for: `If-Match` and its kind (RFC 9110 §13). */
import { readHttpDate } from './http-date.ts'

/** The state of a body. */
export interface Validators {
  /** The entity tag, with its quotes. */
  readonly etag: string
  /** An HTTP-date. */
  readonly 'last-modified': string
}

/** One entity tag with what ends it (RFC 9110 §8.8.3). */
const entityTag = /[ \t,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y

/**
 * Whether an entity tag is in a list of them, or the list is `*` (RFC 9110 §8.8.3.2).
 * @param list a field; where it is malformed, what stands before the fault counts
 * @param isStrong whether weak tags match nothing; absent: they match by their text
 */
export function isListed(etag: string, list: string, isStrong = false): boolean {
  if (list.trim() === '*') return true
  const isWeak = etag.startsWith('W/')
  if (isStrong && isWeak) return false
  const text = isWeak ? etag.slice(2) : etag
  entityTag.lastIndex = 0
  for (;;) {
    const found = entityTag.exec(list)
    if (found === null) return false
    if (found[2] === text && !(isStrong && found[1])) return true
  }
}

/** Whether nothing has changed since a time; undefined where the field is no HTTP-date, and does not count. */
function isUnchanged(since: string | undefined, modified: string): boolean | undefined {
  const time = since === undefined ? undefined : readHttpDate(since)
  return time === undefined ? undefined : Number(readHttpDate(modified)) <= time
}

/**
 * What the conditions of a GET or HEAD make of it, in the order of RFC 9110 §13.2.2.
 * @param headers of the request; names in lower case
 * @returns 304 or 412; 200 where the body is to be sent
 */
export function statusOn(
  headers: Readonly<Record<string, string>>,
  { etag, 'last-modified': modified }: Validators,
): 200 | 304 | 412 {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  const holds =
    match === undefined
      ? isUnchanged(headers['if-unmodified-since'], modified) !== false
      : isListed(etag, match, true)
  if (!holds) return 412
  const isKnown =
    noneMatch === undefined
      ? isUnchanged(headers['if-modified-since'], modified) === true
      : isListed(etag, noneMatch)
  return isKnown ? 304 : 200
}
