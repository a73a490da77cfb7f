/** On which realms the gateway needs a session of its own: for requests without a user, for events that drop kept answers, and to forward what users send. */

import { kindsOf, type Route } from '#component/gateway/api.ts'
import { inForce } from '#component/policies/kinds.ts'
import type { ApiFacts } from '#component/routes/indexed-api.ts'
import type { ApiEntries, TableChange } from '#component/routes/table-change.ts'

type OwnSession = ApiFacts['ownSession']

/** For whom the route calls, publishes or waits for events over the gateway's own session. */
function ownSessionOfRoute(route: Route): OwnSession {
  if (route.kind !== undefined) return undefined
  const { inherited } = route
  // the gateway registers it over that session
  if (route.procedure) return 'all'
  const isWamp = kindsOf(route).some(({ reaches }) => reaches?.by === 'wamp')
  if (inForce(inherited.policies).some(([kind, plan]) => kind.hearsEvents(plan))) return 'all'
  if (!isWamp) return undefined
  return inherited.protection === undefined ? 'all' : 'users'
}

/** Whether the route calls or publishes for users. */
const routeSendsForUsers = (route: Route): boolean =>
  route.kind === undefined &&
  route.inherited.protection !== undefined &&
  kindsOf(route).some(({ reaches }) => reaches?.isSent)

/** The entries of one API, which has one realm. */
type Entries = ApiEntries<Route>

/** For whom routes of the API use the gateway's own session. */
export function ownSessionOf(entries: Entries): OwnSession {
  // events of deliveries come over it
  if (entries.some(({ delivery }) => delivery !== undefined)) return 'all'
  const found = entries.flatMap(({ routes }) => Object.values(routes).map(ownSessionOfRoute))
  return found.includes('all') ? 'all' : found.find((one) => one !== undefined)
}

/** Whether routes of the API call or publish for users. */
export const sendsForUsers = (entries: Entries): boolean =>
  entries.some(({ routes }) => Object.values(routes).some(routeSendsForUsers))

/** Follows the table that is served. On other realms the gateway need not be able to join. */
export class OwnRealms {
  readonly #identity: string
  /** How many APIs need a session on each realm. */
  readonly #needs = new Map<string, number>()

  /** @param identity `wamp.identity`: with `service`, users are served over the session of the gateway, too */
  constructor(identity: string) {
    this.#identity = identity
  }

  /** The realms that the APIs of the table need a session on. */
  get realms(): Iterable<string> {
    return this.#needs.keys()
  }

  /** The realms that these APIs need a session on. */
  realmsOf(apis: readonly Entries[]): ReadonlySet<string> {
    return new Set(apis.flatMap((entries) => this.#realmOf(entries) ?? []))
  }

  /** The realms where what users of these APIs call and publish is forwarded. */
  forwardingOf(apis: readonly Entries[]): ReadonlySet<string> {
    if (this.#identity !== 'forwarded') return new Set()
    const ofUsers = apis.filter(
      (entries) => entries[0]?.indexed?.facts.sendsForUsers ?? sendsForUsers(entries),
    )
    return new Set(ofUsers.flatMap(([first]) => first?.realm_uri ?? []))
  }

  follow({ added, removed }: TableChange<Route>): void {
    for (const entries of added) this.#count(entries, 1)
    for (const entries of removed) this.#count(entries, -1)
  }

  #count(entries: Entries, more: number): void {
    const realm_uri = this.#realmOf(entries)
    if (realm_uri === undefined) return
    const needs = (this.#needs.get(realm_uri) ?? 0) + more
    if (needs > 0) this.#needs.set(realm_uri, needs)
    else this.#needs.delete(realm_uri)
  }

  #realmOf(entries: Entries): string | undefined {
    const [first] = entries
    const own = first?.indexed ? first.indexed.facts.ownSession : ownSessionOf(entries)
    const isOwn = own === 'all' || (own === 'users' && this.#identity === 'service')
    return isOwn ? first?.realm_uri : undefined
  }
}
