/** One identity provider of a realm: authorization URL, code exchange with all that must be verified, end of the session. */
import { createHash } from 'node:crypto'
import type * as openid from 'openid-client'
import { type Clock, secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import {
  type ClientSecrets,
  clientAuthentication,
} from '#component/oidc/client/client-authentication.ts'
import { type ClientKey, readClientKey } from '#component/oidc/client/client-key.ts'
import {
  type Discovered,
  Discovery,
  type DiscoveryPorts,
  libraryFetch,
  type ProviderFetch,
  why,
} from '#component/oidc/client/discovery.ts'
import { failureOf, type SentRequest } from '#component/oidc/client/provider-answer.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { Realms } from '#component/realm/realms.ts'
import { type Claims, mergeClaims } from './claims.ts'
import { checkDemands, type LoginParameters } from './login-parameters.ts'
import type { LoginState } from './login-state.ts'
import { type LogoutOrder, LogoutTokenError, readLogoutToken } from './logout-token.ts'
import { type ProviderSettings, settingsOf } from './settings.ts'

/** The result of a login at the provider. */
export interface Exchanged {
  /** Those of the ID token, and of the userinfo endpoint where the ID token says nothing. */
  readonly claims: Claims
  readonly issuer: string
  readonly sub: string
  /** The session at the provider, which its logout tokens name. */
  readonly sid?: string
  /** As the provider signed it. */
  readonly id_token: string
  /** Seconds since the epoch. */
  readonly access_token_expires_at?: number
}

/** The dependencies of providers. */
export interface ProviderPorts extends DiscoveryPorts {
  readonly realms: Pick<Realms, 'realm' | 'openSecret'>
}

/** How far an ID token may come from the future: clocks differ. Seconds. */
const maxAhead = 120

/** Ends of the algorithms' names ─▶ their hash function (OpenID Connect Core §3.1.3.6). */
const hashes = [
  [/^(RS|PS|ES)256$/, 'sha256'],
  [/^(RS|PS|ES)384$/, 'sha384'],
  [/^((RS|PS|ES)512|EdDSA|Ed25519)$/, 'sha512'],
] as const

/** The providers of all realms. */
export class Providers {
  readonly #ports: ProviderPorts
  readonly #discovery: Discovery

  constructor(ports: ProviderPorts) {
    this.#ports = ports
    this.#discovery = new Discovery(ports)
  }

  /** @throws OidcError unknown_provider, provider_unavailable */
  async get(realm_uri: string, name: string): Promise<Provider> {
    const { realms, fetch, clock } = this.#ports
    const settings = settingsOf(realms, realm_uri, name)
    const secret = await this.#open(realm_uri, settings, 'client_secret')
    const key = await this.#key(realm_uri, settings)
    const discovered = await this.#discovery.get(settings)
    return new Provider({ settings, secrets: { secret, key }, discovered, fetch, clock })
  }

  /**
   * The JWK Set by which a provider verifies what the gateway signs as its client (RFC 7517 §5); empty without a private key.
   * @throws OidcError unknown_provider, provider_unavailable
   */
  async publicKeys(realm_uri: string, name: string): Promise<{ readonly keys: readonly object[] }> {
    const key = await this.#key(realm_uri, settingsOf(this.#ports.realms, realm_uri, name))
    return { keys: key ? [key.public_jwk] : [] }
  }

  async #key(realm_uri: string, settings: ProviderSettings): Promise<ClientKey | undefined> {
    const pem = await this.#open(realm_uri, settings, 'private_key')
    return pem === undefined
      ? undefined
      : readClientKey(pem).catch((cause: unknown) => {
          const place = `info.oidc_providers.${settings.name}.private_key`
          throw new OidcError('provider_unavailable', `${place}: ${why(cause)}`)
        })
  }

  /** A secret of the settings; undefined where they have none. */
  async #open(
    realm_uri: string,
    settings: ProviderSettings,
    key: 'client_secret' | 'private_key',
  ): Promise<string | undefined> {
    if (settings[key] === undefined) return undefined
    const problem = (cause?: unknown) => {
      const message = `info.oidc_providers.${settings.name}.${key} cannot be read`
      return new OidcError('provider_unavailable', message, { cause })
    }
    try {
      const secret = await this.#ports.realms.openSecret(realm_uri, settings[key])
      if (!secret) throw problem()
      return secret
    } catch (cause) {
      throw cause instanceof OidcError ? cause : problem(cause)
    }
  }
}

