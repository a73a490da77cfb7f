/** The words of deliveries: what a document makes of an event, and what the outbox offers. Times are milliseconds since the epoch unless a name says otherwise. */
import type { Match } from '#component/syntax/wamp-uri.ts'

/** What names a delivery. */
export interface DeliveryRef {
  readonly realm_uri: string
  /** The id of the document. */
  readonly api_spec: string
  readonly name: string
  /** The id of a user's own endpoint; absent: the delivery as a whole, or its one endpoint. */
  readonly endpoint?: string
}

/** An event on its way to an endpoint: what expressions read as `action.event`. */
export interface DeliveredEvent {
  readonly topic: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  /** What the router discloses. */
  readonly details: Readonly<Record<string, unknown>>
  /** The id of the publication, as text; of the action `deliver`: the `id` that it gives, or one made for it. */
  readonly publication: string
  /** RFC 3339. */
  readonly accepted_at: string
}

/** Why events did not come, or were not accepted. */
export const gapReasons = [
  ...(['absent', 'router_lost', 'store_away', 'full', 'too_large', 'stopped'] as const),
  'not_rendered',
] as const

export type GapReason = (typeof gapReasons)[number]

/** A hole in what was accepted: what expressions read as `action.gap`. */
export interface DeliveryGap {
  readonly reason: GapReason
  /** RFC 3339. */
  readonly since: string
  /** RFC 3339. */
  readonly until: string
  /** Events that are known to be lost; null: not known. */
  readonly count: number | null
}

/** What the document says of attempts. */
export interface DeliveryLimits {
  /** Seconds from a failed attempt to the next one; at most 20. */
  readonly delays: readonly number[]
  /** Each delay is multiplied by 1 ± this. */
  readonly jitter: number
  /** Seconds of nothing but failures, after which the delivery stops. */
  readonly disableAfter: number
  /** Attempts at once. */
  readonly concurrency: number
  /** Attempts a second; undefined: as many as there are. */
  readonly rate: number | undefined
  /** Rows that wait. */
  readonly maxPending: number
  /** Seconds from acceptance, after which an event is a dead letter. */
  readonly maxAge: number
  readonly onFull: 'refuse' | 'drop_oldest'
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number
}

/** What a document cannot do with an event: a sentence without data of the event. */
export interface DeliveryFailure {
  readonly failed: string
  /** Sending is refused as things are (a signer or upstream that the realm lacks, an origin): dead letter `refused`, not `not_rendered`. */
  readonly isRefused?: boolean
}

/** How an attempt has ended. */
export type AttemptEnd =
  | {
      readonly status: number
      /** Milliseconds, from Retry-After. */
      readonly retryAfterMs?: number
    }
  | {
      /** Our sentence; no data of the event, no text of the receiver. */
      readonly error: string
      readonly isTimeout?: boolean
      /** It was not sent: the address, the host or the signer is refused. */
      readonly isRefused?: boolean
    }

/** A request that is rendered and signed. */
export interface DeliveryRequest {
  /** Sends it once; never rejects. @param signal ends it: the process stops, or the delivery was changed */
  send(signal: AbortSignal): Promise<AttemptEnd>
}

/** What one attempt is. */
export interface DeliveryAttempt {
  /** From 1. */
  readonly attempt: number
  /** The same on all nodes, attempts and replays. */
  readonly webhook_id: string
  /** When it is sent: the webhook-timestamp. */
  readonly now: number
}

/** The user whose endpoint it is, with the roles that the user had when it was added or rotated. */
export interface EndpointOwner {
  readonly authid: string
  readonly authmethod: string
  readonly authroles: readonly string[]
}

/** One endpoint, without its secrets. Times are milliseconds since the epoch. */
export interface Endpoint extends Required<DeliveryRef> {
  readonly owner: EndpointOwner
  readonly url: string
  readonly created_at: number
  /** When a ping was answered with 2xx; null: nothing but pings is sent. */
  readonly verified_at: number | null
}

/** What a delivery has for endpoints of users. */
interface UserEndpoints {
  /** Endpoints of one user, at most. */
  readonly perUser: number
  /** The delivery to one of them, which is sent by itself. */
  of(endpoint: Endpoint): Delivery
  /** Sends a signed ping once; never rejects. */
  ping(endpoint: Endpoint, attempt: DeliveryAttempt): Promise<AttemptEnd>
}

/** One delivery of a document, compiled. */
export interface Delivery extends DeliveryRef {
  /** Users add its endpoints, and nothing is sent but by {@link UserEndpoints.of}. Absent: the document has its endpoint. */
  readonly endpoints?: UserEndpoints
  /** A topic or pattern. */
  readonly topic: string
  readonly match: Match
  /** `is_active`. */
  readonly isActive: boolean
  readonly limits: DeliveryLimits
  /** Whether the document wants the event, and the key of its order. */
  admit(
    event: DeliveredEvent,
  ): { readonly isWanted: boolean; readonly order?: string } | DeliveryFailure
  /** Renders and signs, by the document of now. */
  request(event: DeliveredEvent, attempt: DeliveryAttempt): DeliveryRequest | DeliveryFailure
  /** The message of `on_gap`. Absent: none is sent. */
  readonly gapRequest?: (
    gap: DeliveryGap,
    attempt: DeliveryAttempt,
  ) => DeliveryRequest | DeliveryFailure
}

