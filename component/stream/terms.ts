/** What streams are told: whose they are, how they are served, where they begin; and what they tell. */
import type { Clock } from '#component/clock.ts'
import type { Identity } from '#component/identity.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { Gap } from './entry.ts'
import type { Source } from './source.ts'
import type { Stream } from './stream.ts'
import type { Filter, View } from './view.ts'

/** Whose stream it is. */
export interface StreamOwner {
  /** The id of the API Specification. */
  readonly api: string
  /** The operation: the same object for all of its streams until the document is loaded again. */
  readonly operation: object
  readonly realm_uri: string
  readonly identity: Identity
}

/** How a stream is served; most of it is the same for all streams of an operation. */
export interface StreamSettings {
  readonly view: View
  /** Absent: the view decides. */
  readonly filter?: Filter | undefined
  readonly heartbeatMs: number
  /** The least that the client is told to wait before it comes back; milliseconds. */
  readonly retryMs: number
  readonly overflow: 'close' | 'drop'
}

/** What a client uses of those who keep its stream. */
export interface ClientPorts {
  readonly clock: Clock
  /** Most bytes that may wait for a client. */
  readonly bufferBytes: number
  onGap(code: Gap['code']): void
  /** Called with the number of events that are passed over because a client is slow. */
  onDropped(events: number): void
}

/** What a stream uses of those who keep it. */
export interface StreamPorts extends ClientPorts {
  /** Called with the events of each write; `isReplay`: they had come before. */
  onSent(stream: Stream, events: number, isReplay: boolean): void
  /** Called once when it has begun. */
  onBegun(stream: Stream, settings: StreamSettings): void
  /** Called once at the end. @param settings absent where it has not begun */
  onOver(stream: Stream, settings: StreamSettings | undefined): void
}

/** What a source uses of those who keep it. */
export interface SourcePorts extends StreamPorts {
  /** Called with each event that the router sends. */
  onReceived(): void
  /** Called when the ring has got an entry. */
  onKept(source: Source): void
  /** Called when the source has something to deliver. */
  onChanged(source: Source): void
  /** Called when all streams have got everything. @param ms since the oldest of it came in */
  onDelivered(ms: number): void
  /** Called once, at the end. */
  onClosed(source: Source): void
}

/** Tells the sources of a session apart; no `match` has a space. */
export const topicKey = ({ match, topic }: Pick<Wanted, 'match' | 'topic'>): string =>
  `${match} ${topic}`

/** What a request wants to follow. */
export interface Wanted {
  readonly topic: string
  readonly match: Match
  /** SUBSCRIBE.Options, without `match`. */
  readonly options: Readonly<Record<string, unknown>>
  /** Events kept for streams that come back, and how long, also without streams. */
  readonly replayEvents: number
  readonly replayTimeoutMs: number
  /** The id of the event that the client has seen last; `""`: none. */
  readonly lastEventId: string
  /** Whether a snapshot is sent before the events: then no events are replayed behind it that are older. */
  readonly hasSnapshot: boolean
  /** Events, replayed ones included; 0: no end. */
  readonly maxEvents: number
  /** Milliseconds; 0: no end. */
  readonly maxDurationMs: number
}

/** Where a stream begins. */
export interface Start extends Pick<Wanted, 'maxEvents' | 'maxDurationMs'> {
  /** The `seq` of its first entry. */
  readonly from: number
  /** Told first. */
  readonly gap: Gap | undefined
  /** Events up to this `seq` do not count for the greatest number. */
  readonly uncounted: number
  /** The id that the client is told as its position; undefined: none. */
  readonly position: string | undefined
  /** Whether nothing is missing since the event that the client has named. */
  readonly isResumed: boolean
}
