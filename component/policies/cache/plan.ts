/** `cache` of a route, as it is compiled. */
import type { Node } from '#component/expression/nodes.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'

/** A value that may depend on the request. */
type Live = Exclude<Node, { readonly kind: 'broken' }>

/** One text of a list, and where it is written. */
export interface TagPlan {
  readonly node: Live
  /** JSON Pointer. */
  readonly at: string
}

/** An event that drops answers. */
export interface PurgePlan {
  readonly topic: string
  readonly match: Match
  /** Evaluated for each event, as `action.event`; undefined: everything of the rule is dropped. */
  readonly tags: readonly TagPlan[] | undefined
}

/** Which answers are kept, for whom, and for how long. */
export interface CachePlan {
  /** JSON Pointer of the rule. */
  readonly at: string
  /** Milliseconds; undefined: as long as the upstream says. */
  readonly ttlMs: number | undefined
  /** Who shares an answer; undefined: each user has one of their own where the path is secured. */
  readonly per: 'user' | 'all' | undefined
  /** Names of request fields in lower case. */
  readonly vary: readonly string[]
  readonly statuses: ReadonlySet<number>
  /** Milliseconds. */
  readonly whileRevalidateMs: number
  /** Milliseconds. */
  readonly ifErrorMs: number
  readonly tags: readonly TagPlan[]
  readonly purges: readonly PurgePlan[]
  /** Whether requests for the same answer wait for the first. */
  readonly coalesces: boolean
}
