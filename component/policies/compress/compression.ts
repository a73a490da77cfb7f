/** `compress` of routes: bodies of answers leave in the coding that the client wants most. */
import { Readable } from 'node:stream'
import { BodyCodings, type Encodings } from '#component/gateway/encodings.ts'
import type { Exchange, KeptCodings, Reply, ReplyBody } from '#component/gateway/exchange.ts'
import { joinVary } from '#component/gateway/header-layers.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'
import { preferredCoding } from '#component/syntax/content-coding.ts'
import { remembered } from '#component/syntax/remembered.ts'
import type { CodingName } from './codings.ts'
import type { Compressor } from './compressor.ts'
import { codedTag, knownTag } from './entity-tags.ts'
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
    if (never === undefined) return this.#negotiate(request, withVary(reply))
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
    return reply.body.kind === 'stream'
      ? this.#codeStream(request, reply, reply.body, coding)
      : this.#codeWhole(request, reply, coding)
  }

  #codeStream(
    { exchange, plan }: CompressedRequest,
    reply: Reply,
    { stream, length }: ReplyBody & { readonly kind: 'stream' },
    coding: CodingName,
  ): Compressed {
    if (length !== undefined && length < plan.minBytes) return this.#skip(reply, 'size')
    if (exchange.method === 'head') {
      stream.destroy()
      return headOf(reply, coding)
    }
    const { compressor, onCompressed } = this.#ports
    const coded = compressor.stream(stream, coding, plan.level, (plainBytes, bytes) =>
      onCompressed?.(coding, plainBytes, bytes),
    )
    if (coded === undefined) return this.#skip(reply, 'busy')
    return codedOf(reply, coding, { kind: 'stream', stream: coded, length: undefined })
  }

  #codeWhole(
    { exchange, plan }: CompressedRequest,
    reply: Reply,
    coding: CodingName,
  ): Awaitable<Compressed> {
    const { content, codings, encoded } = this.#contentOf(reply)
    const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length
    if (length < plan.minBytes) return this.#skip(encoded, 'size')
    if (exchange.method === 'head') return headOf(encoded, coding)
    const { compressor, onCompressed } = this.#ports
    const leave = (bytes: Uint8Array | undefined): Compressed => {
      if (bytes === undefined) return this.#skip(encoded, 'busy')
      onCompressed?.(coding, length, bytes.length)
      return codedOf(encoded, coding, { kind: 'bytes', bytes })
    }
    const made = compressor.whole(content, coding, plan.level, codings)
    return made instanceof Promise ? made.then(leave) : leave(made)
  }

  /** The content of a body that is whole, and the reply that has it encoded. */
  #contentOf(reply: Reply): {
    readonly content: string | Uint8Array
    readonly codings: KeptCodings | undefined
    readonly encoded: Reply
  } {
    const { body, headers } = reply
    if (body.kind === 'bytes') {
      return { content: body.bytes, codings: body.codings, encoded: reply }
    }
    if (body.kind !== 'value') throw new TypeError(`a body of kind ${body.kind} is not whole`)
    const { value, type, encodings } = body
    const content = encodings?.get(type) ?? this.#ports.encode(value, type)
    encodings?.set(type, content)
    const codings = encodings && this.#codingsOf(encodings, type)
    // encoded once: the bytes go out as they are
    const typed = { ...headers, 'content-type': headers['content-type'] ?? type }
    const encoded: Reply = { ...reply, headers: typed, body: { kind: 'bytes', bytes: content } }
    return { content, codings, encoded }
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
