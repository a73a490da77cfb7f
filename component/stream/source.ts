/** One subscription and all streams that it feeds: their events, their replay, and what becomes of them when the router is away. */
import { notJoined } from '#component/wamp/failure.ts'
import {
  type Session,
  WampError,
  type Watch,
  type WatchedEvent,
  type WatchHandlers,
} from '#component/wamp/session.ts'
import { Batch, FrameCache } from './batch.ts'
import { type Entry, type Gap, type StreamedEvent, sizeOf, streamedEvent } from './entry.ts'
import { RetainedRounds } from './retained.ts'
import { Ring } from './ring.ts'
import { startAt } from './start.ts'
import { Stream } from './stream.ts'
import { type SourcePorts, type StreamOwner, topicKey, type Wanted } from './terms.ts'
import type { Stint } from './turns.ts'
import type { Rendered, Tongue, View } from './view.ts'

/** Hexadecimal digits of a tag. */
const tagDigits = 6

/**
 * Milliseconds until a router is asked again: it did not judge the grants, or it may have judged them as they were, because it asks
 * several gateways in turn, or is another process.
 */
const regrantPause = 5_000

/** Errors of a SUBSCRIBE that say nothing of the grants. */
const doubtful: ReadonlySet<string> = new Set(['wamp.error.net_failure', 'service.error.timeout'])

/** Made by {@link Streams}, one for each session, topic and match. */
export class Source implements Tongue, WatchHandlers {
  readonly session: Session
  /** As {@link topicKey}: tells it from the other sources of its session. */
  readonly key: string
  /** Tells the events of this subscription from those of others: other topics, processes, and times. */
  readonly tag: string
  readonly ring: Ring
  readonly streams = new Set<Stream>()
  /** The `seq` of the newest event; 0 before the first. */
  newestEvent = 0
  /** Settles when the router has answered the first SUBSCRIBE. */
  opened: Promise<void> = Promise.resolve()
  /** Delivers what has come. */
  readonly stint: Stint = (isLate) => this.deliver(isLate)
  /** Whether it takes streams: until it is closed, and while the router is there. */
  isThere = true
  /** When the oldest event that has not been delivered came in; milliseconds of `performance.now()`. */
  receivedAt = 0
  readonly #ports: SourcePorts
  readonly #letGo: () => void
  readonly #match: Wanted['match']
  /** There once a stream has asked for retained events. */
  #retained: RetainedRounds | undefined
  readonly #frames = new FrameCache()
  #newestPublication = 0
  #lingerMs = 0
  #stopLinger: (() => void) | undefined
  #stopRegrant: (() => void) | undefined
  #watch: Watch | undefined
  #isClosed = false
  /** When the router was lost; milliseconds since the epoch. */
  #lostAt: number | undefined
  readonly #queue: Delivery[] = []
  #current: Current | undefined
  /** The entries of the newest delivery, while more may be added to it. */
  #open: Entry[] | undefined

  /** @param letGo called once, at the end: the session is not needed any more */
  constructor(
    ports: SourcePorts,
    session: Session,
    wanted: Pick<Wanted, 'match' | 'topic'>,
    letGo: () => void,
  ) {
    this.#ports = ports
    this.session = session
    this.key = topicKey(wanted)
    this.#match = wanted.match
    this.#letGo = letGo
    const random = Math.floor(ports.clock.random() * 16 ** tagDigits)
    this.tag = random.toString(16).padStart(tagDigits, '0')
    this.ring = new Ring(0, 0)
  }

