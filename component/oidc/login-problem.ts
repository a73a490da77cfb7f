/** Why nobody can log in to a realm at a provider: what loading a document with `oidc` warns of. */
import { OidcError } from '#component/errors.ts'
import type { Realms } from '#component/realm/realms.ts'
import { settingsOf } from './settings.ts'

/** One lower-case sentence; undefined when the realm, as it is now, lets users log in at the provider. */
export function loginProblem(
  realms: Pick<Realms, 'realm'>,
  realm_uri: string,
  provider: string,
): string | undefined {
  try {
    settingsOf(realms, realm_uri, provider)
    return undefined
  } catch (error) {
    if (!(error instanceof OidcError)) throw error
    return `nobody can log in at the provider ${provider} of ${realm_uri}: ${error.message}`
  }
}
