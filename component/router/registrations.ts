/** Registrations: REGISTER and UNREGISTER of one realm, and where a call goes. */
import type { Clock } from '#component/clock.ts'
import { isMatch, type Match } from '#component/syntax/wamp-uri.ts'
import { code } from '#component/wamp/messages.ts'
import type { Steps } from '#component/yielding.ts'
import type { RegisterMessage, UnregisterMessage } from './messages.ts'
import { limitExceeded, PatternTable } from './pattern-table.ts'
import type { RealmPorts } from './realm-ports.ts'
import type { Registration, Session } from './session.ts'

/** How a shared registration picks its callee. */
const picks: Readonly<Record<string, (registration: Registration, clock: Clock) => number>> = {
  single: () => 0,
  first: () => 0,
  last: ({ callees }) => callees.length - 1,
  random: ({ callees }, clock) => Math.floor(clock.random() * callees.length),
  roundrobin: (registration) => registration.turn++ % registration.callees.length,
}

const isPolicy = (value: unknown): value is string =>
  typeof value === 'string' && Object.hasOwn(picks, value)

type Announce = (topic: string, args: readonly unknown[]) => void

/** The registrations of one realm and their callees. */
export class Registrations {
  readonly table: PatternTable<Registration>
  readonly #ports: RealmPorts
  readonly #announce: Announce

  /** @param announce publishes a meta event */
  constructor(ports: RealmPorts, announce: Announce) {
    this.table = new PatternTable('registrations', ports)
    this.#ports = ports
    this.#announce = announce
  }

  register(session: Session, message: RegisterMessage): void {
    const [, request, options, uri] = message
    const [match, invoke] = [options.match ?? 'exact', options.invoke ?? 'single']
    if (!isMatch(match) || !isPolicy(invoke)) {
      const text = 'match or invoke is not a value that WAMP defines'
      session.refuse(code.register, request, 'wamp.error.option_not_allowed', text)
      return
    }
    if (this.#ports.authorizer.refuses(session, 'register', request, uri, options, match)) return
    const known = this.#known(match, uri)
    if (known !== undefined && known.invoke !== invoke) {
      const conflict = 'wamp.error.procedure_exists_with_different_invocation_policy'
      const text = `the procedure is already registered, with the policy ${known.invoke}`
      session.refuse(code.register, request, conflict, text)
      return
    }
    if (known !== undefined && invoke === 'single') {
      const text = 'the procedure is already registered'
      session.refuse(code.register, request, 'wamp.error.procedure_already_exists', text)
      return
    }
    const isNew = known === undefined || !known.callees.includes(session)
    const shortage = isNew ? this.table.shortage(session, match, uri) : undefined
    if (shortage !== undefined) {
      session.refuse(code.register, request, limitExceeded, shortage)
      return
    }
    const registration = known ?? this.#create(match, uri, invoke)
    if (isNew) {
      registration.callees.push(session)
      session.registrations.set(registration.id, registration)
    }
    if (options.forward_timeout === true) registration.timing.add(session)
    session.send([code.registered, request, registration.id])
    const { id, created } = registration
    if (known === undefined) {
      const details = { id, created, uri, match, invoke }
      this.#announce('wamp.registration.on_create', [session.id, details])
    }
    if (isNew) this.#announce('wamp.registration.on_register', [session.id, id])
  }

  /** The registration of exactly this pattern, if a callee is left that has not gone. */
  #known(match: Match, uri: string): Registration | undefined {
    const registration = this.table.index.get(match, uri)
    if (registration === undefined) return undefined
    for (const callee of [...registration.callees]) {
      if (!callee.isOpen) this.#remove(callee, registration)
    }
    return registration.callees.length > 0 ? registration : undefined
  }

  #create(match: Match, uri: string, invoke: string): Registration {
    return this.table.create(match, uri, (pattern) => ({
      ...{ ...pattern, invoke },
      ...{ callees: [], timing: new Set<Session>(), turn: 0 },
    }))
  }

  unregister(session: Session, message: UnregisterMessage): void {
    const [, request, id] = message
    const registration = session.registrations.get(id)
    if (registration === undefined) {
      const text = 'the session does not have this registration'
      session.refuse(code.unregister, request, 'wamp.error.no_such_registration', text)
      return
    }
    const { uri, match } = registration
    if (this.#ports.authorizer.refuses(session, 'unregister', request, uri, {}, match)) return
    this.#remove(session, registration)
    session.send([code.unregistered, request])
  }

  #remove(session: Session, registration: Registration): void {
    const { id, callees } = registration
    session.registrations.delete(id)
    callees.splice(callees.indexOf(session), 1)
    registration.timing.delete(session)
    if (callees.length === 0) this.table.delete(registration)
    this.#announce('wamp.registration.on_unregister', [session.id, id])
    if (callees.length === 0) this.#announce('wamp.registration.on_delete', [session.id, id])
  }

  /** The registration that a call goes to: callees that have left, but are not all forgotten yet, are forgotten now. */
  best(procedure: string): Registration | undefined {
    for (;;) {
      const registration = this.table.index.best(procedure)
      const gone = registration?.callees.find((callee) => !callee.isOpen)
      if (registration === undefined || gone === undefined) return registration
      this.#remove(gone, registration)
    }
  }

  /** The callee that a call goes to. */
  pick(registration: Registration): Session | undefined {
    const index = picks[registration.invoke]?.(registration, this.#ports.clock) ?? 0
    return registration.callees[index]
  }

  /** Ends the registrations that the session may have no longer (WAMP: Registration Revocation); calls under way go on. */
  *judging(session: Session): Steps<void> {
    const { authorizer } = this.#ports
    for (const registration of [...session.registrations.values()]) {
      const { id, uri, match } = registration
      const denial = authorizer.denial(session, 'register', uri, {}, match)
      if (denial !== undefined && session.registrations.has(id)) {
        this.#remove(session, registration)
        const details = { registration: id, reason: denial.uri }
        if (session.hearsRevocations.callee) session.send([code.unregistered, 0, details])
      }
      yield
    }
  }

  /** Forgets a session that is closed. */
  *leaving(session: Session): Steps<void> {
    for (const registration of [...session.registrations.values()]) {
      // a call or registration between two steps may have removed it
      if (session.registrations.has(registration.id)) this.#remove(session, registration)
      yield
    }
  }
}
