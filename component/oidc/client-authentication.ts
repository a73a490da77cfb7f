/** How the gateway proves at the token endpoint of a provider which client it is (OpenID Connect Core §9). */
import type * as openid from 'openid-client'
import { OidcError } from '#component/oidc-error.ts'
import { clientAuthentications } from '#component/realm/documents/provider-rules.ts'
import type { Discovered } from './discovery.ts'
import type { ProviderSettings } from './settings.ts'

type Method = (typeof clientAuthentications)[number]

function methodOf(
  { name, token_endpoint_auth_method }: ProviderSettings,
  secret: string | undefined,
  // absent: client_secret_basic (OpenID Connect Discovery §3)
  methods: readonly string[] = ['client_secret_basic'],
): Method {
  if (token_endpoint_auth_method !== undefined) return token_endpoint_auth_method
  // a provider need not announce `none` to have public clients
  if (secret === undefined) return 'none'
  if (methods.includes('client_secret_post')) return 'client_secret_post'
  if (methods.includes('client_secret_basic')) return 'client_secret_basic'
  const supported = clientAuthentications.join(', ')
  const message = `the provider ${name} only takes the client authentication ${methods.join(', ')}; the gateway supports ${supported}`
  throw new OidcError('provider_unavailable', message)
}

/**
 * Authenticates the client by the method that the settings name, else by one that the provider announces.
 * @param secret absent for a public client
 * @throws OidcError provider_unavailable when the provider announces methods, and none of them is supported
 */
export function clientAuthentication(
  settings: ProviderSettings,
  secret: string | undefined,
  { client, metadata }: Pick<Discovered, 'client' | 'metadata'>,
): openid.ClientAuth {
  const methods: Readonly<Record<Method, () => openid.ClientAuth>> = {
    none: () => client.None(),
    client_secret_post: () => client.ClientSecretPost(secret),
    client_secret_basic: () => client.ClientSecretBasic(secret),
  }
  return methods[methodOf(settings, secret, metadata.token_endpoint_auth_methods_supported)]()
}
