/** The keys of an identity provider in `info.oidc_providers`, and what loading a realm document checks of them. */
import { pointer } from '#component/codec/json.ts'
import { anything, object, oneOf, type Rule, rule } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'

/** How the gateway can authenticate at a token endpoint (OpenID Connect Core §9). */
export const clientAuthentications = ['client_secret_basic', 'client_secret_post', 'none'] as const

const keys = {
  issuer: anything,
  client_id: anything,
  client_secret: anything,
  token_endpoint_auth_method: oneOf(clientAuthentications),
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

const provider = object('a provider', { keys })

/** Validates `info`, of which the gateway reads the providers only. A login reports wrong values. */
export const info: Rule = rule(
  {
    type: 'object',
    properties: {
      oidc_providers: { type: 'object', additionalProperties: provider.schema },
    },
  },
  (value, path, report) => {
    if (!isMap(value)) return report.expected(path, 'a map', value)
    const providers = value.oidc_providers
    if (!isMap(providers)) return
    for (const [name, entry] of Object.entries(providers)) {
      if (isMap(entry)) provider(entry, pointer(path, 'oidc_providers', name), report)
    }
  },
)

/**
 * Whether a key of a map is a name that the author has chosen, the name or a role of a provider: such a key does not tell
 * whether its value is a secret.
 * @param holder the key that the map itself has
 * @param value the value of the key
 */
export const isChosenName = (holder: string | undefined, value: unknown): boolean =>
  holder === 'role_mapping' ||
  (holder === 'oidc_providers' && isMap(value) && Object.hasOwn(value, 'issuer'))