interface Parts {
  readonly settings: ProviderSettings
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
      const configuration = this.#configuration(sent)
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
  async exchange(search: string, login: LoginState): Promise<Exchanged> {
    const { discovered } = this.#parts
    const { client } = discovered
    const sent: SentRequest = {}
    const configuration = this.#configuration(sent)
    try {
      const callback = new URL(login.callback)
      callback.search = search
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        expectedState: login.state,
        expectedNonce: login.nonce,
        pkceCodeVerifier: login.code_verifier,
        idTokenExpected: true,
      })
      const { id_token = '', access_token, expires_in = Number.NaN } = tokens
      const now = secondsOf(this.#parts.clock)
      const claims = tokens.claims() ?? refuse('the answer has no ID token')
      if (claims.sub === '') refuse('the ID token has an empty sub')
      if (claims.iat > now + maxAhead) refuse('the iat of the ID token is in the future')
      checkAccessToken(id_token, access_token, claims.at_hash)
      checkDemands(claims, login.demands ?? {}, login.iat)
      const userinfo = discovered.metadata.userinfo_endpoint
        ? await client.fetchUserInfo(configuration, access_token, claims.sub)
        : {}
      const expires_at = now + Math.floor(expires_in)
      return {
        claims: mergeClaims(claims, userinfo),
        issuer: claims.iss,
        sub: claims.sub,
        ...(typeof claims.sid === 'string' && claims.sid !== '' && { sid: claims.sid }),
        id_token,
        ...(Number.isSafeInteger(expires_at) && { access_token_expires_at: expires_at }),
      }
    } catch (cause) {
      if (cause instanceof OidcError) throw cause
      const code = isAway(cause) ? 'provider_unavailable' : 'token_exchange_failed'
      const answer = failureOf(cause, sent)
      throw new OidcError(code, `the code could not be exchanged: ${why(cause)}`, { cause, answer })
    } finally {
      discovered.jwks.keep(client.getJwksCache(configuration))
    }
  }

  /**
   * The order of a logout token.
   * @throws LogoutTokenError; OidcError provider_unavailable when the keys of the provider are needed and do not come
   */
  async logoutOrder(token: string): Promise<LogoutOrder> {
    const { settings, discovered, fetch, clock } = this.#parts
    const { metadata, jwks } = discovered
    const sent: SentRequest = {}
    const send = libraryFetch(fetch, settings, sent)
    const request = { method: 'GET', headers: { accept: 'application/json' }, body: undefined }
    try {
      return await readLogoutToken(token, {
        issuer: metadata.issuer,
        client_id: settings.client_id,
        algorithms: metadata.id_token_signing_alg_values_supported,
        now: secondsOf(clock),
        keys: (isNew) =>
          jwks.keys(isNew, () => send(metadata.jwks_uri ?? '', { ...request, redirect: 'manual' })),
      })
    } catch (cause) {
      if (cause instanceof LogoutTokenError) throw cause
      const message = `the keys of the provider could not be fetched: ${why(cause)}`
      const answer = failureOf(cause, sent)
      throw new OidcError('provider_unavailable', message, { cause, answer })
    }
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
  #configuration(sent: SentRequest = {}): openid.Configuration {
    const { settings, discovered, fetch, clock } = this.#parts
    const { client_id, allow_unsafe_http } = settings
    const { client, metadata, jwks } = discovered
    const send = libraryFetch(fetch, settings, sent)
    const cache = jwks.cache()
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
    configuration[client.customFetch] = (url, request) =>
      url === jwksUrl ? jwks.fetch(() => send(url, request)) : send(url, request)
    if (allow_unsafe_http) client.allowInsecureRequests(configuration)
    // without this the library does not check the signature of the ID token (reliability F12)
    client.enableNonRepudiationChecks(configuration)
    if (cache) client.setJwksCache(configuration, cache)
    return configuration
  }
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

/** The library does not look at `at_hash` (OpenID Connect Core §3.1.3.8). */
function checkAccessToken(id_token: string, access_token: string, at_hash: unknown): void {
  if (at_hash === undefined) return
  const [header = ''] = id_token.split('.')
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const [, hash] = hashes.find(([names]) => names.test(alg)) ?? []
  const digest = hash && createHash(hash).update(access_token).digest()
  const half = digest?.subarray(0, digest.length / 2).toString('base64url')
  if (half === undefined || half !== at_hash) refuse('at_hash does not match the access token')
}
