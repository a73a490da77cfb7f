/** The streams of a process and their sources: one source for all streams of a session, topic and match. */
import type { Clock } from '#component/clock.ts'
import { notJoined } from '#component/wamp/failure.ts'
import type { Session } from '#component/wamp/session.ts'
import type { YieldTurn } from '#component/yielding.ts'
import type { Gap } from './entry.ts'
import { type Applicant, type Place, type PlaceLimit, type PlaceLimits, Places } from './places.ts'
import { ReplayMemory } from './replay-memory.ts'
import { Source } from './source.ts'
import type { Stream } from './stream.ts'
import { type SourcePorts, type StreamSettings, topicKey, type Wanted } from './terms.ts'
import { type NextTurn, Turns } from './turns.ts'

/** Looks in one heartbeat: a heartbeat comes at most this part of it too early. */
const looks = 8

/** The streams of one heartbeat. */
class Beat {
  readonly streams = new Set<Stream>()
  readonly #clock: Clock
  readonly #turns: Turns
  readonly #periodMs: number
  #stop: (() => void) | undefined

  constructor(clock: Clock, turns: Turns, heartbeatMs: number) {
    this.#clock = clock
    this.#turns = turns
    this.#periodMs = heartbeatMs / looks
  }

  add(stream: Stream): void {
    this.streams.add(stream)
    this.#stop ??= this.#clock.after(this.#periodMs, () => this.#look())
  }

  remove(stream: Stream): void {
    this.streams.delete(stream)
    if (this.streams.size > 0) return
    this.#stop?.()
    this.#stop = undefined
  }

  #look(): void {
    const now = this.#clock.now()
    const rest = this.streams.values()
    this.#turns.add((isLate) => {
      for (const stream of rest) {
        stream.look(now, this.#periodMs)
        if (isLate()) return false
      }
      return true
    })
    this.#stop = this.#clock.after(this.#periodMs, () => this.#look())
  }
}

/** The heartbeats of all streams of a process. */
class Pulse {
  readonly #clock: Clock
  readonly #turns: Turns
  readonly #beats = new Map<number, Beat>()

  constructor(clock: Clock, turns: Turns) {
    this.#clock = clock
    this.#turns = turns
  }

  /** Looks after a stream from now on. */
  add(stream: Stream, heartbeatMs: number): void {
    let beat = this.#beats.get(heartbeatMs)
    if (beat === undefined) {
      beat = new Beat(this.#clock, this.#turns, heartbeatMs)
      this.#beats.set(heartbeatMs, beat)
    }
    beat.add(stream)
  }

  /** No more. */
  remove(stream: Stream, heartbeatMs: number): void {
    const beat = this.#beats.get(heartbeatMs)
    beat?.remove(stream)
    if (beat?.streams.size === 0) this.#beats.delete(heartbeatMs)
  }
}

/** What happens to streams, for metrics. */
interface StreamObserver {
  onBegun(stream: Stream): void
  /** Of streams that had begun. */
  onEnded(stream: Stream): void
  onRefused(limit: PlaceLimit): void
  /** An event of a router. */
  onReceived(): void
  /** Events that were written to a stream. */
  onSent(stream: Stream, events: number, isReplay: boolean): void
  onDropped(events: number): void
  onGap(code: Gap['code']): void
  /** Events have been written to all streams of a source. @param ms since the oldest came in */
  onDelivered(ms: number): void
}

/** The limits of streams, by their names in the configuration. */
interface StreamLimits extends PlaceLimits {
  /** Most bytes that wait for one client. */
  readonly stream_buffer: number
  /** Most bytes of all events that are kept for streams that come back. */
  readonly replay_memory: number
}

/** The defaults of {@link StreamLimits}. */
const defaults: StreamLimits = {
  streams: 8_000,
  streams_per_address: 100,
  streams_per_identity: 20,
  stream_buffer: 262_144,
  replay_memory: 67_108_864,
}

/** The parts that streams use, and their limits. */
export interface HubPorts {
  readonly clock: Clock
  /** Absent ones have their defaults. */
  readonly limits?: Partial<StreamLimits>
  /** Keeps the session of a user joined. @returns lets it go. @throws ServiceError 503 beyond the limit */
  hold(session: Session): () => void
  readonly observer?: Partial<StreamObserver>
  /** Calls back in the next turn of the event loop; absent: setImmediate. */
  readonly nextTurn?: NextTurn
}

/** What there is now, for metrics. */
export interface StreamStats {
  readonly streams: number
  readonly sources: number
  /** Bytes that wait for clients. */
  readonly bufferedBytes: number
  /** Bytes of the events that are kept for streams that come back. */
  readonly replayBytes: number
}

/** One for each process. It has no timers while there are no streams. */
export class Streams {
  readonly #ports: HubPorts
  readonly #places: Places
  readonly #turns: Turns
  readonly #pulse: Pulse
  readonly #memory: ReplayMemory
  readonly #sources = new Map<Session, Map<string, Source>>()
  readonly #streams = new Set<Stream>()
  /** Subscriptions that live on without streams, the one that was left first before the others: each keeps the place of its last stream. */
  readonly #left = new Map<Source, Place>()
  readonly #sourcePorts: SourcePorts

