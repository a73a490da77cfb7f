/** Detects registrations that the router has lost: Crossbar.io removes registrations without notice. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import { asMap } from './messages.ts'
import { type Session, WampError } from './session.ts'

/** Milliseconds that the router may take for an answer. */
const timeoutMs = 5_000

const refusals: readonly string[] = ['wamp.error.not_authorized', 'wamp.error.no_such_procedure']

/** The dependencies of the check. */
interface CheckPorts<T> {
  readonly session: Pick<Session, 'call' | 'realm_uri'>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds between two checks; undefined: the router never loses a registration. */
  readonly everyMs: number | undefined
  /** Registers again; never rejects. */
  readonly restore: (lost: readonly T[]) => Promise<void>
}

/** Compares the registrations of one session with those that the router lists (WAMP: Meta API). */
export class RegistrationCheck<T extends { readonly uri: string }> {
  readonly #ports: CheckPorts<T>
  /** The ids of the registrations that the router has confirmed. */
  readonly #ids = new Map<T, unknown>()

  constructor(ports: CheckPorts<T>) {
    this.#ports = ports
  }

  /** The router has registered it. */
  add(registered: T, id: unknown): void {
    this.#ids.set(registered, id)
  }

  /** The session has taken its registrations back, or the router does not have them any more. */
  forget(): void {
    this.#ids.clear()
  }

  /**
   * The session has joined: nothing is registered yet.
   * @param isJoined whether it still is
   */
  start(isJoined: () => boolean): void {
    this.forget()
    this.#later(isJoined)
  }

  #later(isJoined: () => boolean): void {
    const { clock, everyMs } = this.#ports
    if (everyMs !== undefined) clock.after(everyMs, () => void this.#check(isJoined))
  }

  async #check(isJoined: () => boolean): Promise<void> {
    if (!isJoined()) return
    const { log, restore, session } = this.#ports
    const { realm_uri: realm } = session
    const before = [...this.#ids]
    const held = before.length > 0 ? await this.#held() : undefined
    if (held === 'refused') {
      log.warn(
        { realm },
        'lost registrations cannot be detected: the router refuses wamp.registration.list',
      )
      return
    }
    const lost = before
      .filter(([one, id]) => held?.has(id) === false && this.#ids.get(one) === id)
      .map(([one]) => one)
    if (lost.length > 0 && isJoined()) {
      for (const one of lost) this.#ids.delete(one)
      const procedures = lost.map(({ uri }) => uri)
      log.warn({ realm, procedures }, 'the router has lost registrations; registering them again')
      await restore(lost)
    }
    this.#later(isJoined)
  }

  /** The ids of all registrations of the realm; undefined when the router does not answer now. */
  async #held(): Promise<ReadonlySet<unknown> | 'refused' | undefined> {
    const nothing = { args: [], kwargs: {} }
    const { session } = this.#ports
    try {
      const { args } = await session.call('wamp.registration.list', nothing, {}, timeoutMs).result
      return new Set(Object.values(asMap(args[0])).flat())
    } catch (cause) {
      return cause instanceof WampError && refusals.includes(cause.error_uri)
        ? 'refused'
        : undefined
    }
  }
}
