/** One identity provider of a realm: authorization URL, code exchange with all that must be verified, end of the session. */
import type * as openid from 'openid-client'
import { type Clock, secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { checkAccessToken } from '#component/oidc/client/access-token-hash.ts'
import {
  type ClientSecrets,
  clientAuthentication,
} from '#component/oidc/client/client-authentication.ts'
import {
  type Discovered,
  libraryFetch,
  type ProviderFetch,
  why,
} from '#component/oidc/client/discovery.ts'
import { mismatchIn } from '#component/oidc/client/issuer-mismatch.ts'
import { failureOf, type SentRequest } from '#component/oidc/client/provider-answer.ts'
import type { Site } from '#component/oidc/client/site.ts'
import { OidcError } from '#component/oidc-error.ts'
import { newOrigins } from '#component/realm/documents/secret-origins.ts'
import { withoutNulls } from '#component/syntax/values.ts'
import { type Claims, type Told, toldBy } from './claims.ts'
import { checkDemands, type LoginParameters } from './login-parameters.ts'
import type { LoginState } from './login-state.ts'
import { type LogoutOrder, logoutOrderOf } from './logout-token.ts'
import { type Refreshed, refreshTokens } from './refreshed-tokens.ts'
import type { ProviderSettings } from './settings.ts'
import { signatureRules } from './signature.ts'
import { refusesNulls, TokenAnswers } from './token-answers.ts'

/** The result of a login at the provider. */
export interface Exchanged extends Told {
  readonly issuer: string
  readonly sub: string
  /** The session at the provider, which its logout tokens name. */
  readonly sid?: string
  /** Where the tokens may be sent: to this provider. */
  readonly origins: readonly string[]
  /** As the provider signed it. */
  readonly id_token: string
  readonly access_token: string
  /** Seconds since the epoch. */
  readonly access_token_expires_at?: number
  readonly refresh_token?: string
}

/** How far an ID token may come from the future: clocks differ. Seconds. */
const maxAhead = 120

/** One exchange, however often its answers are judged. */
interface Exchange {
  readonly sent: SentRequest
  readonly answers: TokenAnswers
}

/** What is done with the answers of an exchange that are judged again: the code is spent. */
interface Judging {
  /** Whether the known keys are fetched again, as those of an unknown kid are. */
  readonly isKeyWrong?: true
  /** Whether claims of null are left out of the ID token. */
  readonly hasNulls?: true
}

interface Parts {
  readonly settings: ProviderSettings
  /** As `Realms.secretOrigins` tells them. */
  readonly origins: readonly string[]
  readonly site: Site
  readonly secrets: ClientSecrets
  readonly discovered: Discovered
  readonly fetch: ProviderFetch
  readonly clock: Pick<Clock, 'now'>
}

/** A provider that has been discovered. */
export class Provider {
  readonly settings: ProviderSettings
  readonly #parts: Parts
  readonly #authentication: openid.ClientAuth

  /** @throws OidcError provider_unavailable when the provider takes no client as the gateway authenticates */
  constructor(parts: Parts) {
    const { settings, secrets, discovered } = parts
    this.settings = settings
    this.#parts = parts
    this.#authentication = clientAuthentication(settings, secrets, discovered)
  }

  /** Where the secrets of its settings, and what it gives, may be sent. */
  get origins(): readonly string[] {
    return this.#parts.origins
  }

  /** Whether it may be sent what was given for these origins. */
  mayGet(origins: readonly string[]): boolean {
    return newOrigins(this.origins, origins).length === 0
  }

  /**
   * Where the browser goes to log in.
   * @param parameters beside those of the protocol
   * @throws OidcError authorization_url_failed; provider_unavailable when it is to take the request beforehand and does not answer
   */
  async authorizationUrl(login: LoginState, parameters: LoginParameters = {}): Promise<string> {
    const { client } = this.#parts.discovered
    const sent: SentRequest = {}
    try {
      const request = {
        ...parameters,
        redirect_uri: login.callback,
        scope: this.settings.scopes.join(' '),
        state: login.state,
        nonce: login.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(login.code_verifier),
        code_challenge_method: 'S256',
      }
      const configuration = this.#configuration({ sent, answers: new TokenAnswers() })
      const url = this.#pushes
        ? await client.buildAuthorizationUrlWithPAR(configuration, request)
        : client.buildAuthorizationUrl(configuration, request)
      return url.href
    } catch (cause) {
      const code = isAway(cause) ? 'provider_unavailable' : 'authorization_url_failed'
      const answer = failureOf(cause, sent)
      const message = `the authorization URL could not be made: ${why(cause)}`
      throw new OidcError(code, message, { cause, answer })
    }
  }

  /** Whether the provider is given the request itself, and the browser only a reference to it (RFC 9126). */
  get #pushes(): boolean {
    const { metadata } = this.#parts.discovered
    const { par } = this.settings
    if (par === undefined) return metadata.require_pushed_authorization_requests === true
    if (par === 'auto') return metadata.pushed_authorization_request_endpoint !== undefined
    return par === 'always'
  }

  /**
   * Exchanges the code for the tokens, and verifies all that they say.
   * @param search the query of the callback
   * @throws OidcError token_exchange_failed, unmet_authentication_requirements; provider_unavailable when the provider does not answer
   */
  exchange(search: string, login: LoginState): Promise<Exchanged> {
    return this.#asking(
      'the code could not be exchanged',
      async (client, configuration, exchange) => {
        const callback = new URL(login.callback)
        callback.search = search
        const tokens = await client.authorizationCodeGrant(configuration, callback, {
          expectedState: login.state,
          expectedNonce: login.nonce,
          pkceCodeVerifier: login.code_verifier,
          idTokenExpected: true,
        })
        const { access_token, expires_in = Number.NaN } = tokens
        const id_token = exchange.answers.signed(tokens.id_token ?? '')
        const now = secondsOf(this.#parts.clock)
        const claims = withoutNulls(tokens.claims() ?? refuse('the response has no ID token'))
        if (claims.sub === '') refuse('the ID token has an empty sub')
        if (claims.iat > now + maxAhead) refuse('the iat of the ID token is in the future')
        checkAccessToken(id_token, access_token, claims.at_hash)
        checkDemands(claims, login.demands ?? {}, login.iat)
        const userinfo = this.#parts.discovered.metadata.userinfo_endpoint
          ? await client.fetchUserInfo(this.#configuration(exchange), access_token, claims.sub)
          : {}
        const expires_at = now + Math.floor(expires_in)
        return {
          ...toldBy(claims, userinfo, this.settings),
          issuer: claims.iss,
          sub: claims.sub,
          ...(typeof claims.sid === 'string' && claims.sid !== '' && { sid: claims.sid }),
          ...{ id_token, access_token, origins: this.origins },
          ...(Number.isSafeInteger(expires_at) && { access_token_expires_at: expires_at }),
          ...(tokens.refresh_token !== undefined && { refresh_token: tokens.refresh_token }),
        }
      },
    )
  }

  /**
   * Asks for new tokens of a login (OpenID Connect Core §12).
   * @param sub whose login it is: an ID token of somebody else is refused
   * @throws OidcError token_exchange_failed, whose `provider_code` is `invalid_grant` when the provider has ended the login;
   *   provider_unavailable
   */
  refresh(refresh_token: string, sub: string): Promise<Refreshed> {
    const now = secondsOf(this.#parts.clock)
    return this.#asking('the tokens could not be renewed', (client, configuration) =>
      refreshTokens(client, configuration, { refresh_token, sub, now }),
    )
  }

  /**
   * What the provider says of a user beside the ID token; undefined where it has no userinfo endpoint.
   * @throws OidcError token_exchange_failed, provider_unavailable
   */
  async userinfo(access_token: string, sub: string): Promise<Claims | undefined> {
    if (!this.#parts.discovered.metadata.userinfo_endpoint) return undefined
    return this.#asking('the userinfo could not be read', (client, configuration) =>
      client.fetchUserInfo(configuration, access_token, sub),
    )
  }

  /** @param failure the sentence of the error */
  async #asking<T>(failure: string, ask: Ask<T>): Promise<T> {
    const exchange: Exchange = { sent: {}, answers: new TokenAnswers() }
    const { sent } = exchange
    try {
      return await this.#ask(ask, exchange).catch((error: unknown) => {
        // the key may have changed under its name
        if (isBadSignature(error)) return this.#ask(ask, exchange, { isKeyWrong: true })
        if (refusesNulls(error)) return this.#ask(ask, exchange, { hasNulls: true })
        throw error
      })
    } catch (cause) {
      if (cause instanceof OidcError) throw cause
      const code = isAway(cause) ? 'provider_unavailable' : 'token_exchange_failed'
      const answer = failureOf(cause, sent)
      const reason = mismatchIn(cause, this.settings.issuer) ?? why(cause)
      throw new OidcError(code, `${failure}: ${reason}`, { cause, answer })
    }
  }

  async #ask<T>(ask: Ask<T>, exchange: Exchange, judging: Judging = {}): Promise<T> {
    const { client, jwks } = this.#parts.discovered
    const configuration = this.#configuration(exchange, judging)
    try {
      return await ask(client, configuration, exchange)
    } finally {
      jwks.keep(client.getJwksCache(configuration))
    }
  }

  /**
   * The order of a logout token.
   * @throws LogoutTokenError; OidcError provider_unavailable when the keys of the provider are needed and do not come
   */
  logoutOrder(token: string): Promise<LogoutOrder> {
    const { settings, site, discovered, fetch, clock } = this.#parts
    const { client_id } = settings
    const sent: SentRequest = {}
    const send = libraryFetch(fetch, site, sent)
    return logoutOrderOf(token, discovered, { client_id, now: secondsOf(clock), send, sent })
  }

  /**
   * Where the provider ends the session of the browser (OpenID Connect RP-Initiated Logout 1.0); undefined when it cannot.
   * @param id_token whose session it is
   * @param post_logout_redirect_uri absolute
   */
  endSessionUrl(id_token: string, post_logout_redirect_uri: string): string | undefined {
    const { client, metadata } = this.#parts.discovered
    if (metadata.end_session_endpoint === undefined) return undefined
    return client.buildEndSessionUrl(this.#configuration(), {
      id_token_hint: id_token,
      post_logout_redirect_uri,
    }).href
  }

  /** Made anew each time, since the library fixes with it how far its clock is from ours, and the secret may have changed. */
  #configuration(
    { sent, answers }: Exchange = { sent: {}, answers: new TokenAnswers() },
    { isKeyWrong, hasNulls }: Judging = {},
  ): openid.Configuration {
    const { settings, site, discovered, fetch, clock } = this.#parts
    const { client_id, allow_unsafe_http } = settings
    const { client, metadata, jwks } = discovered
    const send = libraryFetch(fetch, site, sent)
    const cache = isKeyWrong ? undefined : jwks.cache()
    const jwksUrl = URL.parse(metadata.jwks_uri ?? '')?.href
    const clockSkew = Math.round((clock.now() - Date.now()) / 1000)
    const configuration = new client.Configuration(
      metadata,
      client_id,
      { [client.clockSkew]: clockSkew },
      this.#authentication,
    )
    // the fetch has a limit of its own
    configuration.timeout = 0
    configuration[client.customFetch] = async (url, request) => {
      if (url === jwksUrl) return jwks.fetch(() => send(url, request))
      if (request.method !== 'POST') return send(url, request)
      const answer = await answers.answer(url, () => send(url, request))
      return hasNulls ? answers.withoutNulls(answer, signatureRules(discovered, send)) : answer
    }
    if (allow_unsafe_http) client.allowInsecureRequests(configuration)
    // without this the library does not check the signature of the ID token (reliability F12), which `withoutNulls` has done
    if (!hasNulls) client.enableNonRepudiationChecks(configuration)
    if (cache) client.setJwksCache(configuration, cache)
    return configuration
  }
}

/** Asks the provider by the library. */
type Ask<T> = (
  client: Discovered['client'],
  configuration: openid.Configuration,
  exchange: Exchange,
) => Promise<T>

/** Whether a signature does not fit the key of its kid. */
function isBadSignature(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at.message === 'JWT signature verification failed') return true
  return false
}

function refuse(message: string): never {
  throw new Error(message)
}

/** Whether the provider did not answer within the limits. */
function isAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof ServiceError) return true
  return false
}
