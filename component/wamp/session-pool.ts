/** The sessions that requests run on: the gateway's own in each realm, kept joined; those of users, joined on demand. */
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { failure, isRefusal } from './failure.ts'
import { Forwarders, type ForwardingOptions } from './forwarding/forwarders.ts'
import { defaultIdleMs, type GuestOptions, Guests } from './guests.ts'
import type { JoinAuth } from './join-auth.ts'
import {
  type IdentitySetting,
  isForwarded,
  isOfGateway,
  type Session,
  type SessionSource,
} from './session.ts'
import type { SessionOptions } from './session-options.ts'
import type { SupervisedSession } from './supervisor.ts'
import { requestSession } from './wampy-session.ts'

/** Everything about the pool's sessions but the realm and who joins. */
export interface PoolOptions
  extends GuestOptions,
    Omit<SessionOptions, 'realm_uri' | 'auth' | 'onJoin'> {
  /** How a session joins for an identity; for undefined, one of the gateway's own. */
  readonly authFor: (realm_uri: string, identity: Identity | undefined) => JoinAuth
  /** `wamp.identity` */
  readonly identity?: IdentitySetting
  /** Needed by `forwarded`. */
  readonly forwarding?: ForwardingOptions | undefined
}

/** For metrics. */
export interface PoolStats {
  /** Sessions that are joined or try to. */
  readonly sessions: number
  readonly joined: number
  /** Requests in flight on all of them. */
  readonly pending: number
  /** Sessions of users that streams hold. */
  readonly held: number
}

/** Milliseconds that {@link SessionPool.canJoin} waits for the router's word. */
const probeTimeoutMs = 5000

/** Milliseconds that {@link SessionPool.openAll} waits for a session. */
const openTimeoutMs = 1000

