/** Answers an external router that asks who may join and what they may do: Crossbar.io's dynamic authentication and authorization. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import type { User } from '#component/realm/documents/model.ts'
import type { Welcome } from '#component/router/ports.ts'
import { addressOf, plainAddress } from '#component/syntax/ip-address.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { asMap } from '#component/wamp/messages.ts'
import type { Challenge } from './authenticator.ts'
import { gatewayRole, isProvedElsewhere, rolesOf } from './logins.ts'
import type { Policy } from './policy.ts'
import type { Realms } from './realms.ts'
import type { TicketSession } from './ticket-sessions.ts'

/** The dependencies of the authenticator. */
interface CrossbarAuthenticatorPorts {
  /** The decisions themselves: the same as on the embedded router. */
  readonly policy: Pick<Policy, 'authenticate' | 'isWelcome' | 'isAllowed' | 'refused'>
  readonly realms: Pick<Realms, 'plainPassword'>
  /** Reads `X-Forwarded-For` of trusted proxies: `ip:port` of the client; undefined when the proxy has not told it. */
  readonly proxies: {
    read(
      peer: string,
      headers: Readonly<Record<string, string>>,
    ): { readonly peername?: string } | undefined
  }
  readonly clock: Pick<Clock, 'after' | 'now'>
  /** Receives the sessions that must end with the tickets that opened them. */
  readonly onTicket?: (session: TicketSession) => void
  readonly log: Pick<Log, 'warn' | 'error'>
  /** Milliseconds within which a login is answered; 5000 unless said otherwise. */
  readonly deadlineMs?: number
}

/** A principal, as Crossbar.io takes it. Its realm is the one that was asked for. */
export interface Principal {
  readonly authid: string
  readonly role: (typeof routerRoles)[keyof typeof routerRoles]
  /** Comes back with each question of the authorizer; the client sees it in WELCOME. */
  readonly extra: {
    readonly authroles: readonly string[]
    readonly authmethod?: string
    /** Of the ticket that opened the session; milliseconds since the epoch. */
    readonly expires_at?: number
  }
  /** WAMP-CRA: the shared secret, unsalted. */
  readonly secret?: string
  /** Cryptosign: the key that the router challenges. */
  readonly pubkey?: string
}

/** An answer of the authorizer; never to be cached, because the router would reuse it for everybody of one role. */
export interface Authorization {
  readonly allow: boolean
  /** Whether the callee or subscriber sees the caller or publisher. */
  readonly disclose: boolean
  readonly cache: false
}

/** The roles of the router's configuration that sessions get; what they may do is asked for each of them. */
const routerRoles = { user: 'user', anonymous: 'anonymous' } as const

/** An address that no range holds but the one of all addresses. */
const unknownAddress = '0.0.0.0'

const defaultDeadlineMs = 5_000

/** The one answer to every refused login; Crossbar.io uses the same URI for wrong signatures. */
class Refused extends ServiceError {
  constructor() {
    super('wamp.error.not_authorized', 'the login was refused')
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** `tcp4:192.0.2.1:50000`, `tcp6:2001:db8::1:50000`; a Unix socket has no address. */
function peerAddress(peer: unknown): string {
  const text = textOf(peer) ?? ''
  if (!/^tcp[46]:/.test(text)) return unknownAddress
  return plainAddress(addressOf(text.slice(5)))
}

const headersOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(asMap(value)).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  )

/** Answers from the realm documents as they are now. */
export class CrossbarAuthenticator {
  readonly #ports: CrossbarAuthenticatorPorts
  /** Users whose missing password is logged: repeated logins must not fill the log. */
  readonly #told = new WeakSet<User>()

  constructor(ports: CrossbarAuthenticatorPorts) {
    this.#ports = ports
  }

  /**
   * Decides whether a client may join. A user that does not exist, or may not join from that address, gets a challenge
   * that has no answer.
   * @param details of Crossbar.io: `{authmethod, authextra, ticket, session, transport: {peer, http_headers_received}}`
   * @throws ServiceError `wamp.error.not_authorized`; `service.error.unavailable` when that cannot be decided; within the deadline
   */
  async authenticate(realm_uri: string, authid: unknown, details: JsonMap): Promise<Principal> {
    const { clock, log, deadlineMs = defaultDeadlineMs } = this.#ports
    const late = Promise.withResolvers<never>()
    const stopTimer = clock.after(deadlineMs, () =>
      late.reject(new Error('the deadline of the login has passed')),
    )
    try {
      const found = this.#principal(realm_uri, textOf(authid), details)
      return await Promise.race([found, late.promise])
    } catch (cause) {
      if (cause instanceof Refused) throw cause
      log.error({ err: cause, realm: realm_uri }, 'a login failed')
      // not a refusal: clients give up after one, and this may pass
      throw new ServiceError('service.error.unavailable', 'the login cannot be checked at present')
    } finally {
      stopTimer()
    }
  }

