/** The routes that documents declare and the node does not serve, with the reason. */
import { pointer } from '#component/codec/json.ts'
import type { Conflict } from '#component/registry/live-documents.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { type JsonMap, memberOf } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'

/** A route that is not served. */
export interface Unserved {
  readonly entry: RouteEntry<never>
  readonly why: string
}

const isText = (value: unknown): value is string => typeof value === 'string'

const membersOf = (value: unknown, key: string): [string, unknown][] => {
  const member = memberOf(value, key)
  return typeof member === 'object' && member !== null ? Object.entries(member) : []
}

/** The routes of a version; none where they cannot be read. */
function* entriesOf(
  document: JsonMap,
  label: string,
  version: unknown,
): Steps<RouteEntry<never>[]> {
  const { id, realm_uri, host = '_' } = document
  const base = memberOf(version, 'base_path')
  if (!isText(id) || !isText(realm_uri) || !isText(host) || !isText(base)) return []
  const entries: RouteEntry<never>[] = []
  for (const [key] of membersOf(version, 'paths')) {
    yield
    const pattern = base.replace(/\/$/, '') + (key.startsWith('/') ? key : `/${key}`)
    const path = pointer('/versions', label, 'paths', key)
    entries.push({ api: id, realm_uri, host, pattern, path, routes: {} })
  }
  return entries
}

/**
 * @param nameOf the id of another document as the caller may see it
 */
function conflictReason(
  { reason, serves, other }: Conflict,
  nameOf: (id: string) => string,
): string {
  const instead = serves === null ? '' : '; an older version of it serves'
  return reason === 'routes_taken'
    ? `the document is not served: one of its routes belongs to ${nameOf(other ?? '')}${instead}`
    : `the newest version of the document does not compile on this node${instead}`
}

/**
 * Finds the routes of inactive versions, and of documents whose newest version is not served.
 * @param documents as they were loaded
 * @param nameOf the id of another document as the caller may see it
 */
export function* unservedRoutes(
  documents: readonly JsonMap[],
  conflicts: readonly Conflict[],
  nameOf: (id: string) => string,
): Steps<Unserved[]> {
  const reasons = new Map(conflicts.map((one) => [one.id, conflictReason(one, nameOf)]))
  const found: Unserved[] = []
  for (const document of documents) {
    const reason = reasons.get(String(document.id))
    for (const [label, version] of membersOf(document, 'versions')) {
      const isActive = memberOf(version, 'is_active') !== false
      const why = isActive ? reason : 'the version is not active'
      if (why === undefined) continue
      for (const entry of yield* entriesOf(document, label, version)) found.push({ entry, why })
    }
  }
  return found
}
