/** The gateway's sessions on the realms of users, in the role `gateway`: over them users get tickets, and an external router asks. */

import type { Clock } from '#component/clock.ts'
import type { UserName } from '#component/identity.ts'
import type { Log } from '#component/log.ts'
import { type Session, WampError } from '#component/wamp/session.ts'

/** How long the router may take to end the sessions of a user, in milliseconds. */
const killTimeoutMs = 5_000

/** Until the gateway joins a realm again where the router could not register for now, in milliseconds. */
const retryMs = 5_000

/** The dependencies of the sessions. */
export interface GatewaySessionsPorts {
  /**
   * Opens a session of the gateway's own, which rejoins by itself.
   * @param onJoin after each join
   */
  readonly open: (realm_uri: string, onJoin: () => Promise<void>) => Session
  /** Serves the realm over the session, after each rejoin, too; rejects when the router does not let it. */
  readonly register: (session: Session) => Promise<void>
  /** Whether the gateway needs a session on the realm. */
  readonly isWanted: (realm_uri: string) => boolean
  /** `wamp.realm`, whose roles the router's own configuration decides. */
  readonly componentRealm: string
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Keeps a session on every realm where it is wanted, as long as it is. */
export class GatewaySessions {
  readonly #ports: GatewaySessionsPorts
  readonly #sessions = new Map<string, Session>()
  #wanted: ReadonlySet<string> = new Set()
  #isClosed = false

  constructor(ports: GatewaySessionsPorts) {
    this.#ports = ports
  }

  /** Joins the realms that are new, leaves those that are gone or where it is not wanted any more. */
  follow(realm_uris: readonly string[]): void {
    if (this.#isClosed) return
    const { isWanted, componentRealm } = this.#ports
    const wanted = new Set(realm_uris.filter((uri) => uri !== componentRealm && isWanted(uri)))
    this.#wanted = wanted
    for (const uri of this.#sessions.keys()) if (!wanted.has(uri)) this.#leave(uri)
    for (const uri of wanted) if (!this.#sessions.has(uri)) this.#join(uri)
  }

  /**
   * Ends the sessions of users on these realms, by the router's meta procedure.
   * @throws WampError when the router did not do so; one that does not let us is logged
   */
  async end(users: readonly UserName[]): Promise<void> {
    await Promise.all(users.map((user) => this.#end(user)))
  }

  /**
   * Ends one session by the router's meta procedure; a session that has left already is no error.
   * @throws WampError as {@link end}
   */
  async endSession(realm_uri: string, id: number): Promise<void> {
    try {
      await this.#kill(
        realm_uri,
        'wamp.session.kill',
        id,
        'the ticket of the session has expired or was revoked',
      )
    } catch (cause) {
      if (!(cause instanceof WampError) || cause.error_uri !== 'wamp.error.no_such_session')
        throw cause
    }
  }

  #end({ realm_uri, authid }: UserName): Promise<void> {
    const reason = 'the user may no longer use this realm'
    return this.#kill(realm_uri, 'wamp.session.kill_by_authid', authid, reason)
  }

  async #kill(
    realm_uri: string,
    procedure: string,
    target: string | number,
    message: string,
  ): Promise<void> {
    const session = this.#sessions.get(realm_uri)
    if (!session) return
    const args = [target, 'wamp.close.killed', message]
    const payload = { args, kwargs: {} }
    try {
      await session.call(procedure, payload, {}, killTimeoutMs).result
    } catch (cause) {
      if (!(cause instanceof WampError) || cause.error_uri !== 'wamp.error.not_authorized')
        throw cause
      const { log } = this.#ports
      log.warn(
        { realm: realm_uri, procedure },
        'the router does not allow the gateway to end sessions',
      )
    }
  }

  /** Ends all sessions; invocations that have arrived before are answered first. */
  async close(): Promise<void> {
    this.#isClosed = true
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    await Promise.all(
      sessions.map(async (session) => {
        await session.withdraw()
        await session.leave()
      }),
    )
  }

  #join(realm_uri: string): void {
    const { open, register } = this.#ports
    let isRegistered = false
    const session = open(realm_uri, async () => {
      if (isRegistered) return // the session itself registers again
      try {
        await register(session)
        isRegistered = true
      } catch (cause) {
        if (!(cause instanceof WampError)) throw cause
        if (this.#sessions.get(realm_uri) === session) this.#refused(realm_uri, cause)
      }
    })
    this.#sessions.set(realm_uri, session)
  }

  /** Leaves the realm; joins it again later, unless the router has roles of its own for it and does not ask the gateway. */
  #refused(realm_uri: string, { error_uri: reason }: WampError): void {
    const { clock, log } = this.#ports
    this.#leave(realm_uri)
    if (reason === 'wamp.error.not_authorized') {
      log.info(
        { realm: realm_uri, reason },
        'the router authenticates the clients of this realm itself',
      )
      return
    }
    log.warn(
      { realm: realm_uri, reason },
      'the router did not register the procedures of this realm; trying again',
    )
    clock.after(retryMs, () => {
      const isMissing = !this.#isClosed && !this.#sessions.has(realm_uri)
      if (isMissing && this.#wanted.has(realm_uri)) this.#join(realm_uri)
    })
  }

  #leave(realm_uri: string): void {
    const session = this.#sessions.get(realm_uri)
    this.#sessions.delete(realm_uri)
    session
      ?.leave()
      .catch((err: unknown) =>
        this.#ports.log.warn({ err, realm: realm_uri }, 'leaving the realm failed'),
      )
  }
}
