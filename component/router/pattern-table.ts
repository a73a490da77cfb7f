/** The registrations or the subscriptions of one realm: by id and by pattern, and within their limits. */

import { UriIndex } from '#component/router/patterns/uri-index.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { RealmPorts } from './realm-ports.ts'
import type { Pattern, Session } from './session.ts'

/** The reason of refusals. */
export const limitExceeded = 'wamp.error.limit_exceeded'

/** One table of a realm. */
export class PatternTable<E extends Pattern> {
  readonly byId = new Map<number, E>()
  readonly index = new UriIndex<E>()
  /** Also the session's member that holds its own. */
  readonly #kind: 'registrations' | 'subscriptions'
  readonly #ports: RealmPorts
  #count = 0

  constructor(kind: 'registrations' | 'subscriptions', ports: RealmPorts) {
    this.#kind = kind
    this.#ports = ports
  }

  /** Adds what `make` gives for a new pattern. */
  create(match: Match, uri: string, make: (pattern: Pattern) => E): E {
    this.#count += 1
    const created = new Date(this.#ports.clock.now()).toISOString()
    const entry = make({ id: this.#count, uri, match, created })
    this.index.set(match, uri, entry)
    this.byId.set(entry.id, entry)
    return entry
  }

  delete({ id, match, uri }: E): void {
    this.index.delete(match, uri)
    this.byId.delete(id)
  }

  /** Why a session may not have one more; undefined when it may. A refusal is counted. */
  shortage(session: Session, match: Match, uri: string): string | undefined {
    const { limits, usage } = this.#ports
    const { perRealm, perSession } = limits
    if (session.transport.peer.isInProcess) return undefined
    if (session[this.#kind].size >= perSession) {
      usage.refuse('limits.subscriptions_per_session')
      return `expected at most ${perSession} ${this.#kind} of a session`
    }
    if (this.index.get(match, uri) !== undefined) return undefined
    if (this.byId.size >= perRealm) {
      usage.refuse('limits.subscriptions_per_realm')
      return `expected at most ${perRealm} ${this.#kind} in a realm`
    }
    if (this.index.hasRoom(match, uri)) return undefined
    return 'too many combinations of wildcards among patterns with this number of components'
  }
}
