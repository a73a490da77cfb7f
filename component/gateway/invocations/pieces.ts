/** The body of an upstream in pieces: the lines of NDJSON, the texts of a JSON sequence, the events of SSE, or chunks of at most 64 KiB. */
import { badGateway } from '#component/action/action.ts'
import { essenceOf } from '#component/syntax/media-type.ts'

/** `action.progress` of the API Context. */
export interface Piece {
  /** From 1. */
  readonly number: number
  /** JSON, a text, or bytes. */
  readonly data: unknown
  /** Of SSE, where it has one. */
  readonly event?: string
  readonly id?: string
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>
type Data = Omit<Piece, 'number'>
type Split = (chunks: Chunks) => AsyncGenerator<Data>

/** Bytes of a raw piece. */
const mostRaw = 65_536

/** Characters of a line, or of an event. */
const mostText = 8_388_608

const tooLong = () => badGateway('a line of the response is too long')

/** Texts that a separator ends; at last the one behind all separators, which is returned. */
async function* between(chunks: Chunks, separator: RegExp): AsyncGenerator<string, string> {
  const decoder = new TextDecoder()
  let rest = ''
  // what has come before is looked at once: a long line comes in many chunks
  let last = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (rest.length + text.length > mostText + chunk.length) throw tooLong()
    const hasEnd = separator.test(last + text)
    last = text.at(-1) ?? last
    if (!hasEnd) {
      rest += text
      continue
    }
    const parts = (rest + text).split(separator)
    rest = parts.pop() ?? ''
    yield* parts
  }
  return rest + decoder.decode()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badGateway('a line of the response is no JSON')
  }
}

/** @param separator of the texts */
const jsonBetween = (separator: RegExp): Split =>
  async function* split(chunks) {
    const texts = between(chunks, separator)
    for (;;) {
      const { value: text, done } = await texts.next()
      if (text.trim() !== '') yield { data: parsed(text) }
      if (done) return
    }
  }

/** HTML Standard: Server-sent events, "Interpreting an event stream". A carriage return may be the last character of a chunk. */
async function* events(chunks: Chunks): AsyncGenerator<Data> {
  let data: string[] = []
  let event: string | undefined
  let id: string | undefined
  let isFirst = true
  const lines = between(chunks, /\r\n|\n|\r(?!\n|$)/)
  for (;;) {
    const { value: text, done } = await lines.next()
    // an event without its end is none
    if (done && !text.endsWith('\r')) return
    const line = (isFirst ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '')
    isFirst = false
    if (line === '') {
      if (data.length > 0) {
        yield { data: data.join('\n'), ...(event && { event }), ...(id !== undefined && { id }) }
      }
      data = []
      event = undefined
      if (done) return
      continue
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    if (done) return
  }
}

async function* raw(chunks: Chunks): AsyncGenerator<Data> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += mostRaw) {
      yield { data: new Uint8Array(chunk.subarray(at, at + mostRaw)) }
    }
  }
}

async function* texts(chunks: Chunks): AsyncGenerator<Data> {
  const decoder = new TextDecoder()
  for await (const { data } of raw(chunks)) {
    const text = decoder.decode(data as Uint8Array, { stream: true })
    if (text !== '') yield { data: text }
  }
  const rest = decoder.decode()
  if (rest !== '') yield { data: rest }
}

const lines = jsonBetween(/\n/)

/** RFC 7464 §2.2. */
const recordSeparator = new RegExp(String.fromCharCode(0x1e))

/** By media type. */
const splits: Readonly<Record<string, Split>> = {
  'application/x-ndjson': lines,
  'application/ndjson': lines,
  'application/jsonl': lines,
  'application/json-seq': jsonBetween(recordSeparator),
  'text/event-stream': events,
}

const typeOf = (headers: Readonly<Record<string, unknown>>): string =>
  essenceOf(String(headers['content-type'] ?? ''))

/** Whether a body of this type is a list of values. */
export const isListed = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.hasOwn(splits, typeOf(headers))

/**
 * The pieces of a body.
 * @throws ServiceError `service.error.bad_gateway` for a body that is broken
 */
export async function* piecesOf(
  headers: Readonly<Record<string, unknown>>,
  chunks: Chunks,
): AsyncGenerator<Piece> {
  const { 'content-encoding': coding = 'identity' } = headers
  if (coding !== 'identity')
    throw badGateway('the response has a content coding that was not asked for')
  const type = typeOf(headers)
  const split = splits[type] ?? (type.startsWith('text/') ? texts : raw)
  let number = 0
  for await (const data of split(chunks)) {
    number += 1
    yield { number, ...data }
  }
}
