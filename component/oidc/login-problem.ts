/** Why nobody can log in to a realm at a provider: what loading a document with `oidc` warns of. */
import { OidcError } from '#component/errors.ts'
import type { Realms } from '#component/realm/realms.ts'
import { settingsOf } from './settings.ts'

/**
 * One lower-case sentence; undefined when the realm, as it is now, lets users log in at the provider.
 * @param isGuessed whether the callback would follow the address that is listened at, unless the provider's settings name it
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
