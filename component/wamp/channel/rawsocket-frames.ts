/** The bytes of RawSocket (WAMP: RawSocket Transport): the handshake of a client, and frames of four bytes and a payload. */
import { Buffer } from 'node:buffer'
import type { SerializerName } from '#component/codec/serializers.ts'

/** What RawSocket does not allow; the message is one lower-case sentence without data. */
class RawSocketError extends Error {}

const magic = 0x7f

/** The numbers of serializers in a handshake. */
const serializerIds: Readonly<Record<SerializerName, number>> = { json: 1, msgpack: 2, cbor: 3 }

/** The largest exponent of a length in a handshake: 2^(9 + 15) bytes. */
const largestExponent = 15

/** What three bytes of length can say. */
const longestPayload = 2 ** 24 - 1

/** Why a router refuses a handshake, by its code. */
const refusals: readonly string[] = [
  'the router refuses the RawSocket handshake without a reason',
  'the router does not speak the serializer of wamp.serializer over RawSocket',
  'the router does not accept messages of this length over RawSocket',
  'the router does not accept the reserved bits of the RawSocket handshake',
  'the router has as many RawSocket connections as it may have',
]

/** The types of frames. */
export const frameType = { message: 0, ping: 1, pong: 2 } as const

/** One frame that has come. */
export interface Frame {
  /** One of {@link frameType}. */
  readonly type: number
  readonly payload: Buffer
}

/** The handshake of a client, which takes the longest messages that there are. */
export const handshake = (serializer: SerializerName): Buffer =>
  Buffer.from([magic, (largestExponent << 4) | serializerIds[serializer], 0, 0])

/**
 * Reads the answer to a handshake; the bytes that are reserved may be anything.
 * @returns the longest payload that the router takes; bytes
 * @throws RawSocketError
 */
function readAnswer([first, second = 0]: Uint8Array, serializer: SerializerName): number {
  if (first !== magic) throw new RawSocketError('the router does not speak RawSocket there')
  const [high, low] = [second >> 4, second & 0x0f]
  if (low === 0) {
    throw new RawSocketError(refusals[high] ?? 'the router refuses the RawSocket handshake')
  }
  if (low !== serializerIds[serializer]) {
    throw new RawSocketError('the router has chosen another serializer than wamp.serializer')
  }
  return Math.min(2 ** (9 + high), longestPayload)
}

/** The four bytes before a payload. */
export function frameHead(type: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(4)
  head.writeUInt32BE(type * 2 ** 24 + length)
  return head
}

/** @throws RawSocketError */
function readHead(head: Buffer): { readonly type: number; readonly length: number } {
  const type = head.readUInt8(0)
  if (type <= frameType.pong) return { type, length: head.readUIntBE(1, 3) }
  throw new RawSocketError('the router has sent a frame of a kind that RawSocket does not have')
}

/** Reads what a router sends, however its bytes are parted; a payload is put together once. */
export class RawSocketReader {
  readonly #serializer: SerializerName
  /** The longest payload that the router takes, in bytes; undefined until it has answered the handshake. */
  maxBytes: number | undefined
  #chunks: Buffer[] = []
  #size = 0
  #head: { readonly type: number; readonly length: number } | undefined

  constructor(serializer: SerializerName) {
    this.#serializer = serializer
  }

  /** Adds bytes, of which {@link next} makes frames. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  /**
   * The next frame that is complete; the answer to the handshake is read before the first one.
   * @throws RawSocketError
   */
  next(): Frame | undefined {
    if (this.maxBytes === undefined) {
      const answer = this.#take(4)
      if (!answer) return undefined
      this.maxBytes = readAnswer(answer, this.#serializer)
    }
    if (!this.#head) {
      const head = this.#take(4)
      if (!head) return undefined
      this.#head = readHead(head)
    }
    const { type, length } = this.#head
    const payload = this.#take(length)
    if (!payload) return undefined
    this.#head = undefined
    return { type, payload }
  }

  /** @returns undefined until so many bytes are there */
  #take(length: number): Buffer | undefined {
    if (this.#size < length) return undefined
    const [first = Buffer.alloc(0)] = this.#chunks
    const all = first.length >= length ? first : Buffer.concat(this.#chunks)
    const rest = all.subarray(length)
    if (all !== first) this.#chunks = [rest]
    else if (rest.length > 0) this.#chunks[0] = rest
    else this.#chunks.shift()
    this.#size -= length
    return all.subarray(0, length)
  }
}
