/**
 * The registrations of one connection: REGISTER and UNREGISTER are sent below the client library, and INVOCATION and INTERRUPT find
 * their handlers by id: no client library takes an INTERRUPT, or sends a YIELD before the last one.
 */
import type { Clock } from '#component/clock.ts'
import { failure, sessionLost } from '#component/wamp/failure.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { asList, asMap, code } from '#component/wamp/messages.ts'
import type { Draft } from '#component/wamp/outbox.ts'
import { readError } from '#component/wamp/requests.ts'
import type { Payload, WampError } from '#component/wamp/session.ts'

type Options = Readonly<Record<string, unknown>>

/** The parts of a connection that its registrations use. */
export interface CalleePorts {
  readonly clock: Pick<Clock, 'after'>
  /**
   * Sends a request under a fresh id.
   * @returns the id
   * @throws WampError when it cannot be sent
   */
  send(draft: Draft): unknown
  /** @returns why it cannot be sent */
  answer(message: WampMessage): WampError | undefined
  /** Resolves when the session has not much to send; undefined: it has not. */
  drained(): Promise<void> | undefined
}

/** An INVOCATION that is answered once, by a result or an error; what follows is ignored. */
export interface IncomingCall extends Payload {
  /** The URI that was called. */
  readonly uri: string
  readonly details: Options
  /** Takes a callback for when nobody waits for the answer any more: the call was canceled, or the session is lost. */
  onGone(callback: () => void): void
  /**
   * Sends a progressive result.
   * @returns resolves when the session may take more; undefined: it does
   */
  progress(payload: Payload): Promise<void> | undefined
  /** Sends the result; an error in its place where it is too large for the router. */
  yield(payload: Payload): void
  fail(error: Payload & { readonly error_uri: string }): void
}

/** Answers invocations. It does not throw. */
export type CallHandler = (call: IncomingCall) => void

interface Registration {
  readonly uri: string
  readonly handler: CallHandler
}

/** A REGISTER or UNREGISTER that is not answered. */
interface Asked {
  readonly type: number
  readonly registration: Registration | undefined
  readonly resolve: (id: unknown) => void
  readonly reject: (error: WampError) => void
  readonly stopTimer: () => void
}

const canceled = {
  error_uri: 'wamp.error.canceled',
  args: ['the call was canceled'],
  kwargs: {},
} as const

/** Exists as long as its connection. */
export class Callee {
  readonly #ports: CalleePorts
  readonly #registrations = new Map<unknown, Registration>()
  /** By request id. */
  readonly #asked = new Map<unknown, Asked>()
  /** By the id of the INVOCATION. */
  readonly #calls = new Map<unknown, OpenCall>()
  #whenIdle: (() => void) | undefined

  constructor(ports: CalleePorts) {
    this.#ports = ports
  }

  /**
   * Sends REGISTER.
   * @returns the id of the registration
   * @throws WampError the refusal of the router, or why it could not be asked
   */
  register(
    uri: string,
    options: Options,
    timeoutMs: number,
    handler: CallHandler,
  ): Promise<unknown> {
    const draft: Draft = [code.register, undefined, options, uri]
    return this.#ask(draft, timeoutMs, { uri, handler })
  }

  /** Sends UNREGISTER: the router sends no invocation after it has confirmed. Never rejects. */
  async unregister(id: unknown, timeoutMs: number): Promise<void> {
    try {
      await this.#ask([code.unregister, undefined, id], timeoutMs)
    } catch {
      // the session is over, or the router does not have it any more
    }
    this.#registrations.delete(id)
  }

  /** Unregisters everything. Resolves once the router has confirmed, and every call that came before is answered. Never rejects. */
  async withdraw(timeoutMs: number): Promise<void> {
    const ids = [...this.#registrations.keys()]
    await Promise.all(ids.map((id) => this.unregister(id, timeoutMs)))
    if (this.#calls.size === 0) return
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve
    })
  }

  #tellIdle(): void {
    if (this.#calls.size === 0) this.#whenIdle?.()
  }

  /** The pattern of a registration; undefined: it is not of this object. */
  uriOf(id: unknown): string | undefined {
    return this.#registrations.get(id)?.uri
  }

  /** INVOCATION: `[68, request, registration, details, args?, kwargs?]`. @returns whether it is of this object */
  invoke(message: WampMessage): boolean {
    const [, request, id, field, args, kwargs] = message
    const registration = this.#registrations.get(id)
    if (registration === undefined) return false
    const details = asMap(field)
    const uri = typeof details.procedure === 'string' ? details.procedure : registration.uri
    const call = new OpenCall(
      { uri, details, args: asList(args), kwargs: asMap(kwargs) },
      request,
      (answer, isLast) => this.#answer(request, answer, isLast),
      () => this.#ports.drained(),
    )
    this.#calls.set(request, call)
    registration.handler(call)
    return true
  }

