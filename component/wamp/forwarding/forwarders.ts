/** The sessions over which the gateway forwards what its users send (`wamp.identity: forwarded`): one a realm, joined in the role of the gateway. */
import { anonymous, type Identity } from '#component/identity.ts'
import { InFlight } from '#component/in-flight.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import { notJoinedToForward } from '#component/wamp/failure.ts'
import { type GuestOptions, Guests } from '#component/wamp/guests.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import { randomId } from '#component/wamp/messages.ts'
import { type Call, type Session, WampError } from '#component/wamp/session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import {
  type ForwardedPorts,
  ForwardedSession,
  type Judge,
  type Sent,
} from './forwarded-session.ts'
import { Proof } from './proof.ts'

/** What forwarding needs beside sessions. */
export interface ForwardingOptions {
  /** How the gateway joins a realm in its own role. */
  readonly auth: JoinAuth
  readonly judge: Judge
}

/** One session of the gateway, and what the sessions of its users share. */
interface Forwarder {
  readonly ports: ForwardedPorts
  readonly proof: Proof
}

/** One session a realm. */
export class Forwarders {
  readonly #options: GuestOptions
  readonly #judge: Judge
  /** The sessions join on demand and leave when idle, like those of users; here the user of each is the gateway. */
  readonly #guests: Guests
  readonly #forwarders = new WeakMap<Session, Forwarder>()
  readonly #gateways = new Map<string, Identity>()
  /** Identities are one object for many requests. */
  readonly #users = new WeakMap<Identity, ForwardedSession>()
  /** Calls under way, and for whom. */
  readonly #calls = new InFlight<Call, Identity>()
  readonly #throttle: LogThrottle

  /** @param open opens a session of the gateway on a realm */
  constructor(
    options: GuestOptions,
    { judge }: ForwardingOptions,
    open: (realm_uri: string) => SupervisedSession,
  ) {
    this.#options = options
    this.#judge = judge
    this.#guests = new Guests(options, open, notJoinedToForward)
    this.#throttle = new LogThrottle(options.clock, linePerMinute)
  }

  get size(): number {
    return this.#guests.size
  }

  get sessions(): readonly SupervisedSession[] {
    return this.#guests.sessions
  }

  /**
   * A session that sends in the name of a user.
   * @param identity a user of the realm
   * @param connectTimeoutMs how long the session of the gateway may take to join
   * @throws WampError where it cannot be joined, or the router does not show users
   */
  session(
    realm_uri: string,
    identity: Identity,
    connectTimeoutMs: number,
  ): Session | Promise<Session> {
    const found = this.#guests.session(realm_uri, this.#gatewayOf(realm_uri), connectTimeoutMs)
    if (found instanceof Promise) return found.then((session) => this.#proven(session, identity))
    return this.#proven(found, identity)
  }

  /** Joins the realm, if it does within the time, and proves that the router shows users; the log has it where that fails. */
  async open(realm_uri: string, timeoutMs: number): Promise<void> {
    try {
      const gateway = this.#gatewayOf(realm_uri)
      const session = await this.#guests.session(realm_uri, gateway, timeoutMs)
      await this.#forwarderOf(session).proof.settled()
    } catch (error) {
      if (!(error instanceof WampError)) throw error
    }
  }

  /** Gives up the calls of users that have gone. */
  dismiss(realm_uri: string, authids: Iterable<string>): void {
    const gone = new Set(authids)
    for (const call of this.#calls.keys()) {
      const user = this.#calls.get(call)
      if (user?.realm_uri === realm_uri && gone.has(user.authid)) call.cancel()
    }
  }

  /** Leaves with sessions that nobody uses. */
  sweep(): void {
    this.#guests.sweep()
  }

  /** Forgets all of them, without leaving. */
  clear(): void {
    this.#guests.clear()
  }

  /** The one user of a session: the gateway itself. */
  #gatewayOf(realm_uri: string): Identity {
    const known = this.#gateways.get(realm_uri) ?? anonymous(realm_uri)
    this.#gateways.set(realm_uri, known)
    return known
  }

  #proven(session: SupervisedSession, identity: Identity): Session | Promise<Session> {
    const forwarder = this.#forwarderOf(session)
    const forwarded = () => this.#forwarded(forwarder, identity)
    return forwarder.proof.holds ? forwarded() : forwarder.proof.settled().then(forwarded)
  }

  #forwarderOf(session: SupervisedSession): Forwarder {
    const known = this.#forwarders.get(session)
    if (known) return known
    const { clock, log } = this.#options
    const proof = new Proof(session, clock, log)
    const ports = {
      session,
      judge: this.#judge,
      isProven: () => proof.holds,
      onSent: (sent: Sent) => this.#follow(session.realm_uri, sent),
    }
    const forwarder = { ports, proof }
    this.#forwarders.set(session, forwarder)
    return forwarder
  }

  #forwarded({ ports }: Forwarder, identity: Identity): ForwardedSession {
    const known = this.#users.get(identity)
    if (known?.isOver(ports.session)) return known
    const forwarded = new ForwardedSession(ports, identity, randomId(this.#options.clock))
    this.#users.set(identity, forwarded)
    return forwarded
  }

  /** Keeps a call while it is under way, and tells of what is refused although the grants of the user allow it. */
  #follow(realm_uri: string, { identity, call, result }: Sent): void {
    if (call) this.#calls.set(call, identity)
    const done = () => call && this.#calls.delete(call)
    result.then(done, (error: unknown) => {
      done()
      if (!(error instanceof WampError) || error.error_uri !== 'wamp.error.not_authorized') return
      if (!this.#throttle.admits(realm_uri)) return
      this.#options.log.warn(
        { realm: realm_uri },
        'what the realm grants to a user was refused to the gateway, which forwards it: the router does not grant it to the role of the gateway, or the callee refuses it',
      )
    })
  }
}
