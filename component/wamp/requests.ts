/** The table of requests in flight on one connection: each is settled once, by its answer, its deadline or the end of the session. */
import type { Clock } from '#component/clock.ts'
import { failure, sessionLost } from './failure.ts'
import type { WampMessage } from './link.ts'
import { asList, asMap, code } from './messages.ts'
import { type CallResult, WampError } from './session.ts'
import { uris } from './uris.ts'

/** The answer that each request waits for. */
const answers: Readonly<Record<number, number>> = {
  [code.result]: code.call,
  [code.published]: code.publish,
  [code.registered]: code.register,
  [code.subscribed]: code.subscribe,
}

/** One request in flight. */
interface Request {
  /** Code of the message that was sent. */
  readonly type: number
  readonly resolve: (message: WampMessage) => void
  readonly reject: (error: WampError) => void
  readonly stopTimer: () => void
}

/** Who answered is nobody's business: routers disclose the callee in every RESULT. */
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
export const readResult = ([, request, details, args, kwargs]: WampMessage): CallResult => ({
  request_id: Number(request),
  details: withoutCallee(details),
  args: asList(args),
  kwargs: asMap(kwargs),
})

/** ERROR: `[8, type, request, details, uri, args?, kwargs?]`. */
const readError = ([, , , details, uri, args, kwargs]: WampMessage): WampError =>
  new WampError(String(uri), {
    details: withoutCallee(details),
    args: asList(args),
    kwargs: asMap(kwargs),
  })

/** All requests of one connection. Nothing in it outlives the session. */
export class Requests {
  readonly #pending = new Map<unknown, Request>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#pending.size
  }

  /**
   * Waits for the answer to a request that was just sent.
   * @param timeoutMs the request settles with `service.error.timeout` then, after `onTimeout`
   * @returns the answering message; rejects with WampError
   */
  wait(id: unknown, type: number, timeoutMs: number, onTimeout: () => void): Promise<WampMessage> {
    return new Promise((resolve, reject) => {
      const stopTimer = this.#clock.after(timeoutMs, () => {
        onTimeout()
        const message = 'there was no answer in time'
        this.abandon(id, failure(uris.errors.timeout, message, true))
      })
      this.#pending.set(id, { type, resolve, reject, stopTimer })
    })
  }

  /** Settles a request from this side. Its answer, should it still come, is nobody's. */
  abandon(id: unknown, error: WampError): boolean {
    const request = this.#take(id)
    request?.reject(error)
    return request !== undefined
  }

  /**
   * Takes an answer in.
   * @returns whether a request was waiting for it; late, foreign and progressive answers are to be dropped
   */
  settle(message: WampMessage): boolean {
    const isError = message[0] === code.error
    const id = message[isError ? 2 : 1]
    const type = isError ? message[1] : answers[Number(message[0])]
    if (this.#pending.get(id)?.type !== type) return false
    if (type === code.call && !isError && asMap(message[2]).progress === true) return false
    const request = this.#take(id)
    if (isError) request?.reject(readError(message))
    else request?.resolve(message)
    return request !== undefined
  }

  /** The session is over: settles everything at once, because neither client library does (reliability F2). */
  lose(): void {
    for (const id of [...this.#pending.keys()]) this.abandon(id, sessionLost())
  }

  #take(id: unknown): Request | undefined {
    const request = this.#pending.get(id)
    if (!request) return undefined
    this.#pending.delete(id)
    request.stopTimer()
    return request
  }
}
