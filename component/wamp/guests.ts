/** The sessions of users: joined on demand, kept while they are used, and left when a user has gone. */
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { ignore } from '#component/wamp/channel/channel.ts'
import { failure, isFinal, isRefusal, notJoinedAs } from './failure.ts'
import type { Session, WampError } from './session.ts'
import type { SessionOptions } from './session-options.ts'
import type { SupervisedSession } from './supervisor.ts'

/** What may be said of the sessions of users. */
export interface GuestOptions extends Pick<SessionOptions, 'clock' | 'log'> {
  /** Milliseconds without use after which a user's session leaves. */
  readonly idleMs?: number
  /** Most sessions of users; beyond it unused ones leave, the least recently used first. */
  readonly maxGuests?: number
  /** Most sessions of users that streams hold; `limits.stream_sessions`. */
  readonly maxHeld?: number
  /** Receives the duration of each wait for a session to join, for metrics. */
  readonly onWaited?: (ms: number, outcome: WaitOutcome) => void
}

/** How the wait for a session ends: joined; refused by the router; the router is away; not joined in time. */
type WaitOutcome = 'ok' | 'refused' | 'unavailable' | 'timeout'

/** A user's session. */
interface Guest {
  readonly key: string
  readonly authid: string
  readonly session: SupervisedSession
  /** Requests that wait for it to join. */
  waiting: number
  /** Streams that hold it. */
  holds: number
  /** Milliseconds since the epoch. */
  usedAt: number
}

/** Milliseconds without use after which a user's session leaves, unless said otherwise. */
export const defaultIdleMs = 60_000
const defaultMaxGuests = 1000
const defaultMaxHeld = 1000

/** The router has refused it since it was last used. */
const isRefused = ({ waiting, session }: Guest): boolean =>
  waiting === 0 && !session.isOpen && isRefusal(session.lastReason)

const isUnused = ({ holds, session, waiting }: Guest): boolean =>
  waiting === 0 && holds === 0 && session.pending === 0

/** @param reason of the last try */
function outcomeOf(isJoined: boolean, reason: string): WaitOutcome {
  if (isJoined) return 'ok'
  if (isRefusal(reason)) return 'refused'
  return isFinal(reason) ? 'unavailable' : 'timeout'
}

/** Keys are unique: authids may hold any character, and JSON delimits them. */
const guestKey = (realm_uri: string, { authid, authmethod, authroles }: Identity): string =>
  JSON.stringify([realm_uri, authmethod, authid, authroles])

/** One session per realm, user and roles. */
export class Guests {
  readonly #options: GuestOptions
  readonly #open: (realm_uri: string, identity: Identity) => SupervisedSession
  readonly #refusalOf: (reason: string) => WampError
  readonly #all = new Map<string, Guest>()
  readonly #bySession = new WeakMap<Session, Guest>()
  /** Identities are one object for many requests. */
  readonly #keys = new WeakMap<Identity, string>()
  /** Sessions that streams hold. */
  #held = 0

  /**
   * @param open opens a session for a user
   * @param refusalOf the failure of a request whose session could not be joined, by the reason
   */
  constructor(
    options: GuestOptions,
    open: (realm_uri: string, identity: Identity) => SupervisedSession,
    refusalOf = notJoinedAs,
  ) {
    this.#refusalOf = refusalOf
    this.#options = options
    this.#open = open
  }

  get size(): number {
    return this.#all.size
  }

  /** The sessions that streams hold. */
  get held(): number {
    return this.#held
  }

