/** `ranges` of a route: a client gets the part of the body that it asks for (RFC 9110 §14, §15.3.7, §15.5.17). */
import { Readable } from 'node:stream'
import { ServiceError } from '#component/errors.ts'
import type { Exchange, Reply, ReplyBody } from '#component/gateway/exchange.ts'
import { stage } from '#component/gateway/stage.ts'
import type { RequestState } from '#component/gateway/state.ts'
import { cache } from '#component/policies/cache/kind.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'
import type { Sink } from '#component/stream/sink.ts'
import { windowed } from '#component/stream/windowed-sink.ts'
import {
  type AskedRange,
  contentRange,
  isOfSameBody,
  type Part,
  partOf,
  readByteRange,
  wholeBody,
} from '#component/syntax/byte-range.ts'

/** What the stage knows of a request. */
interface Own {
  /** `Range` and `If-Range` as they came. */
  asked?: Readonly<Record<'range' | 'if-range', string | undefined>>
}

/** Cuts parts out of answers. */
export class Cutting {
  readonly #encode: Encode

  constructor(encode: Encode) {
    this.#encode = encode
  }

  /**
   * The reply with the part of its body that is asked for.
   * @param range undefined: all of it
   * @throws ServiceError 416 where no byte of it is there, 500 where it has been left out; ExpressionError where the body cannot be encoded
   */
  answer(range: AskedRange | undefined, reply: Reply): Reply {
    const whole = withBytes(reply, this.#encode)
    const { body, extent, headers } = whole
    const size = sizeOf(body)
    if (size === undefined) return reply
    const first = extent?.first ?? 0
    const length = extent?.length ?? first + size
    // a procedure that does not know the length of the whole names none
    const last = Math.min(first + size, length) - 1
    const told = { ...headers, 'accept-ranges': 'bytes' }
    const part = partOf(range ?? wholeBody, length)
    if (part === undefined && range !== undefined) {
      drop(body)
      throw beyond(length)
    }
    const isThere = part === undefined || (part.first >= first && part.first <= last)
    if (!isThere || (range === undefined && (first > 0 || last < length - 1))) {
      drop(body)
      throw leftOut(part?.first ?? 0, first, last)
    }
    if (range === undefined || part === undefined) return { ...whole, status: 200, headers: told }
    const sent = { first: part.first, last: Math.min(part.last, last) }
    return {
      ...whole,
      status: 206,
      headers: { ...told, 'content-range': contentRange(sent, length) },
      body: cut(body, { first: sent.first - first, last: sent.last - first }),
    }
  }
}

const leftOut = (asked: number, first: number, last: number): ServiceError =>
  new ServiceError(
    'service.error.response_mismatch',
    `the body has the bytes ${first} to ${last}: byte ${asked} is asked for`,
  )

const beyond = (length: number): ServiceError =>
  new ServiceError(
    'service.error.range_not_satisfiable',
    `the body has ${length} bytes, and none of those that Range asks for`,
    { headers: { 'content-range': contentRange(undefined, length) } },
  )

/** A value as the bytes that it is sent as. */
function withBytes(reply: Reply, encode: Encode): Reply {
  const { body, headers } = reply
  if (body.kind === 'bytes' && typeof body.bytes === 'string') {
    return { ...reply, body: { ...body, bytes: Buffer.from(body.bytes) } }
  }
  if (body.kind !== 'value') return reply
  const { value, type, encodings } = body
  const content = encodings?.get(type) ?? encode(value, type)
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return {
    ...reply,
    headers: { ...headers, 'content-type': headers['content-type'] ?? type },
    body: { kind: 'bytes', bytes },
  }
}

/** Bytes of a body; undefined where they are not known before it has been sent. */
function sizeOf(body: ReplyBody): number | undefined {
  switch (body.kind) {
    case 'none':
      return 0
    case 'bytes':
      return body.bytes.length
    case 'stream':
    case 'events':
      return body.length
    default:
      return undefined
  }
}

function drop(body: ReplyBody): void {
  if (body.kind === 'stream') body.stream.destroy()
  else if (body.kind === 'events') body.cancel()
}

/** The bytes of a part. */
function cut(body: ReplyBody, part: Part): ReplyBody {
  const length = part.last - part.first + 1
  if (body.kind === 'bytes' && body.bytes instanceof Uint8Array) {
    return { kind: 'bytes', bytes: body.bytes.subarray(part.first, part.last + 1) }
  }
  if (body.kind === 'stream') {
    const stream = Readable.from(cutStream(body.stream, part), { objectMode: false })
    // a generator that has not begun ends nothing
    stream.once('close', () => body.stream.destroy())
    return { kind: 'stream', stream, length }
  }
  if (body.kind !== 'events') return body
  const isToEnd = part.last === (body.length ?? 0) - 1
  return {
    ...body,
    length,
    begin: (sink: Sink) => body.begin(windowed(sink, part.first, length, isToEnd)),
  }
}

async function* cutStream(stream: Readable, { first, last }: Part): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    const [from, to] = [Math.max(first - at, 0), Math.min(last + 1 - at, piece.length)]
    at += piece.length
    if (from < to) yield piece.subarray(from, to)
    if (at > last) return
  }
}

declare module '#component/gateway/stage-facts.ts' {
  interface StagePorts {
    readonly cutting: Cutting
  }

  interface StageFacts {
    ranges: Record<never, never>
  }
}

/** Whether what is behind cuts parts itself: an upstream or a folder, unless what they answer is kept or replaced. */
const cutsItself = ({ route, inherited }: RequestState): boolean =>
  route.action.kind.passesOn &&
  route.on_result.body === undefined &&
  cache.planOf(inherited.policies) === undefined

/** Cuts the part of an answer that is asked for, once its conditions have been judged by the whole. */
export const cutting = stage('ranges', {
  enter(state) {
    const { exchange } = state
    const range = exchange.header('range')
    if (range === undefined || exchange.method !== 'get') return undefined
    const condition = exchange.header('if-range')
    state.policies ??= {}
    const own: Own = state.policies
    own.asked = { range, 'if-range': condition }
    // what is left out of another body than the client has a part of would be missing
    exchange.range = condition === undefined ? readByteRange(range) : undefined
    if (!cutsItself(state)) exchange.amend?.({ range: undefined, 'if-range': undefined })
    return undefined
  },
  leave(state, reply) {
    const { exchange, policies, parts } = state
    const { asked } = (policies ?? {}) as Own
    if (asked) exchange.amend?.(asked)
    if (!isWhole(exchange, reply)) return reply
    const isSame = isOfSameBody(asked?.['if-range'], reply.headers)
    const range = isSame ? readByteRange(asked?.range) : undefined
    return parts.policies.cutting.answer(range, reply)
  },
  facts: () => ({}),
})

/** Whether a part of the answer may be asked for. */
const isWhole = ({ method }: Exchange, { status, error, extent, headers }: Reply): boolean =>
  (method === 'get' || method === 'head') &&
  error === undefined &&
  (status === 200 || (status === 206 && extent !== undefined)) &&
  headers['content-range'] === undefined
