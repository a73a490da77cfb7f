/** The HTTP of rehearsals: a described request is read as one from a socket, an answer is composed as for one. */
import type { Clock } from '#component/clock.ts'
import type { DescribedRequest } from '#component/explain/asked.ts'
import type { RehearsedHttp, SentReply } from '#component/explain/rehearsal.ts'
import type { Reply, ReplyBody } from '#component/gateway/exchange.ts'
import { NetworkShare } from '#component/limits/network-share.ts'
import { decoded } from '#component/policies/compress/codings.ts'
import { readHandshake } from '#component/syntax/websocket.ts'
import { decodeBody } from '#http/codec.ts'
import { errorReply } from '#http/errors.ts'
import type { TrustedProxies } from '#http/peer.ts'
import { preflight, Refusal, refuseSlash } from '#http/preflight.ts'
import { HttpExchange } from '#http/read-request.ts'
import { composeReply } from '#http/reply.ts'
import { Http1 } from '#http/transport/http1.ts'
import { isHandshake } from '#http/upgrade.ts'
import { KeptStream } from './kept-stream.ts'
import { messageOf } from './message.ts'
import { framesIn } from './stream-text.ts'

/** Bodies that no metric counts. */
const uncounted = { read: () => undefined, passed: () => undefined }

/** At most this many bytes of an answer that streams are read. */
const mostStreamed = 1_048_576

/** @param proxies whose `X-Forwarded-*` or `Forwarded` are believed, as ever */
export function rehearsedHttp(proxies: TrustedProxies): RehearsedHttp {
  return {
    read(described: DescribedRequest, id: string, clock: Clock, keepsSlashes) {
      const { request, response } = messageOf(described)
      const target = preflight(request, true)
      const refused = (refusal: Refusal) => composed(id, errorReply(refusal, undefined), false)
      if (target instanceof Refusal) return refused(target)
      const { scheme = 'https' } = described
      const held = new NetworkShare(Number.MAX_SAFE_INTEGER)
      const ports = {
        clock,
        proxies,
        isSecure: scheme === 'https',
        held,
        streamed: held,
        bodies: uncounted,
      }
      const exchange = new HttpExchange(id, target, new Http1(request, response), ports, false)
      if (target.hasEscapedSlash && !keepsSlashes(exchange.host, exchange.path))
        return refused(refuseSlash())
      if (isHandshake(request, target.headers)) exchange.handshake = readHandshake(target.headers)
      return exchange
    },
    leave(exchange) {
      if (exchange instanceof HttpExchange) exchange.abort()
    },
    async send(exchange, reply, play) {
      const isHead = exchange.method === 'head'
      try {
        const { body } = reply
        if (body.kind === 'websocket') body.cancel()
        if (body.kind !== 'events') return composed(exchange.id, await complete(reply), isHead)
        return composedStream(exchange.id, reply, await streamed(body, isHead, play))
      } catch (error) {
        return composed(exchange.id, errorReply(error, exchange.header('accept')), false)
      }
    },
  }
}

type Events = ReplyBody & { readonly kind: 'events' }

/** What a client reads of a stream until all has come that was given; then the client goes. HEAD is not begun. */
async function streamed(
  body: Events,
  isHead: boolean,
  play: (over: Promise<void>) => Promise<void>,
): Promise<KeptStream> {
  const client = new KeptStream()
  if (isHead) body.cancel()
  else {
    body.begin(client)
    await play(client.over)
    client.end()
  }
  return client
}

/** The head, and the frames; bytes where the stream has none. */
function composedStream(id: string, reply: Reply, { bytes, isCut }: KeptStream): SentReply {
  const sent = { ...composed(id, reply, true), ...(isCut && { isCut }) }
  const type = sent.headers['content-type']
  const frames = framesIn(bytes, type)
  if (frames) return { ...sent, frames }
  return bytes.length > 0 ? { ...sent, body: readable(bytes, type) } : sent
}

/** The reply with the bytes of a stream in its place. */
async function complete(reply: Reply): Promise<Reply> {
  if (reply.body.kind !== 'stream') return reply
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of reply.body.stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > mostStreamed) break
  }
  return { ...reply, body: { kind: 'bytes', bytes: Buffer.concat(chunks) } }
}

function composed(id: string, reply: Reply, isHead: boolean): SentReply {
  const { head, content } = composeReply(id, reply)
  const headers: Record<string, string | string[]> = {}
  for (let at = 0; at < head.length; at += 2) {
    const name = (head[at] as string).toLowerCase()
    const value = head[at + 1] as string
    const before = headers[name]
    headers[name] = before === undefined ? value : [before, value].flat()
  }
  const { status, body } = reply
  const isEmpty = isHead || content === undefined || content.length === 0
  const isValue = body.kind === 'value'
  const plain = isEmpty || isValue ? '' : decoded(content, headers['content-encoding'])
  const shown = isEmpty ? '' : isValue ? body.value : readable(plain, headers['content-type'])
  return { status, headers, body: shown }
}

/** What bytes hold, where their type says so; a text; else the bytes. */
function readable(content: string | Uint8Array, type: unknown): unknown {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  try {
    return decodeBody(typeof type === 'string' ? type : '', bytes)
  } catch {
    const text = Buffer.from(bytes).toString()
    return Buffer.from(text).equals(bytes) ? text : bytes
  }
}
