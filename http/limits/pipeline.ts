/** Bounds the unanswered pipelined requests of a connection (RFC 9112 §9.3.2). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { NetworkShare } from '#component/limits/network-share.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import { releaseParser } from './parser.ts'

/** At most this many pipelined requests begin in one turn of the event loop, on all connections together. */
const perTurn = 64

/** A connection that goes on in a later turn. */
interface Waiting {
  goOn(): void
}

/** The queue of connections that have more requests than this turn of the event loop may begin; first come, first served. */
class PipelineScheduler {
  readonly #waiting = new Set<Waiting>()
  #left = perTurn
  #isSet = false

  /** Takes one of the pipelined requests that may begin in this turn; false when none is left. */
  tryTake(): boolean {
    this.#set()
    if (this.#left === 0) return false
    this.#left -= 1
    return true
  }

  /** Queues the connection for the next turn that has room. */
  wait(pipeline: Waiting): void {
    this.#waiting.add(pipeline)
    this.#set()
  }

  forget(pipeline: Waiting): void {
    this.#waiting.delete(pipeline)
  }

  #set(): void {
    if (this.#isSet) return
    this.#isSet = true
    setImmediate(() => {
      this.#isSet = false
      this.#left = perTurn
      for (const pipeline of this.#waiting) {
        if (!this.tryTake()) break
        this.#waiting.delete(pipeline)
        pipeline.goOn()
      }
    })
  }
}

/** At most this many unanswered requests of a connection are served at once; later ones wait. */
const maxUnanswered = 32

/** How long the connections of a network are parsed request by request after one of them had more; milliseconds. */
const guardedMs = 60_000

const headEnd = Buffer.from('\r\n\r\n')

/** Where the first head ends; the length of the bytes when no other one ends behind it. */
function endOfFirst(bytes: Buffer): number {
  const first = bytes.indexOf(headEnd)
  if (first < 0) return bytes.length
  const next = first + headEnd.length
  return bytes.indexOf(headEnd, next) < 0 ? bytes.length : next
}

/** A request and its response; whether its client expects 100 (Continue). */
type Begun = [request: IncomingMessage, response: ServerResponse, isWaiting: boolean]

/** Serves a request, and tells its pipeline when it is {@link Pipeline.answered}. */
type Serve = (...begun: [...Begun, pipeline: Pipeline]) => void

/** What listens to a connection whose chunks come here first. */
interface Guards {
  /** Node's own listener to its data. */
  readonly parse: (bytes: Buffer) => void
  readonly onData: (bytes: Buffer) => void
  readonly onResume: () => void
}

const scheduler = new PipelineScheduler()
const pipelines = new WeakMap<Socket, Pipeline>()

/** The pipeline of a connection; undefined for sockets that no server of the gateway has accepted. */
export const pipelineOf = (socket: Socket): Pipeline | undefined => pipelines.get(socket)

/** The open connections of one network: a flood on one of them guards the others. */
class Network {
  readonly pipelines = new Set<Pipeline>()
  /** Until when its new connections are guarded from their beginning; as `performance.now()`. */
  guardedUntil = 0
}

/** The networks with open connections, by name. */
const networks = new Map<string, Network>()

/**
 * Counts the unanswered requests of a connection. Node parses all of a chunk at once and makes two objects for each request
 * in it: 64 kB may hold 2,400 requests. So when a connection has too many, it and all others of its network are guarded: their
 * chunks come here first, and the heads in them are parsed one by one. Other connections keep Node's own way, in which bytes
 * reach its parser without an event.
 */
export class Pipeline {
  readonly #socket: Socket
  readonly #address: string
  readonly #network: Network
  readonly #waiting: NetworkShare
  readonly #serve: Serve
  /** The listeners of a guarded connection. */
  #guards: Guards | undefined
  #unanswered = 0
  /** Requests parsed and not begun: from a chunk that came before the connection was guarded. */
  #held: Begun[] | undefined
  /** The request that was parsed last, while it is unanswered. */
  #last: IncomingMessage | undefined
  /** Bytes that are received and not parsed yet. */
  #rest: Buffer | undefined
  /** Bytes of {@link #rest} that its network is charged with. */
  #charged = 0
  #isPaused = false
  #ending: (() => void) | undefined