  /** INTERRUPT: `[69, request, options]`. Crossbar.io keeps the invocation until an answer comes, whatever the mode is. */
  interrupt([, request]: WampMessage): void {
    const call = this.#calls.get(request)
    if (call === undefined) return
    call.fail(canceled)
    call.leave()
  }

  /** REGISTERED, UNREGISTERED, or an ERROR in their place. @returns whether it answers what this object has asked */
  settle(message: WampMessage): boolean {
    const isError = message[0] === code.error
    const id = message[isError ? 2 : 1]
    const asked = this.#asked.get(id)
    if (asked === undefined || (isError && message[1] !== asked.type)) return false
    this.#asked.delete(id)
    asked.stopTimer()
    if (isError) asked.reject(readError(message))
    else {
      const { registration } = asked
      if (registration) this.#registrations.set(message[2], registration)
      asked.resolve(message[2])
    }
    return true
  }

  /** UNREGISTERED without a request: `[67, 0, {registration, reason}]` (WAMP: Registration Revocation). @returns its id */
  revoked([, request, details]: WampMessage): unknown {
    if (request !== 0) return undefined
    const { registration } = asMap(details)
    return this.#registrations.delete(registration) ? registration : undefined
  }

  /** The session is over: what is asked fails, and the calls are gone. */
  lose(): void {
    const asked = [...this.#asked.values()]
    const calls = [...this.#calls.values()]
    this.#asked.clear()
    this.#calls.clear()
    this.#registrations.clear()
    for (const { reject, stopTimer } of asked) {
      stopTimer()
      reject(sessionLost())
    }
    for (const call of calls) call.leave()
    this.#tellIdle()
  }

  #ask(draft: Draft, timeoutMs: number, registration?: Registration): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    try {
      const id = this.#ports.send(draft)
      const stopTimer = this.#ports.clock.after(timeoutMs, () => {
        this.#asked.delete(id)
        reject(failure('service.error.timeout', 'the router did not respond in time', true))
      })
      this.#asked.set(id, { type: draft[0], registration, resolve, reject, stopTimer })
    } catch (error) {
      reject(error)
    }
    return promise
  }

  #answer(request: unknown, answer: WampMessage, isLast: boolean): void {
    if (isLast && !this.#calls.delete(request)) return
    const problem = this.#ports.answer(answer)
    this.#tellIdle()
    if (problem === undefined) return
    // a piece that cannot be sent ends the call
    const call = this.#calls.get(request)
    this.#calls.delete(request)
    call?.leave()
    const { error_uri, args, kwargs } = problem
    this.#ports.answer([code.error, code.invocation, request, {}, error_uri, args, kwargs])
    this.#tellIdle()
  }
}

/** One call under way. */
class OpenCall implements IncomingCall {
  readonly uri: string
  readonly details: Options
  readonly args: readonly unknown[]
  readonly kwargs: Options
  readonly #request: unknown
  readonly #send: (answer: WampMessage, isLast: boolean) => void
  readonly #drained: () => Promise<void> | undefined
  #gone: (() => void)[] | undefined = []

  constructor(
    { uri, details, args, kwargs }: Payload & { uri: string; details: Options },
    request: unknown,
    send: (answer: WampMessage, isLast: boolean) => void,
    drained: () => Promise<void> | undefined,
  ) {
    this.#drained = drained
    this.#request = request
    this.uri = uri
    this.details = details
    this.args = args
    this.kwargs = kwargs
    this.#send = send
  }

  onGone(callback: () => void): void {
    if (this.#gone) this.#gone.push(callback)
    else callback()
  }

  progress({ args, kwargs }: Payload): Promise<void> | undefined {
    if (this.#gone === undefined) return undefined
    this.#send([code.yield, this.#request, { progress: true }, args, kwargs], false)
    return this.#drained()
  }

  yield({ args, kwargs }: Payload): void {
    this.#send([code.yield, this.#request, {}, args, kwargs], true)
  }

  fail({ error_uri, args, kwargs }: Payload & { readonly error_uri: string }): void {
    this.#send([code.error, code.invocation, this.#request, {}, error_uri, args, kwargs], true)
  }

  /** Nobody waits for the answer. */
  leave(): void {
    const gone = this.#gone
    this.#gone = undefined
    if (gone) for (const callback of gone) callback()
  }
}
