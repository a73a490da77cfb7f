/** Calls: CALL, CANCEL, YIELD and ERROR of one realm. */
import type { WampMessage } from '#component/wamp/link.ts'
import { code } from '#component/wamp/messages.ts'
import { invocationDetails, maxTimeoutMs, type Sender, timeoutOf } from './message-options.ts'
import {
  type CallMessage,
  type CancelMessage,
  type ErrorMessage,
  ProtocolViolation,
  withPayload,
  type YieldMessage,
} from './messages.ts'
import type { RealmPorts } from './realm-ports.ts'
import type { Registrations } from './registrations.ts'
import type { Invocation, Registration, Session } from './session.ts'

/** How long a callee may be silent over a call without a timeout, in milliseconds. */
const untimedMs = 600_000

const cancelModes: readonly unknown[] = ['skip', 'kill', 'killnowait']

/** Routes calls to callees, and their answers back to callers. */
export class Dealer {
  readonly #ports: RealmPorts
  readonly #registrations: Registrations
  readonly #callMeta: (session: Session, message: CallMessage) => void

  /** @param callMeta serves the router's own procedures, `wamp.*` */
  constructor(
    ports: RealmPorts,
    registrations: Registrations,
    callMeta: (session: Session, message: CallMessage) => void,
  ) {
    this.#ports = ports
    this.#registrations = registrations
    this.#callMeta = callMeta
  }

  call(session: Session, message: CallMessage): void {
    const request = message[1]
    const options = message[2]
    const procedure = message[3]
    const hasMore = options.progress === true
    const underWay = session.calls.get(request)
    if (underWay?.hasMore) {
      this.#goOn(underWay, message, hasMore)
      return
    }
    if (underWay) {
      throw new ProtocolViolation('CALL: the request id belongs to a call under way')
    }
    if (session.isEnded(request, { hasMore })) return
    if (hasMore && !session.streams.caller) {
      throw new ProtocolViolation('CALL: progressive_call_invocations is not announced')
    }
    // until it is invoked: of a call that is refused more may be on its way
    if (hasMore) session.noteEnded(request)
    if (this.#ports.authorizer.refuses(session, 'call', request, procedure, options)) return
    const timeoutMs = timeoutOf(options)
    if (timeoutMs === undefined) {
      const text = `timeout is not a number of milliseconds from 0 to ${maxTimeoutMs}`
      session.refuse(code.call, request, 'wamp.error.option_not_allowed', text)
      return
    }
    if (procedure.startsWith('wamp.')) {
      this.#callMeta(session, message)
      return
    }
    const registration = this.#registrations.best(procedure)
    const callee = registration && this.#registrations.pick(registration)
    if (registration === undefined || callee === undefined) {
      const text = 'no callee has registered the procedure'
      session.refuse(code.call, request, 'wamp.error.no_such_procedure', text)
      return
    }
    const sender = this.#ports.authorizer.senderOf(session, options)
    if ('uri' in sender) {
      session.refuse(code.call, request, sender.uri, sender.message)
      return
    }
    if (hasMore && !callee.streams.callee) {
      const text = 'the callee does not take invocations in pieces'
      session.refuse(code.call, request, 'wamp.error.feature_not_supported', text)
      return
    }
    this.#invoke({ session, sender }, message, registration, callee, timeoutMs)
  }

  /** Passes on a further piece of a call: all but its arguments was said by the first. */
  #goOn(invocation: Invocation, message: CallMessage, hasMore: boolean): void {
    const { callee, request, registration, caller } = invocation
    invocation.hasMore = hasMore
    this.#beginTime(invocation)
    const head = [code.invocation, request, registration.id, hasMore ? { progress: true } : {}]
    if (callee.send(withPayload(head, message, 4)) === undefined) return
    this.#interrupt(invocation, 'killnowait', 'wamp.error.canceled')
    const text = 'the payload cannot be encoded for the callee'
    this.#settle(invocation)
    caller.refuse(code.call, invocation.callRequest, 'wamp.error.invalid_argument', text)
  }

