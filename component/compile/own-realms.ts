/** On which realms requests need the session of the gateway itself: those that run as nobody in particular. */

import type { Route } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'

/** Does it call or publish over the session that the gateway has for everybody? */
function usesOwnSession(route: Route, identity: string): boolean {
  if (route.kind !== undefined) return false
  const { action, inherited } = route
  const isWamp = action.type === 'wamp_call' || action.type === 'wamp_publish'
  return isWamp && (inherited.protection === undefined || identity === 'service')
}

/**
 * The URIs. A realm whose paths are all for users may let nobody else in.
 * @param identity `wamp.identity`: with `service`, users are served over the session of the gateway, too
 */
export const ownRealms = (
  entries: readonly RouteEntry<Route>[],
  identity: string,
): ReadonlySet<string> =>
  new Set(
    entries
      .filter(({ routes }) =>
        Object.values(routes).some((route) => usesOwnSession(route, identity)),
      )
      .map(({ realm_uri }) => realm_uri),
  )
