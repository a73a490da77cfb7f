/** A login at an identity provider from its first redirect to the ticket, and the logout; pure of HTTP. */
import { randomBytes } from 'node:crypto'
import { type Clock, secondsOf } from '#component/clock.ts'
import { OidcError, ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { providerMethod as authmethod, type Logins } from '#component/realm/logins.ts'
import type { Realms } from '#component/realm/realms.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { Revocations } from '#component/token/revocation.ts'
import type { Tickets } from '#component/token/ticket.ts'
import { ticketCookie } from '#component/token/ticket-cookie.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { Accounts } from './accounts.ts'
import { authidOf, rolesOf, unmappedRoles } from './claims.ts'
import { csrfOf } from './csrf.ts'
import { why } from './discovery.ts'
import type { IdTokens } from './id-tokens.ts'
import {
  cookiesOfLogin,
  type LoginState,
  loginCookieName,
  makeRoom,
  type RememberedLogin,
  readState,
  rememberedLogin,
  sealState,
  stateLifetime,
} from './login-state.ts'
import type { Exchanged, Providers } from './provider.ts'
import { answerOf } from './provider-answer.ts'
import type {
  BegunLogin,
  CallbackRequest,
  FinishedLogin,
  LoggedOut,
  LoginRequest,
  LogoutRequest,
} from './redirects.ts'
import { type ProviderSettings, settingsOf } from './settings.ts'

/** The dependencies of logins. */
export interface OidcLoginPorts {
  readonly realms: Pick<Realms, 'realm'>
  readonly logins: Pick<Logins, 'mayUse'>
  readonly providers: Pick<Providers, 'get'>
  readonly accounts: Pick<Accounts, 'bind'>
  readonly tickets: Pick<Tickets, 'issue' | 'verifyIgnoringExpiry'>
  readonly idTokens: Pick<IdTokens, 'keep' | 'find' | 'end'>
  readonly revocations: Pick<Revocations, 'revokeToken' | 'useOnce'>
  readonly box: SecretBox
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Browsers drop larger cookies without a word (RFC 6265 §6.1). Bytes. */
const maxCookie = 4096

/** The longest ID token that is kept: a longer `id_token_hint` does not fit in a URL. Characters. */
const maxHint = 16_384

/** Roles without a mapping that are logged at most, of all providers together. */
const maxUnmapped = 1_000

/** How long after its ticket an ID token is kept, so that a late logout ends the session at the provider. Seconds. */
const hintGrace = 86_400

/** The longest attributes that a ticket cookie has beside its domain. */
const attributes = '; Path=/; Max-Age=2592000; SameSite=Strict; Secure; HttpOnly; Domain='

const fitsCookie = (realm_uri: string, ticket: string, { cookie_domain = '' }: ProviderSettings) =>
  `${ticketCookie(realm_uri)}=${ticket}${attributes}${cookie_domain}`.length <= maxCookie

/** Logins and logouts of all realms. */
export class OidcLogin {
  readonly #ports: OidcLoginPorts
  /** Roles without a mapping that are logged: realm, provider and role. */
  readonly #unmapped = new Set<string>()

  constructor(ports: OidcLoginPorts) {
    this.#ports = ports
  }

  /**
   * The realm's settings of a provider, for checks that come before a login.
   * @throws OidcError unknown_provider, also where the realm does not serve `oidcrp`; provider_unavailable
   */
  settings(realm_uri: string, name: string): ProviderSettings {
    return settingsOf(this.#ports.realms, realm_uri, name)
  }

  /** @throws OidcError unknown_provider, provider_unavailable, authorization_url_failed, invalid_redirect_uri (too long) */
  async begin(request: LoginRequest): Promise<BegunLogin> {
    const { realm_uri, redirect_uri, client_id, device_id, routeProvider = 'default' } = request
    const { box, providers } = this.#ports
    const name = request.provider ?? routeProvider
    const provider = await providers.get(realm_uri, name)
    const state: LoginState = {
      ...{ realm_uri, provider: name, redirect_uri, client_id, device_id, iat: this.#now() },
      callback: provider.settings.redirect_uri ?? request.callbackUrl(name),
      state: randomText(),
      nonce: randomText(),
      code_verifier: randomText(),
    }
    const location = await provider.authorizationUrl(state)
    const own = sealState(box, state)
    const others = makeRoom(box, request.loginCookies ?? new Map(), own)
    return { location, cookies: [...own, ...others], settings: provider.settings }
  }

  /** @throws OidcError any code of the callback; then there is no ticket */
  async finish(request: CallbackRequest): Promise<FinishedLogin> {
    const { realm_uri, provider: name } = request
    const { box, providers } = this.#ports
    this.settings(realm_uri, name)
    const { searchParams, search } = new URL(request.url)
    const [state, more] = searchParams.getAll('state')
    const error = searchParams.get('error')
    if (!state || !(error || searchParams.get('code'))) {
      throw new OidcError('missing_code_or_state', 'code and state are required')
    }
    if (more !== undefined) throw new OidcError('invalid_state', 'state is given more than once')
    const at = { realm_uri, provider: name, now: this.#now() }
    const login = readState(box, state, request.cookieOf, at)
    if (error) {
      const answer = answerOf(error, searchParams.get('error_description'))
      const message = 'the provider has refused the login'
      throw new OidcError('provider_error', message, { answer })
    }
    const provider = await providers.get(realm_uri, name)
    await this.#use(login)
    const found = await provider.exchange(search, login)
    const { settings } = provider
    const who = this.#who(request, settings, found)
    try {
      const issued = await this.#issue(request, login, settings, who, found)
      const { authid } = who
      await this.#ports.accounts.bind(realm_uri, authid, found, settings.auto_provision)
      const { ticket, claims, isWhole } = issued
      const isKept = !isWhole && found.id_token.length <= maxHint
      if (isKept) {
        await this.#ports.idTokens.keep(claims.id, found.id_token, claims.exp + hintGrace)
      }
      this.#ports.log.info({ realm_uri, authid, provider: name }, 'a user has logged in')
      return {
        redirect_uri: login.redirect_uri,
        ...{ ticket, claims, settings },
        csrf: csrfOf(box, realm_uri, claims.id),
        maxAge: claims.exp - claims.iat,
        loginCookies: cookiesOfLogin(state, request.cookieOf),
      }
    } catch (cause) {
      if (!(cause instanceof ServiceError || cause instanceof TokenError)) throw cause
      throw new OidcError('ticket_issue_failed', `no ticket was issued: ${cause.message}`, {
        cause,
      })
    }
  }

  /** The remains of the login that a state belongs to. */
  remembered(
    state: string,
    cookieOf: (name: string) => string | undefined,
  ): RememberedLogin | undefined {
    return rememberedLogin(this.#ports.box, state, cookieOf)
  }

  /** Ends the login that the ticket stands for, as far as that is possible now. Never throws: a logout never fails visibly. */
  async logout(request: LogoutRequest): Promise<LoggedOut> {
    const { realm_uri, ticket = '', redirect_uri, mayRevoke, routeProvider = 'default' } = request
    const claims = await this.#try(() =>
      this.#ports.tickets.verifyIgnoringExpiry(ticket, realm_uri),
    )
    const name = claims?.oidc_provider ?? routeProvider
    const settings = await this.#try(() => this.settings(realm_uri, name))
    const answer = { location: redirect_uri, ...(settings && { settings }) }
    if (!claims || !mayRevoke) return answer
    const { revocations, idTokens, providers } = this.#ports
    const id_token = claims.oidc_id_token ?? (await this.#try(() => idTokens.find(claims.id)))
    await this.#try(
      () => revocations.revokeToken(claims.id, claims.exp),
      'the ticket could not be revoked',
    )
    await this.#try(() => idTokens.end(claims.id))
    const location = await this.#try(async () => {
      if (!id_token || !settings) return undefined
      const provider = await providers.get(realm_uri, name)
      return provider.endSessionUrl(id_token, returnUri(request, settings))
    }, 'the session at the provider could not be ended')
    return { ...answer, location: location ?? redirect_uri }
  }

  /** Best effort, since a logout never fails visibly (Logout, rule 2). @param message for the log; absent: not worth a line */
  async #try<T>(attempt: () => T | Promise<T>, message?: string): Promise<T | undefined> {
    try {
      return await attempt()
    } catch (error) {
      if (message !== undefined) this.#ports.log.warn({ reason: why(error) }, message)
      return undefined
    }
  }

  /** A login is finished once, on whatever node. @throws OidcError invalid_state */
  async #use({ state, iat }: LoginState): Promise<void> {
    const { revocations } = this.#ports
    // a little longer than it can be shown, since clocks differ
    const isFirst = await revocations
      .useOnce(`login:${loginCookieName(state)}`, iat + 2 * stateLifetime)
      .catch((cause: unknown) => {
        throw new OidcError('ticket_issue_failed', 'the login could not be marked as used', {
          cause,
        })
      })
    if (!isFirst) throw new OidcError('invalid_state', 'the login is already finished')
  }

  /** @throws OidcError missing_authid_claim, ticket_issue_failed */
  #who({ realm_uri, address }: CallbackRequest, settings: ProviderSettings, { claims }: Exchanged) {
    const { realms, logins } = this.#ports
    const authid = authidOf(claims, settings)
    if (!logins.mayUse(realm_uri, authmethod, authid, address)) {
      const message = `the sources of the realm do not admit ${authmethod} of this user from there`
      throw new OidcError('ticket_issue_failed', message)
    }
    this.#tellUnmapped(realm_uri, settings, claims)
    // grants name users, too: no role makes anybody another user
    const users = realms.realm(realm_uri)?.users
    const authroles = rolesOf(claims, settings).filter(
      (role) => role === authid || !users?.has(role),
    )
    return { authid, authroles }
  }

  /** Logs each dropped role once, since a misspelt mapping looks like a user without rights. */
  #tellUnmapped(realm_uri: string, settings: ProviderSettings, claims: Exchanged['claims']): void {
    for (const role of unmappedRoles(claims, settings)) {
      const key = JSON.stringify([realm_uri, settings.name, role])
      if (this.#unmapped.has(key) || this.#unmapped.size >= maxUnmapped) continue
      this.#unmapped.add(key)
      const line = { realm_uri, provider: settings.name, role }
      this.#ports.log.info(line, 'a role of the provider is dropped: role_mapping does not name it')
    }
  }

  /** The ticket, with the ID token in it when the cookie can carry both. @throws OidcError ticket_issue_failed; TokenError */
  async #issue(
    { realm_uri, issuer: iss }: CallbackRequest,
    { client_id, device_id, provider: oidc_provider }: LoginState,
    settings: ProviderSettings,
    who: { readonly authid: string; readonly authroles: readonly string[] },
    { id_token, access_token_expires_at: at }: Exchanged,
  ) {
    const subject = {
      ...{ iss, ...who, authmethod, oidc_provider },
      scope: { realm: realm_uri, client_id, device_id },
      lifetime: settings.ticket_expiry_secs,
      ...(at !== undefined && { oidc_access_token_expires_at: at }),
    }
    const { tickets } = this.#ports
    // an ID token that is longer than the cookie cannot fit
    const whole =
      id_token.length < maxCookie
        ? await tickets.issue(realm_uri, { ...subject, oidc_id_token: id_token })
        : undefined
    if (whole && fitsCookie(realm_uri, whole.ticket, settings)) return { ...whole, isWhole: true }
    const bare = await tickets.issue(realm_uri, subject)
    if (fitsCookie(realm_uri, bare.ticket, settings)) return { ...bare, isWhole: false }
    const message = `the ticket does not fit in a cookie of ${maxCookie} bytes: give fewer roles`
    throw new OidcError('ticket_issue_failed', message)
  }

  #now(): number {
    return secondsOf(this.#ports.clock)
  }
}

/** 256 bits, base64url: 43 characters, as many as a code verifier needs (RFC 7636 §4.1). */
const randomText = (): string => randomBytes(32).toString('base64url')

/** The URL that the provider sends the browser to: one that the settings list, else the one at which the logout was to end. */
function returnUri({ redirect_uri, origin }: LogoutRequest, settings: ProviderSettings): string {
  const listed = settings.post_logout_redirect_uris
  const wanted = redirect_uri.startsWith('/') ? origin + redirect_uri : redirect_uri
  return listed.includes(wanted) ? wanted : (listed[0] ?? wanted)
}
