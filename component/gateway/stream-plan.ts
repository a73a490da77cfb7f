/** The types of what a document declares of a stream: of events, and of progressive results. */
import type { StreamType } from '#component/syntax/event-stream.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { ExtentPlan } from './api.ts'
import type { HeaderLayer, Headers, Live } from './header-layers.ts'

/**
 * The declared headers of a stream, which are sent before anything has come: of `on_result`, without those that describe a body or
 * tell of the result. A computed map of headers may still hold them.
 */
export interface StreamHead {
  /** Known at load. */
  readonly headers: Headers
  /** Laid over them for each request, in this order. */
  readonly layers: readonly HeaderLayer[]
}

/** What all streams have. */
interface AnyStreamPlan {
  /** The media types of a stream that clients may have: one at least, unless the pieces are raw. */
  readonly types: readonly StreamType[]
  readonly head: StreamHead
}

/** How an event, a piece or a snapshot is told; undefined: as the gateway does it. */
export interface ViewPlan {
  /** The name of the event. */
  readonly name: Live | undefined
  readonly body: Live | undefined
}

/** What is known at load of an operation whose answer is a stream of events. What a request decides is among the fields of its action. */
export interface StreamPlan extends AnyStreamPlan, ViewPlan {
  readonly kind: 'events'
  readonly match: Match
  /** Over whose session the gateway subscribes. */
  readonly as: 'user' | 'gateway'
  /** Events kept for streams that come back. */
  readonly replayEvents: number
  /** How long events are kept, and a subscription without streams. */
  readonly replayTimeoutMs: number
  readonly heartbeatMs: number
  /** The least that `retry` tells. */
  readonly retryMs: number
  /** What becomes of a stream whose client reads too slowly. */
  readonly overflow: 'close' | 'drop'
  /** Streams of the operation at once, in each process; undefined: any number. */
  readonly maxStreams: number | undefined
  /** Whether an event is sent; undefined: all are. */
  readonly filter: Live | undefined
  /** Whether name and body are the same for all streams: they read neither the request nor its user. */
  readonly isShared: boolean
  /** The same of the filter. */
  readonly isFilterShared: boolean
  /** undefined: the document asks for no snapshot. */
  readonly snapshot: ViewPlan | undefined
}

/** What is known at load of an operation whose answer may be the pieces of a progressive result. */
export interface ProgressPlan extends AnyStreamPlan, ViewPlan {
  readonly kind: 'progress'
  /** Whether pieces and answer go out as the bytes they are, under the declared type. */
  readonly isRaw: boolean
  /** Where the raw pieces stand in the whole, as the first of them tells it. */
  readonly extent: ExtentPlan | undefined
}

/** How a call is answered as a stream. */
export interface CallStreaming {
  readonly plan: ProgressPlan
  /** The Content-Type. */
  readonly type: string
  /** undefined: the pieces go out raw. */
  readonly frames: StreamType | undefined
}
