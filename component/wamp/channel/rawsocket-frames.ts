/** The bytes of RawSocket (WAMP: RawSocket Transport): the handshakes of both ends, and frames of four bytes and a payload. */
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

/** Why this router refuses a handshake; the numbers of {@link refusals}. */
const refusalCodes = { serializer: 1, length: 2, reserved: 3, full: 4 } as const

/** What a client takes at least: WELCOME must fit. Bytes. */
const leastBytes = 4_096

/** The answer that refuses a handshake. */
export const refusal = (reason: keyof typeof refusalCodes): Buffer =>
  Buffer.from([magic, refusalCodes[reason] << 4, 0, 0])

/** What a client has asked for in its handshake. */
export interface Asked {
  readonly serializer: SerializerName
  /** The longest payload that the client takes; bytes. */
  readonly maxBytes: number
}

/** The answer that refuses a handshake; empty where it is not one of RawSocket. */
export interface Refused {
  readonly refusal: Buffer
}

/** Reads the four bytes of a handshake. */
export function readHandshake([first, second = 0, third, fourth]: Uint8Array): Asked | Refused {
  if (first !== magic) return { refusal: Buffer.alloc(0) }
  if (third !== 0 || fourth !== 0) return { refusal: refusal('reserved') }
  const names = Object.keys(serializerIds) as SerializerName[]
  const serializer = names.find((name) => serializerIds[name] === (second & 0x0f))
  if (serializer === undefined) return { refusal: refusal('serializer') }
  const maxBytes = Math.min(2 ** (9 + (second >> 4)), longestPayload)
  return maxBytes < leastBytes ? { refusal: refusal('length') } : { serializer, maxBytes }
}

/** The longest payload that an end with this limit may announce, as its exponent in a handshake. @param bytes from 512 on */
const exponentOf = (bytes: number): number =>
  Math.min(Math.floor(Math.log2(bytes)) - 9, largestExponent)

/** The answer to a handshake, which takes messages up to a length. */
export const acceptance = (serializer: SerializerName, maxBytes: number): Buffer =>
  Buffer.from([magic, (exponentOf(maxBytes) << 4) | serializerIds[serializer], 0, 0])

/** Bytes before a payload. */
export const headLength = 4

/** What precedes a payload. */
export function frameHead(type: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(headLength)
  head.writeUInt32BE(type * 2 ** 24 + length)
  return head
}

/** Reads frames, however their bytes are parted; a payload is put together once. */
export class FrameReader {
  readonly #sender: string
  readonly #longest: number
  #chunks: Buffer[] = []
  #size = 0
  #head: { readonly type: number; readonly length: number } | undefined

  /**
   * @param sender the other end, for messages
   * @param longest payload that it may send; bytes
   */
  constructor(sender: string, longest = longestPayload) {
    this.#sender = sender
    this.#longest = longest
  }

  /** Whether a frame has begun and has not ended. */
  get isInFrame(): boolean {
    return this.#size > 0 || this.#head !== undefined
  }

  /** Adds bytes, of which {@link next} makes frames. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  /**
   * The next frame that is complete.
   * @throws RawSocketError
   */
  next(): Frame | undefined {
    if (!this.#head) {
      const head = this.take(headLength)
      if (!head) return undefined
      this.#head = this.#readHead(head)
    }
    const { type, length } = this.#head
    const payload = this.take(length)
    if (!payload) return undefined
    this.#head = undefined
    return { type, payload }
  }

  /** @throws RawSocketError */
  #readHead(head: Buffer): { readonly type: number; readonly length: number } {
    const [type, length] = [head.readUInt8(0), head.readUIntBE(1, 3)]
    if (type > frameType.pong) {
      throw new RawSocketError(
        `the ${this.#sender} has sent a frame of a kind that RawSocket does not have`,
      )
    }
    if (length > this.#longest) {
      throw new RawSocketError(`the ${this.#sender} has sent a frame that is longer than agreed`)
    }
    return { type, length }
  }

  /** @returns undefined until so many bytes are there */
  take(length: number): Buffer | undefined {
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

/** Reads what a router sends: the answer to the handshake of a client, then frames. */
export class RawSocketReader extends FrameReader {
  readonly #serializer: SerializerName
  /** The longest payload that the router takes, in bytes; undefined until it has answered the handshake. */
  maxBytes: number | undefined

  constructor(serializer: SerializerName) {
    super('router')
    this.#serializer = serializer
  }

  /** @throws RawSocketError also for a handshake that is refused */
  override next(): Frame | undefined {
    if (this.maxBytes === undefined) {
      const answer = this.take(4)
      if (!answer) return undefined
      this.maxBytes = readAnswer(answer, this.#serializer)
    }
    return super.next()
  }
}
