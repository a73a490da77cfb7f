/** `etag` of a route: an ETag for each answer (RFC 9110 §8.8.3), and 304 where the client has it (§13.1.2, §13.1.3). */
import { hash } from 'node:crypto'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Encodings } from '#component/gateway/encodings.ts'
import type { Exchange, Reply, ReplyBody } from '#component/gateway/exchange.ts'
import { stage } from '#component/gateway/stage.ts'
import { isListed } from '#component/syntax/conditions.ts'
import { readHttpDate } from '#component/syntax/http-date.ts'

/** Larger bodies get no ETag; bytes. */
const maxTagged = 1_048_576

/** A longer text is not kept beside its ETag; characters. */
const longestKept = 16_384

/** Of a digest in base64url: 132 bits. */
const tagCharacters = 22

/** Of an answer, what its 304 repeats (RFC 9110 §15.4.5), beside the CORS fields, without which a page could not read it. */
const repeated = new Set([
  ...['etag', 'vary', 'cache-control', 'content-location', 'expires', 'set-cookie'],
  ...['age', 'cache-status', 'date'],
])

/** Encodes a value as a media type. ExpressionError where it cannot be encoded. */
export type Encode = (value: unknown, type: string) => string | Uint8Array

type ReplyHeaders = Reply['headers']

type Valued = ReplyBody & { readonly kind: 'value' }

/** The ETag of a reply. */
interface Found {
  /** Undefined or empty: none. */
  readonly tag: string | undefined
  /** The body, where it was encoded for it. */
  readonly bytes?: string | Uint8Array
}

/** A text and its ETag. */
interface Tagged {
  readonly text: string
  readonly tag: string | undefined
}

/** Answers conditional requests. */
export class Conditions {
  readonly #encode: Encode
  /** The ETags of bodies that are the same for every request, by media type. */
  readonly #fixed = new WeakMap<Encodings, Map<string, string>>()
  /** The last text of each operation, and its ETag: many answers equal the previous one, and comparing takes a tenth of the time of a digest. */
  readonly #last = new WeakMap<CompiledOperation, Tagged>()

  constructor(encode: Encode) {
    this.#encode = encode
  }

  /**
   * The reply with its ETag, or 304 where the client has it. An ETag that the document declares, or that comes from the upstream,
   * stays.
   * @throws ExpressionError where the body cannot be encoded
   */
  answer(exchange: Exchange, reply: Reply): Reply {
    if (!isConditional(exchange, reply)) return reply
    if (typeof reply.headers.etag === 'string') {
      return isMatched(exchange, reply.headers.etag) ? notModified(reply) : reply
    }
    const found = this.#find(reply)
    return isMatched(exchange, found.tag) ? notModified(reply, found.tag) : withTag(reply, found)
  }

  /** A kept answer with the validators that it was stored with, or 304 where the client has it (RFC 9111 §4.3.2). */
  answerKept(exchange: Exchange, reply: Reply): Reply {
    if (!isConditional(exchange, reply)) return reply
    const isKnown =
      exchange.header('if-none-match') === undefined
        ? isUnmodified(exchange, reply)
        : isMatched(exchange, reply.headers.etag)
    return isKnown ? notModified(reply) : reply
  }

