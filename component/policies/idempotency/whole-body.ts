/** Makes the body of a reply whole, as far as it is small enough. */
import { Readable } from 'node:stream'
import type { Reply, ReplyBody } from '#component/gateway/exchange.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'
import { isStreamType } from '#component/syntax/event-stream.ts'
import { essenceOf } from '#component/syntax/media-type.ts'

/** A reply to be sent, and whether its body is text or bytes within the bound, or none. */
interface Whole {
  readonly reply: Reply
  readonly isKept: boolean
}

/**
 * A value is encoded, and the body of an upstream is read up to the bound; events are left alone, and an upstream's too.
 * @param most bytes
 * @throws ExpressionError where a value cannot be encoded; ServiceError where the upstream fails before its end
 */
export async function wholeBody(reply: Reply, most: number, encode: Encode): Promise<Whole> {
  const { body } = reply
  switch (body.kind) {
    case 'none':
      return { reply, isKept: true }
    case 'events':
    case 'websocket':
      return { reply, isKept: false }
    case 'stream':
      return readStream(reply, body, most)
    case 'bytes':
      return { reply, isKept: sizeOf(body.bytes) <= most }
    case 'value': {
      const { value, type, encodings } = body
      const known = encodings?.get(type)
      const bytes = known ?? encode(value, type)
      if (known === undefined) encodings?.set(type, bytes)
      const headers = { ...reply.headers, 'content-type': reply.headers['content-type'] ?? type }
      return {
        reply: { ...reply, headers, body: { kind: 'bytes', bytes } },
        isKept: sizeOf(bytes) <= most,
      }
    }
  }
}

const sizeOf = (bytes: string | Uint8Array): number =>
  typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length

async function readStream(
  reply: Reply,
  { stream, length }: ReplyBody & { readonly kind: 'stream' },
  most: number,
): Promise<Whole> {
  const type = String(reply.headers['content-type'] ?? '')
  if ((length ?? 0) > most || isStreamType(essenceOf(type))) return { reply, isKept: false }
  const chunks: Uint8Array[] = []
  let size = 0
  const rest: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]()
  for (;;) {
    const next = await rest.next()
    if (next.done) break
    chunks.push(next.value)
    size += next.value.length
    if (size <= most) continue
    const joined = Readable.from(join(chunks, rest), { objectMode: false })
    // it may be destroyed before it is read
    joined.once('close', () => stream.destroy())
    return { reply: { ...reply, body: { kind: 'stream', stream: joined, length } }, isKept: false }
  }
  const body: ReplyBody =
    size > 0 ? { kind: 'bytes', bytes: Buffer.concat(chunks, size) } : { kind: 'none' }
  return { reply: { ...reply, body }, isKept: true }
}

/** What was read, and then the rest. */
async function* join(
  chunks: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