/** Whether events are accepted and sent. `paused`: accepted, not sent. `stopped`: neither. `failing`: one event probes. */
export const deliveryStates = ['active', 'failing', 'paused', 'stopped', 'inactive'] as const

export type DeliveryState = (typeof deliveryStates)[number]

/** Why a delivery is stopped: the endpoint said 410, or nothing but failures for `disable_after`. */
export type StopReason = 'gone' | 'failures'

/** One delivery, as management tells it. */
export interface DeliveryStatus extends DeliveryRef {
  readonly state: DeliveryState
  readonly reason: StopReason | null
  /** The document has it; false: rows are left of a former one. */
  readonly is_declared: boolean
  readonly pending: number
  readonly dead: number
  /** When the oldest of the pending was accepted. */
  readonly oldest_at: number | null
  readonly gaps: number
  /** The node that accepts and sends; null: none does. */
  readonly owner: string | null
}

/** The endpoints of a delivery that users have added, as management tells them. */
export interface EndpointStatus extends DeliveryStatus {
  readonly endpoint: string
}

/** `pending`: due or waits for its next attempt. `held`: behind another one of its key. */
export const eventStates = ['pending', 'held', 'done', 'dead'] as const

export type EventState = (typeof eventStates)[number]

/** Why an event is a dead letter. */
export type DeadReason = 'exhausted' | 'expired' | 'not_rendered' | 'refused' | 'dropped'

/** One event, without its payload. */
export interface DeliveryEventStatus {
  readonly webhook_id: string
  readonly publication: string
  readonly topic: string
  readonly state: EventState
  /** Of a dead letter. */
  readonly reason: DeadReason | null
  readonly attempts: number
  readonly accepted_at: number
  /** When the next attempt is due; null: there is none. */
  readonly due_at: number | null
  /** Of the last attempt. */
  readonly status: number | null
  readonly error: string | null
}

/** Which events are listed. */
export interface EventQuery {
  readonly state?: EventState
  /** 1 to 1,000. */
  readonly limit: number
  /** The cursor of the page before. */
  readonly after?: string
}

/** A page of events, the oldest first. */
export interface EventPage {
  readonly events: readonly DeliveryEventStatus[]
  /** undefined: this is the last page. */
  readonly cursor?: string
}

/** Which events are replayed or dropped: those of these ids, or all of a state. */
export type EventSelection =
  | { readonly webhook_ids: readonly string[] }
  | { readonly state: EventState }

/** What the action `deliver` hands in. */
export interface HandedEvent {
  readonly topic: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  /** Makes repeats one. */
  readonly id?: string
}

/** The outbox of one process. Unless said otherwise, methods throw ServiceError `service.error.unavailable`; those of a delivery also `service.error.not_found`. */
export interface Outbox {
  /** The deliveries of now: all that the documents of this process declare, of all realms. */
  use(deliveries: readonly Delivery[]): void
  /** Resolves once the event is on the disk. `service.error.unavailable` where it is stopped or full. */
  accept(
    ref: DeliveryRef,
    event: HandedEvent,
  ): Promise<{ readonly webhook_id: string; readonly is_repeat: boolean }>
  /** Those that are declared, and those of which rows are left; by realm, document and name. Endpoints of users count as one. */
  list(): Promise<readonly DeliveryStatus[]>
  /** Those of these endpoints of users at a delivery that events were accepted for, or may be. */
  endpoints(ref: DeliveryRef, ids: readonly string[]): Promise<readonly EndpointStatus[]>
  events(ref: DeliveryRef, query: EventQuery): Promise<EventPage>
  /** With its payload. */
  event(
    ref: DeliveryRef,
    webhook_id: string,
  ): Promise<DeliveryEventStatus & { readonly event: DeliveredEvent }>
  /** The gaps of the last 30 days, the newest first. */
  gaps(ref: DeliveryRef): Promise<readonly DeliveryGap[]>
  /** Makes them due now, with all attempts; done ones and dead ones. @returns how many */
  replay(ref: DeliveryRef, selection: EventSelection): Promise<number>
  /** Removes them. @returns how many */
  drop(ref: DeliveryRef, selection: EventSelection): Promise<number>
  /** Accepts on, and sends nothing. */
  pause(ref: DeliveryRef): Promise<void>
  /** Ends a pause, and a stop. */
  resume(ref: DeliveryRef): Promise<void>
  /** Sends one event at once, which is not kept: what was answered. */
  test(ref: DeliveryRef, event: HandedEvent): Promise<AttemptEnd | DeliveryFailure>
}
