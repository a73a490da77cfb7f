/** `compress` of routes: bodies of answers leave in the coding that the client wants most. */
import { Readable } from 'node:stream'
import type { Clock } from '#component/clock.ts'
import { BodyCodings, type Encodings } from '#component/gateway/encodings.ts'
import type { Exchange, KeptCodings, Reply, ReplyBody } from '#component/gateway/exchange.ts'
import { joinVary } from '#component/gateway/header-layers.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'
import { preferredCoding } from '#component/syntax/content-coding.ts'
import { remembered } from '#component/syntax/remembered.ts'
import type { CodingName } from './codings.ts'
import type { Compressor } from './compressor.ts'
import { codedTag, knownTag } from './entity-tags.ts'
import { gathered, maxGathered } from './gathered-body.ts'
import {
  forbidsTransform,
  hasAmbientCredentials,
  isOfOwnPage,
  type Why,
  whyNever,
} from './never.ts'
import type { CompressPlan } from './plan.ts'

/** What compressing needs. */
export interface CompressionPorts {
  readonly clock: Pick<Clock, 'after'>
  readonly compressor: Compressor
  readonly encode: Encode
  /** Told of each body that has been compressed, and of its bytes before and after. */
  readonly onCompressed?: (coding: CodingName, plain: number, coded: number) => void
  /** Told of each answer that leaves as it is. */
  readonly onSkipped?: (why: Why) => void
}

/** What becomes of an answer. */
export interface Compressed {
  readonly reply: Reply
  readonly coding: CodingName | undefined
  /** undefined: it has a coding. */
  readonly why: Why | undefined
}

/** A request whose answer may be compressed. */
export interface CompressedRequest {
  readonly exchange: Exchange
  readonly plan: CompressPlan
  /** `If-None-Match` as it came. */
  readonly asked: string | undefined
}

type Awaitable<T> = T | Promise<T>

const nothing = 'identity'

const acceptEncoding = 'Accept-Encoding'

/** Compresses answers. */
export class Compression {
  readonly #ports: CompressionPorts
  /** Where the codings of a value are kept that is the same for every request, by media type. */
  readonly #fixed = new WeakMap<Encodings, Map<string, KeptCodings>>()
  /** Clients send few different fields. */
  readonly #preferred = new WeakMap<CompressPlan, (field: string) => CodingName | typeof nothing>()

  constructor(ports: CompressionPorts) {
    this.#ports = ports
  }

  /** @throws ExpressionError where the body cannot be encoded */
  answer(request: CompressedRequest, reply: Reply): Awaitable<Compressed> {
    const { exchange, plan } = request
    const type = typeOf(reply)
    const never = whyNever({ exchange, reply, type, plan })
    if (never === undefined) {
      const encoded = this.#encoded(reply)
      if (isShorter(encoded.body, plan.minBytes)) return this.#skip(encoded, 'size')
      return this.#negotiate(request, withVary(encoded))
    }
    if (reply.status === 206) return this.#skip(withVary(reply), never)
    if (reply.status !== 304) return this.#skip(reply, never)
    return this.#skip(withKnownTag(withVary(reply), request, this.#codingFor(request)), never)
  }

  /** Of an answer that may differ by client. */
  #negotiate(request: CompressedRequest, reply: Reply): Awaitable<Compressed> {
    const { exchange } = request
    if (exchange.header('range') !== undefined) return this.#skip(reply, 'range')
    if (forbidsTransform(exchange)) return this.#skip(reply, 'no_transform')
    const coding = this.#codingFor(request)
    if (coding === undefined) return this.#skip(reply, 'not_accepted')
    if (isOfOwnPage(exchange)) return this.#code(request, reply, coding)
    if (hasAmbientCredentials(exchange)) return this.#skip(reply, 'credentials')
    const shown = exchange.clientCertificate?.()
    if (shown === undefined) return this.#code(request, reply, coding)
    const refuse = (): Compressed => this.#skip(reply, 'credentials')
    if (!(shown instanceof Promise)) return refuse()
    return shown.then((proof) => (proof ? refuse() : this.#code(request, reply, coding)), refuse)
  }

  #code(request: CompressedRequest, reply: Reply, coding: CodingName): Awaitable<Compressed> {
    const { exchange, plan } = request
    const { body } = reply
    if (exchange.method === 'head') {
      if (body.kind === 'stream') body.stream.destroy()
      return headOf(reply, coding)
    }
    if (body.kind === 'stream') {
      return isGathered(body)
        ? this.#gather(request, reply, body.stream, coding)
        : this.#codeStream(request, reply, body.stream, coding)
    }
    if (body.kind !== 'bytes') throw new TypeError(`a body of kind ${body.kind} is not encoded`)
    const { compressor, onCompressed } = this.#ports
    const leave = (bytes: Uint8Array | undefined): Compressed => {
      if (bytes === undefined) return this.#skip(reply, 'busy')
      onCompressed?.(coding, Buffer.byteLength(body.bytes), bytes.length)
      return codedOf(reply, coding, { kind: 'bytes', bytes })
    }
    const made = compressor.whole(body.bytes, coding, plan.level, body.codings)
    return made instanceof Promise ? made.then(leave) : leave(made)
  }

