/** How the gateway proves to a provider which client it is (OpenID Connect Core §9). */
import type * as openid from 'openid-client'
import type { ProviderSettings } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { ClientAuthentication } from '#component/realm/documents/info/provider-settings.ts'
import type { ClientKey } from './client-key.ts'
import type { Discovered } from './discovery.ts'

/** What a client proves itself with; a public client has neither. */
export interface ClientSecrets {
  readonly secret?: string | undefined
  readonly key?: ClientKey | undefined
}

/** Which client it is, and how it is to authenticate. */
interface ClientSettings extends Pick<ProviderSettings, 'name'> {
  readonly client_authentication?: ClientAuthentication | undefined
  readonly token_endpoint_auth_method?: ClientAuthentication | undefined
}

function methodOf(
  { name, client_authentication, token_endpoint_auth_method }: ClientSettings,
  { secret, key }: ClientSecrets,
  // absent: client_secret_basic (OpenID Connect Discovery §3)
  methods: readonly string[] = ['client_secret_basic'],
): ClientAuthentication {
  const named = client_authentication ?? token_endpoint_auth_method
  if (named !== undefined) return named
  if (key !== undefined) return 'private_key_jwt'
  // a provider need not announce `none` to have public clients
  if (secret === undefined) return 'none'
  if (methods.includes('client_secret_post')) return 'post'
  if (methods.includes('client_secret_basic')) return 'basic'
  const message = `the provider ${name} only takes the client authentication ${methods.join(', ')}; with a client_secret the gateway supports client_secret_post and client_secret_basic, with a private_key private_key_jwt`
  throw new OidcError('provider_unavailable', message)
}

/**
 * Authenticates the client by the method that the settings name, else by its key, else by a method that the provider announces.
 * @throws OidcError provider_unavailable when the provider announces methods, and none of them is supported; when a key is
 *   wanted and absent
 */
export function clientAuthentication(
  settings: ClientSettings,
  secrets: ClientSecrets,
  { client, metadata }: Pick<Discovered, 'client' | 'metadata'>,
): openid.ClientAuth {
  const { secret, key } = secrets
  const methods: Readonly<Record<ClientAuthentication, () => openid.ClientAuth>> = {
    none: () => client.None(),
    post: () => client.ClientSecretPost(secret),
    basic: () => client.ClientSecretBasic(secret),
    private_key_jwt: () => {
      if (key === undefined) {
        const place = `info.oidc_providers.${settings.name}.private_key`
        throw new OidcError('provider_unavailable', `${place}: expected a key of the client`)
      }
      const alg = algorithmOf(key, metadata.token_endpoint_auth_signing_alg_values_supported)
      return client.PrivateKeyJwt(key, {
        [client.modifyAssertion]: (header) => {
          header.alg = alg
        },
      })
    },
  }
  return methods[methodOf(settings, secrets, metadata.token_endpoint_auth_methods_supported)]()
}

/** Providers know the algorithm of an Ed25519 key by the name of RFC 8037, by that of RFC 9864, or by both. */
const algorithmOf = ({ alg }: ClientKey, announced: readonly string[] = []): string =>
  alg === 'EdDSA' && announced.includes('Ed25519') && !announced.includes(alg) ? 'Ed25519' : alg
