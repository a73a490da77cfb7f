/** The embedded router's policy, by the realms: which peers may join, and which actions they may take. */
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { LoginCounts } from '#component/login-counts.ts'
import { type LoginLog, tooManyFailed } from '#component/login-refusal.ts'
import type { Realm } from '#component/realm/documents/model.ts'
import type {
  Member,
  MemberState,
  Peer,
  RealmPolicy,
  Refusal,
  RefusedPeer,
  Welcome,
} from '#component/router/ports.ts'
import type { SecretBox } from '#component/secret-box.ts'
import { isLoopback } from '#component/syntax/ip-address.ts'
import { isMatch } from '#component/syntax/wamp-uri.ts'
import {
  authenticate,
  type Challenge,
  type Hello,
  type ProofPorts,
  type TicketPorts,
} from './authenticator.ts'
import { isGranted, isPermitted, isReserved } from './grants.ts'
import {
  explain,
  gatewayRole,
  hasSameProof,
  isProvedElsewhere,
  issuerMethod,
  providerMethod,
  rolesOf,
} from './logins.ts'
import type { Realms } from './realms.ts'

/** The authid by which the gateway's own sessions, which come from this gateway itself, make themselves known. */
export const gatewayAuthid = 'gateway'

/** The order in which clients are offered them does not matter: they choose. */
const wampMethods = new Set(['anonymous', 'ticket', 'wampcra', 'cryptosign'])

/** Limits guessing: Attempts, of component/security. */
interface GuessLimit {
  /** @throws ServiceError too_many_requests: then nothing was tried */
  guard<T>(
    realm_uri: string,
    username: string,
    address: string,
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined>
}

/** The dependencies of the policy. */
export interface PolicyPorts {
  readonly realms: Pick<Realms, 'realm'>
  readonly clock: Pick<Clock, 'now'>
  /** `wamp.realm`: the component's own. */
  readonly componentRealm: string
  /** Whether loopback peers may join it without credentials: only while the listeners are bound to loopback (behaviour: Management). */
  readonly admitsStrangers: () => boolean
  /** The tickets that are accepted beside passwords. */
  readonly tickets?: TicketPorts
  readonly attempts: GuessLimit
  /** Receives the refused logins. */
  readonly log?: Pick<LoginLog, 'refused'>
  /** Counts the logins that were admitted; absent: nothing does. */
  readonly logins?: Pick<LoginCounts, 'add'>
  readonly secrets: Pick<SecretBox, 'derive' | 'open'>
}

const notAuthorized: Refusal = {
  kind: 'refuse',
  reason: 'wamp.error.not_authorized',
  message: 'the realm requires credentials',
}

const noSuchRealm: Refusal = {
  kind: 'refuse',
  reason: 'wamp.error.no_such_realm',
  message: 'the realm does not exist or accepts no sessions',
}

/** The methods that are logged, with the reason when nothing but the proof was wrong; a client may offer any text as a method. */
const proofs: ReadonlyMap<string, string> = new Map([
  ['anonymous', 'anonymous sessions are not admitted'],
  ['ticket', 'wrong ticket or password'],
  ['wampcra', 'wrong secret'],
  ['cryptosign', 'wrong key or signature'],
  ['cookie', 'the ticket of the cookie does not hold'],
])

/** The methods that need an authid in HELLO. */
const namedMethods: readonly string[] = ['ticket', 'wampcra']

const isTooMany = (cause: unknown): boolean =>
  cause instanceof ServiceError && cause.uri === 'service.error.too_many_requests'

const isGateway = ({ authroles }: Pick<Member, 'authroles'>): boolean =>
  authroles.includes(gatewayRole)

/** Answers the router from the realm documents as they are now. */
export class Policy implements RealmPolicy {
  readonly #ports: PolicyPorts
  /** Peers whose proof was not looked at, because too many had failed. */
  readonly #limited = new WeakSet<Peer>()
  /** Sessions of this gateway for its users, which are no logins. */
  readonly #own = new WeakSet<Peer>()

  constructor(ports: PolicyPorts) {
    this.#ports = ports
  }

