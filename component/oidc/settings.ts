/** A realm's settings of its identity providers: `info.oidc_providers`, read with defaults (behaviour: OIDC). */

import { OidcError } from '#component/oidc-error.ts'
import type { ProviderSettings } from '#component/realm/documents/info/provider-settings.ts'
import { readProvider } from '#component/realm/documents/info/provider-values.ts'
import type { Realms } from '#component/realm/realms.ts'
import { isMap } from '#component/syntax/values.ts'

export type { ProviderSettings }

/** Reads one provider, or returns its problems: each names a key and the allowed values. */
function read(name: string, entry: unknown): ProviderSettings | readonly string[] {
  if (!isMap(entry)) return ['expected an object']
  const found = readProvider(name, entry)
  return Array.isArray(found)
    ? found.map(({ key, wanted }) => `${key}: expected ${wanted}`)
    : (found as ProviderSettings)
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
    throw new OidcError('unknown_provider', 'the realm has no oidcrp among its authmethods')
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
