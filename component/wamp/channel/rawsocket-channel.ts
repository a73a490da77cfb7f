/** A channel over RawSocket, by TCP, TLS or a Unix socket. */
import { Buffer } from 'node:buffer'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { messageOf } from '#component/errors.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import type { RawSocketAddress } from '#component/wamp/routers/router-url.ts'
import { ignore } from './channel.ts'
import { Cork } from './cork.ts'
import { Drain } from './drain.ts'
import { type Frame, frameHead, frameType, handshake, RawSocketReader } from './rawsocket-frames.ts'
import {
  closeTimeoutMs,
  framesPerWrite,
  SerializedChannel,
  type SocketOptions,
} from './serialized-channel.ts'

/** Connects; the certificate of a router is checked as that of a `wss:` URL. */
function open(address: RawSocketAddress): { readonly socket: Socket; readonly event: string } {
  if ('path' in address) return { socket: connect(address.path), event: 'connect' }
  const { host, port, isSecure } = address
  if (!isSecure) return { socket: connect({ host, port }), event: 'connect' }
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return { socket: connectTls({ host, port, ...servername }), event: 'secureConnect' }
}

/** Connects to an address. */
export class RawSocketChannel extends SerializedChannel {
  protected readonly socket: Socket
  readonly #reader: RawSocketReader
  readonly #cork = new Cork(framesPerWrite)
  readonly #drain = new Drain()
  #isOpen = false
  #stopClosing = ignore

  constructor(options: SocketOptions, address: RawSocketAddress) {
    super(options)
    const { name } = options.serializer
    this.#reader = new RawSocketReader(name)
    // some routers close without the answer that refuses a serializer
    this.problem = `the router closed the connection before its RawSocket handshake; it may not speak ${name} there`
    const { socket, event } = open(address)
    this.socket = socket
    socket.setNoDelay(true)
    socket.once(event, () => socket.write(handshake(name)))
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => {
      this.problem = error.message
    })
    socket.on('close', () => {
      this.#isOpen = false
      this.check.stop()
      this.#stopClosing()
      this.onClose(this.problem)
    })
  }

  send(message: WampMessage, maxBytes?: number): void {
    if (!this.#isOpen) return
    const data = this.encode(message, maxBytes)
    this.#write(frameType.message, typeof data === 'string' ? Buffer.from(data) : data)
  }

  waiting(): number {
    return this.socket.writableLength
  }

  whenLess(_request: unknown, tell: () => void): void {
    this.#drain.once(this.socket, tell)
  }

  close(): void {
    this.check.stop()
    this.#isOpen = false
    this.socket.end()
    this.#stopClosing = this.options.clock.after(closeTimeoutMs, () => this.socket.destroy())
  }

  destroy(): void {
    this.check.stop()
    this.#isOpen = false
    this.socket.destroy()
  }

  /**
   * No PING: Crossbar.io reads it as the length of a message of 16 MiB, and takes all that follows for its content. The session asks by a
   * message of WAMP.
   */
  protected ask(): void {
    this.onQuiet()
  }

  #read(chunk: Buffer): void {
    const reader = this.#reader
    if (!this.check.hear()) return
    reader.push(chunk)
    try {
      for (let frame = reader.next(); frame; frame = reader.next()) {
        this.#answered()
        this.#take(frame)
        if (this.socket.destroyed) return
      }
      this.#answered()
    } catch (error) {
      this.lose(messageOf(error))
    }
  }

  /** Opens once the router has answered the handshake. */
  #answered(): void {
    const { maxBytes } = this.#reader
    if (this.#isOpen || maxBytes === undefined || this.socket.writableEnded) return
    this.#isOpen = true
    this.problem = 'the router closed the connection'
    this.maxBytes = Math.min(this.maxBytes, maxBytes)
    this.opened()
  }

  #take({ type, payload }: Frame): void {
    if (type === frameType.message) this.receive(payload)
    else if (type === frameType.ping && this.#isOpen) this.#write(frameType.pong, payload)
  }

  #write(type: number, payload: Uint8Array): void {
    const socket = this.socket
    this.#cork.frame(socket)
    socket.write(frameHead(type, payload.length))
    socket.write(payload)
  }
}
