/** Warns at a load of a document that asks for a scope which no token of the gateway can have. */
import type { CompiledDocument } from '#component/compile/compile-document.ts'
import type { Issue } from '#component/errors.ts'
import type { Api, Route } from '#component/gateway/api.ts'
import type { Realms } from '#component/realm/realms.ts'
import { membersOf } from '#component/security/scheme.ts'
import { scopesOf } from '#component/security/scopes.ts'
import { hintOf } from '#component/spec/report.ts'

/** The result of compiling, with a warning for each place that asks for a scope which its realm does not declare. */
export function withScopeWarning<R extends Pick<CompiledDocument<Api>, 'api' | 'warnings'>>(
  compiled: R,
  realms: Pick<Realms, 'realm'>,
): R {
  const routes = compiled.api?.entries.flatMap((entry) => Object.values(entry.routes)) ?? []
  const warnings = new Map<string, Issue>()
  for (const route of routes) {
    for (const warning of warningsOf(route, realms)) {
      warnings.set(`${warning.path} ${warning.message}`, warning)
    }
  }
  if (warnings.size === 0) return compiled
  return { ...compiled, warnings: [...compiled.warnings, ...warnings.values()] }
}

function warningsOf(route: Route, realms: Pick<Realms, 'realm'>): readonly Issue[] {
  if (route.kind !== undefined) return []
  const { protection, protectedAt } = route.inherited
  return membersOf(protection).flatMap(({ kind, object, realm_uri }) => {
    if (kind.tokens !== 'own') return []
    const declared = realms.realm(realm_uri)?.scopes ?? new Map()
    return scopesOf(object)
      .filter((scope) => !declared.has(scope))
      .map((scope) => {
        const hint = hintOf(scope, declared.keys())
        const message = `no token can have it: ${realm_uri} declares no scope ${JSON.stringify(scope)}${hint}`
        return { path: protectedAt, message }
      })
  })
}
