/** The bodies of a forward: encodes the one that is sent, decodes the answer for expressions. */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { type ActionFields, badGateway, type RawBody, type Run } from '#component/action/action.ts'
import { FieldError } from '#component/action/field-error.ts'
import { dropBytesFields, type HeaderMap } from '#component/action/headers.ts'
import { essenceOf, isJsonType } from '#component/syntax/media-type.ts'
import { isMap } from '#component/syntax/values.ts'

/** Encodes and decodes bodies. */
export interface BodyCodec {
  /** Bytes or text of a value as JSON or MessagePack, whichever the media type is. */
  encode(value: unknown, type: string): Uint8Array | string
  /** The value in JSON, MessagePack or a form, whichever the media type is; throws when it is broken. */
  decode(type: string, bytes: Uint8Array): unknown
}

/** At most this many bytes of an answer that an expression reads (behaviour §4). */
export const maxBufferedBytes = 25_000_000

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

const decoders: Readonly<
  Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

/** Whether the codec writes the type; it reads forms, too. */
const isEncoded = (essence: string): boolean =>
  isJsonType(essence) || essence === 'application/msgpack'

/** A flat map as a form, a list as a field for each item; undefined for a value that a form cannot hold. */
function encodeForm(value: unknown): string | undefined {
  if (!isMap(value)) return undefined
  const fields = new URLSearchParams()
  for (const [name, field] of Object.entries(value)) {
    const items: readonly unknown[] = Array.isArray(field) ? field : [field]
    if (items.length === 0) return undefined
    for (const item of items) {
      if (typeof item === 'object') return undefined
      fields.append(name, String(item))
    }
  }
  return fields.toString()
}

/** A value as that type: a text as it is unless the type encodes it; undefined when the type cannot hold it. */
export function encodeAs(
  value: unknown,
  type: string,
  codec: BodyCodec,
): Uint8Array | string | undefined {
  const essence = essenceOf(type)
  if (isEncoded(essence)) return codec.encode(value, type)
  if (typeof value === 'string') return value
  return essence === form ? encodeForm(value) : undefined
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

/** The request's body for an upstream: a stream as it is, bytes that were read as they were read. */
function passedBody(
  { rawBody, request }: Run,
  headers: HeaderMap,
): RawBody | Uint8Array | undefined {
  if (rawBody !== undefined && 'stream' in rawBody) {
    return rawBody.length === 0 ? undefined : rawBody
  }
  if (rawBody?.isInflated) dropBytesFields(headers, request.headers)
  return rawBody !== undefined && rawBody.bytes.length > 0 ? rawBody.bytes : undefined
}

/**
 * The body of an upstream request; undefined for a request without a body. Without a declared one it is the request's, byte for
 * byte. As in responses, a declared text is JSON-encoded unless the headers name another type, which sends it as it is. Adds
 * `content-type` to the headers where it is missing, and takes out what describes the bytes of another body.
 */
export function upstreamBody(
  fields: ActionFields,
  run: Run,
  headers: HeaderMap,
  codec: BodyCodec,
): RawBody | Uint8Array | undefined {
  const { body: value } = fields
  if (value === undefined) return passedBody(run, headers)
  dropBytesFields(headers, run.request.headers)
  if (isEmpty(value)) {
    delete headers['content-type']
    return undefined
  }
  if (value instanceof Uint8Array) return value
  const declared = headers['content-type']
  let encoded = encodeAs(value, typeof declared === 'string' ? declared : json, codec)
  if (typeof declared !== 'string') headers['content-type'] = json
  else if (encoded === undefined && fields.headers === undefined) {
    // The type is that of the client's body, not declared for this one.
    headers['content-type'] = json
    encoded = codec.encode(value, json)
  }
  if (encoded === undefined) {
    throw new FieldError(['body'], 'a text, or a value that the declared content type can hold')
  }
  return typeof encoded === 'string' ? Buffer.from(encoded) : encoded
}

/**
 * The bytes and headers of an answer without content encodings.
 * ServiceError `service.error.bad_gateway` for an unknown or broken one, or too many bytes.
 */
export async function decompress(
  bytes: Uint8Array,
  headers: HeaderMap,
): Promise<{ bytes: Uint8Array; headers: HeaderMap }> {
  const encoding = headers['content-encoding']
  if (typeof encoding !== 'string' || bytes.length === 0) return { bytes, headers }
  let plain = bytes
  for (const name of encoding.toLowerCase().split(',').reverse()) {
    const coding = name.trim()
    if (coding === '' || coding === 'identity') continue
    const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    if (!decoder) throw badGateway('the response has an unknown encoding')
    try {
      plain = await decoder(plain, { maxOutputLength: maxBufferedBytes })
    } catch (cause) {
      throw badGateway('the response cannot be decompressed, or is too large', cause)
    }
  }
  const { 'content-encoding': _, ...rest } = headers
  return { bytes: plain, headers: rest }
}

/** The body of an answer for expressions: the decoded value, text for other types, `""` when it is empty. */
export function decodeAnswer(bytes: Uint8Array, headers: HeaderMap, codec: BodyCodec): unknown {
  if (bytes.length === 0) return ''
  const type = headers['content-type']
  const essence = typeof type === 'string' ? essenceOf(type) : ''
  if (!isEncoded(essence) && essence !== form) return new TextDecoder().decode(bytes)
  try {
    return codec.decode(essence, bytes)
  } catch (cause) {
    throw badGateway('the body of the response is not valid for its content type', cause)
  }
}