  constructor(ports: HubPorts) {
    const { clock, nextTurn, observer = {} } = ports
    const limits = { ...defaults, ...ports.limits }
    this.#ports = ports
    const random = (): number => clock.random()
    this.#places = new Places(limits, random, (limit) => observer.onRefused?.(limit))
    this.#turns = new Turns(nextTurn)
    this.#pulse = new Pulse(clock, this.#turns)
    this.#memory = new ReplayMemory(limits.replay_memory, clock)
    this.#sourcePorts = {
      clock,
      bufferBytes: limits.stream_buffer,
      onGap: (code) => observer.onGap?.(code),
      onDropped: (events) => observer.onDropped?.(events),
      onSent: (stream, events, isReplay) => observer.onSent?.(stream, events, isReplay),
      onReceived: () => observer.onReceived?.(),
      onDelivered: (ms) => observer.onDelivered?.(ms),
      onKept: (source) => this.#memory.keep(source.ring),
      onChanged: (source) => this.#turns.add(source.stint),
      onBegun: (stream, settings) => this.#begun(stream, settings),
      onOver: (stream, settings) => this.#over(stream, settings),
      onClosed: (source) => this.#closed(source),
    }
  }

  /** All streams, begun or not. */
  get all(): IterableIterator<Stream> {
    return this.#streams.values()
  }

  /** All sources. */
  *sources(): Generator<Source, void, undefined> {
    for (const ofSession of this.#sources.values()) yield* ofSession.values()
  }

  /**
   * Takes a place for a stream, before anything is asked of the router. Where a limit is met, the subscription of it that was left first ends, but
   * that of a client that comes back to it.
   * @throws ServiceError 503 or 429 with `Retry-After`
   */
  admit(applicant: Applicant): Place {
    let endLender: (() => void) | undefined
    try {
      const place = this.#places.take(applicant, (countsAlike) => {
        const left = [...this.#left].filter(([, one]) => countsAlike(one))
        const own = left.find(([{ tag }]) => applicant.lastEventId?.endsWith(`-${tag}`))
        const [source, lent] = own ?? left[0] ?? []
        if (source === undefined || lent === undefined) return false
        this.#left.delete(source)
        lent.give()
        const end = () => source.isLeft && source.close()
        if (own) endLender = end
        else end()
        return true
      })
      place.endLender = endLender
      return place
    } catch (error) {
      endLender?.()
      throw error
    }
  }

