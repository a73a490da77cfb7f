/** A peer behind a WebSocket or a RawSocket: frames, one socket write per turn of the event loop, link check, and bounds on what is held for it. */
import type { Buffer } from 'node:buffer'
import type { Duplex } from 'node:stream'
import type { Clock } from '#component/clock.ts'
import { peerRules, type ReadRules, strangerRules } from '#component/codec/limits.ts'
import {
  type Received,
  readingMessage,
  readMessage,
  type Serializer,
} from '#component/codec/serializers.ts'
import { countPassed } from '#component/limits/gc-pressure.ts'
import type { Backlog, Holder } from '#component/router/limits/backlog.ts'
import type { FramedSocket, HeadOf } from '#component/router/limits/framed-socket.ts'
import { Unfinished } from '#component/router/limits/unfinished.ts'
import { type ShortFrame, Unread } from '#component/router/limits/unread.ts'
import { Cork } from '#component/wamp/channel/cork.ts'
import { Drain } from '#component/wamp/channel/drain.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { type RunSteps, type Steps, StepsInOrder } from '#component/yielding.ts'
import type { Peer } from './ports.ts'
import type { Transport } from './session.ts'

/** Longest message of a peer before WELCOME: HELLO and AUTHENTICATE are short. */
const strangerBytes = 65_536

/** Longer messages are read in steps, between which other peers are served; bytes. */
const longBytes = 65_536

/** WebSocket close code (IANA's registry; RFC 6455 §7.4.1 has the first ones). */
const closeTryAgainLater = 1013

/** Messages, pings and pongs of one peer that are served in one turn of the event loop, beside those that arrived together with the last. */
const messagesInTurn = 64

/** How long a peer that sent too much is left to read why it is disconnected, in milliseconds. */
const refusalMs = 1_000

/** How long the rest of a message that is too long is read and thrown away, in milliseconds. */
const discardMs = 5_000

/** Options of the transport. */
export interface SocketOptions {
  readonly framed: FramedSocket
  /** The socket under it: of node:net or node:tls. */
  readonly socket: Duplex & { readonly bytesRead?: number }
  readonly shortFrame?: ShortFrame | undefined
  readonly serializer: Serializer
  readonly peer: Peer
  readonly clock: Clock
  /** Bytes of a frame before its payload. */
  readonly headOf: HeadOf
  /** Whether a peer that is silent has something to send: the answer to a ping, or the rest of a frame. */
  readonly owesBytes: () => boolean
  /** Milliseconds of silence until a ping; 0: never. */
  readonly pingIntervalMs: number
  /** Milliseconds that the peer may take to answer it; then it is lost. */
  readonly pingTimeoutMs: number
  /** Asked when a ping is sent. @returns whether the peer may still be silent, because it works on what it was asked before */
  readonly excuse: () => (now: number) => boolean
  /** Bytes that wait to be read by the peer; more, and it is disconnected. */
  readonly maxBufferedBytes: number
  readonly backlog: Backlog
  /** Reads messages that take long, one of all peers at a time. */
  readonly runLong: RunSteps
  /** Whether the peer has received WELCOME. */
  readonly isJoined: () => boolean
  /** A message has arrived, or its first fields and why it has no more that can be read; undefined in place of what is none. */
  readonly onMessage: (message: unknown, problem?: string) => void
  /** A message is longer than the peer may send now. */
  readonly onTooLong: (problem: string) => void
  readonly onClose: () => void
}

/** The router's end of a socket. */
export class SocketTransport implements Transport, Holder {
  readonly peer: Peer
  readonly #options: SocketOptions
  readonly #unfinished: Unfinished
  readonly #unread: Unread
  readonly #cork = new Cork()
  readonly #drain = new Drain()
  /** A long message that is being read, and those behind it; nothing more is read from the socket meanwhile. */
  readonly #long: StepsInOrder
  /** Messages, pings and pongs of this turn of the event loop. */
  #messages = 0
  /** Whether reading is paused until the next turn of the event loop. */
  #isResting = false
  /** Whether reading has stopped for good. */
  #isRefused = false
  /** Whether what arrives is held no longer. */
  #isDiscarding = false
  /** The next three: as of the last link check. */
  #bytesRead = -1
  #bufferedBytes = 0
  /** Of the ping that is not answered; undefined while the peer is not silent. */
  #excuse: ((now: number) => boolean) | undefined
  /** Whether the peer was excused at the last link check. */
  #wasExcused = false
  #stopTimer: () => void = () => {}

