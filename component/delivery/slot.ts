/** One delivery in one process: its subscription, what it keeps while it stands by, what it counts, and its sender. */
import type { DeliveryRow, DeliveryStateRow } from '#component/store/tables.ts'
import { sizeOf } from '#component/stream/entry.ts'
import { WampError, type Watch, type WatchedEvent } from '#component/wamp/session.ts'
import type { AcceptingDelivery, ArrivedEvent } from './acceptance.ts'
import { GapRecord } from './gap-record.ts'
import { deliveryIdOf } from './ids.ts'
import type { OutboxPorts } from './outbox-ports.ts'
import type { Sender } from './sender.ts'
import type { Delivery, DeliveryState, GapReason } from './types.ts'

/** The parts of the process that a slot uses. */
export interface SlotPorts extends Pick<OutboxPorts, 'clock' | 'log' | 'session'> {
  /** Bytes that may still be kept in memory. */
  readonly room: () => number
  /** Rows that all deliveries may still have room for. */
  readonly hasBytes: () => boolean
  readonly accept: (slot: Slot, event: ArrivedEvent) => void
  /** The oldest rows go. @returns how many */
  readonly dropOldest: (slot: Slot, rows: number) => Promise<number>
  /** Rows of these keys were accepted, which the first one of each goes before. */
  readonly release: (slot: Slot, keys: ReadonlySet<string>) => void
  /** It hears events from now on. */
  readonly onHearing: (slot: Slot) => void
}

/** How long a standby keeps events; milliseconds. */
const keptMs = 30_000

/** What was accepted so long before the last word of the owner is in the store: clocks and connections differ. Milliseconds. */
const coverGraceMs = 10_000

/** Milliseconds that the router may take to subscribe. */
const watchMs = 10_000

/** Milliseconds until it is asked again. */
const againMs = 2_000

/** Counted since the process has begun. */
export interface SlotCounts {
  accepted: number
  readonly attempts: Record<'ok' | 'failed' | 'not_sent', number>
  readonly gaps: Record<GapReason, number>
}

/** Of one process. */
export class Slot implements AcceptingDelivery {
  readonly id: string
  delivery: Delivery
  /** As the store has it; undefined: not read yet. */
  row: DeliveryStateRow | undefined
  sender: Sender | undefined
  /** Rows that wait, and dead letters: as they were counted last, and what has changed since. */
  pending = 0
  dead = 0
  /** How often they have changed: a count that the store made meanwhile may have the change or not. */
  rowChanges = 0
  /** Rows that are over, dead letters among them: as they were counted last. */
  over = 0
  /** When the oldest of those that wait was accepted; milliseconds since the epoch. */
  oldestAt: number | undefined
  readonly gaps = new GapRecord()
  readonly counts: SlotCounts
  /** Events are accepted by this process. */
  isAccepting = false
  /** Since when each event has come, or was lost with a gap that is told; undefined: none comes. */
  heardSince: number | undefined
  #kept: ArrivedEvent[] = []
  #keptBytes = 0
  readonly #ports: SlotPorts
  #watch: Watch | undefined
  /** Another try to subscribe makes this one void. */
  #attempt = 0
  #lostAt: number | undefined
  /** Why nothing was heard before {@link heardSince}. */
  #unheard: GapReason = 'absent'
  #isRefusalTold = false
  #stopping = Promise.resolve()
  #stopTimer: (() => void) | undefined

  constructor(delivery: Delivery, ports: SlotPorts, counts: SlotCounts) {
    this.id = deliveryIdOf(delivery)
    this.delivery = delivery
    this.counts = counts
    this.#ports = ports
  }

  get state(): DeliveryState {
    if (!this.delivery.isActive) return 'inactive'
    const state = this.row?.state ?? 'active'
    if (state !== 'active') return state
    const isFailing = this.sender ? this.sender.isFailing : this.row?.failing_since != null
    return isFailing ? 'failing' : 'active'
  }

  get isListening(): boolean {
    return this.#attempt > 0
  }

  get keptBytes(): number {
    return this.#keptBytes
  }

  get room(): number {
    return this.#ports.hasBytes() ? this.delivery.limits.maxPending - this.pending : 0
  }

  /** Subscribes, and goes on trying. */
  listen(): void {
    if (!this.isListening) void this.#listen()
  }

  /** Unsubscribes; what was kept is forgotten. */
  deafen(): void {
    this.#attempt = 0
    this.#stopTimer?.()
    this.#watch?.end()
    this.#watch = undefined
    this.heardSince = undefined
    this.#lostAt = undefined
    this.#unheard = 'absent'
    this.isAccepting = false
    this.forgetKept(Infinity)
  }

