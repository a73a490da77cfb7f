/** The types of a compiled delivery: with everything decided that can be decided before an event. */
import type { DeliveryLimits } from '#component/delivery/types.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import type { DeclaredDelivery } from '#component/routes/delivery-place.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'

/** Where requests go. `url`: even the host depends on the event. `endpoints`: where users have said. */
export type DeliveryTarget =
  | { readonly kind: 'host'; readonly origin: string; readonly path: Live }
  | { readonly kind: 'url'; readonly url: Live }
  | { readonly kind: 'upstream'; readonly upstream: string; readonly path: Live }
  | { readonly kind: 'endpoints'; readonly perUser: number }

/** One delivery of a document. */
export interface DeliveryPlan extends DeclaredDelivery {
  readonly api_spec: string
  readonly realm_uri: string
  /** JSON Pointer of the delivery. */
  readonly at: string
  readonly topic: string
  readonly match: Match
  readonly isActive: boolean
  readonly limits: DeliveryLimits
  /** Milliseconds. */
  readonly connectTimeoutMs: number
  /** undefined: every event is delivered. */
  readonly filter: Live | undefined
  /** undefined: in no order. A constant is the one key of all events. */
  readonly order: Live | undefined
  readonly target: DeliveryTarget
  readonly method: string
  readonly headers: Live | undefined
  /** undefined: topic, time of acceptance and kwargs. */
  readonly body: Live | undefined
  /** The name of the signer; undefined: nothing is signed. */
  readonly sign: string | undefined
  /** The body of the message about a gap; undefined: none is sent. */
  readonly gapBody: Live | undefined
  /** What receivers are told of it; undefined: nothing. */
  readonly description: string | undefined
  /** As written. */
  readonly examples: unknown
}

/** The entry of a delivery in the routing table. */
export interface DeliveryEntry<R> extends RouteEntry<R> {
  readonly delivery: DeliveryPlan
}

/** Whether an entry is that of a delivery: compiling makes no other with one. */
export const isDeliveryEntry = <R>(entry: RouteEntry<R>): entry is DeliveryEntry<R> =>
  entry.delivery !== undefined
