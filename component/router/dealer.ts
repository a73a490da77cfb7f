/** Calls: REGISTER, UNREGISTER, CALL, CANCEL, YIELD and ERROR of one realm. */
import type { Clock } from '#component/clock.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { code } from '#component/wamp/messages.ts'
import type { Authorizer } from './authorize.ts'
import { invocationDetails, maxTimeoutMs, timeoutOf } from './call-options.ts'
import {
  type CallMessage,
  type CancelMessage,
  type ErrorMessage,
  ProtocolViolation,
  type RegisterMessage,
  type UnregisterMessage,
  withPayload,
  type YieldMessage,
} from './messages.ts'
import type { Invocation, Registration, Session } from './session.ts'
import { isMatch } from './uri.ts'
import { UriIndex } from './uri-index.ts'

/** How a shared registration picks its callee. */
const picks: Readonly<Record<string, (registration: Registration, clock: Clock) => number>> = {
  single: () => 0,
  first: () => 0,
  last: ({ callees }) => callees.length - 1,
  random: ({ callees }, clock) => Math.floor(clock.random() * callees.length),
  roundrobin: (registration) => registration.turn++ % registration.callees.length,
}

const cancelModes: readonly unknown[] = ['skip', 'kill', 'killnowait']

/** What the dealer needs of its realm. */
export interface DealerPorts {
  readonly clock: Clock
  readonly authorizer: Authorizer
  /** Publishes a meta event. */
  readonly announce: (topic: string, args: readonly unknown[]) => void
  /** Serves the router's own procedures, `wamp.*`. */
  readonly callMeta: (session: Session, message: CallMessage) => void
}

/** Routes calls to callees, and what they answer back to callers. */
export class Dealer {
  readonly registrations = new Map<number, Registration>()
  readonly index = new UriIndex<Registration>()
  readonly #ports: DealerPorts
  #registrationCount = 0

  constructor(ports: DealerPorts) {
    this.#ports = ports
  }

  register(session: Session, message: RegisterMessage): void {
    const [, request, options, uri] = message
    const { match = 'exact', invoke = 'single' } = options
    if (!isMatch(match) || typeof invoke !== 'string' || !Object.hasOwn(picks, invoke)) {
      const text = 'match or invoke is none of those that WAMP defines'
      session.refuse(code.register, request, 'wamp.error.option_not_allowed', text)
      return
    }
    if (this.#ports.authorizer.refuses(session, 'register', request, uri, options, match)) return
    const known = this.index.get(match, uri)
    if (known !== undefined && known.invoke !== invoke) {
      const conflict = 'wamp.error.procedure_exists_with_different_invocation_policy'
      const text = `the procedure is registered already, with the policy ${known.invoke}`
      session.refuse(code.register, request, conflict, text)
      return
    }
    if (known !== undefined && invoke === 'single') {
      const text = 'the procedure is registered already'
      session.refuse(code.register, request, 'wamp.error.procedure_already_exists', text)
      return
    }
    const registration = known ?? this.#create(uri, match, invoke)
    const isNew = !registration.callees.includes(session)
    if (isNew) {
      registration.callees.push(session)
      session.registrations.set(registration.id, registration)
    }
    if (options.forward_timeout === true) registration.timing.add(session)
    session.send([code.registered, request, registration.id])
    const { id, created } = registration
    if (known === undefined) {
      const details = { id, created, uri, match, invoke }
      this.#ports.announce('wamp.registration.on_create', [session.id, details])
    }
    if (isNew) this.#ports.announce('wamp.registration.on_register', [session.id, id])
  }

  #create(uri: string, match: Registration['match'], invoke: string): Registration {
    this.#registrationCount += 1
    const created = new Date(this.#ports.clock.now()).toISOString()
    const registration = {
      ...{ id: this.#registrationCount, uri, match, invoke, created },
      ...{ callees: [], timing: new Set<Session>(), turn: 0 },
    }
    this.index.set(match, uri, registration)
    this.registrations.set(registration.id, registration)
    return registration
  }

  unregister(session: Session, message: UnregisterMessage): void {
    const [, request, id] = message
    const registration = session.registrations.get(id)
    if (registration === undefined) {
      const text = 'the session has no such registration'
      session.refuse(code.unregister, request, 'wamp.error.no_such_registration', text)
      return
    }
    const { uri, match } = registration
    if (this.#ports.authorizer.refuses(session, 'unregister', request, uri, {}, match)) return
    this.#remove(session, registration)
    session.send([code.unregistered, request])
  }

  #remove(session: Session, registration: Registration): void {
    const { id, callees, match, uri } = registration
    session.registrations.delete(id)
    callees.splice(callees.indexOf(session), 1)
    registration.timing.delete(session)
    if (callees.length === 0) {
      this.index.delete(match, uri)
      this.registrations.delete(id)
    }
    this.#ports.announce('wamp.registration.on_unregister', [session.id, id])
    if (callees.length === 0) {
      this.#ports.announce('wamp.registration.on_delete', [session.id, id])
    }
  }

  call(session: Session, message: CallMessage): void {
    const request = message[1]
    const options = message[2]
    const procedure = message[3]
    if (session.calls.has(request)) {
      throw new ProtocolViolation('CALL: the request id belongs to a call under way')
    }
    if (this.#ports.authorizer.refuses(session, 'call', request, procedure, options)) return
    const timeoutMs = timeoutOf(options)
    if (timeoutMs === undefined) {
      const text = `timeout is no number of milliseconds from 0 to ${maxTimeoutMs}`
      session.refuse(code.call, request, 'wamp.error.option_not_allowed', text)
      return
    }
    if (procedure.startsWith('wamp.')) {
      this.#ports.callMeta(session, message)
      return
    }
    const registration = this.index.best(procedure)
    const callee = registration && this.#pick(registration)
    if (registration === undefined || callee === undefined) {
      const text = 'no callee has registered the procedure'
      session.refuse(code.call, request, 'wamp.error.no_such_procedure', text)
      return
    }
    this.#invoke(session, message, registration, callee, timeoutMs)
  }

  #pick(registration: Registration): Session | undefined {
    const index = picks[registration.invoke]?.(registration, this.#ports.clock) ?? 0
    return registration.callees[index]
  }

  #invoke(
    caller: Session,
    message: CallMessage,
    registration: Registration,
    callee: Session,
    timeoutMs: number,
  ): void {
    const [, callRequest, options, procedure] = message
    const invocation: Invocation = {
      ...{ caller, callRequest, callee, procedure },
      request: callee.nextInvocation(),
      receivesProgress: options.receive_progress === true,
      stopTimer: undefined,
    }
    const { match, timing } = registration
    const details = invocationDetails(caller, options, {
      procedure: match === 'exact' ? undefined : procedure,
      isSeen: this.#ports.authorizer.seesCallers(callee),
      timesItself: timing.has(callee),
    })
    const head = [code.invocation, invocation.request, registration.id, details]
    if (!callee.send(withPayload(head, message, 4))) {
      const text = 'the payload cannot be encoded for the callee'
      caller.refuse(code.call, callRequest, 'wamp.error.invalid_argument', text)
      return
    }
    caller.calls.set(callRequest, invocation)
    callee.invocations.set(invocation.request, invocation)
    if (timeoutMs > 0 && !timing.has(callee)) {
      invocation.stopTimer = this.#ports.clock.after(timeoutMs, () => {
        invocation.stopTimer = undefined
        this.#interrupt(invocation, 'killnowait', 'wamp.error.timeout')
        this.#fail(invocation, 'wamp.error.timeout', 'the call was not answered in time')
      })
    }
  }

