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

/** The entries of one API, which has one realm. */
type Entries = readonly RouteEntry<Route>[]

/**
 * Finds the URIs of these realms among the APIs of a table; an API that tables share is looked at once. On other realms the gateway
 * need not be able to join.
 * @param identity `wamp.identity`: with `service`, users are served over the session of the gateway, too
 */
export function ownRealms(identity: string): (apis: Iterable<Entries>) => ReadonlySet<string> {
  const found = new WeakMap<Entries, boolean>()
  const isOwn = (entries: Entries): boolean => {
    const known = found.get(entries)
    if (known !== undefined) return known
    const isFound = entries.some(({ routes }) =>
      Object.values(routes).some((route) => usesOwnSession(route, identity)),
    )
    found.set(entries, isFound)
    return isFound
  }
  return (apis) => {
    const realms = new Set<string>()
    for (const entries of apis) {
      const [first] = entries
      if (first && isOwn(entries)) realms.add(first.realm_uri)
    }
    return realms
  }
}