  /**
   * Joins a stream to the source of its topic, subscribing where there is none. The stream must be begun or cancelled.
   * @param place of {@link admit}; given back at the end of the stream, and by the caller when this fails
   * @param timeoutMs how long the router may take
   * @throws WampError the refusal of the router; `wamp.error.net_failure` at once while the router is away
   * @throws ServiceError 503 when too many sessions of users are held
   */
  async open(
    session: Session,
    owner: Applicant['owner'],
    wanted: Wanted,
    timeoutMs: number,
    place: Place,
  ): Promise<Stream> {
    const known = this.#sources.get(session)?.get(topicKey(wanted))
    if (!session.isOpen) throw notJoined()
    // the session has joined again, and this may be earlier than its own SUBSCRIBE
    if (known?.isThere === false) await known.subscribeAgain(timeoutMs)
    const source = known ?? this.#source(session, wanted)
    const stream = source.join(owner, wanted)
    this.#streams.add(stream)
    this.#giveLeft(source)
    place.endLender?.()
    place.endLender = undefined
    const wantsRetained = wanted.options.get_retained === true && !stream.isResumed
    try {
      if (known === undefined) {
        await source.open(wanted, timeoutMs, wantsRetained ? stream : undefined)
      } else {
        await source.opened
        if (wantsRetained) await source.askRetained(stream, wanted.options, timeoutMs)
      }
    } catch (error) {
      stream.cancel()
      throw error
    }
    if (stream.isOver) throw notJoined()
    stream.place = place
    return stream
  }

  /** As {@link Places.used}. */
  used(limit: PlaceLimit): number {
    return this.#places.used(limit)
  }

  stats(): StreamStats {
    let bufferedBytes = 0
    for (const stream of this.all) bufferedBytes += stream.waiting
    let sources = 0
    for (const ofSession of this.#sources.values()) sources += ofSession.size
    return {
      streams: this.#streams.size,
      sources,
      bufferedBytes,
      replayBytes: this.#memory.bytes,
    }
  }

  /**
   * Has the router judge again whether the streams of these realms may have their topics.
   * @param yieldTurn lets other work run between two subscriptions; absent: all are asked at once
   */
  async regrant(realm_uris: ReadonlySet<string>, yieldTurn?: YieldTurn): Promise<void> {
    for (const source of [...this.sources()]) {
      if (!realm_uris.has(source.session.realm_uri)) continue
      void source.regrant()
      const pause = yieldTurn?.()
      if (pause !== undefined) await pause
    }
  }

  /** Closes all sources; streams are ended before. */
  close(): void {
    for (const source of [...this.sources()]) source.close()
  }

  #source(session: Session, wanted: Wanted): Source {
    const source = new Source(this.#sourcePorts, session, wanted, this.#ports.hold(session))
    const ofSession = this.#sources.get(session) ?? new Map<string, Source>()
    this.#sources.set(session, ofSession.set(source.key, source))
    return source
  }

  #closed(source: Source): void {
    this.#giveLeft(source)
    this.#memory.forget(source.ring)
    const ofSession = this.#sources.get(source.session)
    ofSession?.delete(source.key)
    if (ofSession?.size === 0) this.#sources.delete(source.session)
  }

  /** The place of a stream that is over: of the last one of a subscription, it is kept until that is gone. */
  #leavePlace({ source, place }: Stream): void {
    if (place === undefined) return
    if (source.isLeft) this.#left.set(source, place)
    else place.give()
  }

  #giveLeft(source: Source): void {
    this.#left.get(source)?.give()
    this.#left.delete(source)
  }

  #begun(stream: Stream, { heartbeatMs }: StreamSettings): void {
    this.#pulse.add(stream, heartbeatMs)
    this.#ports.observer?.onBegun?.(stream)
  }

  #over(stream: Stream, settings: StreamSettings | undefined): void {
    this.#streams.delete(stream)
    stream.source.leave(stream)
    this.#leavePlace(stream)
    if (settings === undefined) return
    this.#pulse.remove(stream, settings.heartbeatMs)
    this.#ports.observer?.onEnded?.(stream)
  }
}
