/** A WAMP peer that speaks RawSocket, for tests of routers; knows none of our code. */
import { once } from 'node:events'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { decode as decodeMsgpack, encode as encodeMsgpack } from '@msgpack/msgpack'
import { Decoder, Encoder } from 'cbor-x'
import { allRoles } from './peer.ts'

type Message = readonly unknown[]

const cbor = { useRecords: false, tagUint8Array: false }

/** Serializers by name. */
const rawSerializers = {
  json: {
    id: 1,
    encode: (message: Message) => Buffer.from(JSON.stringify(message)),
    decode: (bytes: Buffer): Message => JSON.parse(bytes.toString()),
  },
  msgpack: {
    id: 2,
    encode: (message: Message) => Buffer.from(encodeMsgpack(message)),
    decode: (bytes: Buffer) => decodeMsgpack(bytes) as Message,
  },
  cbor: {
    id: 3,
    encode: (message: Message) => new Encoder(cbor).encode(message),
    decode: (bytes: Buffer): Message => new Decoder(cbor).decode(bytes),
  },
} as const
export type RawSerializer = keyof typeof rawSerializers

/** A frame: type, length in three bytes, payload. */
export function rawFrame(type: number, payload: Buffer): Buffer {
  const head = Buffer.from([type, payload.length >> 16, payload.length >> 8, payload.length])
  return Buffer.concat([head, payload])
}

/** One connection. */
export class RawPeer {
  readonly socket: Socket
  /** Resolves when the connection is over. */
  readonly closed: Promise<unknown>
  serializer: RawSerializer = 'json'
  #bytes: Buffer = Buffer.alloc(0)
  #hasEnded = false
  #wake: () => void = () => {}

  constructor(options: NetConnectOpts) {
    this.socket = connect(options)
    this.closed = once(this.socket, 'close')
    this.socket
      .on('data', (bytes: Buffer) => {
        this.#bytes = Buffer.concat([this.#bytes, bytes])
        this.#wake()
      })
      .on('error', () => {}) // 'close' follows
      .on('close', () => {
        this.#hasEnded = true
        this.#wake()
      })
  }

  /** So many bytes, or those that came before the end. */
  async read(length: number): Promise<Buffer> {
    while (this.#bytes.length < length && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }

  /** Sends the handshake of a client that takes 2^(9+exponent) bytes. @returns the answer, in hexadecimal */
  async greet(serializer: RawSerializer = 'json', exponent = 15): Promise<string> {
    this.serializer = serializer
    this.socket.write(Buffer.from([0x7f, (exponent << 4) | rawSerializers[serializer].id, 0, 0]))
    return (await this.read(4)).toString('hex')
  }

  /** The next frame; undefined at the end. */
  async frame(): Promise<{ readonly type: number; readonly payload: Buffer } | undefined> {
    const head = await this.read(4)
    const [type, ...length] = head
    if (type === undefined || head.length < 4) return undefined
    return { type, payload: await this.read(Buffer.from(length).readUIntBE(0, 3)) }
  }

  send(...message: Message): void {
    this.socket.write(rawFrame(0, rawSerializers[this.serializer].encode(message)))
  }

  /** The next message. */
  async next(): Promise<Message> {
    const frame = await this.frame()
    if (frame?.type !== 0) throw new Error(`expected a message, got ${JSON.stringify(frame)}`)
    return rawSerializers[this.serializer].decode(frame.payload)
  }

  ask(...message: Message): Promise<Message> {
    this.send(...message)
    return this.next()
  }

  /** HELLO. @returns WELCOME, or what else came */
  join(realm: string): Promise<Message> {
    return this.ask(1, realm, { roles: allRoles })
  }
}