  /** The reply with its ETag. ExpressionError where its body cannot be encoded. */
  tagged(exchange: Exchange, reply: Reply): Reply {
    const isDue = isConditional(exchange, reply) && typeof reply.headers.etag !== 'string'
    return isDue ? withTag(reply, this.#find(reply)) : reply
  }

  #find(reply: Reply): Found {
    const { body } = reply
    switch (body.kind) {
      case 'value': {
        if (body.encodings) return { tag: this.#fixedTag(body, body.encodings) }
        const bytes = this.#encode(body.value, body.type)
        return { tag: this.#tagOf(bytes, reply), bytes }
      }
      case 'bytes':
        return { tag: this.#tagOf(body.bytes, reply) }
      case 'none':
        return { tag: tagOf('') }
      default:
        return { tag: undefined }
    }
  }

  /** Empty: the body is too large. */
  #fixedTag({ value, type }: Valued, encodings: Encodings): string {
    let tags = this.#fixed.get(encodings)
    if (tags === undefined) {
      tags = new Map()
      this.#fixed.set(encodings, tags)
    }
    let tag = tags.get(type)
    if (tag === undefined) {
      const content = encodings.get(type) ?? this.#encode(value, type)
      encodings.set(type, content)
      tag = tagOf(content) ?? ''
      tags.set(type, tag)
    }
    return tag
  }

  #tagOf(content: string | Uint8Array, { operation }: Reply): string | undefined {
    if (operation === undefined || typeof content !== 'string' || content.length > longestKept) {
      return tagOf(content)
    }
    const last = this.#last.get(operation)
    if (last?.text === content) return last.tag
    const tag = tagOf(content)
    this.#last.set(operation, { text: content, tag })
    return tag
  }
}

/** Whether there may be a 304 in its place. */
const isConditional = ({ method }: Exchange, { status, error, body }: Reply): boolean =>
  (method === 'get' || method === 'head') && status === 200 && !error && body.kind !== 'events'

function isMatched(exchange: Exchange, etag: ReplyHeaders[string] | undefined): boolean {
  if (typeof etag !== 'string' || etag === '') return false
  const asked = exchange.header('if-none-match')
  return asked !== undefined && isListed(etag, asked)
}

/** By the time of the last change (RFC 9110 §13.1.3). */
function isUnmodified(exchange: Exchange, { headers }: Reply): boolean {
  const asked = exchange.header('if-modified-since')
  const { 'last-modified': known } = headers
  if (asked === undefined || known === undefined) return false
  const since = readHttpDate(asked)
  const changed = readHttpDate(String(known))
  return since !== undefined && changed !== undefined && changed <= since
}

/** @param tag absent: that of its headers */
function notModified(reply: Reply, tag?: string): Reply {
  if (reply.body.kind === 'stream') reply.body.stream.destroy()
  const headers = repeatedOf(reply.headers)
  if (tag) headers.etag = tag
  return { ...reply, status: 304, headers, body: { kind: 'none' } }
}

function withTag(reply: Reply, { tag, bytes }: Found): Reply {
  const { headers, body } = reply
  const own = tag ? { ...headers, etag: tag } : headers
  if (bytes === undefined || body.kind !== 'value') return { ...reply, headers: own }
  // encoded once: the bytes go out as they are
  const type = headers['content-type'] ?? body.type
  return { ...reply, headers: { ...own, 'content-type': type }, body: { kind: 'bytes', bytes } }
}

/** A strong ETag; undefined for a body that is too large. */
function tagOf(content: string | Uint8Array): string | undefined {
  const isText = typeof content === 'string'
  if ((isText ? Buffer.byteLength(content) : content.length) > maxTagged) return undefined
  return `"${hash('sha256', content, 'base64url').slice(0, tagCharacters)}"`
}

function repeatedOf(headers: ReplyHeaders): Record<string, ReplyHeaders[string]> {
  const kept: Record<string, ReplyHeaders[string]> = {}
  for (const name in headers) {
    const value = headers[name]
    const isKept = repeated.has(name) || name.startsWith('access-control-')
    if (isKept && value !== undefined) kept[name] = value
  }
  return kept
}

declare module '#component/gateway/stage-facts.ts' {
  interface StagePorts {
    readonly conditions: Conditions
  }

  interface StageFacts {
    etag: Record<never, never>
  }
}

/** Answers conditional requests; those of answers that are kept, or may be, are answered by what keeps them. */
export const conditional = stage('etag', {
  leave(state, reply) {
    if (state.source !== undefined) return reply
    return state.parts.policies.conditions.answer(state.exchange, reply)
  },
  facts: () => ({}),
})
