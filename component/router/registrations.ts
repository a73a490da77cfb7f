/** Registrations: REGISTER and UNREGISTER of one realm, and where a call goes. */

import type { Clock } from '#component/clock.ts'
import { isMatch, type Match } from '#component/syntax/wamp-uri.ts'
import { code } from '#component/wamp/messages.ts'
import type { Steps } from '#component/yielding.ts'
import type { Authorizer } from './authorize.ts'
import type { RegisterMessage, UnregisterMessage } from './messages.ts'
import type { Registration, Session } from './session.ts'
import { limitExceeded, type RouterLimits, shortageOf } from './session-limits.ts'
import { UriIndex } from './uri-index.ts'

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

/** The parts of their realm that registrations use. */
export interface RegistrationPorts {
  readonly clock: Clock
  readonly authorizer: Authorizer
  readonly limits: RouterLimits
  /** Publishes a meta event. */
  readonly announce: (topic: string, args: readonly unknown[]) => void
}

/** The registrations of one realm and their callees. */
export class Registrations {
  readonly registrations = new Map<number, Registration>()
  readonly index = new UriIndex<Registration>()
  readonly #ports: RegistrationPorts
  #count = 0

  constructor(ports: RegistrationPorts) {
    this.#ports = ports
  }

  register(session: Session, message: RegisterMessage): void {
    const [, request, options, uri] = message
    const { match = 'exact', invoke = 'single' } = options
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
    const shortage = isNew ? this.#shortage(session, match, uri) : undefined
    if (shortage !== undefined) {
      session.refuse(code.register, request, limitExceeded, shortage)
      return
    }
    const registration = known ?? this.#create(uri, match, invoke)
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

  #shortage(session: Session, match: Match, uri: string): string | undefined {
    const inRealm = this.registrations.size
    const wanted = {
      session,
      match,
      uri,
      kind: 'registrations',
      index: this.index,
      inRealm,
    } as const
    return shortageOf(wanted, this.#ports.limits)
  }

  /** The registration of exactly this pattern, if a callee is left that has not gone. */
  #known(match: Match, uri: string): Registration | undefined {
    const registration = this.index.get(match, uri)
    if (registration === undefined) return undefined
    for (const callee of [...registration.callees]) {
      if (!callee.isOpen) this.#remove(callee, registration)
    }
    return registration.callees.length > 0 ? registration : undefined
  }

  #create(uri: string, match: Match, invoke: string): Registration {
    this.#count += 1
    const created = new Date(this.#ports.clock.now()).toISOString()
    const registration = {
      ...{ id: this.#count, uri, match, invoke, created },
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

  /** The registration that a call goes to: callees that have left, but are not all forgotten yet, are forgotten now. */
  best(procedure: string): Registration | undefined {
    for (;;) {
      const registration = this.index.best(procedure)
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

  /** Forgets a session that is closed. */
  *leaving(session: Session): Steps<void> {
    for (const registration of [...session.registrations.values()]) {
      // a call or registration between two steps may have removed it
      if (session.registrations.has(registration.id)) this.#remove(session, registration)
      yield
    }
  }
}