  /**
   * @param socket just accepted by a server of node:http, which listens to its data
   * @param waiting counts the bytes that wait to be parsed
   * @param serve takes each request when its turn comes
   */
  constructor(socket: Socket, waiting: NetworkShare, serve: Serve) {
    this.#socket = socket
    this.#waiting = waiting
    this.#serve = serve
    this.#address = socket.remoteAddress ?? ''
    const name = networkOf(this.#address)
    this.#network = networks.get(name) ?? new Network()
    networks.set(name, this.#network)
    this.#network.pipelines.add(this)
    pipelines.set(socket, this)
    socket.on('close', onClosed)
    if (this.#network.guardedUntil > performance.now()) this.#guard()
  }

  /** Receives chunks before Node's parser from now on. */
  #guard(): void {
    if (this.#guards) return
    const socket = this.#socket
    const [parse] = socket.listeners('data')
    if (parse === undefined) throw new TypeError('expected a connection that a server has accepted')
    const guards = {
      parse: (bytes: Buffer) => parse.call(socket, bytes as Buffer<ArrayBuffer>),
      onData: (bytes: Buffer) => this.#receive(bytes),
      // reading the body of a request lets the socket flow
      onResume: () => {
        if (this.#isPaused) socket.pause()
      },
    }
    this.#guards = guards
    socket.on('data', guards.onData).on('resume', guards.onResume)
    socket.removeListener('data', parse as () => void)
  }

  #guardNetwork(): void {
    this.#network.guardedUntil = performance.now() + guardedMs
    for (const pipeline of this.#network.pipelines) pipeline.#guard()
  }

  #receive(bytes: Buffer): void {
    if (this.#ending) return
    if (this.#rest) {
      this.#rest = Buffer.concat([this.#rest, bytes])
      this.#wait()
    } else this.#pass(bytes)
  }

  /** Parses heads as long as more requests may begin. The first one takes no room of the turn: it stands for the connection. */
  #pass(bytes: Buffer): void {
    this.#rest = bytes
    for (let isFirst = true; this.#rest; isFirst = false) {
      if (this.#unanswered >= maxUnanswered) {
        this.#wait()
        return
      }
      if (!isFirst && !scheduler.tryTake()) {
        scheduler.wait(this)
        this.#wait()
        return
      }
      this.#parseOne(this.#rest)
    }
    this.#charge()
    this.#resume()
  }

  /** Reads no further while bytes wait to be parsed; when they are too many in its network, the connection is closed. */
  #wait(): void {
    this.#pause()
    if (!this.#charge()) this.#socket.destroy()
  }

  /** Charges the network with the bytes that wait now; false, with nothing changed, when they are too many. */
  #charge(): boolean {
    const more = (this.#rest?.length ?? 0) - this.#charged
    if (more > 0 && !this.#waiting.tryTake(this.#address, more)) return false
    if (more < 0) this.#waiting.give(this.#address, -more)
    this.#charged += more
    return true
  }

  #parseOne(bytes: Buffer): void {
    const end = endOfFirst(bytes)
    const isAll = end === bytes.length
    this.#rest = isAll ? undefined : bytes.subarray(end)
    this.#guards?.parse(isAll ? bytes : bytes.subarray(0, end))
  }

  #pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }

  /** Begins the oldest waiting request in the connection's turn, and later ones as long as there is room. */
  goOn(): void {
    for (let isFirst = true; this.#heldCount > 0; isFirst = false) {
      if (this.#unanswered - this.#heldCount >= maxUnanswered) return
      if (!isFirst && !scheduler.tryTake()) {
        scheduler.wait(this)
        return
      }
      const next = this.#held?.shift()
      if (next) this.#serve(...next, this)
    }
    if (this.#rest) this.#pass(this.#rest)
    else this.#resume()
  }

  get #heldCount(): number {
    return this.#held?.length ?? 0
  }

  /**
   * Counts a request until its answer has left or the connection is closed, and has it served: now, or when fewer are unanswered;
   * never when the connection closes before that.
   */
  begin(request: IncomingMessage, response: ServerResponse, isWaiting: boolean): void {
    this.#unanswered += 1
    this.#last = request
    if (this.#unanswered <= maxUnanswered && this.#heldCount === 0) {
      this.#serve(request, response, isWaiting, this)
      return
    }
    this.#held ??= []
    this.#held.push([request, response, isWaiting])
    this.#guardNetwork()
    this.#pause()
  }

  /** Whether a client waits for a response. */
  get isAwaited(): boolean {
    return this.#unanswered > 0
  }

  /** Whether the last request has not arrived as a whole. */
  get isReceiving(): boolean {
    return this.#last?.complete === false
  }

  /** Whether a request has come as a whole, and nothing before or behind it. */
  isAlone(request: IncomingMessage): boolean {
    const { complete, readableEnded } = request
    return complete && readableEnded && this.#unanswered === 1 && this.#rest === undefined
  }

  /** Gives the parser back where a request is alone; its answer closes the connection. */
  release(request: IncomingMessage): void {
    if (this.isAlone(request) && releaseParser(this.#socket)) this.leave()
  }

  /** To be called once for each request that is served, when its response has left or the connection is closed. */
  answered(request: IncomingMessage): void {
    this.#unanswered -= 1
    if (this.#last === request) this.#last = undefined
    const isWaiting = this.#heldCount > 0 || this.#rest !== undefined
    // goes on once half of them are answered: parsing requests one by one costs more
    if (isWaiting && this.#unanswered - this.#heldCount <= maxUnanswered / 2) scheduler.wait(this)
    else if (this.#ending) this.#endIfIdle(this.#ending)
  }

  /** Parses nothing more, and calls back once every request that has arrived whole is answered. */
  finish(callback: () => void): void {
    this.#rest = undefined
    this.#charge()
    this.#ending = callback
    this.#endIfIdle(callback)
  }

  /**
   * Parses nothing more: what follows the last request is no HTTP.
   * @param callback is given what has come of it, once every request before is answered
   */
  handOver(callback: (rest: Buffer) => void): void {
    const rest = this.#rest ?? Buffer.alloc(0)
    if (this.#unanswered > 0) this.#socket.pause()
    this.finish(() => {
      this.leave()
      callback(rest)
    })
  }

  #endIfIdle(callback: () => void): void {
    const broken = this.isReceiving ? 1 : 0
    if (this.#unanswered === broken) callback()
  }

  /** Stops reading the connection, for another reader or at its end; returns the bytes that are received and not parsed. */
  leave(): Buffer {
    const rest = this.#rest ?? Buffer.alloc(0)
    this.#rest = undefined
    this.#charge()
    this.#held = undefined
    scheduler.forget(this)
    const { pipelines: open } = this.#network
    if (open.delete(this) && open.size === 0) networks.delete(networkOf(this.#address))
    const guards = this.#guards
    if (guards) this.#socket.off('data', guards.onData).off('resume', guards.onResume)
    return rest
  }
}

function onClosed(this: Socket): void {
  pipelineOf(this)?.leave()
}