  constructor(options: SocketOptions) {
    const { backlog, socket, framed, shortFrame } = options
    this.peer = options.peer
    this.#options = options
    this.#unfinished = new Unfinished(backlog, options.headOf)
    this.#unread = new Unread({
      ...{ backlog, holder: this, framed, socket, shortFrame },
      isBinary: options.serializer.isBinary,
      maxBytes: options.maxBufferedBytes,
      isCounted: !options.peer.isInProcess,
    })
    this.#long = new StepsInOrder(options.runLong, () => {
      if (!this.#isRefused) this.goOn()
    })
    framed.on('message', (data, isBinary) => this.#receive(data, isBinary))
    framed.on('error', () => this.#discard()) // 'close' follows
    framed.once('close', () => {
      this.#stopTimer()
      // what has come before the end is served before it
      this.#long.whenIdle(() => {
        this.#forget()
        options.onClose()
      })
    })
    // peers in this process, and peers that count as such, send and read for all others
    if (!options.peer.isInProcess) {
      backlog.add(this)
      // ahead of the listener that cuts messages out of the bytes
      socket.prependListener('data', (bytes: Buffer) => this.#count(bytes.length))
      socket.on('drain', () => this.#unread.trySettle())
      framed.on('ping', (data) => this.#answered(data.length))
      framed.on('pong', (data) => {
        this.#countMessage()
        this.#unfinished.controlled(data.length)
      })
    }
    this.#checkLater(options.pingIntervalMs)
  }

  get waiting(): number {
    return this.#options.framed.bufferedAmount
  }

  whenRead(tell: () => void): void {
    this.#drain.once(this.#options.socket, tell)
  }

  /** Bytes held for the peer. */
  get heldBytes(): number {
    return this.#unfinished.bytes + this.#options.framed.bufferedAmount
  }

  /** A closing connection has the limits of one that has not joined. */
  #count(bytes: number): void {
    if (this.#isDiscarding) return
    const { isJoined, framed } = this.#options
    const isOpen = framed.readyState === framed.OPEN
    const isStranger = !isOpen || !isJoined()
    const isTooLong = isStranger && this.#unfinished.bytes + bytes > 2 * strangerBytes
    if (isTooLong && isOpen) this.#refuse()
    else if (isTooLong) framed.terminate()
    else if (this.#unfinished.tryAdd(bytes, !isStranger)) return
    else if (isStranger) this.drop()
    else {
      framed.pause()
      this.#options.backlog.wait(this)
    }
  }

  /** Pauses the peer after a number of messages, pings and pongs in one turn of the event loop: libuv reads one socket up to 32 times in a row. */
  #countMessage(): void {
    this.#messages += 1
    if (this.#messages === 1) setImmediate(() => this.#rested())
    if (this.#messages === messagesInTurn) this.#pause()
  }

  rest(): void {
    if (this.#isResting) return
    if (this.#messages === 0) setImmediate(() => this.#rested())
    this.#pause()
  }

  #pause(): void {
    this.#isResting = true
    this.#options.framed.pause()
  }

  #rested(): void {
    this.#messages = 0
    if (!this.#isResting) return
    this.#isResting = false
    if (!this.#isRefused) this.goOn()
  }

  goOn(): void {
    if (this.#isResting || this.#long.isBusy) return
    if (this.#unfinished.trySettle()) this.#options.framed.resume()
    else this.#options.backlog.wait(this)
  }

  /** A ping has arrived, and was answered: the peer may not read that. */
  #answered(bytes: number): void {
    const { isJoined, framed, socket } = this.#options
    this.#countMessage()
    // further answers of this turn leave together
    this.#cork.frame(socket)
    this.#unfinished.controlled(bytes)
    const isPatient = isJoined() || framed.bufferedAmount <= strangerBytes
    if (!isPatient || !this.#unread.trySettle()) this.drop()
  }

  /** Tells a peer why it is disconnected, and reads nothing more of it. */
  #refuse(): void {
    const { clock, onTooLong, framed } = this.#options
    this.#isRefused = true
    onTooLong(`expected at most ${strangerBytes} bytes in a message before WELCOME`)
    framed.pause()
    this.#stopTimer()
    this.#stopTimer = clock.after(refusalMs, () => framed.terminate())
  }

  /** A message is too long, or no frame: `ws` has sent a close frame, which the peer may not read before it has sent the rest. */
  #discard(): void {
    this.#isDiscarding = true
    this.#stopTimer()
    this.#stopTimer = this.#options.clock.after(discardMs, () => this.terminate())
  }

  /** Disconnects a peer for which there is no room any more. */
  drop(): void {
    const { backlog, framed } = this.#options
    backlog.onDropped()
    this.#long.end()
    this.#forget()
    framed.close(closeTryAgainLater, 'too many bytes are held for this peer')
    framed.terminate()
  }

  #forget(): void {
    this.#options.backlog.remove(this)
    this.#unfinished.clear()
    this.#unread.clear()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const { framed } = this.#options
    if (data.length > strangerBytes) countPassed(data.length)
    const isOpen = framed.readyState === framed.OPEN
    if (isOpen && !this.peer.isInProcess) this.#countMessage()
    this.#options.backlog.completed(this, data.length)
    if (isOpen && (data.length > longBytes || this.#long.isBusy)) {
      this.#long.add(() => this.#reading(data, isBinary))
      framed.pause()
      return
    }
    this.#unfinished.completed(data.length)
    if (!isOpen) return
    if (framed.isPaused && !this.#isResting) this.goOn()
    const rules = this.#rulesOf(data, isBinary)
    if (rules) this.#deliver(readMessage(this.#options.serializer, data, rules))
  }

  *#reading(data: Buffer, isBinary: boolean): Steps<void> {
    // putting a long message together has taken its time of this turn
    if (data.length > longBytes) yield
    const rules = this.#rulesOf(data, isBinary)
    if (rules && data.length > longBytes) {
      this.#deliver(yield* readingMessage(this.#options.serializer, data, rules))
    } else if (rules) this.#deliver(readMessage(this.#options.serializer, data, rules))
    // until here its bytes are held
    this.#unfinished.completed(data.length)
  }

  /** The rules that a message is read by; undefined where it is none, or too long. */
  #rulesOf(data: Buffer, isBinary: boolean): ReadRules | undefined {
    const { isJoined, onMessage, serializer } = this.#options
    const isStranger = !isJoined()
    if (isStranger && data.length > strangerBytes) this.#refuse()
    else if (isBinary !== serializer.isBinary) onMessage(undefined)
    else return isStranger ? strangerRules : peerRules
    return undefined
  }

  #deliver({ fields, problem }: Received): void {
    this.#options.onMessage(fields, problem)
  }

  #checkLater(ms: number): void {
    if (this.#options.pingIntervalMs === 0) return
    this.#stopTimer = this.#options.clock.after(ms, () => this.#check())
  }

  /** Link check: reliability F2. Bytes count, not messages: a long one may take its time, either way. */
  #check(): void {
    const { clock, excuse, owesBytes, pingIntervalMs, pingTimeoutMs, socket, framed } =
      this.#options
    const { bytesRead = 0 } = socket
    const { bufferedAmount } = framed
    const isRead = bytesRead !== this.#bytesRead || bufferedAmount < this.#bufferedBytes
    // while a long message is read, an answer waits behind it
    const isAlive = isRead || this.#long.isBusy || !owesBytes()
    this.#bytesRead = bytesRead
    this.#bufferedBytes = bufferedAmount
    if (isAlive) {
      this.#excuse = undefined
      this.#wasExcused = false
      this.#checkLater(pingIntervalMs)
      return
    }
    if (this.#excuse === undefined) {
      this.#excuse = excuse()
      framed.ping()
    } else {
      const isExcused = this.#excuse(clock.now())
      // behind its excuse it has as long as any other peer
      if (!isExcused && !this.#wasExcused) {
        framed.terminate()
        return
      }
      this.#wasExcused = isExcused
    }
    this.#checkLater(pingTimeoutMs)
  }

  send(message: WampMessage): void {
    const { serializer, framed } = this.#options
    if (framed.readyState !== framed.OPEN) return
    const data = serializer.encode(message)
    this.#cork.frame(this.#options.socket)
    if (!this.#unread.trySend(data)) this.drop()
  }

  close(code: number, reason: string): void {
    this.#options.framed.close(code, reason)
  }

  terminate(): void {
    this.#options.framed.terminate()
  }
}
