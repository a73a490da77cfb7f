/** On which realms the gateway needs a session of its own: for requests without a user, and for events that drop kept answers. */

import { type Route, typesOf } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'

/** Whether the route calls, publishes or waits for events over the gateway's own session. */
function usesOwnSession(route: Route, identity: string): boolean {
  if (route.kind !== undefined) return false
  const { inherited } = route
  const isWamp = typesOf(route).some((type) => type.startsWith('wamp_'))
  if (inherited.policies?.cache?.purges.length) return true
  return isWamp && (inherited.protection === undefined || identity === 'service')
}

/**
 * The URIs of these realms. On other realms the gateway need not be able to join.
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
