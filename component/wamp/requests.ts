/** The table of requests in flight on one connection: each is settled once, by its answer, its deadline or the end of the session. */
import type { Clock } from '#component/clock.ts'
import { InFlight } from '#component/in-flight.ts'
import { ignore } from '#component/wamp/channel/channel.ts'
import { failure, sessionLost } from './failure.ts'
import type { WampMessage } from './link.ts'
import { answers, asList, asMap, code } from './messages.ts'
import { type CallResult, type ProgressListener, type Publication, WampError } from './session.ts'

/** One request in flight. */
interface Request<T> {
  /** Code of the message that was sent. */
  readonly type: number
  /** The procedure or topic. */
  readonly uri: string
  readonly answer: Promise<T>
  /** Makes the result of the promise from the answering message. */
  readonly read: (message: WampMessage) => T
  readonly resolve: (value: T) => void
  readonly reject: (error: WampError) => void
  readonly progress: Progress | undefined
  stopTimer: () => void
}

/** The part of a call that wants progressive results. */
export interface Progress {
  readonly listener: ProgressListener
  /** Milliseconds from one piece to the next, or to the result. */
  readonly timeoutMs: number
}

/** Routers disclose the callee in every RESULT; callers of the gateway do not see it. */
function withoutCallee(field: unknown): Readonly<Record<string, unknown>> {
  const details = asMap(field)
  let copy: Record<string, unknown> | undefined
  for (const key in details) {
    if (!key.startsWith('callee')) continue
    copy ??= { ...details }
    delete copy[key]
  }
  return copy ?? details
}

/** RESULT: `[50, request, details, args?, kwargs?]`. */
export const readResult = (message: WampMessage): CallResult => ({
  request_id: Number(message[1]),
  details: withoutCallee(message[2]),
  args: asList(message[3]),
  kwargs: asMap(message[4]),
})

/** PUBLISHED: `[17, request, publication]`; without acknowledgement there is no id. */
export const readPublication = ([, , publication_id]: WampMessage): Publication =>
  typeof publication_id === 'number' ? { publication_id } : {}

/** ERROR: `[8, type, request, details, uri, args?, kwargs?]`. */
export const readError = ([, , , details, uri, args, kwargs]: WampMessage): WampError =>
  new WampError(String(uri), {
    details: withoutCallee(details),
    args: asList(args),
    kwargs: asMap(kwargs),
  })

/** All requests of one connection. Nothing in it outlives the session. */
export class Requests {
  // each request's `read` gives its promise the right type
  readonly #pending = new InFlight<unknown, Request<unknown>>()
  readonly #clock: Clock
  readonly #giveUp: (type: number, id: unknown) => void

  /** @param giveUp told of a request that is abandoned because of its deadline or its listener */
  constructor(clock: Clock, giveUp: (type: number, id: unknown) => void) {
    this.#clock = clock
    this.#giveUp = giveUp
  }

  get size(): number {
    return this.#pending.size
  }

  /** The procedure or topic of a request in flight. */
  nameOf(id: unknown): string | undefined {
    return this.#pending.get(id)?.uri
  }

  /**
   * Waits for the answer to a request that was just sent.
   * @param timeoutMs the request settles with `service.error.timeout` then
   * @returns what `read` makes of the answering message; rejects with WampError, which need not be caught
   */
  wait<T>(
    id: unknown,
    type: number,
    uri: string,
    timeoutMs: number,
    read: (message: WampMessage) => T,
    progress?: Progress,
  ): Promise<T> {
    const { promise: answer, resolve, reject } = Promise.withResolvers<T>()
    const stopTimer = this.#deadline(id, type, timeoutMs)
    const request: Request<T> = { type, uri, answer, read, resolve, reject, progress, stopTimer }
    this.#pending.set(id, request as Request<unknown>)
    return answer
  }

  /** Calls back once a request that is in flight is settled. */
  whenOver(id: unknown, tell: () => void): void {
    this.#pending.get(id)?.answer.then(tell, tell)
  }

  /** Gives a request that is in flight so much time from now on. */
  time(id: unknown, timeoutMs: number): void {
    const request = this.#pending.get(id)
    if (request === undefined) return
    request.stopTimer()
    request.stopTimer = this.#deadline(id, request.type, timeoutMs)
  }

  /** @param timeoutMs Infinity: there is none */
  #deadline(id: unknown, type: number, timeoutMs: number): () => void {
    if (timeoutMs === Infinity) return ignore
    return this.#clock.after(timeoutMs, () => {
      this.#giveUp(type, id)
      const message = 'the router did not respond in time'
      this.abandon(id, failure('service.error.timeout', message, true))
    })
  }

  /** Settles a request from this side; a later answer is ignored. */
  abandon(id: unknown, error: WampError): boolean {
    const request = this.#pending.get(id)
    if (!request) return false
    this.#take(id, request)
    // here, because failures are rare: a catch at each request is one more promise for each
    request.answer.catch(ignore)
    request.reject(error)
    return true
  }

  /**
   * Takes an answer in.
   * @returns whether it has settled a request; late, foreign and progressive answers are not for the client library
   */
  settle(message: WampMessage): boolean {
    const isError = message[0] === code.error
    const id = message[isError ? 2 : 1]
    const type = isError ? message[1] : answers[Number(message[0])]
    const request = this.#pending.get(id)
    if (request === undefined || request.type !== type) return false
    if (isError) return this.abandon(id, readError(message))
    if (type === code.call && asMap(message[2]).progress === true) {
      if (request.progress) this.#tell(id, request, request.progress, message)
      return false
    }
    this.#take(id, request)
    request.resolve(request.read(message))
    return true
  }

  /** Gives a piece to the listener of its call, whose deadline begins anew. */
  #tell(id: unknown, request: Request<unknown>, progress: Progress, message: WampMessage): void {
    request.stopTimer()
    request.stopTimer = this.#deadline(id, request.type, progress.timeoutMs)
    try {
      progress.listener(readResult(message))
    } catch (cause) {
      const error = failure('service.error.internal', 'a progressive result was not taken', true)
      if (this.abandon(id, Object.assign(error, { cause }))) this.#giveUp(request.type, id)
    }
  }

  /** Resolves when every request that is in flight now is settled. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#pending.values().map(({ answer }) => answer))
  }

  /** The session is over: settles everything at once, because neither client library does (reliability F2). */
  lose(): void {
    for (const id of this.#pending.keys()) this.abandon(id, sessionLost())
  }

  #take(id: unknown, request: Request<unknown>): void {
    this.#pending.delete(id)
    request.stopTimer()
  }
}
