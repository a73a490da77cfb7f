/** One stream of events: from its joining a source, by way of replay and live events, to its end. */
import type { Batch } from './batch.ts'
import { Client } from './client.ts'
import type { Entry } from './entry.ts'
import type { Place } from './places.ts'
import { type EndReason, endCodes, type Reason } from './reasons.ts'
import type { Sink } from './sink.ts'
import type { Source } from './source.ts'
import type { Start, StreamOwner, StreamPorts, StreamSettings } from './terms.ts'
import { ownFrame, type Progress, writeEntries } from './view.ts'

/** Entries that are read from the ring for one write, at most. */
const portion = 64

/** Of a stream without a greatest number of events, at its beginning; one object for all. */
const endless: Progress = { row: undefined, left: Number.POSITIVE_INFINITY }

/** Made by {@link Source}. It is its own record for the log. */
export class Stream {
  readonly kind = 'events'
  readonly owner: StreamOwner
  readonly source: Source
  /** Whether nothing is missing since the event that the client has named. */
  readonly isResumed: boolean
  /** Events that were sent. */
  events = 0
  reason: Reason = 'client'
  /** Called once, when it is over. */
  onOver: (() => void) | undefined
  /** What it counts for, once the router has let it in. */
  place: Place | undefined
  /** The `seq` that came next when it joined. */
  readonly joinedAt: number
  readonly #ports: StreamPorts
  #start: Start | undefined
  /** There once it has begun. */
  #client: Client | undefined
  /** The `seq` of the next entry that it wants. */
  #from: number
  /** Events up to this `seq` do not count for the greatest number. */
  readonly #uncounted: number
  /** Entries that have come before it began; undefined where the ring has them. */
  #held: Entry[] | undefined
  #heldBytes = 0
  /** Events that were not held, because there were too many. */
  #notHeld = 0
  #progress = endless
  /** The `seq` of the last event whose id the client knows. */
  #told: number
  #stopTimer: (() => void) | undefined
  /** What the client is told when the stream has ended before it began. */
  #endCode: string | undefined
  #isOver = false

