/** Bodies between bytes and values, by media type: JSON, MessagePack, CBOR, forms, texts, and bytes as they are. */
import { isUtf8 } from 'node:buffer'
import { asBuffer } from '#component/codec/as-buffer.ts'
import { decodeCbor, encodeCborBody } from '#component/codec/cbor.ts'
import { decodeUtf8, parseJson, stringifyJson } from '#component/codec/json.ts'
import { bodyRules, bodyRulesFor, type ReadRules } from '#component/codec/limits.ts'
import { decodeMsgpack, encodeMsgpackBody } from '#component/codec/msgpack.ts'
import { ServiceError } from '#component/errors.ts'
import type { Content } from '#component/gateway/exchange.ts'
import type { ContentLimits } from '#component/request.ts'
import {
  cborType,
  charsetOf,
  essenceOf,
  formOf,
  formType,
  isJsonType,
  isUtf8Type,
  msgpackType,
  textDecoderOf,
  unknownType,
} from '#component/syntax/media-type.ts'
import { decodingTurn, isLarge } from './body/large-bodies.ts'
import { readMultipart } from './body/multipart.ts'
import { parseForm, parseFormLists } from './form.ts'

const textOf = (bytes: Uint8Array): string => asBuffer(bytes).toString()

function decodeForm(bytes: Uint8Array): unknown {
  if (isUtf8(bytes)) return parseForm(textOf(bytes))
  throw new ServiceError('service.error.bad_request', 'the form is not valid UTF-8')
}

/** All values of each field of a form that {@link decodeBody} has decoded, in order; undefined for other types. */
function formListsOf(essence: string, bytes: Uint8Array): Content['lists'] {
  if (essence !== formType) return undefined
  let lists: ReturnType<typeof parseFormLists> | undefined
  return () => {
    lists ??= parseFormLists(textOf(bytes))
    return lists
  }
}

/**
 * Decodes the body of a type that holds values.
 * @param contentType with or without parameters
 * @param rules of JSON, MessagePack and CBOR
 * @throws ServiceError 400, 413, or 415 for a type that holds none
 */
export const decodeBody = (contentType: string, bytes: Uint8Array, rules = bodyRules): unknown =>
  decodeValues(essenceOf(contentType), bytes, rules)

/** {@link decodeBody} of an essence. */
function decodeValues(essence: string, bytes: Uint8Array, rules: ReadRules): unknown {
  if (isJsonType(essence)) return parseJson(bytes, rules)
  if (essence === msgpackType) return decodeMsgpack(bytes, rules)
  if (essence === formType) return decodeForm(bytes)
  if (essence === cborType) return decodeCbor(bytes, rules)
  throw new ServiceError('service.error.unsupported_media_type', 'the media type is not supported')
}

/** The text of a body in the charset of its type, without a byte order mark. */
function decodeText(contentType: string, bytes: Uint8Array): string {
  if (isUtf8Type(contentType)) return decodeUtf8(bytes, essenceOf(contentType))
  const decoder = textDecoderOf(contentType)
  if (decoder === undefined) {
    const message = 'the charset of the text is not known'
    throw new ServiceError('service.error.unsupported_media_type', message)
  }
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    const message = `the text is not valid ${charsetOf(contentType)}`
    throw new ServiceError('service.error.bad_request', message, { cause })
  }
}

/** A view of bytes that is no Buffer: those have methods of their own, and text as JSON. */
const plainBytes = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length)

/** @param contentType with its parameters @param essence of it, as {@link essenceOf} gives it */
function decodedContent(
  contentType: string,
  essence: string,
  bytes: Uint8Array,
  maxKeys: number,
): Content {
  const body_length = bytes.length
  const form = formOf(essence)
  if (form === 'text') return { body: decodeText(contentType, bytes), body_length }
  if (form === 'bytes') return { body: plainBytes(bytes), body_length }
  const body = decodeValues(essence, bytes, bodyRulesFor(maxKeys))
  const lists = formListsOf(essence, bytes)
  return lists ? { body, body_length, lists } : { body, body_length }
}

/**
 * What the body of a request holds.
 * @param contentType undefined: bytes that nobody has named
 * @returns a promise where the body is large, and is decoded in its turn
 * @throws ServiceError as {@link decodeBody} does
 */
export function contentOf(
  contentType: string | undefined,
  bytes: Uint8Array,
  { body_max_keys, multipart }: Pick<ContentLimits, 'body_max_keys' | 'multipart'>,
): Content | Promise<Content> {
  if (bytes.length === 0) return { body: '', body_length: 0 }
  const type = contentType ?? unknownType
  const essence = essenceOf(type)
  const form = formOf(essence)
  if (form === 'multipart') return readMultipart(type, bytes, multipart)
  // bytes are there
  const isDone = form === 'bytes' || !isLarge(bytes.length)
  if (isDone) return decodedContent(type, essence, bytes, body_max_keys)
  return decodingTurn().then(() => decodedContent(type, essence, bytes, body_max_keys))
}

/**
 * Encodes a value; JSON for every type that is neither MessagePack nor CBOR. Small JSON stays text, so that head and body leave in
 * one write.
 * @throws ExpressionError when it is too large
 */
export function encodeBody(value: unknown, type: string): string | Uint8Array {
  const essence = essenceOf(type)
  if (essence === msgpackType) return encodeMsgpackBody(value)
  return essence === cborType ? encodeCborBody(value) : stringifyJson(value)
}
