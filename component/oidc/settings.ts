/** A realm's settings of its identity providers: `info.oidc_providers`, read with defaults (behaviour: OIDC). */

import { OidcError } from '#component/oidc-error.ts'
import type { ClaimPath } from '#component/realm/documents/info/claim-path.ts'
import type {
  ClientAuthentication,
  pushedRequests,
} from '#component/realm/documents/info/provider-rules.ts'
import type { Realms } from '#component/realm/realms.ts'
import { isMap } from '#component/syntax/values.ts'
import type { LoginParameters } from './login-parameters.ts'
import { providerClashes, providerValues } from './provider-values.ts'

/** Roles by the role of the provider that stands for them. */
type RoleMapping = Readonly<Record<string, readonly string[]>>

/** One provider of a realm. */
export interface ProviderSettings {
  /** Its key in `oidc_providers`. */
  readonly name: string
  /** What people are shown in place of the name. */
  readonly title?: string
  /** URL without `/.well-known/…`. */
  readonly issuer: string
  readonly client_id: string
  /** As the realm has it: sealed, `{env}`, `{file}`; absent for a public client. Opened by `Realms.openSecret`. */
  readonly client_secret?: unknown
  /** As {@link client_secret}: the PEM that the gateway signs with in place of a secret. */
  readonly private_key?: unknown
  /** Absent: chosen by what the client has, and from what the provider announces. */
  readonly client_authentication?: ClientAuthentication
  /** The same by its older name. */
  readonly token_endpoint_auth_method?: ClientAuthentication
  /** When authorization requests are pushed (RFC 9126); absent: where the provider requires it. */
  readonly par?: (typeof pushedRequests)[number]
  /** Absolute URL of the callback, as the provider knows it; absent: the one of the route. */
  readonly redirect_uri?: string
  /** `openid` is always among them. */
  readonly scopes: readonly string[]
  /** Names of parameters that a browser may add to the authorization request. */
  readonly login_parameters: readonly string[]
  /** Parameters of every authorization request. */
  readonly authorization_parameters: LoginParameters
  readonly authid_claim: ClaimPath
  readonly role_claim: ClaimPath
  readonly role_claim_fallback: ClaimPath
  /** Empty: roles have the names that the provider gives them. */
  readonly role_mapping: RoleMapping
  /** Claims that tickets carry. */
  readonly claims: readonly ClaimPath[]
  readonly auto_provision: boolean
  /** For how long a ticket may not be used, or it is refused. Seconds; absent: it need not be used. */
  readonly ticket_idle_secs?: number
  /** Lifetime of tickets, and of their cookies. Seconds, 1 to 2592000. */
  readonly ticket_expiry_secs: number
  /** How long a login counts without the provider being asked; 0: for ever. Seconds. */
  readonly recheck_interval: number
  /** How much longer it counts while the provider does not answer. Seconds. */
  readonly recheck_grace: number
  /** Whether expressions may read the access token of the provider. */
  readonly pass_access_token: boolean
  /** The URL of the issuer for requests of the gateway; absent: the issuer's own. */
  readonly internal_issuer_url?: string
  /** The path of a PEM file with the certificates that the provider is trusted by; absent: those of the system. */
  readonly ca_file?: string
  /** Whether it may be reached by http, and at private addresses. */
  readonly allow_unsafe_http: boolean
  readonly cookie_domain?: string
  readonly cookie_same_site: 'lax' | 'strict' | 'none'
  /** URLs or origins where a login may end beside paths of this origin. */
  readonly allowed_redirect_uris: readonly string[]
  /** URLs where a logout may end after the provider's own page. */
  readonly post_logout_redirect_uris: readonly string[]
}

/** Reads one provider, or returns its problems: each names a key and the allowed values. */
function read(name: string, entry: unknown): ProviderSettings | readonly string[] {
  if (!isMap(entry)) return ['expected an object']
  const problems: string[] = []
  const settings: Record<string, unknown> = { name }
  for (const [key, { wanted, isRequired, preset, read }] of Object.entries(providerValues)) {
    const value = (Object.hasOwn(entry, key) ? entry[key] : undefined) ?? preset
    if (value === undefined && !isRequired) continue
    settings[key] = read(value)
    if (settings[key] === undefined) problems.push(`${key}: expected ${wanted}`)
  }
  if (problems.length > 0) return problems
  // every key has been read by its row
  const found = settings as unknown as ProviderSettings
  const clashes = providerClashes.flatMap((clashOf) => clashOf(found) ?? [])
  return clashes.length > 0 ? clashes : found
}

const isProblems = (found: ProviderSettings | readonly string[]): found is readonly string[] =>
  Array.isArray(found)

/**
 * The settings of a provider.
 * @throws OidcError unknown_provider, also where the realm does not serve `oidcrp`; provider_unavailable when the settings
 *   make no sense
 */
export function settingsOf(
  realms: Pick<Realms, 'realm'>,
  realm_uri: string,
  name: string,
): ProviderSettings {
  const realm = realms.realm(realm_uri)
  const providers = realm?.info.oidc_providers
  if (!realm?.authmethods.includes('oidcrp')) {
    throw new OidcError('unknown_provider', 'the realm does not serve oidcrp')
  }
  if (!isMap(providers) || !Object.hasOwn(providers, name)) {
    throw new OidcError('unknown_provider', 'the realm has no provider with this name')
  }
  const found = read(name, providers[name])
  if (!isProblems(found)) return found
  const place = `info.oidc_providers.${name}`
  throw new OidcError('provider_unavailable', `${place}: ${found.join('; ')}`)
}

/** The providers that a person chooses from: those of a realm with a login page whose settings make sense; empty for less than two. */
export function choicesOf(
  realms: Pick<Realms, 'realm'>,
  realm_uri: string,
): readonly ProviderSettings[] {
  const realm = realms.realm(realm_uri)
  const providers = realm?.info.oidc_providers
  if (!realm?.login_page || !realm.authmethods.includes('oidcrp') || !isMap(providers)) return []
  const found = Object.entries(providers).flatMap(([name, entry]) => {
    const settings = read(name, entry)
    return isProblems(settings) ? [] : settings
  })
  return found.length > 1 ? found : []
}

/**
 * Why users of the realm cannot log in at the provider: a warning for a document that uses it; undefined if they can.
 * @param isGuessed whether the callback URL is derived from the listening address, unless the provider's settings name it
 */
export function loginProblem(
  realms: Pick<Realms, 'realm'>,
  realm_uri: string,
  provider: string,
  isGuessed = false,
): string | undefined {
  try {
    const { redirect_uri } = settingsOf(realms, realm_uri, provider)
    if (!isGuessed || redirect_uri !== undefined) return undefined
    return `logins at the provider ${provider} of ${realm_uri} return to the address that the gateway listens on: set gateway.public_base_url, redirect_uri of the provider, or a host without wildcards`
  } catch (error) {
    if (!(error instanceof OidcError)) throw error
    return `logins fail at the provider ${provider} of ${realm_uri}: ${error.message}`
  }
}
