/** Tickets: JWTs by which a user joins WAMP realms (specification: Ticket). Never accepted as an access token, nor the reverse. */
import { randomUUID } from 'node:crypto'
import {
  type LoginClaims,
  loginOf,
  type RegisteredClaims,
  SignedTokens,
  type TokenPorts,
} from './signed-tokens.ts'

/** The realm, client and device that a ticket is valid for. */
interface TicketScope {
  readonly realm: string
  readonly client_id: string
  readonly device_id: string
}

/** The claims of a ticket about a login at an identity provider (specification: Ticket). */
interface ProviderClaims extends LoginClaims {
  /** The provider's name in the realm. */
  readonly oidc_provider?: string
  /** The raw ID token; absent when it is kept elsewhere. */
  readonly oidc_id_token?: string
  /** Seconds since the epoch. */
  readonly oidc_access_token_expires_at?: number
  /** How long the login counts before the provider is asked about it. Seconds. */
  readonly oidc_recheck?: number
  /** For how long the ticket may not be used, or it is refused. Seconds. */
  readonly oidc_idle?: number
  /** The last use that it knows of; present with {@link oidc_idle}. Seconds since the epoch. */
  readonly oidc_used_at?: number
  /** The claims of the provider that expressions read. */
  readonly oidc_claims?: Readonly<Record<string, unknown>>
}

/** The user of a ticket. */
export interface TicketSubject extends ProviderClaims {
  /** The issuer's URL. */
  readonly iss: string
  readonly authid: string
  readonly authmethod: string
  readonly authroles: readonly string[]
  /** The user who has asked for it; `authid` when absent. */
  readonly issued_by?: string
  readonly scope: TicketScope
  /** Seconds, at most 30 days. */
  readonly lifetime: number
}

/** The claims of a ticket: those of the specification, and those of a JWT. */
export interface TicketClaims extends RegisteredClaims, ProviderClaims {
  /** UUID v4; also `jti`. */
  readonly id: string
  readonly authrealm: string
  readonly authid: string
  readonly authmethod: string
  readonly authroles: readonly string[]
  readonly issued_by: string
  /** The node. */
  readonly issued_on: string
  /** Seconds since the epoch; also `iat`. */
  readonly issued_at: number
  /** Seconds since the epoch; also `exp`. */
  readonly expires_at: number
  readonly scope: TicketScope
  /** The key that it is signed with. */
  readonly kid: string
}

/** How long a ticket may be valid: as long as the cookie that carries it (specification: Cookies). Seconds. */
export const maxTicketLifetime = 2_592_000

/** Issues and verifies tickets. */
export class Tickets extends SignedTokens<TicketClaims> {
  readonly #node: string

  /** @param ports `node`: the name of this node */
  constructor({ node, ...ports }: TokenPorts & { readonly node: string }) {
    super(ports, { typ: 'ticket+jwt', maxLifetime: maxTicketLifetime })
    this.#node = node
  }

  /** @throws TokenError when the roles do not fit into a ticket; `service.error.unavailable` */
  async issue(
    realm_uri: string,
    subject: TicketSubject,
  ): Promise<{ readonly ticket: string; readonly claims: TicketClaims }> {
    const {
      iss,
      authid,
      authmethod,
      authroles,
      issued_by = authid,
      scope,
      lifetime,
      ...more
    } = subject
    const id = randomUUID()
    const { iat, ...issued } = this.issuedNow(realm_uri, authid, loginOf(more))
    const exp = iat + Math.min(lifetime, maxTicketLifetime)
    const { token, claims } = await this.sign(realm_uri, (kid) => ({
      iss,
      sub: authid,
      aud: realm_uri,
      exp,
      iat,
      ...issued,
      jti: id,
      id,
      authrealm: realm_uri,
      authid,
      authmethod,
      authroles,
      issued_by,
      issued_on: this.#node,
      issued_at: iat,
      expires_at: exp,
      scope,
      kid,
      ...more,
      ...(more.oidc_idle !== undefined && { oidc_used_at: iat }),
    }))
    return { ticket: token, claims }
  }

  /**
   * A ticket in place of another one, with its id, its times and all that does not change: what ends the one ends the other.
   * @throws TokenError when the roles do not fit into a ticket; `service.error.unavailable`
   */
  async renew(
    claims: TicketClaims,
    changes: Pick<TicketClaims, 'authroles' | 'oidc_claims' | 'oidc_used_at'>,
  ): Promise<string> {
    const { token } = await this.sign(claims.aud, (kid) => ({ ...claims, ...changes, kid }))
    return token
  }
}
