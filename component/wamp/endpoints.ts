/** Runs the handlers of invocations and events: a handler that fails still leads to an answer and never ends the process. */
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { invocationError } from './failure.ts'
import type { WampMessage } from './link.ts'
import { asList, asMap, code } from './messages.ts'
import type { EventHandler, InvocationHandler } from './session.ts'

/** Pattern-based registrations and subscriptions are told the name that was used. */
const nameOr = (name: unknown, otherwise: string): string =>
  typeof name === 'string' ? name : otherwise

/**
 * Crossbar.io takes the caller that it discloses from the caller's own option `forward_for`; its static roles let every
 * client set that. @throws ServiceError `wamp.error.not_authorized`
 */
function refuseForwarded({ forward_for }: Readonly<Record<string, unknown>>): void {
  if (forward_for === undefined) return
  const message = 'forward_for: a call may not name another caller'
  throw new ServiceError('wamp.error.not_authorized', message)
}

/** The answers of one connection's handlers, put aside until the client library sends its YIELD. */
export class Endpoints {
  readonly #answers = new Map<unknown, WampMessage>()
  readonly #log: Log
  /** Invocations whose YIELD or ERROR has not been sent. */
  #open = 0
  #whenIdle: (() => void) | undefined

  constructor(log: Log) {
    this.#log = log
  }

  /** Resolves when every invocation that came until now is answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve()
      else this.#whenIdle = resolve
    })
  }

  /** INVOCATION: `[68, request, registration, details, args?, kwargs?]`. Never rejects. */
  async serve(handler: InvocationHandler, procedure: string, message: WampMessage): Promise<void> {
    const [, request, , field, args, kwargs] = message
    const details = asMap(field)
    const uri = nameOr(details.procedure, procedure)
    let answer: WampMessage
    this.#open++
    try {
      refuseForwarded(details)
      const result = await handler({ args: asList(args), kwargs: asMap(kwargs) }, { details, uri })
      answer = [code.yield, request, {}, result.args, result.kwargs]
    } catch (error) {
      answer = invocationError(request, error)
      if (answer[4] === 'service.error.internal') {
        this.#log.error({ err: error, procedure: uri }, 'a procedure failed')
      }
    }
    this.#answers.set(request, answer)
  }

  /** The message that replaces the client's empty YIELD: the YIELD or ERROR of the handler. */
  take(empty: WampMessage): WampMessage {
    const answer = this.#answers.get(empty[1])
    if (this.#answers.delete(empty[1]) && --this.#open === 0) this.#whenIdle?.()
    return answer ?? empty
  }

  /** EVENT: `[36, subscription, publication, details, args?, kwargs?]`. Never throws. */
  deliver(handler: EventHandler, topic: string, message: WampMessage): void {
    const [, , , field, args, kwargs] = message
    const details = asMap(field)
    const uri = nameOr(details.topic, topic)
    const failed = (error: unknown) =>
      this.#log.error({ err: error, topic: uri }, 'an event handler failed')
    try {
      const payload = { args: asList(args), kwargs: asMap(kwargs) }
      // an asynchronous function passes for a handler: its rejection would end the process
      const done: unknown = handler(payload, { details, uri })
      if (done instanceof Promise) done.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
