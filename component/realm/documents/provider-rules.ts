/** The keys of an identity provider in `info.oidc_providers`, and how a realm document is judged by them. */
import { pointer } from '#component/codec/json.ts'
import { anything, isMap, map, object, type Rule, textThat } from './realm-rules.ts'

/** How the gateway can authenticate at a token endpoint (OpenID Connect Core §9). */
export const clientAuthentications = ['client_secret_basic', 'client_secret_post', 'none'] as const

const clientAuthentication = textThat((value, path, { issues }) => {
  if (clientAuthentications.some((one) => one === value)) return
  const message = `this method is not supported; expected ${clientAuthentications.join(', ')}`
  issues.push({ path, message })
})

const keys = {
  issuer: anything,
  client_id: anything,
  client_secret: anything,
  token_endpoint_auth_method: clientAuthentication,
  redirect_uri: anything,
  scopes: anything,
  authid_claim: anything,
  role_claim: anything,
  role_claim_fallback: anything,
  role_mapping: anything,
  auto_provision: anything,
  ticket_expiry_secs: anything,
  allow_unsafe_http: anything,
  cookie_domain: anything,
  cookie_same_site: anything,
  allowed_redirect_uris: anything,
  post_logout_redirect_uris: anything,
} as const satisfies Readonly<Record<string, Rule>>

/** A key of a provider. */
export type ProviderKey = keyof typeof keys

const provider = object(keys, [])

/** Judges `info`, of which the gateway reads the providers only; a login tells of values that are wrong. */
export const info: Rule = (value, path, report) => {
  map(value, path, report)
  const providers = isMap(value) ? value.oidc_providers : undefined
  if (!isMap(providers)) return
  for (const [name, entry] of Object.entries(providers)) {
    if (isMap(entry)) provider(entry, pointer(path, 'oidc_providers', name), report)
  }
}

/**
 * Whether a key of a map is a name that the author has chosen, which says nothing of the value: a provider's own name, or a
 * role of the provider.
 * @param holder the key that the map itself has
 * @param value what the key holds
 */
export const isChosenName = (holder: string | undefined, value: unknown): boolean =>
  holder === 'role_mapping' ||
  (holder === 'oidc_providers' && isMap(value) && Object.hasOwn(value, 'issuer'))
