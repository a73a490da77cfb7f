/** Routed paths that hide management where both are served by one listener (behaviour: Management). */
import type { Issue } from '#component/errors.ts'
import { type RouteEntry, RoutingTable } from '#component/gateway/routing-table.ts'

/** One path for each kind of management path; the names stand for any. */
const probes = [
  '/api_specs',
  '/api_specs/id',
  '/api_specs/id/info',
  '/api_specs/id/versions',
  '/api_specs/id/rollback',
  '/services/load_api_spec',
  '/realms',
  '/realms/uri',
  '/registry',
] as const

const roots = ['/api_specs', '/services', '/realms', '/registry'] as const

/** Could the pattern match such a path? Nearly every document is done with this. */
const mayHide = (pattern: string): boolean =>
  pattern.startsWith('/[') ||
  pattern.startsWith('[') ||
  pattern.startsWith('/:') ||
  roots.some((root) => pattern.startsWith(root))

/** A warning at each routed path that answers in the place of management. */
export function hiddenPaths<R>(entries: readonly RouteEntry<R>[]): Issue[] {
  const suspects = entries.filter(({ pattern }) => mayHide(pattern))
  const warnings = new Map<string, Issue>()
  for (const entry of suspects) {
    const { table } = RoutingTable.build([{ ...entry, host: '_' }])
    const hidden = probes.find((probe) => table.match('localhost', probe, 'get') !== undefined)
    if (hidden === undefined) continue
    const root = roots.find((path) => hidden.startsWith(path)) ?? hidden
    const message = `the route hides the management path ${root} where one listener serves both`
    warnings.set(entry.path, { path: entry.path, message })
  }
  return [...warnings.values()]
}
