/** From a user that a provider has proved to the ticket: name, roles, and the ID token that goes with it. */
import { ServiceError } from '#component/errors.ts'
import { LogOnce } from '#component/limits/log-once.ts'
import type { Log } from '#component/log.ts'
import type { KeptTokens } from '#component/oidc/kept/kept-tokens.ts'
import { OidcError } from '#component/oidc-error.ts'
import { providerMethod as authmethod, type Logins } from '#component/realm/logins.ts'
import type { Tickets } from '#component/token/ticket.ts'
import { ticketCookie } from '#component/token/ticket-cookie.ts'
import { TokenError, unlessRefused } from '#component/token/token-error.ts'
import type { Accounts } from './accounts.ts'
import { authidOf, chosenClaims, lostPaths, rolesIn, rolesOf, unmappedRoles } from './claims.ts'
import type { IdTokens } from './id-tokens.ts'
import type { Exchanged } from './provider.ts'
import type { CallbackRequest, LoginRequest } from './redirects.ts'
import type { ProviderSettings } from './settings.ts'

/** The dependencies of tickets for users of a provider, and of their end. */
export interface ProviderTicketPorts {
  readonly logins: Pick<Logins, 'mayUse' | 'user'>
  readonly accounts: Pick<Accounts, 'bind'>
  readonly tickets: Pick<Tickets, 'issue' | 'verifyIgnoringExpiry'>
  readonly idTokens: Pick<IdTokens, 'keep' | 'find' | 'end'>
  readonly keptTokens: Pick<KeptTokens, 'begin'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** The client and the device that the login was begun for. */
type Labels = Pick<LoginRequest, 'client_id' | 'device_id'>

/** Browsers drop larger cookies without a word: name and value, and together with their attributes (RFC 6265 §6.1). Bytes. */
const maxCookie = 3_800
const maxWhole = 4_096

/** The longest ID token that is kept: a longer `id_token_hint` does not fit in a URL. Characters. */
const maxHint = 16_384

const droppedRole = 'a role of the provider is dropped: role_mapping does not name it'
const lostPath = 'the path of this setting leads to no claim of a user of the provider'

/** How long after its ticket an ID token is kept, so that a late logout ends the session at the provider. Seconds. */
const hintGrace = 86_400

/** The longest attributes that a ticket cookie has beside its domain. */
const attributes = '; Path=/; Max-Age=2592000; SameSite=Strict; Secure; HttpOnly; Domain='

/** Whether browsers keep the cookie of a ticket. */
export function fitsCookie(
  realm_uri: string,
  ticket: string,
  { cookie_domain = '' }: ProviderSettings,
): boolean {
  const size = `${ticketCookie(realm_uri)}=${ticket}`.length
  return size <= maxCookie && size + attributes.length + cookie_domain.length <= maxWhole
}

/** Issues the tickets of finished logins. */
export class ProviderTickets {
  readonly #ports: ProviderTicketPorts
  /** Of roles without a mapping, and of paths without a claim, of all providers together. */
  readonly #log: LogOnce

  constructor(ports: ProviderTicketPorts) {
    this.#ports = ports
    this.#log = new LogOnce(ports.log)
  }

  /**
   * The ticket of a user; its name is bound to the person, and an ID token that does not fit into the ticket is kept.
   * @throws OidcError missing_authid_claim, claims_too_large, ticket_too_large, ticket_issue_failed
   */
  async issue(
    request: CallbackRequest,
    labels: Labels,
    settings: ProviderSettings,
    found: Exchanged,
  ) {
    const who = this.#who(request, settings, found)
    try {
      const issued = await this.#fitting(request, labels, settings, who, found)
      const { accounts, idTokens } = this.#ports
      await accounts.bind(request.realm_uri, who.authid, found, settings.auto_provision)
      const { id, exp } = issued.claims
      const isKept = !issued.isWhole && found.id_token.length <= maxHint
      if (isKept) await idTokens.keep(id, found.id_token, exp + hintGrace)
      await this.#ports.keptTokens.begin(issued.claims, found, settings)
      return issued
    } catch (cause) {
      if (!(cause instanceof ServiceError || cause instanceof TokenError)) throw cause
      const message = `no ticket was issued: ${cause.message}`
      throw new OidcError('ticket_issue_failed', message, { cause })
    }
  }

