/** Bodies between bytes and values, by media type: JSON, MessagePack, forms. */
import { Buffer, isUtf8 } from 'node:buffer'
import { parseJson, stringifyJson } from '#component/codec/json.ts'
import { bodyRules, bodyRulesFor } from '#component/codec/limits.ts'
import { decodeMsgpack, encodeMsgpackBody } from '#component/codec/msgpack.ts'
import { ServiceError } from '#component/errors.ts'
import type { Content } from '#component/gateway/exchange.ts'
import { essenceOf, isJsonType } from '#component/syntax/media-type.ts'
import { decodingTurn, isLarge } from './body/large-bodies.ts'
import { parseForm, parseFormLists } from './form.ts'

const msgpack = 'application/msgpack'

const form = 'application/x-www-form-urlencoded'

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString()

function decodeForm(bytes: Uint8Array): unknown {
  if (isUtf8(bytes)) return parseForm(textOf(bytes))
  throw new ServiceError('service.error.bad_request', 'the form is not valid UTF-8')
}

/** All values of each field of a form that {@link decodeBody} has decoded, in order; undefined for other types. */
function formListsOf(contentType: string, bytes: Uint8Array): Content['lists'] {
  // most bodies are JSON, whose name is shorter
  if (contentType.length < form.length) return undefined
  if (essenceOf(contentType) !== form) return undefined
  let lists: ReturnType<typeof parseFormLists> | undefined
  return () => {
    lists ??= parseFormLists(textOf(bytes))
    return lists
  }
}

/**
 * Decodes a body.
 * @param contentType with or without parameters
 * @param rules of JSON and MessagePack
 * @throws ServiceError 400, 413, or 415 for a type that is not read
 */
export function decodeBody(contentType: string, bytes: Uint8Array, rules = bodyRules): unknown {
  const essence = essenceOf(contentType)
  if (isJsonType(essence)) return parseJson(bytes, rules)
  if (essence === msgpack) return decodeMsgpack(bytes, rules)
  if (essence === form) return decodeForm(bytes)
  throw new ServiceError('service.error.unsupported_media_type', 'the media type is not supported')
}

function decodedContent(contentType: string, bytes: Uint8Array, maxKeys: number): Content {
  const body = decodeBody(contentType, bytes, bodyRulesFor(maxKeys))
  const lists = formListsOf(contentType, bytes)
  return lists ? { body, body_length: bytes.length, lists } : { body, body_length: bytes.length }
}

/**
 * What the body of a request holds.
 * @param contentType undefined: the request has none, which an empty body does not need
 * @param maxKeys of one map
 * @returns a promise where the body is large, and is decoded in its turn
 * @throws ServiceError as {@link decodeBody} does
 */
export function contentOf(
  contentType: string | undefined,
  bytes: Uint8Array,
  maxKeys: number,
): Content | Promise<Content> {
  if (bytes.length === 0) return { body: '', body_length: 0 }
  if (contentType === undefined) {
    const message = 'the body has no Content-Type'
    throw new ServiceError('service.error.unsupported_media_type', message)
  }
  if (!isLarge(bytes.length)) return decodedContent(contentType, bytes, maxKeys)
  return decodingTurn().then(() => decodedContent(contentType, bytes, maxKeys))
}

/**
 * Encodes a value; JSON for every type that is not MessagePack. Small JSON stays text, so that head and body leave in
 * one write.
 * @throws ExpressionError when it is too large
 */
export const encodeBody = (value: unknown, type: string): string | Uint8Array =>
  essenceOf(type) === msgpack ? encodeMsgpackBody(value) : stringifyJson(value)