  /** Whether sessions may be opened on the realm. */
  hasRealm(uri: string): boolean {
    if (uri === this.#ports.componentRealm) return true
    const realm = this.#ports.realms.realm(uri)
    return realm?.allow_connections === true && !realm.isPrototype
  }

  /** The methods that the router may offer: those of the document that exist over WAMP, and those that the gateway itself joins by. */
  authmethods(uri: string, { isInProcess, cookie }: Peer): readonly string[] {
    const declared = this.#ports.realms.realm(uri)?.authmethods ?? []
    const methods = new Set(declared.filter((method) => wampMethods.has(method)))
    if (cookie !== undefined && declared.includes('cookie')) methods.add('cookie')
    // for the gateway itself, and for strangers as far as they are let in
    if (isInProcess || uri === this.#ports.componentRealm) methods.add('anonymous')
    // for the sessions of users that are logged in at this gateway
    if (isInProcess && this.#ports.tickets?.sessionTickets) methods.add('ticket')
    return [...methods]
  }

  async authenticate(hello: Hello): Promise<Welcome | Challenge | Refusal> {
    if (!this.hasRealm(hello.realm)) return noSuchRealm
    const { componentRealm, realms, clock, tickets, secrets } = this.#ports
    if (hello.authmethod === 'anonymous') {
      if (hello.peer.isInProcess && hello.authid === gatewayAuthid) {
        return { kind: 'welcome', authid: gatewayAuthid, authroles: [gatewayRole] }
      }
      if (hello.realm === componentRealm) return this.#admitStranger(hello)
    }
    const realm = realms.realm(hello.realm)
    if (!realm) return notAuthorized
    const ports = { ...tickets, ...this.#ownTickets(hello), secrets, guess: this.#guessOf(hello) }
    const answer = await authenticate(realm, hello, clock.now(), ports)
    if (answer.kind === 'welcome') this.#count(hello)
    return answer.kind === 'challenge' ? this.#lasting(answer, realm, hello) : answer
  }

  /** Takes note of peers that bring a ticket of the gateway itself. */
  #ownTickets({ peer }: Hello): Pick<TicketPorts, 'sessionTickets'> {
    const { sessionTickets } = this.#ports.tickets ?? {}
    if (!sessionTickets) return {}
    const redeem: typeof sessionTickets.redeem = (text, realm_uri, authid) => {
      const redeemed = sessionTickets.redeem(text, realm_uri, authid)
      if (redeemed) this.#own.add(peer)
      return redeemed
    }
    return { sessionTickets: { redeem } }
  }

  /** Counts a peer that has proved who it is, unless it is the gateway itself. */
  #count({ authmethod, peer }: Hello): void {
    if (!peer.isInProcess && !this.#own.has(peer)) this.#ports.logins?.add(authmethod, 'ok')
  }

  /** Others are refused like a wrong proof when there were too many of these; what this gateway itself sends is no guess. */
  #guessOf({ realm, authid = '', peer }: Hello): ProofPorts['guess'] {
    if (peer.isInProcess) return (prove) => prove()
    return async (prove) => {
      try {
        return await this.#ports.attempts.guard(realm, authid, peer.address, prove)
      } catch (cause) {
        if (!isTooMany(cause)) throw cause
        this.#limited.add(peer)
        return undefined
      }
    }
  }

  /** Logs why a peer may not join, unless it is the gateway itself. */
  refused({ realm: uri, authid, authmethods, peer }: RefusedPeer, reason?: string): void {
    if (peer.isInProcess) return
    const known = authmethods.filter((method) => proofs.has(method))
    const found = this.#explain(uri, authid, known, peer)
    const realm = this.#ports.realms.realm(uri)?.uri
    const authmethod = known.join(', ') || 'unknown'
    const line = { realm, authmethod, ...found, ...(reason !== undefined && { reason }) }
    this.#ports.log?.refused(line, peer.address)
  }

  #explain(uri: string, authid: string | undefined, known: readonly string[], peer: Peer) {
    const { componentRealm, realms, tickets } = this.#ports
    const realm = realms.realm(uri)
    const isStranger = uri === componentRealm && known.includes('anonymous')
    if (isStranger) return { reason: notAuthorized.message }
    if (realm?.allow_connections === false) return { reason: 'the realm accepts no sessions' }
    if (this.#limited.has(peer)) return { reason: tooManyFailed }
    if (known.length === 0) return { reason: 'the realm does not serve the authmethods offered' }
    const isNamed = known.some((method) => namedMethods.includes(method))
    if (isNamed && authid === undefined) return { reason: 'HELLO has no authid' }
    const isKnownBy = (method: string) => tickets?.isKnown?.(uri, authid ?? '', method) === true
    const hasAccount = authid !== undefined && [providerMethod, issuerMethod].some(isKnownBy)
    const username = known.includes('anonymous') ? undefined : authid
    const proof = known.map((method) => proofs.get(method)).join(', ')
    return explain(realm, { username, hasAccount, methods: known, address: peer.address, proof })
  }

  /** A proof fails if the password or the keys of the user have changed since HELLO. */
  #lasting(challenge: Challenge, realm: Realm, hello: Hello): Challenge {
    return {
      ...challenge,
      check: async (signature) => {
        const welcome = await challenge.check(signature)
        if (!welcome || !this.#isUnchanged(welcome, realm)) return undefined
        this.#count(hello)
        return welcome
      },
    }
  }

  #isUnchanged({ authid, authmethod }: Welcome, { uri, users }: Realm): boolean {
    if (authmethod !== undefined && isProvedElsewhere(authmethod)) return true
    const before = users.get(authid)
    const now = this.#ports.realms.realm(uri)?.users.get(authid)
    return before !== undefined && now !== undefined && hasSameProof(before, now)
  }

  /** Lets loopback peers join the component's realm without credentials, as long as `admitsStrangers` says so. */
  #admitStranger({ peer }: Hello): Welcome | Refusal {
    if (!this.#ports.admitsStrangers() || !isLoopback(peer.address)) return notAuthorized
    return { kind: 'welcome', authid: 'anonymous', authroles: ['anonymous'] }
  }

  /**
   * Whether the session may stay, by the realm as it is now. It ends when its user is gone or has lost one of its roles, or
   * when its ticket is revoked.
   */
  isWelcome({ realm: uri, authid, authroles, authmethod, isRevoked }: MemberState): boolean {
    if (!this.hasRealm(uri)) return false
    if (authroles.includes(gatewayRole)) return true
    const { componentRealm, realms, tickets } = this.#ports
    const realm = realms.realm(uri)
    if (isProvedElsewhere(authmethod)) {
      return !isRevoked?.() && tickets?.isKnown?.(uri, authid, authmethod) === true
    }
    if (authmethod === 'anonymous') {
      return uri === componentRealm || realm?.authmethods.includes('anonymous') === true
    }
    const user = realm?.users.get(authid)
    if (!user || isRevoked?.()) return false
    const roles = rolesOf(user)
    return authroles.every((role) => roles.includes(role))
  }

  /** The gateway must know whom it serves. */
  readonly seesCallers = isGateway

  /** The gateway sends messages of its users over sessions of its own. */
  readonly mayForward = isGateway

  /** Only the gateway ends sessions of the gateway: without them no session is authorized. */
  mayEnd(caller: Member, session: Member): boolean {
    return isGateway(caller) || !isGateway(session)
  }

  /**
   * Whether a session may do this, by the realm as it is now.
   * @param match of a registration or subscription
   * @param options of the message: `forward_for` and `force_reregister` count
   */
  isAllowed(
    session: Member,
    action: string,
    uri: string,
    match = 'exact',
    options: Readonly<Record<string, unknown>> = {},
  ): boolean {
    if (isGateway(session)) return true
    // Crossbar.io tells callees and subscribers whatever caller or publisher this option names
    if (options.forward_for !== undefined) return false
    const way = isMatch(match) ? match : 'exact'
    if ((action === 'register' || action === 'publish') && isReserved(uri, way)) return false
    const { componentRealm, realms } = this.#ports
    const realm = realms.realm(session.realm)
    // a user may be in a group of that name
    const isStranger = session.authroles.includes('anonymous') && !realm?.users.has(session.authid)
    if (session.realm === componentRealm && (isStranger || !realm)) {
      // management, as far as strangers are let in at all
      return action !== 'register' && action !== 'publish' && uri.startsWith('service.')
    }
    if (!realm) return false
    const roles = [session.authid, ...session.authroles]
    if (!isPermitted(realm, roles, `wamp.${action}`, uri, way)) return false
    // it takes the procedure of another session away
    if (action !== 'register' || !options.force_reregister) return true
    return isGranted(realm.grants, roles, 'wamp.force_register', uri, way)
  }
}
