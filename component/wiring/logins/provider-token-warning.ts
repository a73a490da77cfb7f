/** Warns at a load of a document that sends the access token of a provider which does not pass it on. */
import type { CompiledDocument } from '#component/compile/compile-document.ts'
import type { Issue } from '#component/errors.ts'
import type { Api, Route } from '#component/gateway/api.ts'
import { settingsOf } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import { providerOf } from '#component/security/oidc/kind.ts'
import { membersOf } from '#component/security/scheme.ts'

type Realms = Parameters<typeof settingsOf>[0]

/** The result of compiling, with a warning for each operation whose token is never there. */
export function withProviderTokenWarning<R extends Pick<CompiledDocument<Api>, 'api' | 'warnings'>>(
  compiled: R,
  realms: Realms,
): R {
  if (!compiled.api?.features.includes('provider_token')) return compiled
  const found = compiled.api.entries.flatMap(({ routes }) => Object.values(routes))
  const warnings = found.flatMap((route) => warningOf(route, realms) ?? [])
  return { ...compiled, warnings: [...compiled.warnings, ...warnings] }
}

function warningOf(route: Route, realms: Realms): Issue | undefined {
  if (route.kind !== undefined || !route.passesToken) return undefined
  const { protection } = route.inherited
  const { realm_uri = '' } = protection ?? {}
  const givers = membersOf(protection).filter(({ kind }) => kind.givesToken)
  const [provider] = givers.map(({ object }) => providerOf(object))
  if (provider === undefined) return undefined
  try {
    if (settingsOf(realms, realm_uri, provider).pass_access_token) return undefined
  } catch (error) {
    // an unusable provider is warned of as such
    if (error instanceof OidcError) return undefined
    throw error
  }
  const message = `the provider ${JSON.stringify(provider)} of ${realm_uri} does not pass its access token on (pass_access_token), so security.provider_token is never there`
  return { path: route.at, message }
}