/** One session per realm and identity. */
export class SessionPool implements SessionSource {
  readonly #options: PoolOptions
  readonly #own = new Map<string, SupervisedSession>()
  readonly #guests: Guests
  readonly #forwarders: Forwarders | undefined
  /** The realms of {@link keep}. */
  #kept: ReadonlySet<string> | undefined
  /** The realms of own sessions that were neither kept nor used at the last sweep. */
  #spare: ReadonlySet<string> = new Set()
  #stopSweep: (() => void) | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#guests = new Guests(options, (realm_uri, identity) => {
      this.#planSweep()
      return this.#session(realm_uri, options.authFor(realm_uri, identity))
    })
    const { forwarding } = options
    this.#forwarders =
      forwarding &&
      new Forwarders(options, forwarding, (realm_uri) => {
        this.#planSweep()
        return this.#session(realm_uri, forwarding.auth)
      })
  }

  /** Keeps the gateway's own session of a realm joined from now on. */
  open(realm_uri: string): SupervisedSession {
    const known = this.#own.get(realm_uri)
    if (known) return known
    const session = this.#ownSession(realm_uri)
    this.#own.set(realm_uri, session)
    if (this.#kept?.has(realm_uri) === false) this.#planSweep()
    return session
  }

  /** The gateway's own session of a realm if it is joined. */
  joined(realm_uri: string): Session | undefined {
    const session = this.#own.get(realm_uri)
    return session?.isOpen ? session : undefined
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

  /** Joins these realms to forward what users send, and has the router prove that it shows them; the log has what fails. */
  async openForwarders(realm_uris: Iterable<string>): Promise<void> {
    const opening = [...realm_uris].map((realm_uri) =>
      this.#forwarders?.open(realm_uri, openTimeoutMs),
    )
    await Promise.all(opening)
  }

  /**
   * Says which realms are used. The gateway's own sessions in others leave some time after their last request; one that
   * is asked for until then, or later, is there all the same.
   */
  keep(realm_uris: Iterable<string>): void {
    this.#kept = new Set(realm_uris)
    this.#planSweep()
  }

  /** Leaves with the sessions of users that have gone; what is in flight there is lost, and their watches are over. */
  dismiss(realm_uri: string, authids: Iterable<string>): void {
    this.#guests.dismiss(realm_uri, authids)
    this.#forwarders?.dismiss(realm_uri, authids)
  }

  /**
   * Keeps a user's session joined while a stream uses it, which is no request. The gateway's own sessions stay anyway.
   * @returns lets go, once
   * @throws ServiceError `service.error.unavailable` when streams hold as many sessions as they may
   */
  hold(session: Session): () => void {
    return this.#guests.hold(session)
  }

  session(
    realm_uri: string,
    identity: Identity,
    connectTimeoutMs: number,
    uri?: string,
  ): Session | Promise<Session> {
    const setting = this.#options.identity
    if (isOfGateway(identity, setting)) return this.#own.get(realm_uri) ?? this.open(realm_uri)
    if (this.#forwarders && isForwarded(identity, realm_uri, setting, uri)) {
      return this.#forwarders.session(realm_uri, identity, connectTimeoutMs)
    }
    return this.#guests.session(realm_uri, identity, connectTimeoutMs)
  }

  /**
   * Whether the router lets the gateway join the realm. While the router is away, one that is in use is believed to be there.
   * @throws ServiceError `service.error.unavailable` when the router does not say
   */
  async canJoin(realm_uri: string): Promise<boolean> {
    const known = this.#own.get(realm_uri)
    if (known?.isOpen || (known?.record.hasJoined && !isRefusal(known.lastReason))) return true
    const probe = this.#ownSession(realm_uri)
    const isJoined = await probe.joined(probeTimeoutMs, (reason) => reason !== '')
    const { lastReason } = probe
    await probe.leave()
    if (isJoined) return true
    if (isRefusal(lastReason)) return false
    const message = 'the router cannot be reached, so the realm cannot be checked'
    throw new ServiceError('service.error.unavailable', message, {
      headers: { 'Retry-After': '5' },
    })
  }

  /** The gateway's own sessions, one a realm. */
  get own(): readonly SupervisedSession[] {
    return [...this.#own.values()]
  }

  /** The sessions that send for users, one a realm; they leave when nobody has used them for a while. */
  get forwarding(): readonly SupervisedSession[] {
    return this.#forwarders?.sessions ?? []
  }

  stats(): PoolStats {
    const sessions = this.#all
    return {
      sessions: sessions.length,
      joined: sessions.filter((session) => session.isOpen).length,
      held: this.#guests.held,
      pending: sessions.reduce((sum, session) => sum + session.pending, 0),
    }
  }

  /** Leaves every realm. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopSweep?.()
    const sessions = this.#all
    this.#own.clear()
    this.#guests.clear()
    this.#forwarders?.clear()
    await Promise.all(sessions.map((session) => session.leave()))
  }

  get #all(): readonly SupervisedSession[] {
    return [...this.#own.values(), ...this.#guests.sessions, ...this.forwarding]
  }

  #ownSession(realm_uri: string): SupervisedSession {
    const auth = this.#options.authFor(realm_uri, undefined)
    return this.#session(realm_uri, auth, true)
  }

  #session(realm_uri: string, auth: JoinAuth, isCallee = false): SupervisedSession {
    if (this.#isClosed) throw failure('wamp.error.net_failure', 'the sessions are closed', false)
    return requestSession({ ...this.#options, realm_uri, auth, isCallee })
  }

  #planSweep(): void {
    if (this.#isClosed) return
    const { clock, idleMs = defaultIdleMs } = this.#options
    this.#stopSweep ??= clock.after(idleMs / 2, () => this.#sweep())
  }

  #sweep(): void {
    this.#guests.sweep()
    this.#forwarders?.sweep()
    this.#sweepOwn()
    this.#stopSweep = undefined
    const onDemand = this.#guests.size + (this.#forwarders?.size ?? 0)
    if (onDemand + this.#spare.size > 0) this.#planSweep()
  }

  /** A request that has begun may come to its call yet: a realm must have been spare for one sweep before. */
  #sweepOwn(): void {
    const spare = new Set<string>()
    for (const [realm_uri, session] of this.#own) {
      if (!this.#kept || this.#kept.has(realm_uri)) continue
      if (session.pending === 0 && this.#spare.has(realm_uri)) {
        this.#own.delete(realm_uri)
        const { log } = this.#options
        session.leave().catch((err: unknown) => log.warn({ err }, 'a session did not leave'))
      } else spare.add(realm_uri)
    }
    this.#spare = spare
  }
}