  async #principal(
    realm_uri: string,
    authid: string | undefined,
    details: JsonMap,
  ): Promise<Principal> {
    const authmethod = textOf(details.authmethod) ?? ''
    const { policy } = this.#ports
    const peer = {
      address: this.#addressOf(asMap(details.transport)),
      // here the gateway's own tickets come from without; that they open under store.key proves them
      ...{ isInProcess: false, isRelayed: true },
    }
    const answer = await policy.authenticate({
      realm: realm_uri,
      session: typeof details.session === 'number' ? details.session : 0,
      authid,
      authmethod,
      authextra: asMap(details.authextra),
      peer,
    })
    const tell = () => policy.refused({ realm: realm_uri, authid, authmethods: [authmethod], peer })
    if (answer.kind === 'welcome') return principal(answer, routerRoles.anonymous)
    if (answer.kind === 'refuse') {
      tell()
      throw new Refused()
    }
    if (answer.challenge === 'ticket') {
      const welcome = await answer.check(textOf(details.ticket) ?? '')
      if (!welcome) {
        tell()
        throw new Refused()
      }
      const { expiresAt, isRevoked } = welcome
      if (expiresAt !== undefined && typeof details.session === 'number') {
        const { session } = details
        this.#ports.onTicket?.({ realm_uri, session, expiresAt, ...(isRevoked && { isRevoked }) })
      }
      return principal(welcome, routerRoles.user)
    }
    // whether the proof of a user is right the router alone sees
    if (!answer.user) tell()
    return this.#challenged(realm_uri, authid, answer, asMap(details.authextra))
  }

  /** The key or secret by which the router checks the proof itself; a random one for an unknown user. */
  async #challenged(
    realm_uri: string,
    authid: string | undefined,
    { challenge, user }: Challenge,
    { pubkey }: JsonMap,
  ): Promise<Principal> {
    const authroles = user ? rolesOf(user) : []
    // Crossbar.io needs a name, also for an unknown key
    const name = user?.username ?? authid ?? String(pubkey)
    const found = principal({ authid: name, authroles }, routerRoles.user)
    const secret = randomBytes(32)
    if (challenge === 'cryptosign') {
      return { ...found, pubkey: user ? String(pubkey).toLowerCase() : secret.toString('hex') }
    }
    const password = user && (await this.#passwordOf(realm_uri, user))
    return { ...found, secret: password ?? secret.toString('hex') }
  }

  async #passwordOf(realm_uri: string, user: User): Promise<string | undefined> {
    const { realms, log } = this.#ports
    const { username } = user
    const password = await realms.plainPassword(realm_uri, username)
    if (password === undefined && user.password && !this.#told.has(user)) {
      this.#told.add(user)
      const reason = 'the password was loaded without wamp.url, or with another store.key'
      log.warn({ realm: realm_uri, username, reason }, 'the user cannot log in by wampcra')
    }
    return password
  }

  #addressOf({ peer, http_headers_received }: JsonMap): string {
    const address = peerAddress(peer)
    const told = this.#ports.proxies.read(address, headersOf(http_headers_received))?.peername
    return told === undefined ? address : addressOf(told)
  }

  /**
   * Decides whether a session may perform an action.
   * @param session as Crossbar.io describes it: `{authid, authmethod, authprovider, authextra}`
   * @param action `call`, `register`, `publish` or `subscribe`
   * @param options of the message; `match`, `forward_for` and `force_reregister` count
   */
  authorize(
    realm_uri: string,
    session: JsonMap,
    uri: string,
    action: string,
    options: JsonMap,
  ): Authorization {
    const { clock, policy } = this.#ports
    const found = sessionOf(realm_uri, session)
    const allow =
      found !== undefined &&
      found.expiresAt > clock.now() &&
      policy.isWelcome(found) &&
      policy.isAllowed(found, action, uri, textOf(options.match), options)
    return { allow, disclose: allow, cache: false }
  }
}

/** The router knows how a session joined; that others prove its user it must be told, so that it comes back. */
const principal = (
  {
    authid,
    authroles,
    authmethod,
    expiresAt,
  }: Pick<Welcome, 'authid' | 'authroles' | 'authmethod' | 'expiresAt'>,
  role: Principal['role'],
): Principal => ({
  authid,
  role,
  extra: {
    authroles: authroles.filter((one) => one !== gatewayRole),
    ...(authmethod !== undefined && isProvedElsewhere(authmethod) && { authmethod }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  },
})

/** The session's identity as the authenticator has given it; undefined with static authentication, where the client writes `authextra`. */
function sessionOf(realm: string, { authid, authmethod, authprovider, authextra }: JsonMap) {
  const { authroles, authmethod: told, expires_at } = asMap(authextra)
  const isOurs = authprovider === 'dynamic' && Array.isArray(authroles)
  if (!isOurs || typeof authid !== 'string' || typeof authmethod !== 'string') return undefined
  const roles = authroles.filter((one) => typeof one === 'string' && one !== gatewayRole)
  const isOfOthers = typeof told === 'string' && isProvedElsewhere(told)
  return {
    ...{ realm, authid, authroles: roles as string[] },
    authmethod: isOfOthers ? told : authmethod,
    expiresAt: typeof expires_at === 'number' ? expires_at : Number.POSITIVE_INFINITY,
  }
}
