/** Percent-encoding (RFC 3986 §2.1): texts become URI references, or parts of them. */
import { inQuery, mayStand } from './request-target.ts'

/** The text with all but the unreserved characters (RFC 3986 §2.3) as escapes. @throws URIError for lone surrogates */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Characters that may stand in a segment as they are (RFC 3986 §3.3), though encodeURIComponent escapes them. */
const inSegment = /%(?:2[46BC]|3[ABD]|40)/g

/** A text as one segment of a path. @throws URIError for lone surrogates */
export const encodeSegment = (text: string): string =>
  encodeURIComponent(text).replaceAll(inSegment, decodeURIComponent)

const isHex = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)

/** Whether a character stays as it is; `%` only where it begins an escape. */
function isPlain(text: string, index: number, stays: (code: number) => boolean): boolean {
  const code = text.charCodeAt(index)
  if (code === 37) return isHex(text.charCodeAt(index + 1)) && isHex(text.charCodeAt(index + 2))
  return stays(code)
}

/**
 * The text with all other characters percent-encoded; escapes stay. Most texts need no escape. Undefined for text that is not
 * valid Unicode.
 * @param stays whether an ASCII character stays as it is
 */
export function encodeExcept(text: string, stays: (code: number) => boolean): string | undefined {
  let index = 0
  while (index < text.length && isPlain(text, index, stays)) index += 1
  if (index === text.length) return text
  if (!text.isWellFormed()) return undefined
  let encoded = text.slice(0, index)
  for (const character of text.slice(index)) {
    encoded += isPlain(text, index, stays) ? character : encodeURIComponent(character)
    index += character.length
  }
  return encoded
}

/** Unreserved and reserved characters (RFC 3986 §2.2, §2.3). */
const inReference = (code: number): boolean => code === 35 || mayStand(code, inQuery)

/**
 * A text as a URI reference: blanks, quotes, backslashes, controls and characters beyond ASCII are percent-encoded.
 * Undefined for NUL and line breaks, which no author means, and for text that is not valid Unicode.
 */
export const encodeReference = (text: string): string | undefined =>
  /[\0\r\n]/.test(text) ? undefined : encodeExcept(text, inReference)

/** Why a text is no URI reference, not even when it is encoded. */
export const referenceProblem = (text: string): string | undefined =>
  encodeReference(text) === undefined ? 'it holds NUL or a line break' : undefined
