/** The procedures that a session registers across its connections: what the router refuses is asked for again. */
import type { Clock } from '#component/clock.ts'
import { describeError, isErrorUri } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { WampError } from '#component/wamp/session.ts'
import { registerMs } from '#component/wamp/session-options.ts'
import type { Callee, CallHandler } from './callee.ts'

/** Whether the router sends calls: `standby` where another session of the cluster or a backend has it alone. */
export type RegistrationState = 'waiting' | 'registered' | 'standby' | 'refused'

/** When REGISTER is sent; milliseconds. */
export interface RegistrationPace {
  /** After a join, and after the router has taken the registration away. */
  readonly afterJoinMs: number
  /** After a refusal: a fifth more or less. */
  readonly afterRefusalMs: number
}

/** Without a wait after a join. */
const usualPace: RegistrationPace = { afterJoinMs: 0, afterRefusalMs: 10_000 }

/** What is registered. */
export interface Registered {
  readonly uri: string
  /** REGISTER.Options. */
  readonly options: Readonly<Record<string, unknown>>
  readonly handler: CallHandler
  /** Absent: at once after a join, and 8 to 12 s after a refusal. */
  readonly pace?: RegistrationPace
}

/** The parts of a session that its registrations use. */
export interface RegistrationPorts {
  readonly realm_uri: string
  readonly clock: Pick<Clock, 'after' | 'random'>
  readonly log: Pick<Log, 'warn' | 'info'>
  /** Of the connection of now; undefined while it is not joined. */
  callee(): Callee | undefined
  /** The router has registered it. */
  onRegistered(one: StandingRegistration, id: unknown): void
}

/** One procedure. */
export class StandingRegistration {
  readonly uri: string
  readonly #ports: RegistrationPorts
  readonly #what: Registered
  readonly #forget: () => void
  state: RegistrationState = 'waiting'
  /** Why the router has refused it: its URI and words; undefined: it has not. */
  reason: string | undefined
  #id: unknown
  #isEnded = false
  #stopTimer: (() => void) | undefined
  /** The attempt of now; another one takes its place. */
  #attempt = 0

  constructor(ports: RegistrationPorts, what: Registered, forget: () => void) {
    this.uri = what.uri
    this.#ports = ports
    this.#what = what
    this.#forget = forget
  }

  /** Sends REGISTER once the wait of its pace is over. Never rejects. */
  async begin(): Promise<void> {
    const { afterJoinMs } = this.#pace
    if (afterJoinMs === 0) return this.register()
    this.#stopTimer?.()
    this.#stopTimer = this.#ports.clock.after(afterJoinMs, () => void this.register())
  }

  get #pace(): RegistrationPace {
    return this.#what.pace ?? usualPace
  }

  /** Sends REGISTER. Never rejects. */
  async register(): Promise<void> {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    const callee = this.#ports.callee()
    if (this.#isEnded || callee === undefined) return
    this.#attempt += 1
    const attempt = this.#attempt
    const { uri, options, handler } = this.#what
    try {
      const id = await callee.register(uri, options, registerMs, handler)
      if (attempt !== this.#attempt) return
      if (this.#isEnded) {
        void callee.unregister(id, registerMs)
        return
      }
      this.#id = id
      this.#ports.onRegistered(this, id)
      this.#become('registered')
    } catch (error) {
      if (attempt !== this.#attempt || this.#isEnded) return
      this.#refused(error)
    }
  }

  /** The session is over, or the router has taken the registration away. */
  lost(): void {
    this.#attempt += 1
    this.#id = undefined
    this.state = 'waiting'
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  has(id: unknown): boolean {
    return this.#id !== undefined && this.#id === id
  }

  /** Sends UNREGISTER; calls that have come go on. Never rejects. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#stopTimer?.()
    this.#forget()
    const callee = this.#ports.callee()
    if (this.#id !== undefined && callee) await callee.unregister(this.#id, registerMs)
  }

  #refused(error: unknown): void {
    const { clock } = this.#ports
    const uri = error instanceof WampError ? error.error_uri : 'service.error.internal'
    const isTaken = uri === 'wamp.error.procedure_already_exists'
    const isAlone =
      this.#what.options.invoke === 'single' || this.#what.options.invoke === undefined
    this.#become(isTaken && isAlone ? 'standby' : 'refused', reasonOf(uri, error))
    const waitMs = this.#pace.afterRefusalMs * (0.8 + clock.random() * 0.4)
    this.#stopTimer = clock.after(waitMs, () => void this.register())
  }

  #become(state: RegistrationState, reason?: string): void {
    const isNews = state !== this.state || reason !== this.reason
    this.state = state
    this.reason = reason
    if (!isNews || state === 'registered') return
    const { log, realm_uri: realm } = this.#ports
    const line = { realm, procedure: this.uri, reason }
    if (state === 'standby') {
      log.info(line, 'another session has registered the procedure: this process stands by')
    } else log.warn(line, 'the router refuses to register the procedure; trying again')
  }
}

/** As many characters of the words of a router are kept. */
const mostCharacters = 200

function reasonOf(uri: string, error: unknown): string {
  const said = error instanceof WampError ? error.args[0] : undefined
  const words = typeof said === 'string' ? said : isErrorUri(uri) ? describeError(uri) : ''
  const line = words.replaceAll(/\p{Cc}+/gu, ' ').slice(0, mostCharacters)
  return line === '' ? uri : `${uri}: ${line}`
}

/** Exists as long as its session. */
export class StandingRegistrations {
  readonly #ports: RegistrationPorts
  readonly #all = new Set<StandingRegistration>()

  constructor(ports: RegistrationPorts) {
    this.#ports = ports
  }

  /** Registers now, and after each later join. */
  add(what: Registered): { readonly registration: StandingRegistration; tried: Promise<void> } {
    const registration = new StandingRegistration(this.#ports, what, () =>
      this.#all.delete(registration),
    )
    this.#all.add(registration)
    return { registration, tried: registration.begin() }
  }

  /** The session has joined. Resolves after one try of each that has no wait. */
  async joined(): Promise<void> {
    await this.restore([...this.#all])
  }

  /** Registers again what the router does not have any more. Never rejects. */
  async restore(some: readonly StandingRegistration[]): Promise<void> {
    for (const one of some) one.lost()
    await Promise.all(some.map((one) => one.begin()))
  }

  /** Asks at once for what the router has refused: the session that had it has left. */
  retry(): void {
    for (const one of this.#all) {
      if (one.state === 'standby' || one.state === 'refused') void one.register()
    }
  }

  /** No call comes until the session has joined again. */
  lost(): void {
    for (const one of this.#all) one.lost()
  }

  /** The router has taken a registration away. */
  revoked(id: unknown): void {
    const one = [...this.#all].find((registration) => registration.has(id))
    if (one) void this.restore([one])
  }
}
