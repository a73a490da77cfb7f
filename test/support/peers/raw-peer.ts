/** A WAMP peer that sends and receives single messages in MessagePack: for what no client library does. */
import { decode, encode } from '@msgpack/msgpack'
import WebSocket from 'ws'

type Message = readonly unknown[]

/** One session. */
export class RawPeer {
  readonly #socket: WebSocket
  /** Given each message that nobody waits for. */
  onMessage: (message: Message) => void = () => undefined
  /** Called when the connection ends. */
  onClose: () => void = () => undefined
  #waiting: { readonly type: number; readonly resolve: (message: Message) => void }[] = []

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const message = decode(data as Buffer) as Message
      const index = this.#waiting.findIndex(({ type }) => type === message[0])
      const [waiting] = index < 0 ? [] : this.#waiting.splice(index, 1)
      if (waiting) waiting.resolve(message)
      else this.onMessage(message)
    })
    socket.on('close', () => this.onClose())
    socket.on('error', () => undefined)
  }

  /** @param roles those of HELLO */
  static async join(url: string, realm: string, roles: object): Promise<RawPeer> {
    const socket = new WebSocket(url, 'wamp.2.msgpack')
    const peer = new RawPeer(socket)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const welcome = peer.next(2)
    peer.send([1, realm, { roles }])
    await welcome
    return peer
  }

  send(message: Message): void {
    this.#socket.send(encode(message))
  }

  /** The next message of a type. */
  next(type: number): Promise<Message> {
    return new Promise((resolve) => this.#waiting.push({ type, resolve }))
  }

  /** Registers a procedure. */
  async register(procedure: string): Promise<void> {
    const registered = this.next(65)
    this.send([64, 1, {}, procedure])
    await registered
  }

  /** Reads nothing more until {@link resume}. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#socket.terminate()
  }
}
