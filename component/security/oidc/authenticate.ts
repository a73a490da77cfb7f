/** `oidc` on a path: the ticket of a login, in its cookie or in `Authorization: Bearer` (behaviour: OIDC). */
import { ServiceError } from '#component/errors.ts'
import { givenRoles, type Identity, identityOf } from '#component/identity.ts'
import { because } from '#component/login-refusal.ts'
import { isCsrf } from '#component/oidc/csrf.ts'
import type { ProviderTokens } from '#component/oidc/kept/provider-tokens.ts'
import type { OnChanged, Rechecks } from '#component/oidc/kept/rechecks.ts'
import { type ProviderSettings, settingsOf } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import { type Logins, providerMethod } from '#component/realm/logins.ts'
import type { SecretBox } from '#component/secret-box.ts'
import { bearerOf } from '#component/security/bearer-of.ts'
import { TokenHeads } from '#component/security/brought.ts'
import { KnownIdentities } from '#component/security/known-identities.ts'
import {
  type AlternativeScheme,
  admitByToken,
  isSafe,
  type Protection,
  type SecuredRequest,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import type { SeenTickets } from '#component/token/seen-tickets.ts'
import type { TicketClaims, Tickets } from '#component/token/ticket.ts'
import {
  countCookies,
  csrfCookie,
  readCookie,
  ticketCookie,
} from '#component/token/ticket-cookie.ts'
import type { TicketUses } from '#component/token/ticket-uses.ts'
import { providerOf, trustsFetchMetadata } from './kind.ts'

/** The dependencies of the scheme. */
export interface OidcPorts {
  readonly tickets: Pick<Tickets, 'verify'>
  /** Knows the users whose tickets still hold: those that are bound to a provider, and not disabled since. */
  readonly accounts: { isKnown(realm_uri: string, authid: string): boolean }
  /** Finds the realm's own entry of a user, if it has one. */
  readonly logins: Pick<Logins, 'user'>
  /** Knows what has become of the users since they have logged in; absent: tickets hold as they were issued. */
  readonly rechecks?: Pick<Rechecks, 'current'>
  /** Knows when tickets were used last; absent: they need not be used. */
  readonly uses?: Pick<TicketUses, 'use' | 'isToSlide' | 'slid'>
  /** Knows the access tokens of the provider; absent: none is passed on. */
  readonly providerTokens?: Pick<ProviderTokens, 'of'>
  /** Remembers which tickets have come; absent: nobody does. */
  readonly seen?: Pick<SeenTickets, 'see'>
  /** The realms, whose providers say how their cookies are set. */
  readonly realms?: Parameters<typeof settingsOf>[0]
  /** A ticket in place of a cookie, with other roles or claims, as a Set-Cookie field; undefined where none can be made. */
  renewedCookie?(
    claims: TicketClaims,
    settings: ProviderSettings,
    host: string,
  ): Promise<string | undefined>
  /** Derives the key that signs CSRF values. */
  readonly box: Pick<SecretBox, 'derive'>
}

/**
 * Whether the request proves that a page of this origin sent it. The header must repeat the cookie, and the value must be the one that
 * was made for this ticket: a subdomain can plant cookies, but sign nothing.
 */
export function hasCsrfProof(
  request: Pick<SecuredRequest, 'header'>,
  realm_uri: string,
  ticketId: string,
  box: OidcPorts['box'],
): boolean {
  const token = request.header('x-csrf-token')
  if (!token || token !== readCookie(request.header('cookie'), csrfCookie(realm_uri))) return false
  return isCsrf(box, token, realm_uri, ticketId)
}

/**
 * Whether a browser tells that a page of this origin, or its user, has sent the request. Pages can set neither field. Without
 * `Sec-Fetch-Site` (Fetch Metadata §2.2), which is sent to trustworthy origins only, `Origin` must be this very one, scheme and port too
 * (RFC 6454); without both it is not known.
 */
function isOfOwnPage(request: Pick<SecuredRequest, 'header' | 'scheme'>): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const host = request.header('host')?.toLowerCase()
  return host !== undefined && request.header('origin') === `${request.scheme}://${host}`
}