  /** Codes a body that may come at once. @throws ServiceError where it fails meanwhile: nothing has been sent */
  async #gather(
    request: CompressedRequest,
    reply: Reply,
    stream: Readable,
    coding: CodingName,
  ): Promise<Compressed> {
    const bytes = await gathered(stream, this.#ports.clock)
    return bytes === undefined
      ? this.#codeStream(request, reply, stream, coding)
      : this.#code(request, { ...reply, body: { kind: 'bytes', bytes } }, coding)
  }

  #codeStream(
    { plan }: CompressedRequest,
    reply: Reply,
    body: Readable,
    coding: CodingName,
  ): Compressed {
    const { compressor, onCompressed } = this.#ports
    const stream = compressor.stream(body, coding, plan.level, (plain, coded) =>
      onCompressed?.(coding, plain, coded),
    )
    if (stream === undefined) return this.#skip(reply, 'busy')
    return codedOf(reply, coding, { kind: 'stream', stream, length: undefined })
  }

  /** The reply with its value as bytes, which go out as they are: it is encoded once. */
  #encoded(reply: Reply): Reply {
    const { body, headers } = reply
    if (body.kind !== 'value') return reply
    const { value, type, encodings } = body
    const bytes = encodings?.get(type) ?? this.#ports.encode(value, type)
    encodings?.set(type, bytes)
    return {
      ...reply,
      headers: { ...headers, 'content-type': headers['content-type'] ?? type },
      body: encodings
        ? { kind: 'bytes', bytes, codings: this.#codingsOf(encodings, type) }
        : { kind: 'bytes', bytes },
    }
  }

  #codingsOf(encodings: Encodings, type: string): KeptCodings {
    const known = this.#fixed.get(encodings) ?? new Map<string, KeptCodings>()
    this.#fixed.set(encodings, known)
    const codings = known.get(type) ?? new BodyCodings()
    known.set(type, codings)
    return codings
  }

  #codingFor({ exchange, plan }: CompressedRequest): CodingName | undefined {
    const field = exchange.header('accept-encoding')
    if (field === undefined) return undefined
    let preferred = this.#preferred.get(plan)
    if (preferred === undefined) {
      preferred = remembered((text) => preferredCoding(text, plan.codings) ?? nothing)
      this.#preferred.set(plan, preferred)
    }
    const coding = preferred(field)
    return coding === nothing ? undefined : coding
  }

  #skip(reply: Reply, why: Why): Compressed {
    this.#ports.onSkipped?.(why)
    const { etag } = reply.headers
    const tag = typeof etag === 'string' ? codedTag(etag, undefined) : etag
    const isNamed = reply.status === 304 || tag === etag || tag === undefined
    return {
      reply: isNamed ? reply : { ...reply, headers: { ...reply.headers, etag: tag } },
      coding: undefined,
      why,
    }
  }
}

/** Whether the head of an answer waits for its body, which may come at once. */
const isGathered = ({ stream, length }: ReplyBody & { readonly kind: 'stream' }): boolean =>
  length !== undefined && length <= maxGathered && !stream.destroyed && !stream.readableEnded

/** Whether a body is known to have fewer bytes. */
function isShorter(body: ReplyBody, bytes: number): boolean {
  if (body.kind === 'stream') return body.length !== undefined && body.length < bytes
  // there are as many bytes as characters at least
  return body.kind === 'bytes' && body.bytes.length < bytes && Buffer.byteLength(body.bytes) < bytes
}

const typeOf = ({ headers, body }: Reply): string => {
  const declared = headers['content-type']
  if (declared !== undefined) return String(declared)
  return body.kind === 'value' || body.kind === 'events' ? body.type : ''
}

function withVary(reply: Reply): Reply {
  const { vary } = reply.headers
  const names = vary === undefined ? acceptEncoding : joinVary(String(vary), acceptEncoding)
  return { ...reply, headers: { ...reply.headers, vary: names } }
}

/** An answer in a coding. It has no parts that can be asked for. */
function codedOf(reply: Reply, coding: CodingName, body: ReplyBody): Compressed {
  const { 'accept-ranges': _parts, etag, ...others } = reply.headers
  const headers: Record<string, string | readonly string[]> = others
  headers['content-encoding'] = coding
  if (etag !== undefined) headers.etag = codedTag(String(etag), coding)
  return { reply: { ...reply, headers, body }, coding, why: undefined }
}

/** The answer to HEAD: how long the coded body would be is not known. */
const headOf = (reply: Reply, coding: CodingName): Compressed =>
  codedOf(reply, coding, { kind: 'stream', stream: Readable.from([]), length: undefined })

/** 304 with the tag that the client knows (RFC 9110 §15.4.5); without one where that is not known, as it may know a compressed answer. */
function withKnownTag(
  reply: Reply,
  { asked }: CompressedRequest,
  coding: CodingName | undefined,
): Reply {
  const { etag, ...others } = reply.headers
  if (typeof etag !== 'string') return reply
  const known = asked === undefined ? undefined : knownTag(etag, asked, coding)
  if (known !== undefined) return { ...reply, headers: { ...others, etag: known } }
  const tag = codedTag(etag, undefined)
  return { ...reply, headers: coding === undefined ? { ...others, etag: tag } : others }
}