  async #listen(): Promise<void> {
    this.#attempt += 1
    const attempt = this.#attempt
    const { clock, session } = this.#ports
    const { realm_uri, topic, match } = this.delivery
    const isMine = () => attempt === this.#attempt
    const again = () => {
      if (!isMine()) return
      this.#stopTimer = clock.after(againMs, () => {
        if (isMine()) void this.#listen()
      })
    }
    try {
      const options = match === 'exact' ? {} : { match }
      const watch = await session(realm_uri).watch(topic, options, watchMs, {
        onEvent: (event) => {
          if (isMine()) this.#onEvent(event)
        },
        onMissed: () => {
          if (isMine()) this.onLost('not_rendered', clock.now())
        },
        onLost: () => {
          if (isMine()) this.#lostAt ??= clock.now()
        },
        onBack: () => {
          if (isMine()) this.#onBack()
        },
        onRefused: (error) => {
          if (!isMine()) return
          this.#lostAt ??= clock.now()
          this.#tellRefused(error)
          again()
        },
      })
      if (!isMine()) {
        watch.end()
        return
      }
      this.#watch = watch
      this.#isRefusalTold = false
      this.#onBack()
    } catch (error) {
      if (isMine()) this.#tellRefused(error)
      again()
    }
  }

  /** Told once until it is taken: it is tried every two seconds. */
  #tellRefused(error: unknown): void {
    if (this.#isRefusalTold || !(error instanceof WampError)) return
    this.#isRefusalTold = true
    const { api_spec, name } = this.delivery
    const line = { api_spec, delivery: name, error: error.error_uri }
    this.#ports.log.warn(line, 'the router refuses the subscription of a delivery; trying again')
  }

  #onBack(): void {
    const now = this.#ports.clock.now()
    const since = this.#lostAt
    this.#lostAt = undefined
    if (since === undefined) this.heardSince ??= now
    else if (this.isAccepting) {
      this.gaps.add({ reason: 'router_lost', since, until: now, count: null })
    } else {
      this.heardSince = now
      this.#unheard = 'router_lost'
    }
    this.#ports.onHearing(this)
  }

  /** Ends attempts. Resolves once nothing of them is under way, nor of those that were ended before. */
  stopSender(): Promise<void> {
    const { sender } = this
    if (sender) this.#stopping = Promise.all([this.#stopping, sender.stop(true)]).then(() => {})
    this.sender = undefined
    return this.#stopping
  }

  /** Whether each event comes now. */
  get isHearing(): boolean {
    return this.heardSince !== undefined && this.#lostAt === undefined
  }

  #onEvent(event: WatchedEvent): void {
    const at = this.#ports.clock.now()
    // the first events may come before SUBSCRIBED is told
    this.heardSince ??= at
    const { topic, payload, details, publication_id } = event
    const { args, kwargs } = payload
    const publication = String(publication_id)
    const arrived = { topic, args, kwargs, details, publication, at, size: sizeOf(event) }
    if (this.isAccepting) this.#take(arrived)
    else this.#keep(arrived)
  }

  #take(event: ArrivedEvent): void {
    if (this.row?.state === 'stopped') this.onLost('stopped', event.at)
    else this.#ports.accept(this, event)
  }

  #keep(event: ArrivedEvent): void {
    this.#kept.push(event)
    this.#keptBytes += event.size
    this.forgetKept(event.at - keptMs)
    while (this.#ports.room() < 0 && this.#kept.length > 0) {
      this.forgetKept((this.#kept[0] as ArrivedEvent).at + 1)
    }
  }

  /** Forgets what came before a time: the owner has it, or it is too old. */
  forgetKept(before: number): void {
    const count = this.#kept.findIndex(({ at }) => at >= before)
    const gone = this.#kept.splice(0, count === -1 ? this.#kept.length : count)
    if (gone.length === 0) return
    for (const { size } of gone) this.#keptBytes -= size
    const last = gone.at(-1)?.at ?? 0
    if (this.heardSince === undefined || last < this.heardSince) return
    this.heardSince = last + 1
    this.#unheard = 'absent'
  }

  /** The owner has said until when it has accepted all. */
  covered(until: number): void {
    if (!this.isAccepting) this.forgetKept(until - coverGraceMs)
  }

  /** Accepts from now on, first what was kept; a time of which nobody has heard is a gap. */
  beginAccepting(): void {
    if (this.isAccepting || this.heardSince === undefined) return
    this.isAccepting = true
    const since = this.row?.covered_until ?? null
    const until = this.heardSince
    if (since !== null && until > since) {
      this.gaps.add({ reason: this.#unheard, since, until, count: null })
    }
    const kept = this.#kept
    this.#kept = []
    this.#keptBytes = 0
    for (const event of kept) this.#take(event)
  }

  /** Another process accepts. */
  endAccepting(): void {
    this.isAccepting = false
  }

  onKept(rows: readonly DeliveryRow[]): void {
    const waiting = rows.filter(({ state }) => state !== 'dead')
    this.counts.accepted += rows.length
    this.changeRows(waiting.length, rows.length - waiting.length)
    this.oldestAt ??= waiting[0]?.accepted_at
    this.sender?.add(waiting.filter(({ state }) => state === 'pending'))
    const keys = new Set(waiting.flatMap(({ key }) => key ?? []))
    if (keys.size > 0) this.#ports.release(this, keys)
  }

  /** More rows wait, or fewer, and there are more dead letters. */
  changeRows(pending: number, dead = 0): void {
    this.pending += pending
    this.dead += dead
    this.rowChanges += 1
  }

  async makeRoom(rows: number): Promise<void> {
    if (this.delivery.limits.onFull !== 'drop_oldest') return
    const dropped = await this.#ports.dropOldest(this, rows - Math.max(this.room, 0))
    const now = this.#ports.clock.now()
    for (let count = 0; count < dropped; count += 1) this.onLost('full', now)
  }

  onLost(reason: GapReason, at: number): void {
    this.gaps.lost(reason, at)
  }
}
