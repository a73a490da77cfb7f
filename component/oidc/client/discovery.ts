/** Metadata of identity providers (OpenID Connect Discovery 1.0): fetched once, kept, and refreshed in the background. */
import type * as openid from 'openid-client'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { OidcError } from '#component/oidc-error.ts'
import { parseWithoutNulls } from '#component/syntax/values.ts'
import { mismatchIn } from './issuer-mismatch.ts'
import { ProviderJwks } from './jwks.ts'
import { failureOf, type SentRequest } from './provider-answer.ts'
import { isNamed, reachedAt, type Site } from './site.ts'

/** Sends requests to providers: with limits of time and size, without following redirects. */
export type ProviderFetch = (
  url: string,
  request: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string | URLSearchParams | Uint8Array | null | undefined
  },
  /** Whether the address may be private. */
  isFixed: boolean,
  /** The certificates (PEM) that are trusted in place of those of the system. */
  ca?: string,
) => Promise<Response>

/** The dependencies of discovery. */
export interface DiscoveryPorts {
  readonly fetch: ProviderFetch
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/** A provider as far as all its realms have it in common. */
export interface Discovered {
  /** The library, which is read when there is a provider to ask: a gateway without one starts without it. */
  readonly client: typeof openid
  readonly metadata: openid.ServerMetadata
  readonly jwks: ProviderJwks
}

/** The state of an issuer. */
interface Known {
  found?: Discovered
  /** When it was found, or a refresh failed last; milliseconds since the epoch. */
  foundAt: number
  triedAt: number
  failure?: OidcError
  pending?: Promise<Discovered>
}

/** Milliseconds until metadata are fetched again, and until a failure is forgotten. */
const freshMs = 3_600_000
const failureMs = 1_000

/** Issuers remembered: more than any gateway has, so that settings of the past do not pile up. */
const maxKnown = 256

/** The library's own limit, in seconds, behind that of the fetch. */
const spareTimeout = 30

const endpoints = [
  'authorization_endpoint',
  'pushed_authorization_request_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'end_session_endpoint',
] as const

/**
 * The fetch as the library calls it: a status of 500 or more counts as no answer, and a member that is null as none.
 * @param sent receives the last request, for the log
 */
export const libraryFetch =
  (fetch: ProviderFetch, site: Site, sent: SentRequest): openid.CustomFetch =>
  async (url, { method, headers, body }) => {
    if (body instanceof ArrayBuffer || body instanceof ReadableStream) {
      throw new TypeError('the body of a request to a provider is a form')
    }
    const target = reachedAt(url, site)
    const { origin, pathname } = new URL(target)
    const isFixed = site.allow_unsafe_http || isNamed(origin, site)
    sent.url = origin + pathname
    delete sent.status
    const response = await fetch(target, { method, headers, body }, isFixed, site.ca)
    sent.status = response.status
    if (response.status < 500) return withoutNulls(response)
    const message = `the provider returned the status ${response.status}`
    throw new ServiceError('service.error.bad_gateway', message)
  }

/** The answer without the members of its JSON that are null, which the library takes for values of a wrong type. */
async function withoutNulls(response: Response): Promise<Response> {
  const text = await response.clone().text()
  if (!text.includes('null')) return response
  try {
    return new Response(JSON.stringify(parseWithoutNulls(text)), response)
  } catch {
    // no JSON, which is for the library to say
    return response
  }
}

/** Why something failed, for the log: the messages of all causes, without any received content. */
export function why(error: unknown): string {
  const sentences: string[] = []
  for (let at = error; at instanceof Error && sentences.length < 8; at = at.cause) {
    // JSON.parse quotes what it could not read, which may be a token
    if (!(at instanceof SyntaxError)) sentences.push(at.message)
  }
  return [...new Set(sentences)].join(': ')
}

/** The providers of all realms, by issuer. */
export class Discovery {
  readonly #ports: DiscoveryPorts
  readonly #known = new Map<string, Known>()

  constructor(ports: DiscoveryPorts) {
    this.#ports = ports
  }

  /**
   * The metadata of the provider, at most an hour old as long as the provider answers.
   * @throws OidcError provider_unavailable
   */
  async get(site: Site): Promise<Discovered> {
    const { issuer, allow_unsafe_http, internal_issuer_url, ca } = site
    const key = JSON.stringify([issuer, allow_unsafe_http, internal_issuer_url, ca])
    const known = this.#known.get(key) ?? { foundAt: 0, triedAt: 0 }
    if (!this.#known.has(key)) this.#remember(key, known)
    const now = this.#ports.clock.now()
    const { found, failure } = known
    const mayTry = failure === undefined || now - known.triedAt >= failureMs
    if (found) {
      if (now - known.foundAt >= freshMs && mayTry) {
        // the known metadata stays in use: this login does not wait for the refresh
        this.#fetch(site, known).catch((error: unknown) => this.#tell(site, error))
      }
      return found
    }
    if (failure && !mayTry) throw failure
    return this.#fetch(site, known)
  }

  #remember(key: string, known: Known): void {
    this.#known.set(key, known)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxKnown) return
      this.#known.delete(oldest)
    }
  }

  #tell({ issuer }: Site, error: unknown): void {
    this.#ports.log.warn(
      { issuer, reason: why(error), ...(error instanceof OidcError && error.answer) },
      'the metadata of a provider could not be refreshed; the known metadata stays in use',
    )
  }

  #fetch(site: Site, known: Known): Promise<Discovered> {
    const sent: SentRequest = {}
    known.pending ??= this.#discover(site, sent)
      .then(
        (found) => {
          delete known.failure
          known.foundAt = this.#ports.clock.now()
          known.found = found
          return known.found
        },
        (cause: unknown) => {
          const reason = mismatchIn(cause, site.issuer) ?? why(cause)
          const message = `the metadata of the provider could not be fetched: ${reason}`
          const answer = failureOf(cause, sent)
          known.failure = new OidcError('provider_unavailable', message, { cause, answer })
          known.triedAt = this.#ports.clock.now()
          throw known.failure
        },
      )
      .finally(() => delete known.pending)
    return known.pending
  }

  async #discover(site: Site, sent: SentRequest): Promise<Discovered> {
    const client = await import('openid-client')
    const { issuer, allow_unsafe_http } = site
    const found = await client.discovery(new URL(issuer), 'gateway', undefined, client.None(), {
      [client.customFetch]: libraryFetch(this.#ports.fetch, site, sent),
      timeout: spareTimeout,
      execute: allow_unsafe_http ? [client.allowInsecureRequests] : [],
    })
    const metadata = found.serverMetadata()
    for (const name of endpoints) checkEndpoint(name, metadata[name], allow_unsafe_http)
    return { client, metadata, jwks: new ProviderJwks(this.#ports.clock) }
  }
}

/** Refuses a provider with an insecure endpoint before a browser or a request is sent there. */
function checkEndpoint(name: string, value: unknown, allowUnsafeHttp: boolean): void {
  if (value === undefined) return
  const protocol = typeof value === 'string' ? URL.parse(value)?.protocol : undefined
  if (protocol === 'https:' || (allowUnsafeHttp && protocol === 'http:')) return
  const message = `${name}: expected a URL with https`
  throw new ServiceError('service.error.bad_gateway', message)
}
