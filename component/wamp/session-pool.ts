/** The sessions that requests run on: the gateway's own in each realm, kept joined; those of users, joined on demand. */
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { failure } from './failure.ts'
import type { JoinAuth } from './join-auth.ts'
import type { Session, SessionSource } from './session.ts'
import type { SessionOptions } from './session-options.ts'
import type { SupervisedSession } from './supervisor.ts'
import { uris } from './uris.ts'
import { requestSession } from './wampy-session.ts'

/** Everything about the pool's sessions but the realm and who joins. */
export interface PoolOptions extends Omit<SessionOptions, 'realm_uri' | 'auth' | 'onJoin'> {
  /** How a session joins for an identity; the gateway's own sessions are those of `anonymous`. */
  readonly authFor: (realm_uri: string, identity: Identity | undefined) => JoinAuth
  /** Milliseconds without use after which a user's session leaves. */
  readonly idleMs?: number
}

/** For metrics. */
export interface PoolStats {
  /** Sessions that are joined or try to. */
  readonly sessions: number
  readonly joined: number
  /** Requests in flight on all of them. */
  readonly pending: number
}

/** A user's session. */
interface Guest {
  readonly session: SupervisedSession
  /** Requests that wait for it to join. */
  waiting: number
  /** Milliseconds since the epoch. */
  usedAt: number
}

const defaultIdleMs = 60_000

/** Milliseconds that {@link SessionPool.canJoin} waits for the router's word. */
const probeTimeoutMs = 5000

/** Milliseconds that {@link SessionPool.openAll} waits for a session. */
const openTimeoutMs = 1000

/** Reasons that are the router's word about the realm; anything else says nothing about it. */
const saysNo = (reason: string): boolean => reason.startsWith('wamp.error.')

/** No key of one identity is the key of another: authids may hold any character but lists are written as JSON. */
const guestKey = (realm_uri: string, { authid, authmethod, authroles }: Identity): string =>
  JSON.stringify([realm_uri, authmethod, authid, authroles])

/** One session per realm and identity. */
export class SessionPool implements SessionSource {
  readonly #options: PoolOptions
  readonly #own = new Map<string, SupervisedSession>()
  readonly #guests = new Map<string, Guest>()
  #stopSweep: (() => void) | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Keeps the gateway's own session of a realm joined from now on. */
  open(realm_uri: string): SupervisedSession {
    const known = this.#own.get(realm_uri)
    if (known) return known
    const session = this.#session(realm_uri, undefined)
    this.#own.set(realm_uri, session)
    return session
  }

  /**
   * Opens the sessions of these realms. Those that are new have joined when it resolves, or failed to at the first try:
   * an API that is live must not answer that its router is away.
   */
  async openAll(realm_uris: Iterable<string>): Promise<void> {
    const fresh = [...realm_uris].filter((realm_uri) => !this.#own.has(realm_uri))
    await Promise.all(
      fresh.map((realm_uri) =>
        this.open(realm_uri).joined(openTimeoutMs, (reason) => reason !== ''),
      ),
    )
  }

  /** Leaves a realm that no API uses any more. */
  async leave(realm_uri: string): Promise<void> {
    const session = this.#own.get(realm_uri)
    this.#own.delete(realm_uri)
    await session?.leave()
  }

  session(
    realm_uri: string,
    identity: Identity,
    connectTimeoutMs: number,
  ): Session | Promise<Session> {
    if (identity.authmethod === 'anonymous') {
      return this.#own.get(realm_uri) ?? this.open(realm_uri)
    }
    const guest = this.#guest(realm_uri, identity)
    guest.usedAt = this.#options.clock.now()
    return guest.session.isOpen ? guest.session : this.#joined(guest, connectTimeoutMs)
  }

  /**
   * Does the router let the gateway join the realm?
   * @throws ServiceError `service.error.unavailable` when the router does not say
   */
  async canJoin(realm_uri: string): Promise<boolean> {
    const known = this.#own.get(realm_uri)
    if (known?.isOpen) return true
    const probe = this.#session(realm_uri, undefined)
    const isJoined = await probe.joined(probeTimeoutMs, (reason) => reason !== '')
    const { lastReason } = probe
    await probe.leave()
    if (isJoined) return true
    if (saysNo(lastReason)) return false
    const message = 'the router is away and does not say whether the realm exists'
    throw new ServiceError('service.error.unavailable', message, {
      headers: { 'Retry-After': '5' },
    })
  }

  stats(): PoolStats {
    const sessions = [...this.#own.values(), ...[...this.#guests.values()].map((g) => g.session)]
    return {
      sessions: sessions.length,
      joined: sessions.filter((session) => session.isOpen).length,
      pending: sessions.reduce((sum, session) => sum + session.pending, 0),
    }
  }

  /** Leaves every realm. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopSweep?.()
    const guests = [...this.#guests.values()].map((guest) => guest.session)
    const sessions = [...this.#own.values(), ...guests]
    this.#own.clear()
    this.#guests.clear()
    await Promise.all(sessions.map((session) => session.leave()))
  }

  #session(realm_uri: string, identity: Identity | undefined): SupervisedSession {
    if (this.#isClosed) throw failure(uris.errors.netFailure, 'the sessions are closed', false)
    const auth = this.#options.authFor(realm_uri, identity)
    return requestSession({ ...this.#options, realm_uri, auth })
  }

  #guest(realm_uri: string, identity: Identity): Guest {
    const key = guestKey(realm_uri, identity)
    const known = this.#guests.get(key)
    if (known) return known
    const guest = { session: this.#session(realm_uri, identity), waiting: 0, usedAt: 0 }
    this.#guests.set(key, guest)
    this.#stopSweep ??= this.#scheduleSweep()
    return guest
  }

  async #joined(guest: Guest, timeoutMs: number): Promise<Session> {
    guest.waiting++
    const isJoined = await guest.session.joined(timeoutMs)
    guest.waiting--
    if (isJoined) return guest.session
    throw failure(uris.errors.netFailure, 'the session of the user could not be joined', false)
  }

  #scheduleSweep(): () => void {
    const { clock, idleMs = defaultIdleMs } = this.#options
    return clock.after(idleMs / 2, () => this.#sweep())
  }

  #sweep(): void {
    const { clock, log, idleMs = defaultIdleMs } = this.#options
    const now = clock.now()
    for (const [key, { session, waiting, usedAt }] of this.#guests) {
      if (waiting > 0 || session.pending > 0 || now - usedAt < idleMs) continue
      this.#guests.delete(key)
      session.leave().catch((error: unknown) => log.warn({ err: error }, 'a session did not leave'))
    }
    this.#stopSweep = this.#guests.size > 0 ? this.#scheduleSweep() : undefined
  }
}