/** Lets a request pass as the user of its ticket, with the roles that the provider gave. */
export class OidcScheme implements AlternativeScheme {
  readonly #ports: OidcPorts
  readonly #identities = new KnownIdentities<TicketClaims>()
  readonly #heads = new TokenHeads()

  constructor(ports: OidcPorts) {
    this.#ports = ports
  }

  readonly isBrought: AlternativeScheme['isBrought'] = (
    { request, token },
    { realm_uri, object, among },
  ) => {
    if (token?.isTicket) return token.provider === providerOf(object)
    const field = request.header('cookie')
    const name = ticketCookie(realm_uri)
    if (field === undefined || countCookies(field, name) === 0) return false
    const ticket = readCookie(field, name)
    const provider = ticket === undefined ? undefined : this.#heads.of(ticket).provider
    return provider === undefined ? among?.isFirst === true : provider === providerOf(object)
  }

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) =>
    this.#judge(request, protection, false)

  /** Of an open stream. An answer of the provider that is under way is waited for. */
  readonly authenticateAgain: SecurityScheme['authenticate'] = (request, protection) =>
    this.#judge(request, protection, true)

  #judge(
    request: SecuredRequest,
    protection: Protection,
    isAgain: boolean,
  ): Identity | Promise<Identity> {
    const bearer = this.#bearerOf(request, protection)
    const { realm_uri } = protection
    const ticket = bearer ?? readCookie(request.header('cookie'), ticketCookie(realm_uri))
    if (ticket === undefined) throw unauthorized(protection)
    // browsers send cookies by themselves, and this header never
    const isUnproved = bearer === undefined && !isSafe(request.method)
    const needsProof =
      isUnproved && !(trustsFetchMetadata(protection.object) && isOfOwnPage(request))
    return admitByToken(
      protection,
      () => this.#ports.tickets.verify(ticket, realm_uri),
      (claims) => this.#admitNow(claims, request, protection, needsProof, isAgain),
    )
  }

  /** The Bearer token; that of another alternative is none. */
  #bearerOf(request: SecuredRequest, { among }: Protection): string | undefined {
    const bearer = bearerOf(request)
    if (bearer === undefined || among === undefined) return bearer
    return this.#heads.of(bearer).isTicket ? bearer : undefined
  }

  /** Admits by what the provider has told last; asks it where that is long ago. @throws TokenError, at once or as a rejection */
  #admitNow(
    claims: TicketClaims,
    request: SecuredRequest,
    protection: Protection,
    needsProof: boolean,
    isAgain: boolean,
  ): Identity | Promise<Identity> {
    const { uses } = this.#ports
    const admit = (current: TicketClaims): Identity =>
      this.#admit(current, request, protection, needsProof)
    if (claims.oidc_idle !== undefined && uses !== undefined) {
      return this.#used(claims, request, protection, needsProof, uses, isAgain).then(admit)
    }
    // a request that is refused anyway asks nobody
    const identity = admit(claims)
    if (claims.oidc_recheck === undefined) return identity
    const current = this.#current(claims, request, protection, isAgain)
    return current instanceof Promise ? current.then(admit) : admit(current)
  }

  /** The claims as the provider has told them last. @throws TokenError, at once or as a rejection */
  #current(
    claims: TicketClaims,
    request: SecuredRequest,
    protection: Protection,
    waits: boolean,
  ): TicketClaims | Promise<TicketClaims> {
    const { rechecks } = this.#ports
    if (claims.oidc_recheck === undefined || rechecks === undefined) return claims
    const renew: OnChanged = (changed, settings) =>
      this.#renew(changed, settings, request, protection)
    return rechecks.current(claims, renew, waits)
  }

  /** Notes a use of a ticket that may not be idle for long, and gives a browser the ticket anew once in a while. @throws TokenError */
  async #used(
    claims: TicketClaims,
    request: SecuredRequest,
    protection: Protection,
    needsProof: boolean,
    uses: NonNullable<OidcPorts['uses']>,
    isAgain: boolean,
  ): Promise<TicketClaims> {
    // a request that is refused anyway is no use
    this.#admit(claims, request, protection, needsProof)
    await uses.use(claims)
    const current = await this.#current(claims, request, protection, isAgain)
    const settings = uses.isToSlide(claims) ? this.#settingsOf(claims) : undefined
    // in place of what a recheck has set: it has the same roles and claims
    if (settings) await this.#renew(uses.slid(current), settings, request, protection)
    return current
  }

  /** The settings of the provider; undefined where it is gone, and the ticket still holds. */
  #settingsOf({ aud, oidc_provider = 'default' }: TicketClaims): ProviderSettings | undefined {
    const { realms } = this.#ports
    try {
      return realms && settingsOf(realms, aud, oidc_provider)
    } catch (error) {
      if (error instanceof OidcError) return undefined
      throw error
    }
  }

  /** Gives a browser a ticket as its user is now. */
  async #renew(
    claims: TicketClaims,
    settings: ProviderSettings,
    request: SecuredRequest,
    protection: Protection,
  ) {
    if (this.#bearerOf(request, protection) !== undefined) return
    const cookie = await this.#ports.renewedCookie?.(claims, settings, request.host ?? '')
    // one at most: a stream is judged again and again, and a browser keeps the last one
    if (cookie !== undefined) request.cookies = [cookie]
  }

  #admit(
    claims: TicketClaims,
    request: SecuredRequest,
    protection: Protection,
    needsProof: boolean,
  ): Identity {
    const { realm_uri } = protection
    const { authid } = claims
    if (claims.authmethod !== providerMethod) {
      const reason = 'the ticket does not come from a login at a provider'
      throw unauthorized(protection, reason, authid)
    }
    if (claims.oidc_provider !== providerOf(protection.object)) {
      throw unauthorized(protection, 'the ticket comes from a login at another provider', authid)
    }
    if (!this.#ports.accounts.isKnown(realm_uri, authid)) {
      throw unauthorized(protection, 'the user of the ticket no longer exists', authid)
    }
    if (needsProof && !hasCsrfProof(request, realm_uri, claims.id, this.#ports.box)) {
      const or = trustsFetchMetadata(protection.object)
        ? ', or a page of this origin (Sec-Fetch-Site, Origin)'
        : ''
      const message = `with the ticket cookie this method needs the header X-CSRF-Token with the value of the cookie ${csrfCookie(realm_uri)}${or}`
      const reason = 'the X-CSRF-Token of the ticket is missing or wrong'
      const cause = because({ realm: realm_uri, authmethod: protection.type, authid, reason })
      throw new ServiceError('wamp.error.not_authorized', message, cause)
    }
    this.#ports.seen?.see(claims, addressOf(request.peername))
    return this.#identity(claims, realm_uri)
  }

  #identity(claims: TicketClaims, realm_uri: string): Identity {
    const { authid, authroles, scope, id, oidc_claims } = claims
    const { logins, providerTokens } = this.#ports
    const user = logins.user(realm_uri, authid)?.user
    return this.#identities.of(claims, user, () =>
      identityOf({
        ...{
          realm_uri,
          authroles,
          authmethod: providerMethod,
          session: id,
          client_id: scope.client_id,
          expires_at: claims.exp * 1000,
        },
        ...(oidc_claims && { claims: oidc_claims }),
        ...(providerTokens && { providerToken: () => providerTokens.of(claims) }),
        user: givenRoles(authid, authroles, user),
      }),
    )
  }
}