  get sessions(): readonly SupervisedSession[] {
    return [...this.#all.values()].map(({ session }) => session)
  }

  /** As {@link SessionSource.session}, for a user. */
  session(
    realm_uri: string,
    identity: Identity,
    connectTimeoutMs: number,
  ): SupervisedSession | Promise<SupervisedSession> {
    let guest = this.#guest(realm_uri, identity)
    if (isRefused(guest)) {
      this.#drop(guest)
      guest = this.#guest(realm_uri, identity)
    }
    guest.usedAt = this.#options.clock.now()
    return guest.session.isOpen ? guest.session : this.#joined(guest, connectTimeoutMs)
  }

  /** Leaves with users that have gone; what is in flight there is lost, and their watches are over. */
  dismiss(realm_uri: string, authids: Iterable<string>): void {
    const gone = new Set(authids)
    for (const guest of [...this.#all.values()]) {
      if (guest.session.realm_uri !== realm_uri || !gone.has(guest.authid)) continue
      this.#drop(guest, failure('service.error.unauthorized', 'the user has gone', true))
    }
  }

  /** As {@link SessionPool.hold}. */
  hold(session: Session): () => void {
    const guest = this.#bySession.get(session)
    if (!guest) return ignore
    if (guest.holds === 0) this.#takeHold()
    guest.holds += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      guest.holds -= 1
      if (guest.holds === 0) this.#held -= 1
      guest.usedAt = this.#options.clock.now()
    }
  }

  #takeHold(): void {
    const { clock, maxHeld = defaultMaxHeld } = this.#options
    if (this.#held >= maxHeld) {
      const message = 'streams hold as many sessions of users as they may'
      // clients that come back at different times do not meet again
      const seconds = String(Math.round(3 + 4 * clock.random()))
      throw new ServiceError('service.error.unavailable', message, {
        headers: { 'Retry-After': seconds },
      })
    }
    this.#held += 1
  }

  /** Leaves with those that nobody uses, or that the router refuses. */
  sweep(): void {
    const { clock, idleMs = defaultIdleMs } = this.#options
    const now = clock.now()
    for (const guest of [...this.#all.values()]) {
      const isIdle = isUnused(guest) && now - guest.usedAt >= idleMs
      if (isIdle || isRefused(guest)) this.#drop(guest)
    }
  }

  /** Forgets all of them, without leaving. */
  clear(): void {
    this.#all.clear()
  }

  #guest(realm_uri: string, identity: Identity): Guest {
    const key = this.#key(realm_uri, identity)
    const known = this.#all.get(key)
    if (known) return known
    if (this.#all.size >= (this.#options.maxGuests ?? defaultMaxGuests)) this.#makeRoom()
    const session = this.#open(realm_uri, identity)
    const guest = { key, authid: identity.authid, session, waiting: 0, holds: 0, usedAt: 0 }
    this.#all.set(key, guest)
    this.#bySession.set(session, guest)
    return guest
  }

  #key(realm_uri: string, identity: Identity): string {
    if (identity.realm_uri !== realm_uri) return guestKey(realm_uri, identity)
    const known = this.#keys.get(identity)
    if (known !== undefined) return known
    const key = guestKey(realm_uri, identity)
    this.#keys.set(identity, key)
    return key
  }

  /** The search takes less time than the join that follows it. */
  #makeRoom(): void {
    const unused = [...this.#all.values()].filter(isUnused)
    const [first] = unused
    if (first) this.#drop(unused.reduce((a, b) => (b.usedAt < a.usedAt ? b : a), first))
  }

  async #joined(guest: Guest, timeoutMs: number): Promise<SupervisedSession> {
    const { session } = guest
    const { clock, onWaited } = this.#options
    const begin = clock.now()
    guest.waiting++
    const isJoined = await session.joined(timeoutMs, isFinal)
    guest.waiting--
    guest.usedAt = clock.now()
    onWaited?.(Math.max(0, guest.usedAt - begin), outcomeOf(isJoined, session.lastReason))
    if (isJoined) return session
    // a refused user's session does not retry; the next request joins again
    if (isRefusal(session.lastReason)) this.#drop(guest)
    throw this.#refusalOf(session.lastReason)
  }

  /** @param why told to its watches; what the router says, where it refuses the session */
  #drop(guest: Guest, why?: WampError): void {
    if (this.#all.get(guest.key) !== guest) return
    this.#all.delete(guest.key)
    const { session } = guest
    const refusal = isRefused(guest) ? this.#refusalOf(session.lastReason) : undefined
    const { log } = this.#options
    session
      .leave(why ?? refusal)
      .catch((err: unknown) => log.warn({ err }, 'a session did not leave'))
  }
}