  /** The timeout of a call begins, anew with each sign of progress. */
  #beginTime(invocation: Invocation): void {
    const { timeoutMs } = invocation
    if (timeoutMs === 0) return
    invocation.stopTimer?.()
    invocation.stopTimer = this.#ports.clock.after(timeoutMs, () => {
      invocation.stopTimer = undefined
      this.#interrupt(invocation, 'killnowait', 'wamp.error.timeout')
      this.#fail(invocation, 'wamp.error.timeout', 'the call did not return in time')
    })
  }

  #invoke(
    { session: caller, sender }: { readonly session: Session; readonly sender: Sender },
    message: CallMessage,
    registration: Registration,
    callee: Session,
    timeoutMs: number,
  ): void {
    const callRequest = message[1]
    const options = message[2]
    const procedure = message[3]
    const { match, timing } = registration
    const hasMore = options.progress === true
    const timesItself = timing.has(callee)
    // no spread: a call makes one
    const invocation: Invocation = {
      caller,
      callRequest,
      callee,
      procedure,
      registration,
      hasMore,
      timeoutMs: timesItself ? 0 : timeoutMs,
      request: callee.nextInvocation(),
      receivesProgress: options.receive_progress === true && callee.canProgress,
      silentUntil: this.#ports.clock.now() + (timeoutMs || untimedMs),
      stopTimer: undefined,
    }
    const details = invocationDetails(sender, options, {
      procedure: match === 'exact' ? undefined : procedure,
      isSeen: this.#ports.authorizer.seesCallers(callee),
      timesItself,
      isProgressive: invocation.receivesProgress,
      hasMore,
    })
    const head = [code.invocation, invocation.request, registration.id, details]
    if (callee.send(withPayload(head, message, 4)) !== undefined) {
      const text = 'the payload cannot be encoded for the callee'
      caller.refuse(code.call, callRequest, 'wamp.error.invalid_argument', text)
      return
    }
    if (hasMore) caller.forgetEnded(callRequest)
    caller.calls.set(callRequest, invocation)
    callee.invocations.set(invocation.request, invocation)
    this.#beginTime(invocation)
  }

  /** WAMP: Call Canceling. A callee that cannot be interrupted makes every mode `skip`. */
  cancel(session: Session, message: CancelMessage): void {
    const [, request, options] = message
    const mode = options.mode ?? 'killnowait'
    if (!cancelModes.includes(mode)) {
      const text = 'mode is not skip, kill or killnowait'
      this.cannotCancel(session, request, 'wamp.error.option_not_allowed', text)
      return
    }
    const invocation = session.calls.get(request)
    if (invocation === undefined) return // answered meanwhile
    if (this.#ports.authorizer.denial(session, 'cancel', invocation.procedure)) return
    const isInterrupted =
      mode !== 'skip' && this.#interrupt(invocation, String(mode), 'wamp.error.canceled')
    if (mode === 'kill' && isInterrupted) return // the callee answers
    this.#fail(invocation, 'wamp.error.canceled', 'the call was canceled by the caller')
  }

  #interrupt(invocation: Invocation, mode: string, reason: string): boolean {
    const { callee, request } = invocation
    if (!callee.canBeInterrupted) return false
    return callee.send([code.interrupt, request, { mode, reason }]) === undefined
  }

  /** Ends a call; late answers of the callee find nothing and are ignored. */
  #settle(invocation: Invocation): void {
    invocation.stopTimer?.()
    invocation.caller.calls.delete(invocation.callRequest)
    if (invocation.hasMore) invocation.caller.noteEnded(invocation.callRequest)
    invocation.callee.invocations.delete(invocation.request)
  }

  #fail(invocation: Invocation, uri: string, message: string): void {
    this.#settle(invocation)
    invocation.caller.refuse(code.call, invocation.callRequest, uri, message)
  }

  yield(session: Session, message: YieldMessage): void {
    const invocation = session.invocations.get(message[1])
    if (invocation === undefined) return // canceled, timed out, or the caller is gone
    const isProgress = message[2].progress === true
    if (isProgress && !invocation.receivesProgress) return // not asked for
    if (isProgress) this.#beginTime(invocation)
    else this.#settle(invocation)
    const details = isProgress ? { progress: true } : {}
    const head = [code.result, invocation.callRequest, details]
    this.#pass(invocation, withPayload(head, message, 3))
  }

  /** ERROR in answer to an INVOCATION. */
  error(session: Session, message: ErrorMessage): void {
    const invocation = session.invocations.get(message[2])
    if (invocation === undefined) return
    this.#settle(invocation)
    const head = [code.error, code.call, invocation.callRequest, message[3], message[4]]
    this.#pass(invocation, withPayload(head, message, 5))
  }

  /**
   * Fails a call whose answer cannot be read, or has wrong options.
   * @param isProgress whether the callee is still at work
   * @returns the procedure; undefined where the call is over
   */
  cannotAnswer(
    session: Session,
    request: number,
    uri: string,
    text: string,
    isProgress = false,
  ): string | undefined {
    const invocation = session.invocations.get(request)
    if (invocation === undefined) return undefined
    if (isProgress) this.#interrupt(invocation, 'killnowait', 'wamp.error.canceled')
    this.#fail(invocation, uri, text)
    return invocation.procedure
  }

  /** Ends a call whose CANCEL is wrong: no client takes an ERROR to CANCEL. @returns the procedure; undefined where the call is over */
  cannotCancel(session: Session, request: number, uri: string, text: string): string | undefined {
    const invocation = session.calls.get(request)
    if (invocation === undefined) return undefined
    this.#interrupt(invocation, 'killnowait', 'wamp.error.canceled')
    this.#fail(invocation, uri, text)
    return invocation.procedure
  }

  #pass(invocation: Invocation, answer: WampMessage): void {
    const { callee, caller, request } = invocation
    if (caller.send(answer) === undefined) return
    // after progress the callee is still at work
    if (callee.invocations.has(request)) {
      this.#interrupt(invocation, 'killnowait', 'wamp.error.canceled')
    }
    const text = 'the response cannot be encoded for the caller'
    this.#fail(invocation, 'wamp.error.invalid_argument', text)
  }

  /**
   * Ends the calls of a session that is not open any more. Its own calls are interrupted and dropped; calls that it served end with `wamp.error.canceled`, as on
   * Crossbar.io (WAMP: Callee Leaving During an RPC Invocation).
   */
  leave(session: Session): void {
    for (const invocation of session.calls.values()) {
      if (invocation.callee !== session) {
        this.#interrupt(invocation, 'killnowait', 'wamp.error.canceled')
      }
      this.#settle(invocation)
    }
    for (const invocation of session.invocations.values()) {
      this.#fail(invocation, 'wamp.error.canceled', 'callee disconnected during the call')
    }
  }
}
