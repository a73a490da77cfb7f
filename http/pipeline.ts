/** Pipelined requests (RFC 9112 §9.3.2): a connection has a bounded number of them unanswered, and takes turns with the others. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Unanswered requests of a connection; what follows them is not parsed, and then not read from the socket either. */
const maxUnanswered = 32

/** Pipelined requests that begin in one turn of the event loop, on all connections together: about 10 ms of work. */
const perTurn = 64

const headEnd = Buffer.from('\r\n\r\n')

/** Where the first head ends; the length of the bytes when no other one ends behind it. */
function endOfFirst(bytes: Buffer): number {
  const first = bytes.indexOf(headEnd)
  if (first < 0) return bytes.length
  const next = first + headEnd.length
  return bytes.indexOf(headEnd, next) < 0 ? bytes.length : next
}

/** Connections that have more requests to begin than this turn of the event loop has room for; first come, first served. */
class Turns {
  readonly #waiting = new Set<Pipeline>()
  #left = perTurn
  #isSet = false

  /** May a pipelined request begin in this turn? */
  tryTake(): boolean {
    this.#set()
    if (this.#left === 0) return false
    this.#left -= 1
    return true
  }

  /** The connection goes on in the next turn that has room. */
  wait(pipeline: Pipeline): void {
    this.#waiting.add(pipeline)
    this.#set()
  }

  forget(pipeline: Pipeline): void {
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

const turns = new Turns()
const pipelines = new WeakMap<Socket, Pipeline>()

/** The pipeline of a connection; absent for sockets that no server of ours has accepted. */
export const pipelineOf = (socket: Socket): Pipeline | undefined => pipelines.get(socket)

/**
 * Stands between a connection and the parser of node:http, which parses all of a chunk at once and makes two objects for
 * each request in it: 64 kB may hold 2,400 requests. Where a chunk holds more than one head, they are parsed one by one.
 */
export class Pipeline {
  readonly #socket: Socket
  readonly #parse: (bytes: Buffer) => void
  #unanswered = 0
  /** The request that began last, while it is unanswered. */
  #last: IncomingMessage | undefined
  /** Received and not parsed yet. */
  #rest: Buffer | undefined
  #isPaused = false
  #ending: (() => void) | undefined

  /** @param socket just accepted by a server of node:http, which listens to its data */
  constructor(socket: Socket) {
    const [parse] = socket.listeners('data')
    if (parse === undefined) throw new TypeError('expected a connection that a server has accepted')
    this.#socket = socket
    this.#parse = (bytes) => parse.call(socket, bytes as Buffer<ArrayBuffer>)
    pipelines.set(socket, this)
    socket.on('data', this.#onData).on('resume', this.#onResume)
    socket.removeListener('data', parse as () => void)
    socket.once('close', () => this.leave())
  }

  readonly #onData = (bytes: Buffer) => {
    if (this.#ending) return
    if (this.#rest) {
      this.#rest = Buffer.concat([this.#rest, bytes])
      this.#pause()
    } else this.#pass(bytes)
  }

  /** Whoever reads the body of a request lets its socket flow. */
  readonly #onResume = () => {
    if (this.#isPaused) this.#socket.pause()
  }

  /** Parses heads as long as more requests may begin. The first one of a chunk may always: it stands for the connection. */
  #pass(bytes: Buffer): void {
    this.#rest = bytes
    for (let isFirst = true; this.#rest; isFirst = false) {
      if (this.#unanswered >= maxUnanswered) {
        this.#pause()
        return
      }
      if (!isFirst && !turns.tryTake()) {
        turns.wait(this)
        this.#pause()
        return
      }
      this.#parseOne(this.#rest)
    }
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }

  #parseOne(bytes: Buffer): void {
    const end = endOfFirst(bytes)
    const isAll = end === bytes.length
    this.#rest = isAll ? undefined : bytes.subarray(end)
    this.#parse(isAll ? bytes : bytes.subarray(0, end))
  }

  #pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  /** Its turn has come: the next request begins, and further ones as long as there is room. */
  goOn(): void {
    if (this.#rest) this.#pass(this.#rest)
  }

  /** Counts a request until its answer has left, or the connection has gone. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#unanswered += 1
    this.#last = request
    response.once('close', onAnswered)
  }

  /** Called once for each request that has begun. */
  answered(request: IncomingMessage): void {
    this.#unanswered -= 1
    if (this.#last === request) this.#last = undefined
    if (this.#ending) this.#endIfIdle(this.#ending)
    // half of them first: a request that is parsed by itself costs more
    else if (this.#rest && this.#unanswered <= maxUnanswered / 2) turns.wait(this)
  }

  /** Parses nothing more, and calls back once every request that has arrived whole is answered. */
  finish(callback: () => void): void {
    this.#rest = undefined
    this.#ending = callback
    this.#endIfIdle(callback)
  }

  #endIfIdle(callback: () => void): void {
    const broken = this.#last?.complete === false ? 1 : 0
    if (this.#unanswered === broken) callback()
  }

  /** Lets go of the connection, which something else reads from now on; what has been received and not parsed. */
  leave(): Buffer {
    const rest = this.#rest ?? Buffer.alloc(0)
    this.#rest = undefined
    turns.forget(this)
    this.#socket.off('data', this.#onData).off('resume', this.#onResume)
    return rest
  }
}

function onAnswered(this: ServerResponse): void {
  pipelineOf(this.req.socket)?.answered(this.req)
}
