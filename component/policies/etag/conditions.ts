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
    const tagged = this.tagged(exchange, reply)
    return isMatched(exchange, tagged) ? notModified(tagged) : tagged
  }

  /** A kept answer with the validators that it was stored with, or 304 where the client has it (RFC 9111 §4.3.2). */
  answerKept(exchange: Exchange, reply: Reply): Reply {
    if (!isConditional(exchange, reply)) return reply
    const isKnown =
      exchange.header('if-none-match') === undefined
        ? isUnmodified(exchange, reply)
        : isMatched(exchange, reply)
    return isKnown ? notModified(reply) : reply
  }

  /** The reply with its ETag. ExpressionError where its body cannot be encoded. */
  tagged(exchange: Exchange, reply: Reply): Reply {
    const isDue = isConditional(exchange, reply) && typeof reply.headers.etag !== 'string'
    return isDue ? this.#tagged(reply) : reply
  }

  #tagged(reply: Reply): Reply {
    const { headers, body } = reply
    switch (body.kind) {
      case 'value':
        return this.#taggedValue(reply, body)
      case 'bytes':
        return withTag(reply, this.#tagOf(body.bytes, reply), headers, body)
      case 'none':
        return withTag(reply, tagOf(''), headers, body)
      default:
        return reply
    }
  }

  #taggedValue(reply: Reply, body: ReplyBody & { readonly kind: 'value' }): Reply {
    const { value, type, encodings } = body
    const { headers } = reply
    if (encodings === undefined) {
      const bytes = this.#encode(value, type)
      // encoded once: the bytes go out as they are
      return withTag(
        reply,
        this.#tagOf(bytes, reply),
        { ...headers, 'content-type': headers['content-type'] ?? type },
        { kind: 'bytes', bytes },
      )
    }
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
    return withTag(reply, tag, headers, body)
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

function isMatched(exchange: Exchange, { headers }: Reply): boolean {
  const { etag } = headers
  const asked = exchange.header('if-none-match')
  return typeof etag === 'string' && asked !== undefined && isListed(etag, asked)
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

function notModified(reply: Reply): Reply {
  if (reply.body.kind === 'stream') reply.body.stream.destroy()
  return { ...reply, status: 304, headers: repeatedOf(reply.headers), body: { kind: 'none' } }
}

/** @param tag undefined or empty: none */
const withTag = (
  reply: Reply,
  tag: string | undefined,
  headers: ReplyHeaders,
  body: ReplyBody,
): Reply => ({ ...reply, headers: tag ? { ...headers, etag: tag } : headers, body })

/** A strong ETag; undefined for a body that is too large. */
function tagOf(content: string | Uint8Array): string | undefined {
  const isText = typeof content === 'string'
  if ((isText ? Buffer.byteLength(content) : content.length) > maxTagged) return undefined
  return `"${hash('sha256', content, 'base64url').slice(0, tagCharacters)}"`
}

function repeatedOf(headers: ReplyHeaders): ReplyHeaders {
  const kept: Record<string, ReplyHeaders[string]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (repeated.has(name) || name.startsWith('access-control-')) kept[name] = value
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
