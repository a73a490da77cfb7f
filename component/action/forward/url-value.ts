/** Values of a request in the path or the query of an upstream: a segment stays one segment, a value one value (behaviour §4). */
import { ServiceError } from '#component/errors.ts'
import { percentEncoded } from '#component/syntax/percent-encoding.ts'

/** Where in a URL a value is put. */
type UrlPlace = 'path' | 'query'

/** Unreserved characters without dots (RFC 3986 §2.3). */
const isPlain = /^[\w~-]*$/

/** Characters that an upstream could take for the end of a segment, or of the path. */
const ofSegment = /[/\\\0\r\n]|%(?:2f|5c|00|0d|0a)/i
const ofKeptSlashes = /[\\\0\r\n]|%(?:2f|5c|00|0d|0a)/i
const ofPath = /[\\\p{Cc}]|%(?:2f|5c|00|0d|0a)/iu
const control = /\p{Cc}/u

/** How many times software behind the gateway may decode a URL again. */
const decodings = 2

const unescapedOnce = (text: string): string =>
  text.replace(/%([0-7][0-9a-f])/gi, (_escape, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )

/** Whether the text matches, as it is or after at most `times` percent-decodings. */
function matches(text: string, pattern: RegExp, times: number): boolean {
  if (pattern.test(text)) return true
  return times > 0 && text.includes('%') && matches(unescapedOnce(text), pattern, times - 1)
}

function refuse(place: UrlPlace, what: string): never {
  throw new ServiceError('service.error.bad_request', `${place}: a value of the request ${what}`)
}

/**
 * A value of a path that keeps escaped slashes: its slashes are escaped, the pieces between them are neither empty nor dot segments.
 * @throws ServiceError 400 as {@link encodeValue} for what else it holds
 */
export function encodeWithSlashes(text: string, place: UrlPlace): string {
  if (place === 'query' || !text.includes('/')) return encodeValue(text, place)
  if (matches(text, ofKeptSlashes, decodings)) {
    refuse(place, 'holds an escaped slash, a backslash, NUL or a line break, as it is or escaped')
  }
  const pieces = text.split('/')
  if (pieces.some((piece) => piece === '' || isDotSegment(piece))) {
    refuse(place, 'holds an empty piece or a dot segment between its slashes')
  }
  if (!text.isWellFormed()) refuse(place, 'is not valid Unicode')
  return percentEncoded(text)
}

/**
 * A value, percent-encoded: all but the unreserved characters of RFC 3986.
 * @throws ServiceError 400 for text that is not Unicode, and in a path for slashes, backslashes, NUL and line breaks, also
 *   where they show after one or two decodings
 */
export function encodeValue(text: string, place: UrlPlace): string {
  if (isPlain.test(text)) return text
  if (place === 'path' && matches(text, ofSegment, decodings)) {
    refuse(place, 'holds a slash, a backslash, NUL or a line break, as it is or escaped')
  }
  if (!text.isWellFormed()) refuse(place, 'is not valid Unicode')
  return percentEncoded(text)
}

/**
 * A value that the document lets pass as it is; in a path `?` begins no query.
 * @throws ServiceError 400 for control characters, and in a path for backslashes and escaped slashes, backslashes, NUL
 *   and line breaks, also where they show after one or two decodings
 */
export function checkRaw(text: string, place: UrlPlace): string {
  if (place === 'query') {
    if (control.test(text)) refuse(place, 'holds a control character')
    return text
  }
  if (matches(text, ofPath, decodings)) {
    refuse(place, 'holds a backslash, a control character, or an escaped slash')
  }
  return text.replaceAll('?', '%3F')
}

const dots = /^\.\.?(?:;|$)/

/** Whether the segment is `.` or `..` in any spelling, also with a parameter (`..;x`). A value has been escaped once more. */
export const isDotSegment = (segment: string): boolean => matches(segment, dots, decodings + 1)