  constructor(ports: StreamPorts, source: Source, owner: StreamOwner, start: Start) {
    this.#ports = ports
    this.source = source
    this.owner = owner
    this.isResumed = start.isResumed
    this.joinedAt = source.ring.nextSeq
    this.#start = start
    this.#from = start.from
    this.#uncounted = start.uncounted
    this.#held = start.from < this.joinedAt ? undefined : []
    this.#told = source.newestEvent
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the request has named no end, by number or by time; asked before it begins. */
  get isEndless(): boolean {
    return this.#start?.maxEvents === 0 && this.#start.maxDurationMs === 0
  }

  /** Bytes that wait for the client. */
  get waiting(): number {
    return this.#client?.waiting ?? 0
  }

  /**
   * Begins to send; the head has been sent.
   * @param snapshot a frame that is sent before all events
   */
  begin(sink: Sink, settings: StreamSettings, snapshot = ''): void {
    const start = this.#start
    if (this.#isOver || start === undefined) {
      sink.end()
      return
    }
    this.#start = undefined
    const client = new Client(sink, this.#ports, settings, this)
    this.#client = client
    const { clock, onBegun } = this.#ports
    if (start.maxEvents > 0) this.#progress = { row: undefined, left: start.maxEvents }
    sink.onClose(() => this.#leave())
    onBegun(this, settings)
    const { frames } = client
    let text = frames.retry(Math.round(settings.retryMs * (1 + clock.random())))
    if (start.position !== undefined) text += frames.position(start.position)
    if (start.gap) {
      this.#ports.onGap(start.gap.code)
      text += ownFrame(frames, 'gap', start.gap)
    }
    client.write(text + snapshot)
    this.#catchUp(client)
    if (this.#isOver) return
    if (this.#endCode !== undefined) this.end(this.reason as EndReason, this.#endCode)
    else if (start.maxDurationMs > 0) {
      this.#stopTimer = clock.after(start.maxDurationMs, () => this.end('complete'))
    }
  }

  /** Gives it up before it has begun. */
  cancel(): void {
    if (this.#client === undefined) this.#leave()
  }

  /** Takes the entries of a turn; those that it has already are left out. */
  take(batch: Batch): void {
    if (this.#isOver || this.#from >= batch.next) return
    // what it lacks before the batch is read from the ring, and then the batch, too
    if (this.#from < batch.first) return
    const entries = batch.from(this.#from)
    if (this.#client === undefined) {
      if (this.#held) {
        this.#from = batch.next
        this.#hold(entries)
      }
      return
    }
    this.#from = batch.next
    const client = this.#client
    if (!client.admits()) {
      client.passOver(eventsIn(entries))
      return
    }
    const { row, left } = this.#progress
    const isPlain =
      entries === batch.entries &&
      client.settings.view.isShared &&
      client.settings.filter === undefined &&
      left === Number.POSITIVE_INFINITY
    if (isPlain) {
      const joined = batch.joined(client.settings.view, row)
      if (joined.row !== row) this.#progress = { row: joined.row, left }
      this.#sent(joined.bytes, joined.events, joined.told, false)
    } else this.#send(client, entries, false)
  }

  /** Takes a retained event, which has no place in the order of the others. */
  takeRetained(entry: Entry): void {
    if (this.#isOver) return
    if (this.#client) this.#send(this.#client, [entry], false)
    else {
      this.#held ??= []
      this.#hold([entry])
    }
  }

  /** Sends a comment. */
  remark(text: string): void {
    this.#client?.write(this.#client.frames.comment(text))
  }

  /**
   * Ends it: the client is told why, and reads all that was written before.
   * @param code told to the client; that of the reason unless given
   */
  end(reason: EndReason, code: string = endCodes[reason]): void {
    if (this.#isOver) return
    this.reason = reason
    if (this.#client === undefined) {
      this.#endCode = code
      return
    }
    const client = this.#client
    client.write(this.#lag(client) + ownFrame(client.frames, 'end', { code }))
    client.end()
    this.#leave(reason)
  }

  /** The client does not read: its connection is cut. */
  onCut(reason: 'slow' | 'stuck'): void {
    this.#leave(reason)
  }

  /** Looks after its client. @param periodMs until the next look */
  look(now: number, periodMs: number): void {
    if (this.#isOver || this.#client === undefined) return
    const client = this.#client
    const isDue = client.look(now, periodMs)
    // where the connection drains without telling
    this.#readRing(this.#client)
    if (!isDue || this.#isOver) return
    const lag = this.#lag(client)
    client.write(lag === '' ? client.frames.heartbeat : lag)
  }

  /** Keeps entries that come before it begins. */
  #hold(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (this.#heldBytes <= this.#ports.bufferBytes) {
        this.#held?.push(entry)
        this.#heldBytes += entry.size
      } else if (entry.event) this.#notHeld += 1
    }
  }

  /** Sends what was held, or what is missing from the ring. */
  #catchUp(client: Client): void {
    const held = this.#held
    this.#held = undefined
    if (held && held.length > 0) this.#send(client, held, false)
    if (this.#notHeld > 0 && !this.#isOver) {
      client.passOver(this.#notHeld)
      client.tellDropped()
    }
    this.#readRing(client)
  }

  /** Reads from the ring until it has all entries, or the client has enough to read. */
  #readRing(client: Client): void {
    const { ring } = this.source
    while (!this.#isOver && this.#from < ring.nextSeq) {
      if (client.isFull) {
        client.awaitDrain(() => this.#readRing(client))
        return
      }
      const missed = ring.firstSeq - this.#from
      if (missed > 0) {
        this.#from = ring.firstSeq
        client.passOver(missed)
        if (this.#isOver) return
        client.tellDropped()
      }
      const entries = ring.slice(this.#from, portion, this.#ports.bufferBytes)
      this.#from += entries.length
      this.#send(client, entries, true)
    }
  }

  #send({ settings }: Client, entries: readonly Entry[], isReplay: boolean): void {
    const { view, filter } = settings
    const written = writeEntries(
      entries,
      view,
      filter,
      this.source,
      this.#progress,
      this.#uncounted,
    )
    const { row, left } = written
    this.#progress = { row, left }
    this.#sent(written.text, written.events, written.told, isReplay)
    if (left <= 0) this.end('complete')
  }

  /** @param told the `seq` of the last event whose id was sent; 0: none */
  #sent(bytes: string | Uint8Array, events: number, told: number, isReplay: boolean): void {
    this.#client?.write(bytes)
    if (told > 0) this.#told = told
    if (events === 0) return
    this.events += events
    this.#ports.onSent(this, events, isReplay)
  }

  /** What moves the client's position to the newest event, where it was not sent that one; else nothing. */
  #lag({ frames }: Client): string {
    const { source } = this
    if (this.#told >= source.newestEvent || this.#from < source.ring.nextSeq) return ''
    this.#told = source.newestEvent
    return frames.position(source.position)
  }

  /** Frees everything. */
  #leave(reason?: Reason): void {
    if (this.#isOver) return
    this.#isOver = true
    if (reason !== undefined) this.reason = reason
    this.#stopTimer?.()
    this.#held = undefined
    this.#ports.onOver(this, this.#client?.settings)
    this.onOver?.()
  }
}

const eventsIn = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { event }) => (event ? sum + 1 : sum), 0)
