/** What is asked of a rehearsal: a request or a call in words, and what its actions come to. */
import type { Caller } from '#component/gateway/invocation.ts'

/** A request as people describe it; absent members are ordinary. */
export interface DescribedRequest {
  /** Any case; `get`. */
  readonly method?: string
  /** `https`. */
  readonly scheme?: 'http' | 'https'
  /** `_`, or absent: `localhost`. */
  readonly host?: string
  /** As it is sent, escapes kept; may carry the query. `/`. */
  readonly path?: string
  /** Without the question mark. */
  readonly query_string?: string
  /** In any case; numbers and booleans are texts. */
  readonly headers?: Readonly<Record<string, string | number | boolean>>
  /** A text beside a `content-type` is sent as it is. Any other value is encoded as `content-type` says; without one as JSON. */
  readonly body?: unknown
  /** `ip` or `ip:port` of the client; `127.0.0.1`. */
  readonly peer?: string
}

/** A call of a procedure as people describe it; absent members are empty. */
export interface DescribedCall {
  /** The URI that is called. */
  readonly procedure: string
  readonly args?: readonly unknown[]
  readonly kwargs?: Readonly<Record<string, unknown>>
  /** INVOCATION.Details beside those of the caller. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Absent: the router does not disclose it. */
  readonly caller?: Caller
}

/** The error that an action came to; absent members are empty. An upstream that answered gave `status_code`, `headers` and `body`. */
export interface GivenError {
  readonly error_uri?: string
  readonly args?: readonly unknown[]
  readonly kwargs?: Readonly<Record<string, unknown>>
  readonly details?: Readonly<Record<string, unknown>>
  readonly status_code?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An event that is published after the subscription was made; what is absent is empty. */
export interface GivenEvent {
  readonly args?: readonly unknown[]
  readonly kwargs?: Readonly<Record<string, unknown>>
  readonly details?: Readonly<Record<string, unknown>>
  /** Absent: the one that is subscribed to. */
  readonly topic?: string
  /** Absent: its place among the events, from 1. */
  readonly publication_id?: number
  /** Whether the router has retained it. */
  readonly retained?: boolean
}

/** A progressive result; what is absent is empty. */
export type GivenPiece = Pick<GivenEvent, 'args' | 'kwargs' | 'details'>

/** A result or an error: at most one of them; absent, and what is absent in it: completed in the shape of the action. */
export interface GivenAnswer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: GivenError
}

/** What an action came to. */
export interface GivenOutcome extends GivenAnswer {
  /** Of a call: what precedes its answer. */
  readonly pieces?: readonly GivenPiece[]
  /** Of a subscription. */
  readonly events?: readonly GivenEvent[]
  /** Of a subscription: what the call of its snapshot came to. */
  readonly snapshot?: GivenAnswer
}
