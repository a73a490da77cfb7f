/** What channels over sockets have in common: messages are serialized, and the link is checked for life. */
import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import type { Clock } from '#component/clock.ts'
import { routerRules } from '#component/codec/limits.ts'
import { readMessage, type Serializer } from '#component/codec/serializers.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { type Channel, checkMessage, ignore, tooLarge } from './channel.ts'
import { LinkCheck } from './link-check.ts'

/** Where to, and how. */
export interface SocketOptions {
  /** A URL of a router (`component/wamp/routers`). */
  readonly url: string
  /** Of the handshake of a WebSocket. */
  readonly headers: Readonly<Record<string, string>>
  readonly serializer: Serializer
  /** Largest message that the router takes. */
  readonly maxBytes: number
  /** Told of a message that the router has closed the connection over; bytes. */
  readonly onTooLarge?: (bytes: number) => void
  /** Milliseconds between two checks of the link; a link that is silent for two of them is lost. */
  readonly linkCheckMs: number
  readonly clock: Clock
}

/** Milliseconds that a peer may take to close a connection. */
export const closeTimeoutMs = 1000

/**
 * Frames in one write. With all frames of a turn in one, the callee would be idle while the router works through what it has read:
 * Crossbar.io serves fewer calls then (docs/design/performance.md).
 */
export const framesPerWrite = 4

/** The transport is the derived class's. */
export abstract class SerializedChannel implements Channel {
  onOpen: Channel['onOpen'] = ignore
  onMessage: Channel['onMessage'] = ignore
  onUnreadable: Channel['onUnreadable'] = ignore
  onTooLarge: Channel['onTooLarge'] = ignore
  onQuiet: Channel['onQuiet'] = ignore
  onClose: Channel['onClose'] = ignore
  /** Why it is about to close. */
  protected problem = 'the router closed the connection'
  /** Largest message that the router takes; bytes. */
  protected maxBytes: number
  protected readonly options: SocketOptions
  protected readonly check: LinkCheck
  /** Undefined before it is connected. */
  protected abstract readonly socket: Socket | undefined

  constructor(options: SocketOptions) {
    this.options = options
    this.maxBytes = options.maxBytes
    this.check = new LinkCheck({
      clock: options.clock,
      everyMs: options.linkCheckMs,
      ask: () => this.ask(),
      received: () => this.socket?.bytesRead ?? 0,
      unsent: () => this.socket?.writableLength ?? 0,
      lose: (reason) => this.lose(reason),
    })
  }

  abstract send(message: WampMessage, maxBytes?: number): void
  abstract waiting(): number
  abstract whenLess(request: unknown, tell: () => void): void
  abstract close(): void
  abstract destroy(): void
  /** Asks the router for a sign of life. */
  protected abstract ask(): void

  /** @throws WampError for a message that cannot be carried */
  protected encode(message: WampMessage, mostBytes = this.maxBytes): string | Uint8Array {
    const maxBytes = Math.min(mostBytes, this.maxBytes)
    const data = this.options.serializer.encode(message, checkMessage(message, maxBytes))
    // a character is at most three bytes: count only where it matters
    if (data.length * 3 > maxBytes && Buffer.byteLength(data) > maxBytes) throw tooLarge()
    return data
  }

  protected opened(): void {
    this.check.start()
    this.onOpen()
  }

  protected receive(data: Uint8Array): void {
    const { fields, problem } = readMessage(this.options.serializer, data, routerRules)
    const message = Array.isArray(fields) ? fields : []
    if (problem !== undefined) this.onUnreadable(message, problem)
    else this.onMessage(message)
  }

  protected lose(reason: string): void {
    this.destroy()
    this.onClose(reason)
  }
}
