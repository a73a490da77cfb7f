/** The body of a reply as bytes that can be kept. */
import { Readable } from 'node:stream'
import { badGateway } from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import type { Reply, ReplyBody } from '#component/gateway/exchange.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'

/** The bytes of a body; or the body, where there are too many. */
type Read = { readonly content: string | Uint8Array | undefined } | { readonly body: ReplyBody }

/**
 * Reads a body to its end, and encodes a value once.
 * @param maxBytes a longer stream goes on as it is
 * @throws ExpressionError where it cannot be encoded; ServiceError where the upstream fails before the end
 */
export async function readContent(
  { body }: Pick<Reply, 'body'>,
  maxBytes: number,
  encode: Encode,
): Promise<Read> {
  switch (body.kind) {
    case 'none':
      return { content: undefined }
    case 'bytes':
      return { content: withOwnMemory(body.bytes) }
    case 'value': {
      const { value, type, encodings } = body
      const content = encodings?.get(type) ?? withOwnMemory(encode(value, type))
      encodings?.set(type, content)
      return { content }
    }
    case 'stream':
      return (body.length ?? 0) > maxBytes ? { body } : readStream(body, maxBytes)
    default:
      return { body }
  }
}

/** The content in memory that holds nothing else: small buffers of Node share blocks of 64 kB, which one that is kept would keep. */
const withOwnMemory = (content: string | Uint8Array): string | Uint8Array =>
  typeof content === 'string' || content.length === content.buffer.byteLength
    ? content
    : new Uint8Array(content)

async function readStream(
  { stream, length }: ReplyBody & { readonly kind: 'stream' },
  maxBytes: number,
): Promise<Read> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const pieces = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
  try {
    for (;;) {
      const { done, value } = await pieces.next()
      if (done) return { content: withOwnMemory(Buffer.concat(chunks)) }
      chunks.push(value)
      bytes += value.length
      if (bytes > maxBytes) break
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : badGateway('the response is not complete', error)
  }
  return { body: { kind: 'stream', stream: rejoined(chunks, pieces, stream), length } }
}

/** What was read of a stream, and the rest of it. */
function rejoined(
  chunks: readonly Uint8Array[],
  pieces: AsyncIterator<Uint8Array>,
  stream: Readable,
): Readable {
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* chunks
    yield* { [Symbol.asyncIterator]: () => pieces }
  }
  const joined = Readable.from(all(), { objectMode: false })
  joined.once('close', () => stream.destroy())
  return joined
}