  /** The id of the newest event; where a client stands that has seen all. */
  get position(): string {
    return this.idOf(this.#newestPublication)
  }

  idOf(publication_id: number): string {
    return `${publication_id}-${this.tag}`
  }

  render(view: View, entry: Entry & { readonly event: StreamedEvent }): Rendered {
    return this.#frames.render(view, entry, this.idOf(entry.event.publication_id))
  }

  onGap(code: Gap['code']): void {
    this.#ports.onGap(code)
  }

  /** Adds a stream; it sees every event that comes from now on, and what it has missed where it comes back. */
  join(owner: StreamOwner, wanted: Wanted): Stream {
    this.#stopLinger?.()
    this.#stopLinger = undefined
    const { replayEvents, replayTimeoutMs } = wanted
    this.ring.grow(replayEvents, replayTimeoutMs)
    this.#lingerMs = Math.max(this.#lingerMs, replayTimeoutMs)
    this.ring.expire(this.#ports.clock.now())
    const start = startAt(this, this.#retained, wanted)
    const stream = new Stream(this.#ports, this, owner, start)
    this.streams.add(stream)
    return stream
  }

  /** Whether it lives on without streams. */
  get isLeft(): boolean {
    return this.#stopLinger !== undefined && !this.#isClosed
  }

  /** Removes a stream. Without streams the source lives on for a while. */
  leave(stream: Stream): void {
    this.streams.delete(stream)
    this.#retained?.forget(stream)
    if (this.streams.size > 0 || this.#isClosed) return
    if (this.#lingerMs === 0) this.close()
    else this.#stopLinger = this.#ports.clock.after(this.#lingerMs, () => this.close())
  }

  /**
   * Subscribes.
   * @param awaiting gets the retained events that come with it
   * @throws WampError; then the source is closed
   */
  open(
    { topic, match, options }: Wanted,
    timeoutMs: number,
    awaiting: Stream | undefined,
  ): Promise<void> {
    if (awaiting) this.#rounds().admit(awaiting)
    const watching = this.session.watch(topic, { ...options, match }, timeoutMs, this)
    this.opened = watching.then(
      (watch) => {
        this.#watch = watch
        if (this.#isClosed) watch.end()
      },
      (error: unknown) => {
        this.close()
        throw error
      },
    )
    return this.opened
  }

  /** Asks the router for retained events for one stream; it judges the grants anew. @throws WampError */
  askRetained(stream: Stream, options: Wanted['options'], timeoutMs: number): Promise<void> {
    return this.#rounds().ask(stream, async () => {
      await this.#watch?.again(options, timeoutMs)
    })
  }

  #rounds(): RetainedRounds {
    this.#retained ??= new RetainedRounds(this.#match)
    return this.#retained
  }

  /** Subscribes after a loss of the router. @throws WampError */
  async subscribeAgain(timeoutMs: number): Promise<void> {
    await this.#watch?.again({}, timeoutMs)
    if (!this.isThere) throw notJoined()
  }

  /** Lets the router judge the grants anew, and once more some seconds later: a refusal ends all streams. */
  async regrant(isRepeated = false): Promise<void> {
    try {
      // what is under way may have been judged already
      await this.opened
      await this.#watch?.again({})
      if (!isRepeated) this.#regrantLater(true)
    } catch (error) {
      if (isRefusal(error)) this.onRefused(error)
      // a router that was lost judges when it is back
      else if (this.isThere) this.#regrantLater(isRepeated)
    }
  }

  #regrantLater(isRepeated: boolean): void {
    this.#stopRegrant?.()
    if (this.#isClosed) return
    const regrant = (): void => void this.regrant(isRepeated)
    this.#stopRegrant = this.#ports.clock.after(regrantPause, regrant)
  }

  /** Unsubscribes; there are no streams any more. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.isThere = false
    this.#stopLinger?.()
    this.#stopRegrant?.()
    this.#watch?.end()
    this.#letGo()
    this.#ports.onClosed(this)
  }

  onEvent(watched: WatchedEvent): void {
    if (this.#isClosed) return
    const { clock, onReceived } = this.#ports
    onReceived()
    const event = streamedEvent(watched)
    const [at, size] = [clock.now(), sizeOf(watched)]
    if (watched.isRetained) {
      const entry = { seq: 0, at, size, event, gap: undefined }
      const seen = this.ring.find(event.publication_id)?.seq ?? 0
      const streams = this.#retained?.receive(entry, seen, this.ring.nextSeq)
      if (streams) this.#deliver({ streams, begin: () => (stream) => stream.takeRetained(entry) })
      return
    }
    this.newestEvent = this.ring.nextSeq
    this.#newestPublication = event.publication_id
    this.#add({ seq: this.ring.nextSeq, at, size, event, gap: undefined })
  }

  onMissed(publication_id: number): void {
    if (this.#isClosed) return
    this.#ports.onReceived()
    const gap: Gap = { code: 'unreadable', id: this.idOf(publication_id) }
    const at = this.#ports.clock.now()
    this.#add({ seq: this.ring.nextSeq, at, size: 0, event: undefined, gap })
  }

  onLost(): void {
    if (this.#isClosed) return
    this.#lostAt ??= this.#ports.clock.now()
    this.isThere = false
    this.#deliver({ begin: () => (stream) => stream.remark('the router is away') })
  }

  onBack(): void {
    if (this.#isClosed) return
    const until = this.#ports.clock.now()
    const gap: Gap = { code: 'router_lost', since: this.#lostAt ?? until, until }
    this.#lostAt = undefined
    this.isThere = true
    this.#add({ seq: this.ring.nextSeq, at: until, size: 0, event: undefined, gap })
  }

  onRefused({ error_uri }: Pick<WampError, 'error_uri'>): void {
    const reason = error_uri === 'service.error.unauthorized' ? 'unauthorized' : 'refused'
    // events that came before the refusal are sent before the end
    this.deliver(() => false)
    for (const stream of [...this.streams]) stream.end(reason, error_uri)
    this.close()
  }

  /**
   * Gives streams what has come.
   * @param isLate whether other work is to be done first
   * @returns whether all streams have everything
   */
  deliver(isLate: () => boolean): boolean {
    for (;;) {
      const current = this.#current ?? this.#nextDelivery()
      if (current === undefined) return true
      const { done, value } = current.streams.next()
      if (done) {
        this.#current = undefined
        this.#frames.clear()
      } else current.give(value)
      if (isLate()) return false
    }
  }

  #nextDelivery(): Current | undefined {
    const delivery = this.#queue.shift()
    if (delivery === undefined) {
      if (this.receivedAt > 0) this.#ports.onDelivered(performance.now() - this.receivedAt)
      this.receivedAt = 0
      return undefined
    }
    if (this.#queue.length === 0) this.#open = undefined
    const { streams = this.streams } = delivery
    this.#current = { give: delivery.begin(), streams: streams.values() }
    return this.#current
  }

  /** Adds an entry behind the newest one. */
  #add(entry: Entry): void {
    this.ring.push(entry)
    this.#ports.onKept(this)
    if (this.#open) {
      this.#open.push(entry)
      return
    }
    const entries = [entry]
    this.#deliver({
      begin: () => {
        const batch = new Batch(entries, this)
        return (stream) => stream.take(batch)
      },
    })
    this.#open = entries
  }

  #deliver(delivery: Delivery): void {
    this.#open = undefined
    this.#queue.push(delivery)
    if (this.receivedAt === 0) this.receivedAt = performance.now()
    this.#ports.onChanged(this)
  }
}

/** Something that streams are to be given. */
interface Delivery {
  /** Absent: all streams of the source. */
  readonly streams?: ReadonlySet<Stream>
  begin(): (stream: Stream) => void
}

/** A delivery under way, and the streams that have not got it yet. */
interface Current {
  readonly give: (stream: Stream) => void
  readonly streams: Iterator<Stream>
}

const isRefusal = (error: unknown): error is WampError =>
  error instanceof WampError && !doubtful.has(error.error_uri)
