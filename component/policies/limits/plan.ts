/** `rate_limit` and `quota` of a route, as they are compiled. */
import type { Node } from '#component/expression/nodes.ts'
import type { Rate } from '#component/limits/gcra.ts'
import type { QuotaWindow } from './quota-window.ts'

/** A value that may depend on the request. */
type Live = Exclude<Node, { readonly kind: 'broken' }>

/** Who shares a limit. */
export type Sharer = 'user' | 'client' | 'address' | 'role' | 'all'

/** What limits on the rate of requests and quotas have in common. */
export interface SharedPlan {
  /** JSON Pointer of the rule. */
  readonly at: string
  /** Names the rule among all: its document, and a digest of its place, which stays short however deep that is. Operations that inherit it share the limit. */
  readonly rule: string
  readonly name: string
  readonly per: Sharer | { readonly node: Live }
  readonly cost: number | { readonly node: Live }
  readonly isSeparate: boolean
  readonly hasHeaders: boolean
  readonly mode: 'enforce' | 'log'
}

/** One limit on the rate of requests. */
export interface LimitPlan extends SharedPlan {
  /** The item of `RateLimit-Policy`; undefined where the amount depends on the user. */
  readonly told: string | undefined
  readonly rate: Rate
  /** The rates of roles and authids. */
  readonly by: ReadonlyMap<string, Rate> | undefined
  /** Whether all processes share it, as far as they hear of each other; otherwise each counts for itself. */
  readonly isShared: boolean
  /** Whether it holds before the user is known: for an address, at a fixed cost and amount. */
  readonly isEarly: boolean
}

/** One quota. */
export interface QuotaPlan extends SharedPlan {
  readonly window: QuotaWindow
  /** Units in a window. */
  readonly amount: number
  /** The amounts of roles and authids. */
  readonly by: ReadonlyMap<string, number> | undefined
  /** `success`: only requests whose answer has a status below 400 stay counted. */
  readonly counted: 'all' | 'success'
}

/** An item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). @param window seconds */
export const policyItem = (name: string, amount: number, window: number): string =>
  `"${name}";q=${amount};w=${window}`
