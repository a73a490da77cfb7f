/** Percent-encoding (RFC 3986 §2.1): texts become URI references, or parts of them. */
import { classOf, inQuery } from './request-target.ts'

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

/**
 * A function that percent-encodes all characters but those of a class; escapes stay. Most texts need no escape, which one regular
 * expression tells. It returns undefined for text that is not valid Unicode.
 * @param stays the ASCII characters that stay as they are, as {@link classOf} writes them
 */
export function encoderExcept(stays: string): (text: string) => string | undefined {
  const other = new RegExp(`%(?![\\dA-Fa-f]{2})|[^%${stays}]`, 'u')
  const others = new RegExp(other, 'gu')
  return (text) => {
    if (!other.test(text)) return text
    return text.isWellFormed() ? text.replace(others, encodeURIComponent) : undefined
  }
}

/** Unreserved and reserved characters (RFC 3986 §2.2, §2.3). */
const encodeInReference = encoderExcept(`#${classOf(inQuery)}`)

/**
 * A text as a URI reference: blanks, quotes, backslashes, controls and characters beyond ASCII are percent-encoded.
 * Undefined for NUL and line breaks, which no author means, and for text that is not valid Unicode.
 */
export const encodeReference = (text: string): string | undefined =>
  /[\0\r\n]/.test(text) ? undefined : encodeInReference(text)

/** Why a text is no URI reference, not even when it is encoded. */
export const referenceProblem = (text: string): string | undefined =>
  encodeReference(text) === undefined ? 'it holds NUL or a line break' : undefined