  /** @throws OidcError missing_authid_claim, ticket_issue_failed */
  #who({ realm_uri, address }: CallbackRequest, settings: ProviderSettings, { claims }: Exchanged) {
    const { logins } = this.#ports
    this.#tell(realm_uri, settings, claims)
    const authid = authidOf(claims, settings)
    if (!logins.mayUse(realm_uri, authmethod, authid, address)) {
      const message = `the sources of the realm do not admit ${authmethod} of this user from there`
      throw new OidcError('ticket_issue_failed', message)
    }
    return { authid, authroles: rolesIn(logins, realm_uri, authid, rolesOf(claims, settings)) }
  }

  /** Logs each dropped role and each path without a claim once, since a misspelt setting looks like a user without rights. */
  #tell(realm_uri: string, settings: ProviderSettings, claims: Exchanged['claims']): void {
    const { name: provider } = settings
    const lines = [
      ...unmappedRoles(claims, settings).map((role) => [{ role }, droppedRole] as const),
      ...lostPaths(claims, settings).map(
        ([setting, path]) => [{ setting, path }, lostPath] as const,
      ),
    ]
    for (const [more, message] of lines) {
      this.#log.info({ realm_uri, provider, ...more }, message)
    }
  }

  /** The ticket, with the ID token in it when the cookie can carry both. @throws OidcError claims_too_large, ticket_too_large */
  async #fitting(
    { realm_uri, issuer: iss }: CallbackRequest,
    { client_id, device_id }: Labels,
    settings: ProviderSettings,
    who: { readonly authid: string; readonly authroles: readonly string[] },
    { id_token, access_token_expires_at: at, issuer, sub, sid, claims, refresh_token }: Exchanged,
  ) {
    const { recheck_interval, ticket_idle_secs } = settings
    const isChecked = recheck_interval > 0 && refresh_token !== undefined
    const oidc_claims = chosenClaims(claims, settings)
    const subject = {
      ...{ iss, ...who, authmethod, oidc_provider: settings.name },
      scope: { realm: realm_uri, client_id, device_id },
      lifetime: settings.ticket_expiry_secs,
      ...{ oidc_issuer: issuer, oidc_sub: sub, ...(sid !== undefined && { oidc_sid: sid }) },
      ...(at !== undefined && { oidc_access_token_expires_at: at }),
      ...(isChecked && { oidc_recheck: recheck_interval }),
      ...(ticket_idle_secs !== undefined && { oidc_idle: ticket_idle_secs }),
      ...(oidc_claims && { oidc_claims }),
    }
    const { tickets } = this.#ports
    // an ID token that is longer than the cookie cannot fit
    const whole =
      id_token.length < maxCookie
        ? await tickets.issue(realm_uri, { ...subject, oidc_id_token: id_token })
        : undefined
    if (whole && fitsCookie(realm_uri, whole.ticket, settings)) return { ...whole, isWhole: true }
    const bare = await unlessRefused(() => tickets.issue(realm_uri, subject))
    if (bare && fitsCookie(realm_uri, bare.ticket, settings)) return { ...bare, isWhole: false }
    const { authroles: roles } = who
    const parts = Object.entries({ roles, claims: oidc_claims, sub, sid, issuer }).flatMap(
      ([name, value]) => (value === undefined ? [] : `${name} ${JSON.stringify(value).length}`),
    )
    const message = `the ticket does not fit into a cookie of ${maxCookie} bytes; the bytes of its parts: ${parts.join(', ')}`
    throw new OidcError('ticket_too_large', message)
  }
}
