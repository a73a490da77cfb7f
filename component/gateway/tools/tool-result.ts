/** What a model reads of an answer: its body as text and as structured content, or what went wrong. */
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { parseJson, stringifyJson } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import type { Reply, ReplyBody } from '#component/gateway/exchange.ts'
import { essenceOf, isJsonType } from '#component/syntax/media-type.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Era } from '#component/tool/eras.ts'

/** What bounds and shapes a result. */
export interface ResultRules {
  readonly era: Era
  /** Bytes of the body as text. */
  readonly maxBytes: number
}

const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError(
    'service.error.payload_too_large',
    `the result has more than ${maxBytes} bytes (max_result_bytes)`,
  )

const notForTools = (): ServiceError =>
  new ServiceError('service.error.not_acceptable', 'the result is binary: it is not for tools')

const textContent = (text: string): string => `[{"type":"text","text":${JSON.stringify(text)}}]`

/** A failure, as the members of a result. @param told JSON */
const failed = (told: string): string => `{"content":${textContent(told)},"isError":true}`

/** A failure of the gateway. */
export function failedBy(error: ServiceError, status = error.status): string {
  const { code, message, details } = error.toJSON()
  return failed(stringifyJson({ status, code, message, ...(details && { details }) }))
}

/**
 * A failure that the document has rendered, or an upstream has answered: with its code and message, as far as the body names them.
 * @param status undefined: the answer had begun
 * @param json the JSON text of the body; undefined for a body of text
 */
export function failedWith(status: number | undefined, json: string | undefined): string {
  const body: unknown = json === undefined ? undefined : JSON.parse(json)
  const { code, error_uri = code, message } = isMap(body) ? body : {}
  const told = {
    ...(status !== undefined && { status }),
    ...(typeof error_uri === 'string' && { code: error_uri }),
    ...(typeof message === 'string' && { message }),
  }
  // the text of the body has all digits of large integers
  const members = [stringifyJson(told).slice(1, -1), json && `"body":${json}`].filter(Boolean)
  return failed(`{${members.join(',')}}`)
}

/**
 * A success, as the members of a result.
 * @param text the body as it is shown
 * @param json the same as JSON; undefined: it is only text
 * @param value that the JSON stands for
 */
export function succeeded(
  text: string,
  json: string | undefined,
  value: unknown,
  { era, maxBytes }: ResultRules,
): string {
  if (Buffer.byteLength(text) > maxBytes) return failedBy(tooLarge(maxBytes))
  const structured =
    json !== undefined && era.isStructured(value) ? `,"structuredContent":${json}` : ''
  return `{"content":${textContent(text)}${structured}}`
}

/** The bytes of a stream. @throws ServiceError when it is longer than allowed; the error of the stream */
async function bytesOf(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  // leaving the loop destroys the stream
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** The body of an answer: a value with its JSON, or a text; undefined for an answer without a body. */
type Shown = { readonly json: string; readonly value: unknown } | { readonly text: string }

function shownBytes(bytes: Uint8Array | string, { headers }: Reply): Shown | undefined {
  if (bytes.length === 0) return undefined
  const isPlain = headers['content-encoding'] === undefined
  if (typeof bytes !== 'string' && !(isPlain && isUtf8(bytes))) throw notForTools()
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()
  const type = headers['content-type']
  if (typeof type !== 'string' || !isJsonType(essenceOf(type))) return { text }
  try {
    return { json: text, value: parseJson(text) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { text }
  }
}

function shownOf(reply: Reply): Shown | undefined {
  const { body } = reply
  if (body.kind === 'bytes') return shownBytes(body.bytes, reply)
  if (body.kind !== 'value') return undefined
  const { value } = body
  if (value instanceof Uint8Array) throw notForTools()
  return { value, json: stringifyJson(value) }
}

/** {@link resultOf} of an answer whose body is yet to be read. */
export async function readResult(
  reply: Reply,
  { stream }: ReplyBody & { readonly kind: 'stream' },
  rules: ResultRules,
): Promise<string> {
  try {
    const bytes = await bytesOf(stream, rules.maxBytes)
    return resultOf({ ...reply, body: { kind: 'bytes', bytes } }, rules)
  } catch (thrown) {
    if (thrown instanceof ServiceError) return failedBy(thrown)
    throw thrown
  }
}

/** The members of the result that an answer stands for; never of one whose body streams. */
export function resultOf(reply: Reply, rules: ResultRules): string {
  const { status, error } = reply
  if (error !== undefined) return failedBy(error, status)
  try {
    const shown = shownOf(reply)
    if (status >= 400) {
      const json = shown && ('json' in shown ? shown.json : JSON.stringify(shown.text))
      return failedWith(status, json)
    }
    if (shown === undefined) return '{"content":[]}'
    if ('text' in shown) return succeeded(shown.text, JSON.stringify(shown.text), shown.text, rules)
    const { value, json } = shown
    return succeeded(typeof value === 'string' ? value : json, json, value, rules)
  } catch (thrown) {
    if (thrown instanceof ServiceError) return failedBy(thrown)
    throw thrown
  }
}
