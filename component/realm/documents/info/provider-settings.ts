/** One identity provider of a realm, as its settings are read. */
import type { ClaimPath } from './claim-path.ts'
import type { LoginParameters } from './login-parameters.ts'

/** How the gateway can authenticate at a provider (OpenID Connect Core §9). */
export const clientAuthentications = ['basic', 'post', 'private_key_jwt', 'none'] as const
export type ClientAuthentication = (typeof clientAuthentications)[number]

/** The values of the older key, as OAuth registers them. */
export const secretAuthentications = ['client_secret_basic', 'client_secret_post', 'none'] as const

/** When authorization requests are pushed (RFC 9126). */
export const pushedRequests = ['auto', 'always', 'never'] as const

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
  /** How long a login counts without the provider being asked; 0: without end. Seconds. */
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
