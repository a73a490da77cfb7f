/** Finds the procedure of a document that answers a call, as a router does (WAMP: Pattern-based Registrations). */
import type { Route } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { isMatched } from '#component/syntax/wamp-uri.ts'
import type { MatchedProcedure } from './explanation.ts'
import type { AskedCall } from './read-asked.ts'
import type { World } from './world.ts'

/** An exact URI before all patterns, a longer prefix before a shorter one, and prefixes before wildcards. */
const rankOf = ({ pattern, procedure }: RouteEntry<Route>): number => {
  if (procedure?.match === 'exact') return Number.POSITIVE_INFINITY
  return procedure?.match === 'prefix' ? pattern.length : -1
}

/** The entry that answers; undefined: no visible document registers the URI. */
export function calledProcedure(
  { table, isVisible }: World,
  { procedure: uri, realm_uri }: AskedCall,
): RouteEntry<Route> | undefined {
  const [first] = table.entries
    .filter(({ procedure, ...entry }) => {
      const isOfRealm = realm_uri === undefined || realm_uri === entry.realm_uri
      if (procedure === undefined || !isOfRealm || !isVisible(entry.realm_uri)) return false
      return isMatched(uri, procedure.uri, procedure.match)
    })
    .sort((a, b) => rankOf(b) - rankOf(a))
  return first
}

/** What is told of it. */
export const matchedProcedure = ({
  api: id,
  realm_uri,
  pattern: uri,
  procedure,
  path,
}: RouteEntry<Route>): MatchedProcedure => ({
  ...{ id, realm_uri, uri, match: procedure?.match ?? 'exact', path },
})
