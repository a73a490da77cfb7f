/** A WAMP peer that sends and receives raw messages over a WebSocket, for tests of routers; knows none of our code. */
import { decode as decodeMsgpack, encode as encodeMsgpack } from '@msgpack/msgpack'
import { Decoder, Encoder } from 'cbor-x'
import { WebSocket } from 'ws'

type Message = readonly unknown[]

interface Serializer {
  encode(message: Message): string | Uint8Array
  decode(data: Buffer): unknown
}

const cbor = { useRecords: false, tagUint8Array: false }

/** cbor-x reads integers beyond 32 bits as BigInt. */
const toNumber = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? Number(value) : value

const serializers: Readonly<Record<string, Serializer>> = {
  'wamp.2.json': { encode: JSON.stringify, decode: (data) => JSON.parse(data.toString()) },
  'wamp.2.msgpack': { encode: (message) => encodeMsgpack(message), decode: decodeMsgpack },
  'wamp.2.cbor': {
    encode: (message) => new Encoder(cbor).encode(message),
    decode: (data) => JSON.parse(JSON.stringify(new Decoder(cbor).decode(data), toNumber)),
  },
}

/** The subprotocols to test with. */
export const subprotocols: readonly string[] = Object.keys(serializers)

/** HELLO.Details of a peer that can do everything. */
export const allRoles = {
  caller: { features: { call_canceling: true, progressive_call_results: true } },
  callee: { features: { call_canceling: true, progressive_call_results: true } },
  publisher: {},
  subscriber: {},
}

/** One WebSocket to a router. */
export class RouterPeer {
  /** Resolves with the close code. */
  readonly closed: Promise<number>
  readonly webSocket: WebSocket
  readonly #serializer: Serializer
  readonly #received: Message[] = []
  readonly #waiting: ((message: Message) => void)[] = []
  #isLeaving = false

  private constructor(webSocket: WebSocket, serializer: Serializer) {
    this.webSocket = webSocket
    this.#serializer = serializer
    this.closed = new Promise((resolve) => webSocket.once('close', resolve))
    webSocket.on('message', (data) => {
      const message = serializer.decode(data as Buffer) as Message
      if (message[0] === 6 && !this.#isLeaving) this.send(6, {}, 'wamp.close.goodbye_and_out')
      const taker = this.#waiting.shift()
      if (taker) taker(message)
      else this.#received.push(message)
    })
    webSocket.on('error', () => {}) // 'close' follows
  }

  /** Connects. */
  static async open(url: string, subprotocol = 'wamp.2.json'): Promise<RouterPeer> {
    const webSocket = new WebSocket(url, [subprotocol])
    const serializer = serializers[subprotocol]
    if (serializer === undefined) throw new TypeError('expected one of the subprotocols')
    const peer = new RouterPeer(webSocket, serializer)
    await new Promise((resolve, reject) => {
      webSocket.once('open', resolve)
      webSocket.once('error', reject)
    })
    return peer
  }

  /** Connects and joins; the session id. */
  static async join(
    target: { readonly url: string; readonly realm: string },
    subprotocol?: string,
    details: object = {},
  ): Promise<RouterPeer & { readonly id: number }> {
    const peer = await RouterPeer.open(target.url, subprotocol)
    const welcome = await peer.ask(1, target.realm, { roles: allRoles, ...details })
    if (welcome[0] !== 2) throw new Error(`expected WELCOME, got ${JSON.stringify(welcome)}`)
    return Object.assign(peer, { id: Number(welcome[1]) })
  }

  /** GOODBYE of the router is answered by itself. */
  send(...message: Message): void {
    this.#isLeaving = message[0] === 6
    this.webSocket.send(this.#serializer.encode(message))
  }

  /** The next message, in the order of arrival. */
  next(): Promise<Message> {
    const message = this.#received.shift()
    if (message) return Promise.resolve(message)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Sends a message and takes the next one that arrives. */
  ask(...message: Message): Promise<Message> {
    this.send(...message)
    return this.next()
  }

  /** Registers a procedure; the registration id. */
  async register(uri: string, options: object = {}): Promise<number> {
    return idOf(await this.ask(64, 1_000, options, uri), 65)
  }

  /** Subscribes to a topic; the subscription id. */
  async subscribe(uri: string, options: object = {}): Promise<number> {
    return idOf(await this.ask(32, 1_001, options, uri), 33)
  }

  /** The messages that arrive before the answer to a request made now: for "nothing arrives". */
  async drain(): Promise<Message[]> {
    const messages: Message[] = []
    this.send(34, 9_999, 999_999_999)
    for (;;) {
      const message = await this.next()
      if (message[0] === 8 && message[2] === 9_999) return messages
      messages.push(message)
    }
  }

  /** Drops the connection without a word. */
  cut(): void {
    this.webSocket.terminate()
  }
}

function idOf(message: Message, code: number): number {
  if (message[0] !== code) throw new Error(`unexpected answer: ${JSON.stringify(message)}`)
  return Number(message[2])
}
