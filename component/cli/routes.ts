/** `routes`: the routing table of files, or of the documents of a running gateway. */
import { keysOfPointer } from '#component/codec/json.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { type Route, typesOf } from '#component/gateway/api.ts'
import { compareOrders, matchingOrderOf } from '#component/routes/matching-order.ts'
import { type Clash, type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'

import { shownProtection } from '#component/security/scheme.ts'
import { versionLabel } from '#component/spec/versions.ts'
import { isMap, mapOrEmpty } from '#component/syntax/values.ts'
import { AdminClient } from './admin-client.ts'
import { exitCode, type Invocation, type Run } from './command.ts'
import { listOf } from './documents.ts'
import type { Finding } from './findings.ts'
import { readSource, type SourceFile } from './source-file.ts'
import { table } from './table.ts'
import { compileOptions } from './validate.ts'

type Source = Pick<SourceFile, 'document' | 'findings'>
type Environment = Invocation['environment']

/** Documents as one routing table; those with issues have no routes in it. */
export function routingTableOf(
  sources: readonly Source[],
  environment: Environment,
): {
  readonly entries: readonly RouteEntry<Route>[]
  readonly clashes: readonly Clash[]
  readonly findings: readonly Finding[]
  readonly labelOf: (route: Route) => string
} {
  const options = compileOptions(environment)
  const labels = new Map<string, string>()
  const keyOf = ({ path: { version } }: Route) => `${version.api}\n${version.base}`
  const findings: Finding[] = []
  const entries = sources.flatMap((source) => {
    const { api, issues } = compileDocument(source.document, options)
    findings.push(...source.findings('error', issues))
    for (const { path, routes } of api?.entries ?? []) {
      const label = labelAt(source.document, path)
      const [route] = Object.values(routes)
      if (route && label !== undefined) labels.set(keyOf(route), label)
    }
    return api?.entries ?? []
  })
  const built = RoutingTable.build(entries)
  const labelOf = (route: Route) => labels.get(keyOf(route)) ?? ''
  return { entries: built.table.entries, clashes: built.clashes, findings, labelOf }
}

/** The label of the version that a pointer leads into; undefined for one that leads elsewhere. */
function labelAt(document: unknown, path: string): string | undefined {
  const [first, key = ''] = keysOfPointer(path)
  if (first !== 'versions') return undefined
  const { versions } = mapOrEmpty(document)
  if (!Array.isArray(versions)) return key
  const version: unknown = versions[Number(key)]
  return isMap(version) ? versionLabel(version) : undefined
}

const actionOf = (route: Route): string =>
  route.kind === undefined ? typesOf(route).join(', ') : route.kind

function securityOf(route: Route): string | null {
  const protection = route.kind === undefined ? route.inherited.protection : undefined
  return protection ? shownProtection(protection) : null
}

/** The documents of the gateway; what is wrong with one is told of its id. */
const sourceOf = (document: unknown): Source => ({
  document,
  findings: (severity, issues) =>
    issues.map((issue) => ({ severity, file: String(mapOrEmpty(document).id), ...issue })),
})

async function sourcesOf(invocation: Invocation): Promise<readonly Source[]> {
  if (invocation.positionals.length > 0)
    return invocation.positionals.map((file) => readSource(file))
  const { body } = await new AdminClient(invocation).request('GET', '/api_specs')
  return listOf(body).map(sourceOf)
}

/** `routes`: `[{host, pattern, method, action, security, id, version}]`, in the order of matching. */
export const routes: Run = async (invocation) => {
  const sources = await sourcesOf(invocation)
  const { entries, clashes, findings, labelOf } = routingTableOf(sources, invocation.environment)
  const sorted = entries
    .map((entry) => ({ entry, order: matchingOrderOf(entry) }))
    .sort((one, other) => compareOrders(one.order, other.order))
  const rows = sorted.flatMap(({ entry: { api: id, host, pattern, procedure, routes } }) =>
    Object.entries(routes).map(([method, route]) => ({
      ...{ host, pattern, method: procedure ? 'CALL' : method.toUpperCase() },
      ...{ action: actionOf(route), security: securityOf(route), id },
      version: labelOf(route),
    })),
  )
  const taken = clashes.map(({ api, path, pattern, otherApi }): Finding => {
    const message = `the route ${pattern} matches the same requests as one of ${otherApi}`
    return { severity: 'error', file: api, path, message }
  })
  const all = [...findings, ...taken]
  return {
    value: rows,
    text: table(
      ['HOST', 'PATTERN', 'METHOD', 'ACTION', 'SECURITY', 'DOCUMENT', 'VERSION'],
      rows.map(({ host, pattern, method, action, security, id, version }) => [
        ...[host, pattern, method, action, security ?? '', id, version],
      ]),
    ),
    findings: all,
    code: all.length > 0 ? exitCode.findings : exitCode.ok,
  }
}
