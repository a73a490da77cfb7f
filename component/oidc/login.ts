/** A login at an identity provider from its first redirect to the ticket, and the logout; pure of HTTP. */
import { randomBytes } from 'node:crypto'
import { type Clock, secondsOf } from '#component/clock.ts'
import type { LoginCounts } from '#component/login-counts.ts'
import { why } from '#component/oidc/client/discovery.ts'
import { answerOf } from '#component/oidc/client/provider-answer.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { Revocations } from '#component/token/revocation.ts'
import { csrfOf } from './csrf.ts'
import { demandsOf, parametersOf } from './login-parameters.ts'
import {
  cookiesOfLogin,
  finishedLogin,
  type LoginState,
  loginCookieName,
  makeRoom,
  type RememberedLogin,
  readState,
  rememberedLogin,
  sealState,
  stateLifetime,
} from './login-state.ts'
import { type ProviderTicketPorts, ProviderTickets } from './provider-tickets.ts'
import type { Providers } from './providers.ts'
import type {
  BegunLogin,
  CallbackRequest,
  FinishedLogin,
  LoggedOut,
  LoginRequest,
  LogoutRequest,
} from './redirects.ts'
import { choicesOf, type ProviderSettings, settingsOf } from './settings.ts'

/** The dependencies of logins. */
export interface OidcLoginPorts extends ProviderTicketPorts {
  readonly realms: Parameters<typeof settingsOf>[0]
  readonly providers: Pick<Providers, 'get' | 'publicKeys'>
  readonly revocations: Pick<Revocations, 'revokeToken' | 'useOnce'>
  readonly box: SecretBox
  readonly counts: Pick<LoginCounts, 'add'>
  readonly clock: Pick<Clock, 'now'>
}

/** Logins and logouts of all realms. */
export class OidcLogin {
  readonly #ports: OidcLoginPorts
  readonly #tickets: ProviderTickets

  constructor(ports: OidcLoginPorts) {
    this.#ports = ports
    this.#tickets = new ProviderTickets(ports)
  }

  /**
   * The realm's settings of a provider, for checks that come before a login.
   * @throws OidcError unknown_provider, also where the realm does not serve `oidcrp`; provider_unavailable
   */
  settings(realm_uri: string, name: string): ProviderSettings {
    return settingsOf(this.#ports.realms, realm_uri, name)
  }

  /**
   * @throws OidcError unknown_provider, provider_unavailable, authorization_url_failed, invalid_redirect_uri (too long);
   *   ServiceError `service.error.bad_request` for a parameter that is not passed on
   */
  async begin(request: LoginRequest): Promise<BegunLogin> {
    const { realm_uri, redirect_uri, client_id, device_id, routeProvider = 'default' } = request
    const { box, providers } = this.#ports
    const name = request.provider ?? routeProvider
    const provider = await providers.get(realm_uri, name)
    const parameters = parametersOf(provider.settings, request.query ?? {})
    const demands = demandsOf(parameters)
    const state: LoginState = {
      ...{ realm_uri, provider: name, redirect_uri, client_id, device_id, iat: this.#now() },
      origins: provider.origins,
      callback: provider.settings.redirect_uri ?? request.callbackUrl(name),
      state: randomText(),
      nonce: randomText(),
      code_verifier: randomText(),
      ...(Object.keys(demands).length > 0 && { demands }),
    }
    const location = await provider.authorizationUrl(state, parameters)
    const own = sealState(box, state)
    const others = makeRoom(box, request.loginCookies ?? new Map(), own)
    return { location, cookies: [...own, ...others], settings: provider.settings }
  }

  /** @throws OidcError any code of the callback; then there is no ticket */
  async finish(request: CallbackRequest): Promise<FinishedLogin> {
    const { counts } = this.#ports
    try {
      const finished = await this.#finish(request)
      counts.add('oidc', 'ok')
      return finished
    } catch (error) {
      // from 500 on the provider or the store has failed, not the login
      if (error instanceof OidcError && error.status < 500) counts.add('oidc', 'refused')
      throw error
    }
  }

  async #finish(request: CallbackRequest): Promise<FinishedLogin> {
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
    if (!provider.mayGet(login.origins)) {
      const message = 'the provider of the realm has another address since the login began'
      throw new OidcError('invalid_state', message)
    }
    await this.#use(login)
    const found = await provider.exchange(search, login)
    const { settings } = provider
    const { ticket, claims } = await this.#tickets.issue(request, login, settings, found)
    const line = { realm_uri, authid: claims.authid, provider: name }
    this.#ports.log.info(line, 'a user has logged in')
    return {
      redirect_uri: login.redirect_uri,
      ...{ ticket, claims, settings },
      csrf: csrfOf(box, realm_uri, claims.id),
      maxAge: claims.exp - claims.iat,
      loginCookies: [
        finishedLogin(box, login),
        ...cookiesOfLogin(state, request.cookieOf).map((one) => ({ name: one, value: '' })),
      ],
    }
  }

  /** The providers that a person chooses from; empty where a login needs no choice. */
  choices(realm_uri: string): readonly ProviderSettings[] {
    return choicesOf(this.#ports.realms, realm_uri)
  }

  /** The JWK Set of the gateway as a client of a provider. @throws OidcError unknown_provider, provider_unavailable */
  publicKeys(realm_uri: string, name: string): ReturnType<Providers['publicKeys']> {
    return this.#ports.providers.publicKeys(realm_uri, name)
  }

  /** The remains of the login that a state belongs to. @param realm_uri of the callback */
  remembered(
    state: string,
    cookieOf: (name: string) => string | undefined,
    realm_uri: string,
  ): RememberedLogin | undefined {
    return rememberedLogin(this.#ports.box, state, cookieOf, realm_uri)
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
