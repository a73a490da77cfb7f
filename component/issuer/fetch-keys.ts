/** Fetches the keys of an issuer: its JWK Set (RFC 7517 §5), found by its metadata where the realm does not name it. */
import type { ProviderFetch } from '#component/oidc/client/discovery.ts'
import { mismatchOf } from '#component/oidc/client/issuer-mismatch.ts'
import { isMap, type JsonMap, parseWithoutNulls } from '#component/syntax/values.ts'
import { isWebUrl } from '#component/syntax/web-url.ts'
import type { KeySite } from './settings.ts'

/** A JWK Set. Each key is checked when a token needs it. */
export interface JwkSet {
  readonly keys: readonly JsonMap[]
}

/** At most this many bytes of an answer. */
export const maxAnswer = 524_288

/** Where metadata are: OpenID Connect Discovery 1.0 §4, RFC 8414 §3.1. */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
}

/** @throws ServiceError of the fetch, Error */
async function fetchJson(url: string, site: KeySite, fetch: ProviderFetch): Promise<JsonMap> {
  const { issuer, jwks_uri, allow_unsafe_http } = site
  const { origin, pathname, protocol } = new URL(url)
  if (protocol !== 'https:' && !allow_unsafe_http) throw new Error(`${url}: expected https`)
  // the realm vouches for the origins that it names itself, not for those that the metadata name
  const isFixed = allow_unsafe_http || url === jwks_uri || origin === new URL(issuer).origin
  const headers = { accept: 'application/json, application/jwk-set+json' }
  const answer = await fetch(url, { headers }, isFixed)
  const place = origin + pathname
  if (answer.status !== 200) throw new Error(`${place} returned the status ${answer.status}`)
  let value: unknown
  try {
    value = parseWithoutNulls(await answer.text())
  } catch {
    // the error of the parser quotes the answer
  }
  if (!isMap(value)) throw new Error(`${place} did not return a JSON map`)
  return value
}

async function jwksUriOf(site: KeySite, fetch: ProviderFetch): Promise<string> {
  const failures: unknown[] = []
  for (const url of metadataUrls(site.issuer)) {
    try {
      const { issuer, jwks_uri } = await fetchJson(url, site, fetch)
      // RFC 8414 §3.3: metadata of another issuer are not used
      if (issuer !== site.issuer) {
        const reason = mismatchOf(site.issuer, issuer)
        throw new Error(`${url} has the metadata of another issuer${reason ? `: ${reason}` : ''}`)
      }
      if (isWebUrl(jwks_uri)) return jwks_uri
      throw new Error(`${url} names no jwks_uri`)
    } catch (cause) {
      failures.push(cause)
    }
  }
  const [first] = failures
  throw first
}

/**
 * Fetches the JWK Set of an issuer.
 * @throws ServiceError, Error: without anything that was received, but the URL of the keys
 */
export async function fetchKeys(site: KeySite, fetch: ProviderFetch): Promise<JwkSet> {
  const url = site.jwks_uri ?? (await jwksUriOf(site, fetch))
  const { keys } = await fetchJson(url, site, fetch)
  if (Array.isArray(keys)) return { keys: keys.filter(isMap) }
  throw new Error('the response is not a JWK Set')
}
