/** `rate_limit` of a route, as it is compiled. */
import type { Node } from '#component/expression/nodes.ts'

/** A value that may depend on the request. */
type Live = Exclude<Node, { readonly kind: 'broken' }>

/** Who shares a limit. */
export type Sharer = 'user' | 'client' | 'address' | 'role' | 'all'

/** One limit on the rate of requests. */
export interface LimitPlan {
  /** JSON Pointer of the rule: operations that inherit it share the limit. */
  readonly at: string
  readonly name: string
  /** The item of `RateLimit-Policy`; undefined where the amount depends on the user. */
  readonly told: string | undefined
  readonly amount: number
  /** Milliseconds. */
  readonly windowMs: number
  /** undefined: as much as the amount. */
  readonly burst: number | undefined
  readonly per: Sharer | { readonly node: Live }
  readonly cost: number | { readonly node: Live }
  /** Role or authid ─▶ amount. */
  readonly by: ReadonlyMap<string, number> | undefined
  readonly isSeparate: boolean
  readonly hasHeaders: boolean
  readonly mode: 'enforce' | 'log'
  /** Whether it holds before the user is known: for an address, at a fixed cost and amount. */
  readonly isEarly: boolean
}

/** An item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). @param window seconds */
export const policyItem = (name: string, amount: number, window: number): string =>
  `"${name}";q=${amount};w=${window}`
