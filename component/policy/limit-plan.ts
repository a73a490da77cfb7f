/** `rate_limit` of a route, as it is compiled. */
import type { Node } from '#component/expression/nodes.ts'
import type { Rate } from './gcra.ts'

/** A value that may depend on the request. */
type Live = Exclude<Node, { readonly kind: 'broken' }>

/** Who shares a limit. */
export type Sharer = 'user' | 'client' | 'address' | 'role' | 'all'

/** One limit on the rate of requests. */
export interface LimitPlan {
  /** JSON Pointer of the rule: operations that inherit it share the limit. */
  readonly at: string
  /** The digest of {@link at}: keys of limits stay short however deep the rule stands. */
  readonly place: string
  readonly name: string
  /** The item of `RateLimit-Policy`; undefined where the amount depends on the user. */
  readonly told: string | undefined
  readonly rate: Rate
  readonly per: Sharer | { readonly node: Live }
  readonly cost: number | { readonly node: Live }
  /** The rates of roles and authids. */
  readonly by: ReadonlyMap<string, Rate> | undefined
  readonly isSeparate: boolean
  /** Whether all processes share it, as far as they hear of each other; otherwise each counts for itself. */
  readonly isShared: boolean
  readonly hasHeaders: boolean
  readonly mode: 'enforce' | 'log'
  /** Whether it holds before the user is known: for an address, at a fixed cost and amount. */
  readonly isEarly: boolean
}

/** An item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). @param window seconds */
export const policyItem = (name: string, amount: number, window: number): string =>
  `"${name}";q=${amount};w=${window}`
