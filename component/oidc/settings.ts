/** A realm's settings of its identity providers: `info.oidc_providers`, read with defaults (behaviour: OIDC). */
import { OidcError } from '#component/oidc-error.ts'
import {
  clientAuthentications,
  type ProviderKey,
} from '#component/realm/documents/provider-rules.ts'
import type { Realms } from '#component/realm/realms.ts'
import { isMap } from '#component/syntax/values.ts'
import { maxTicketLifetime } from '#component/token/ticket.ts'

/** Roles by the role of the provider that stands for them. */
type RoleMapping = Readonly<Record<string, readonly string[]>>

/** One provider of a realm. */
export interface ProviderSettings {
  /** Its key in `oidc_providers`. */
  readonly name: string
  /** URL without `/.well-known/…`. */
  readonly issuer: string
  readonly client_id: string
  /** As the realm has it: sealed, `{env}`, `{file}`; absent for a public client. Opened by `Realms.openSecret`. */
  readonly client_secret?: unknown
  /** The client authentication at the token endpoint; absent: chosen from those that the provider announces. */
  readonly token_endpoint_auth_method?: (typeof clientAuthentications)[number]
  /** Absolute URL of the callback, as the provider knows it; absent: the one of the route. */
  readonly redirect_uri?: string
  /** `openid` is always among them. */
  readonly scopes: readonly string[]
  /** A claim, or a dotted path to one, as `role_claim` and `role_claim_fallback`. */
  readonly authid_claim: string
  readonly role_claim: string
  readonly role_claim_fallback: string
  /** Empty: roles have the names that the provider gives them. */
  readonly role_mapping: RoleMapping
  readonly auto_provision: boolean
  /** Lifetime of tickets, and of their cookies. Seconds, 1 to 2592000. */
  readonly ticket_expiry_secs: number
  /** Whether it may be reached by http, and at private addresses. */
  readonly allow_unsafe_http: boolean
  readonly cookie_domain?: string
  readonly cookie_same_site: 'lax' | 'strict' | 'none'
  /** URLs or origins where a login may end beside paths of this origin. */
  readonly allowed_redirect_uris: readonly string[]
  /** URLs where a logout may end after the provider's own page. */
  readonly post_logout_redirect_uris: readonly string[]
}

const sameSites = ['lax', 'strict', 'none'] as const

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'
const isClientAuthentication = (value: unknown): value is (typeof clientAuthentications)[number] =>
  clientAuthentications.some((one) => one === value)
const isSameSite = (value: unknown): value is (typeof sameSites)[number] =>
  sameSites.some((one) => one === value)
const isExpiry = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxTicketLifetime
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText)
const isDomain = (value: unknown): value is string =>
  typeof value === 'string' && /^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(value)
const isMapping = (value: unknown): value is Readonly<Record<string, string | readonly string[]>> =>
  isMap(value) && Object.values(value).every((role) => isText(role) || isTexts(role))

/** An absolute URL of the web without what would not be sent, or not be seen. */
const isWebUrl = (value: unknown): value is string => {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || url.username || url.password || url.hash) return false
  return url.protocol === 'https:' || url.protocol === 'http:'
}

const isPlainUrl = (value: unknown): value is string =>
  isWebUrl(value) && !value.includes('?') && !value.includes('/.well-known/')

/** Reads one provider, or returns its problems: each names a key and the allowed values. */
function read(name: string, entry: unknown): ProviderSettings | readonly string[] {
  if (!isMap(entry)) return ['expected an object']
  const problems: string[] = []
  const optional = <T>(key: ProviderKey, is: (value: unknown) => value is T, wanted: string) => {
    const value = Object.hasOwn(entry, key) ? (entry[key] ?? undefined) : undefined
    if (value === undefined || is(value)) return value
    problems.push(`${key}: expected ${wanted}`)
    return undefined
  }
  const required = (key: ProviderKey, is: (value: unknown) => value is string, wanted: string) => {
    const value = optional(key, is, wanted)
    if (value === undefined && problems.length === 0) problems.push(`${key}: expected ${wanted}`)
    return value ?? ''
  }
  const text = (key: ProviderKey, preset: string) => optional(key, isText, 'a string') ?? preset
  const list = (key: ProviderKey) => optional(key, isTexts, 'a list of strings') ?? []
  const flag = (key: ProviderKey, preset: boolean) =>
    optional(key, isFlag, 'true or false') ?? preset
  const allow_unsafe_http = flag('allow_unsafe_http', false)
  const issuer = required('issuer', isPlainUrl, 'an absolute URL without query and /.well-known/')
  if (!allow_unsafe_http && issuer.startsWith('http:')) {
    problems.push('issuer: expected https, or allow_unsafe_http: true')
  }
  const redirect_uri = optional('redirect_uri', isPlainUrl, 'an absolute URL without query')
  const authentication = optional(
    'token_endpoint_auth_method',
    isClientAuthentication,
    clientAuthentications.join(', '),
  )
  const cookie_domain = optional('cookie_domain', isDomain, 'a domain name')
  const expiry = optional(
    'ticket_expiry_secs',
    isExpiry,
    `an integer from 1 to ${maxTicketLifetime}`,
  )
  const mapping = optional('role_mapping', isMapping, 'an object of roles, or lists of roles')
  const scopes = optional('scopes', isTexts, 'a list of strings') ?? ['openid', 'profile', 'email']
  const settings: ProviderSettings = {
    ...{ name, issuer, allow_unsafe_http },
    client_id: required('client_id', isText, 'a string'),
    ...((entry.client_secret ?? null) !== null && { client_secret: entry.client_secret }),
    ...(authentication && { token_endpoint_auth_method: authentication }),
    ...(redirect_uri && { redirect_uri }),
    scopes: [...new Set(['openid', ...scopes])],
    authid_claim: text('authid_claim', 'preferred_username'),
    role_claim: text('role_claim', 'roles'),
    role_claim_fallback: text('role_claim_fallback', 'role'),
    role_mapping: Object.fromEntries(
      Object.entries(mapping ?? {}).map(([role, roles]) => [role, [roles].flat()]),
    ),
    auto_provision: flag('auto_provision', true),
    ticket_expiry_secs: expiry ?? maxTicketLifetime,
    ...(cookie_domain && { cookie_domain: cookie_domain.replace(/^\./, '').toLowerCase() }),
    cookie_same_site: optional('cookie_same_site', isSameSite, sameSites.join(', ')) ?? 'lax',
    allowed_redirect_uris: list('allowed_redirect_uris'),
    post_logout_redirect_uris: list('post_logout_redirect_uris'),
  }
  return problems.length > 0 ? problems : settings
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
