/** Media types (RFC 9110 §8.3.1): the type without its parameters, its charset, ranges of types, and in which form the gateway reads a type. */

/** Type and subtype in lower case, without parameters. */
export function essenceOf(type: string): string {
  const end = type.indexOf(';')
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}

/** Whether values of the type are written in JSON. @param essence as {@link essenceOf} gives it */
export const isJsonType = (essence: string): boolean =>
  essence === 'application/json' || essence.endsWith('+json')

/** MessagePack, and CBOR (RFC 8949). */
export const msgpackType = 'application/msgpack'
export const cborType = 'application/cbor'

/** Whether any value can be written as the type. @param essence as {@link essenceOf} gives it */
export const isDataType = (essence: string): boolean =>
  isJsonType(essence) || essence === msgpackType || essence === cborType

/** Forms, whose fields are texts, and forms with files (RFC 7578). */
export const formType = 'application/x-www-form-urlencoded'
export const multipartType = 'multipart/form-data'

/** The type of bytes that nobody has named (RFC 9110 §8.3). */
export const unknownType = 'application/octet-stream'

const isTextType = (essence: string): boolean =>
  essence.startsWith('text/') ||
  essence === 'application/xml' ||
  (essence.startsWith('application/') && essence.endsWith('+xml'))

/** In which form a body of a type is read: what is no data, form or text is bytes. */
export type BodyForm = 'data' | 'form' | 'multipart' | 'text' | 'bytes'

/** @param essence as {@link essenceOf} gives it */
export function formOf(essence: string): BodyForm {
  if (isDataType(essence)) return 'data'
  if (essence === formType) return 'form'
  if (essence === multipartType) return 'multipart'
  return isTextType(essence) ? 'text' : 'bytes'
}

/** The charset of a type in lower case, without quotes; undefined where it names none. */
export function charsetOf(type: string): string | undefined {
  for (const parameter of type.toLowerCase().split(';').slice(1)) {
    const [name = '', value = ''] = parameter.split('=', 2)
    if (name.trim() === 'charset') return value.trim().replace(/^"(.*)"$/, '$1')
  }
  return undefined
}

/** Whether text of the type is read as UTF-8: it says so (`utf-8`, `utf8`), or names no charset. */
export function isUtf8Type(type: string): boolean {
  const charset = charsetOf(type)
  return charset === undefined || /^utf-?8$/.test(charset)
}

/** A decoder of the charset of a text (WHATWG Encoding §4.2), which throws for what is not in it; undefined for an unknown one. */
export function textDecoderOf(type: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charsetOf(type) ?? 'utf-8', { fatal: true })
  } catch {
    return undefined
  }
}

/** Whether the charset of a type is read: data and forms are UTF-8 or its part ASCII, texts are what a {@link textDecoderOf} knows, bytes have none. */
export function hasKnownCharset(type: string): boolean {
  if (isUtf8Type(type)) return true
  const form = formOf(essenceOf(type))
  if (form === 'text') return textDecoderOf(type) !== undefined
  return form === 'bytes' || form === 'multipart' || charsetOf(type) === 'us-ascii'
}

/** `type/subtype` (RFC 6838 §4.2), or a range: of all types, those of one kind, or those of one kind and structured syntax. */
const mediaRange =
  /^(?:\*\/\*|[a-z\d][\w!#$&^.+-]{0,126}\/(?:\*(?:\+[a-z\d][\w!#$&^.-]{0,62})?|[a-z\d][\w!#$&^.+-]{0,126}))$/i

/** Why a text is no media type or range of media types, perhaps with `charset=utf-8`; undefined when it is one. */
export function mediaRangeProblem(text: string): string | undefined {
  const [range = '', ...parameters] = text.split(';')
  if (!mediaRange.test(range)) return 'it is neither type/subtype nor a range of types'
  if (parameters.length === 0 || (parameters.length === 1 && isUtf8Type(text) && charsetOf(text))) {
    return undefined
  }
  return 'types are compared without parameters'
}

/** Whether a name stands for several types. @param essence as {@link essenceOf} gives it */
export const isRange = (essence: string): boolean => essence.includes('*')

/**
 * Whether a type is one of a range, or the range itself. `application/json` is no range of `+json` types.
 * @param range as {@link essenceOf} gives it; so is the type
 */
export function covers(range: string, essence: string): boolean {
  if (range === essence || range === '*/*') return true
  const star = range.indexOf('*')
  if (star < 0) return false
  const end = range.slice(star + 1)
  return (
    essence.length > star + end.length &&
    essence.startsWith(range.slice(0, star)) &&
    essence.endsWith(end)
  )
}
