/** What the embedded router asks of the realms: who may join, and who may do what. */
import type { Clock } from '#component/clock.ts'
import { isLoopback } from './address.ts'
import {
  authenticate,
  type Challenge,
  gatewayRole,
  type Hello,
  providerMethod,
  type Refusal,
  rolesOf,
  type TicketPorts,
  type Welcome,
} from './authenticator.ts'
import { isGranted, isReserved, type Match } from './grants.ts'
import type { Realms } from './realms.ts'

/** The authid by which the component's own session, which comes from this gateway itself, makes itself known. */
export const gatewayAuthid = 'gateway'

/** The order in which clients are offered them does not matter: they choose. */
const wampMethods = new Set(['anonymous', 'ticket', 'wampcra', 'cryptosign'])

/** What the policy works with. */
export interface PolicyPorts {
  readonly realms: Pick<Realms, 'realm'>
  readonly clock: Pick<Clock, 'now'>
  /** `wamp.realm`: the component's own. */
  readonly componentRealm: string
  /** May loopback peers without credentials join it? Only while the listeners are bound to loopback (behaviour: Management). */
  readonly admitsStrangers: () => boolean
  /** What is taken as a ticket, beside passwords. */
  readonly tickets?: TicketPorts
}

/** Who a session is, as far as permission goes. */
interface Member {
  readonly realm: string
  readonly authid: string
  readonly authroles: readonly string[]
}

/** Who a session is, as far as its staying goes. */
interface Guest extends Member {
  readonly authmethod: string
  readonly isRevoked?: (() => boolean) | undefined
}

const notAuthorized: Refusal = {
  kind: 'refuse',
  reason: 'wamp.error.not_authorized',
  message: 'this realm needs credentials',
}

const noSuchRealm: Refusal = {
  kind: 'refuse',
  reason: 'wamp.error.no_such_realm',
  message: 'there is no such realm, or it takes no sessions',
}

/** Answers the router from the realm documents as they are now. */
export class Policy {
  readonly #ports: PolicyPorts

  constructor(ports: PolicyPorts) {
    this.#ports = ports
  }

  /** May sessions be opened there? */
  hasRealm(uri: string): boolean {
    if (uri === this.#ports.componentRealm) return true
    const realm = this.#ports.realms.realm(uri)
    return realm?.allow_connections === true && !realm.isPrototype
  }

  /** What the router may offer: those of the document that are spoken over WAMP, and what the gateway itself joins by. */
  authmethods(
    uri: string,
    { isInProcess, cookie }: Pick<Hello['peer'], 'isInProcess' | 'cookie'>,
  ): readonly string[] {
    const declared = this.#ports.realms.realm(uri)?.authmethods ?? []
    const methods = new Set(declared.filter((method) => wampMethods.has(method)))
    if (cookie !== undefined && declared.includes('cookie')) methods.add('cookie')
    // for the gateway itself, and for strangers as far as they are let in
    if (uri === this.#ports.componentRealm) methods.add('anonymous')
    // for the users of the gateway, who have logged in there
    if (isInProcess && this.#ports.tickets?.sessionTickets) methods.add('ticket')
    return [...methods]
  }

  async authenticate(hello: Hello): Promise<Welcome | Challenge | Refusal> {
    if (!this.hasRealm(hello.realm)) return noSuchRealm
    const { componentRealm, realms, clock, tickets } = this.#ports
    if (hello.realm === componentRealm && hello.authmethod === 'anonymous') {
      return this.#admit(hello)
    }
    const realm = realms.realm(hello.realm)
    return realm ? authenticate(realm, hello, clock.now(), tickets) : notAuthorized
  }

  /** The component's realm without credentials: the gateway itself, and strangers on this machine. */
  #admit({ peer, authid }: Hello): Welcome | Refusal {
    if (peer.isInProcess && authid === gatewayAuthid) {
      return { kind: 'welcome', authid: gatewayAuthid, authroles: [gatewayRole] }
    }
    if (!this.#ports.admitsStrangers() || !isLoopback(peer.address)) return notAuthorized
    return { kind: 'welcome', authid: 'anonymous', authroles: ['anonymous'] }
  }

  /**
   * May the session be there, by the realm as it is now? Not of a user who has gone or has lost one of its roles, nor by a
   * ticket that was revoked.
   */
  isWelcome({ realm: uri, authid, authroles, authmethod, isRevoked }: Guest): boolean {
    if (!this.hasRealm(uri)) return false
    if (authroles.includes(gatewayRole)) return true
    const { componentRealm, realms, tickets } = this.#ports
    const realm = realms.realm(uri)
    if (authmethod === providerMethod) {
      return !isRevoked?.() && tickets?.isKnown?.(uri, authid) === true
    }
    if (authmethod === 'anonymous') {
      return uri === componentRealm || realm?.authmethods.includes('anonymous') === true
    }
    const user = realm?.users.get(authid)
    if (!user || isRevoked?.()) return false
    const roles = rolesOf(user)
    return authroles.every((role) => roles.includes(role))
  }

  /** @param match of a registration or subscription */
  isAllowed(member: Member, action: string, uri: string, match = 'exact'): boolean {
    if (member.authroles.includes(gatewayRole)) return true
    const way: Match = match === 'prefix' || match === 'wildcard' ? match : 'exact'
    if ((action === 'register' || action === 'publish') && isReserved(uri, way)) return false
    const { componentRealm, realms } = this.#ports
    const realm = realms.realm(member.realm)
    const isStranger = member.authroles.includes('anonymous')
    if (member.realm === componentRealm && (isStranger || !realm)) {
      // management, as far as strangers are let in at all
      return action !== 'register' && action !== 'publish' && uri.startsWith('service.')
    }
    if (!realm) return false
    if (realm.grants === undefined) return true
    return isGranted(realm.grants, [member.authid, ...member.authroles], `wamp.${action}`, uri, way)
  }
}