  /** WAMP: Call Canceling. A callee that cannot be interrupted makes every mode `skip`. */
  cancel(session: Session, message: CancelMessage): void {
    const [, request, options] = message
    const { mode = 'killnowait' } = options
    if (!cancelModes.includes(mode)) {
      throw new ProtocolViolation('CANCEL: mode is none of skip, kill and killnowait')
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
    return callee.send([code.interrupt, request, { mode, reason }])
  }

  /** Ends a call; late answers of the callee find nothing and are ignored. */
  #settle(invocation: Invocation): void {
    invocation.stopTimer?.()
    invocation.caller.calls.delete(invocation.callRequest)
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
    if (!isProgress) this.#settle(invocation)
    const details = isProgress ? { progress: true } : {}
    const head = [code.result, invocation.callRequest, details]
    this.#pass(session, invocation, withPayload(head, message, 3))
  }

  /** ERROR in answer to an INVOCATION. */
  error(session: Session, message: ErrorMessage): void {
    const invocation = session.invocations.get(message[2])
    if (invocation === undefined) return
    this.#settle(invocation)
    const head = [code.error, code.call, invocation.callRequest, message[3], message[4]]
    this.#pass(session, invocation, withPayload(head, message, 5))
  }

  #pass(callee: Session, invocation: Invocation, answer: WampMessage): void {
    if (invocation.caller.send(answer)) return
    this.#interruptIfUnderWay(callee, invocation)
    const text = 'the answer cannot be encoded for the caller'
    this.#fail(invocation, 'wamp.error.invalid_argument', text)
  }

  #interruptIfUnderWay(callee: Session, invocation: Invocation): void {
    if (callee.invocations.has(invocation.request)) {
      this.#interrupt(invocation, 'killnowait', 'wamp.error.canceled')
    }
  }

  /**
   * Forgets a session. Its own calls are interrupted and dropped; calls that it served end with `wamp.error.canceled`, as on
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
    for (const registration of [...session.registrations.values()]) {
      this.#remove(session, registration)
    }
  }
}
