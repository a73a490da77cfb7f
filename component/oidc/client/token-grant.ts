/** Tokens of an authorization server for what the gateway sends on: by its own credentials (RFC 6749 §4.4), or for the token of a user (RFC 8693). */
import type * as openid from 'openid-client'
import type { Clock } from '#component/clock.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { ClientAuthentication } from '#component/realm/documents/info/provider-settings.ts'
import { isMap } from '#component/syntax/values.ts'
import { type ClientSecrets, clientAuthentication } from './client-authentication.ts'
import { type Discovery, libraryFetch, type ProviderFetch, why } from './discovery.ts'
import { failureOf, type SentRequest } from './provider-answer.ts'
import type { Site } from './site.ts'

/** Where tokens are asked for, and as which client. */
export interface TokenEndpoint {
  /** Whose settings they are, for errors. */
  readonly name: string
  /** The endpoint; absent: the one that the metadata of {@link issuer} name. */
  readonly token_url?: string | undefined
  readonly issuer?: string | undefined
  readonly client_id: string
  readonly client_authentication?: ClientAuthentication | undefined
  /** The certificates (PEM) that are trusted in place of those of the system. */
  readonly ca?: string | undefined
}

/** What is asked for: parameters by name, a list for one that is sent several times. */
export type GrantParameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** What the server gives. */
export interface Granted {
  readonly text: string
  /** Seconds; undefined: the server does not say. */
  readonly lifetime: number | undefined
}

/** The dependencies of {@link TokenGrants}. */
export interface TokenGrantPorts {
  readonly fetch: ProviderFetch
  readonly discovery: Pick<Discovery, 'get'>
  readonly clock: Pick<Clock, 'now'>
}

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** What is read of an answer: the library would verify an ID token in it, for whose issuer nobody asks. */
const readMembers = ['access_token', 'token_type', 'expires_in', 'issued_token_type'] as const
const errorMembers = ['error', 'error_description'] as const

/** A token that can stand in a header field (RFC 6750 §2.1, and what servers give beside it), of a length that upstreams take. */
const sendable = /^[!-~]{1,16384}$/

/** Asks authorization servers. */
export class TokenGrants {
  readonly #ports: TokenGrantPorts

  constructor(ports: TokenGrantPorts) {
    this.#ports = ports
  }

  /**
   * A token for the gateway itself.
   * @throws OidcError provider_unavailable, token_exchange_failed: an answer without a token that can be sent, too
   */
  forClient(
    endpoint: TokenEndpoint,
    secrets: ClientSecrets,
    parameters: GrantParameters,
  ): Promise<Granted> {
    return this.#ask(endpoint, secrets, (client, configuration) =>
      client.clientCredentialsGrant(configuration, formOf(parameters)),
    )
  }

  /**
   * A token for the user of another one.
   * @param parameters with `subject_token` and `subject_token_type`
   * @throws the same; `provider_code` says why the server refuses (RFC 8693 §2.2.2)
   */
  forSubject(
    endpoint: TokenEndpoint,
    secrets: ClientSecrets,
    parameters: GrantParameters,
  ): Promise<Granted> {
    return this.#ask(endpoint, secrets, (client, configuration) =>
      client.genericGrantRequest(configuration, tokenExchange, formOf(parameters)),
    )
  }

  async #ask(
    endpoint: TokenEndpoint,
    secrets: ClientSecrets,
    ask: (
      client: typeof openid,
      configuration: openid.Configuration,
    ) => Promise<openid.TokenEndpointResponse>,
  ): Promise<Granted> {
    const sent: SentRequest = {}
    try {
      const { client, metadata } = await this.#discovered(endpoint)
      const authentication = clientAuthentication(endpoint, secrets, { client, metadata })
      const clockSkew = Math.round((this.#ports.clock.now() - Date.now()) / 1000)
      const configuration = new client.Configuration(
        metadata,
        endpoint.client_id,
        { [client.clockSkew]: clockSkew },
        authentication,
      )
      // the fetch has a limit of its own
      configuration.timeout = 0
      const site = siteOf(endpoint)
      const send = libraryFetch(this.#ports.fetch, site, sent)
      configuration[client.customFetch] = async (url, request) => reduced(await send(url, request))
      if (site.allow_unsafe_http) client.allowInsecureRequests(configuration)
      const { access_token: text, token_type, expires_in } = await ask(client, configuration)
      if (token_type === 'dpop') throw new Error('the token is bound to a key (DPoP)')
      if (!sendable.test(text)) throw new Error('the token cannot stand in a header field')
      return { text, lifetime: expires_in }
    } catch (cause) {
      if (cause instanceof OidcError) throw cause
      const answer = failureOf(cause, sent)
      const code =
        answer.provider_code === undefined ? 'provider_unavailable' : 'token_exchange_failed'
      throw new OidcError(code, `no token could be fetched: ${why(cause)}`, { cause, answer })
    }
  }

  async #discovered(
    endpoint: TokenEndpoint,
  ): Promise<{ readonly client: typeof openid; readonly metadata: openid.ServerMetadata }> {
    const { token_url } = endpoint
    if (token_url === undefined) return this.#ports.discovery.get(siteOf(endpoint))
    const client = await import('openid-client')
    // RFC 7523 §3: a server without a known issuer is named by its token endpoint
    return { client, metadata: { issuer: token_url, token_endpoint: token_url } }
  }
}

/** Its origin is named by the realm. A server that is named with http is asked by http. */
function siteOf({ token_url, issuer = token_url ?? '', ca }: TokenEndpoint): Site {
  const allow_unsafe_http = issuer.startsWith('http:')
  return { issuer, allow_unsafe_http, ...(ca !== undefined && { ca }) }
}

function formOf(parameters: GrantParameters): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value ?? []].flat()) form.append(name, one)
  }
  return form
}

/** The answer with what is read of it alone. */
async function reduced(response: Response): Promise<Response> {
  const text = await response.clone().text()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // no JSON, which is for the library to say
  }
  if (!isMap(value)) return response
  const body = value
  const members = response.ok ? readMembers : errorMembers
  const kept = members.filter((name) => Object.hasOwn(body, name))
  const left = Object.fromEntries(kept.map((name) => [name, body[name]]))
  return new Response(JSON.stringify(left), response)
}
