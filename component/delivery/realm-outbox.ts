/** The deliveries of one realm in one process: it owns them, stands by, or does neither; the store says which. */
import type { DeliveryRowEnd, WaitingRow } from '#component/store/delivery-store.ts'
import { type DeliveryStateRow, rowStates } from '#component/store/tables.ts'
import { type BatchSize, WriteBatch } from '#component/store/write-batch.ts'
import { inTurn } from '#component/yielding.ts'
import type { Acceptance } from './acceptance.ts'
import { deadKeptMs } from './after-attempt.ts'
import { GapMessages } from './gap-messages.ts'
import { deliveryIdOf } from './ids.ts'
import { openEvent } from './open-event.ts'
import type { OutboxPorts, RealmLock } from './outbox-ports.ts'
import { Sender } from './sender.ts'
import { Slot, type SlotCounts } from './slot.ts'
import type { Delivery, StopReason } from './types.ts'

/** The parts of the process that its realms share. */
export interface RealmPorts extends OutboxPorts {
  readonly acceptance: Acceptance
  /** Bytes that may still be kept in memory; below 0: too many are. */
  readonly room: () => number
  readonly hasBytes: () => boolean
  /** Those of a delivery outlive its slot. */
  readonly countsOf: (delivery: Delivery) => SlotCounts
  /** The bytes of the rows of all deliveries. */
  readonly onCounted: (bytes: number) => void
  /** A number in the order of acceptance, lower than any from this time on. */
  readonly seqAt: (ms: number) => number
}

/** Milliseconds that a lease lasts, and between two renewals. */
const leaseMs = 10_000
const renewMs = 3_000

/** Milliseconds between two looks at what other processes have written. */
const lookMs = 1_000

/** Milliseconds between two readings of all that is pending, and between two clearings and counts. */
const rereadMs = 10_000
const sweepMs = 60_000

/** Dead letters of a delivery. */
const mostDead = 10_000

/** How rows of many attempts are written. */
const batch: BatchSize = { items: 256, writes: 1 }

/** How long gaps are kept, and what is left of a delivery that no document has any more; milliseconds. */
const gapKeptMs = 30 * 86_400_000
const abandonedKeptMs = 30 * 86_400_000

/** A delivery that no owner has noted for so long is not declared; milliseconds. */
const undeclaredMs = 10 * sweepMs

/** One for each realm of which documents declare deliveries. */
export class RealmOutbox {
  readonly realm_uri: string
  readonly slots = new Map<string, Slot>()
  readonly #ports: RealmPorts
  readonly #inTurn = inTurn()
  readonly #ends: WriteBatch<DeliveryRowEnd, undefined>
  readonly #releases: WriteBatch<{ readonly delivery: string; readonly key: string }, WaitingRow[]>
  readonly #gapMessages: GapMessages
  /** Writes that the store has not, and ends of attempts until they are counted. */
  readonly #open = new Set<Promise<unknown>>()
  readonly #ended = new Set<Promise<void>>()
  #lock: RealmLock | undefined
  /** Of the ownership; undefined: another process has it, or none. */
  #epoch: number | undefined
  #role: 'owner' | 'standby' | undefined
  /** Of the clock that goes on. */
  #renewedAt = Number.NEGATIVE_INFINITY
  #rereadAt = 0
  #sweptAt = 0
  /** When another process was asked whether it has the lock. */
  #askedAt = 0
  #sweeping: Promise<void> | undefined
  /** When rows are counted anew, before the next sweep. Infinity: the numbers of all slots are right. */
  #countAt = 0
  #isStopped = false
  #stopTimer: (() => void) | undefined

  constructor(realm_uri: string, ports: RealmPorts) {
    this.realm_uri = realm_uri
    this.#ports = ports
    this.#ends = new WriteBatch(async (ends) => {
      await ports.store.deliveries.end(ends)
      return ends.map(() => undefined)
    }, batch)
    this.#releases = new WriteBatch(async (pairs) => {
      const found = Map.groupBy(await ports.store.deliveries.release(pairs), orderOf)
      return pairs.map((pair) => found.get(orderOf(pair)) ?? [])
    }, batch)
    this.#gapMessages = new GapMessages(ports)
  }

  get isOwner(): boolean {
    return this.#epoch !== undefined
  }

  get epoch(): number {
    return this.#epoch ?? 0
  }

  /** The deliveries of now. */
  use(deliveries: readonly Delivery[]): void {
    const gone = new Map(this.slots)
    for (const delivery of deliveries) {
      const slot = this.#slotOf(delivery)
      gone.delete(slot.id)
      if (slot.delivery !== delivery) this.#change(slot, delivery)
    }
    for (const slot of gone.values()) {
      this.slots.delete(slot.id)
      const stopped = this.#silence(slot)
      const { endpoint } = slot.delivery
      if (endpoint !== undefined && !this.#ports.hasEndpoint(endpoint))
        this.#purge(slot.id, stopped)
    }
    this.look()
  }

  #slotOf(delivery: Delivery): Slot {
    const { acceptance, countsOf, hasBytes, room, store } = this.#ports
    const known = this.slots.get(deliveryIdOf(delivery))
    if (known) return known
    const made = new Slot(
      delivery,
      {
        ...{ ...this.#ports, hasBytes, room },
        accept: (slot, event) => acceptance.add(slot, event),
        dropOldest: async (slot, rows) => {
          const gone = await store.deliveries.removeOldest(slot.id, rows)
          slot.changeRows(-gone.length)
          return gone.length
        },
        release: (slot, keys) => void this.#release(slot, [...keys]),
        onHearing: () => this.look(),
      },
      countsOf(delivery),
    )
    this.slots.set(made.id, made)
    this.#countAt = 0
    return made
  }

  #change(slot: Slot, delivery: Delivery): void {
    const { topic, match } = slot.delivery
    slot.delivery = delivery
    slot.sender?.use(delivery)
    if (delivery.topic !== topic || delivery.match !== match || !delivery.isActive) {
      void this.#silence(slot)
    }
  }

  /** It hears no event on purpose: that is no gap. */
  #silence(slot: Slot): Promise<void> {
    const wasAccepting = slot.isAccepting
    slot.deafen()
    const stopped = slot.stopSender()
    if (!wasAccepting) return stopped
    if (slot.row) slot.row = { ...slot.row, covered_until: null }
    // before the store is looked at again
    void this.#inTurn(() =>
      this.#persist(() => this.#ports.store.deliveryOwners.cover([slot.id], null)),
    )
    return stopped
  }

  /** A user has removed the endpoint: what waits for it goes, once nothing of it is under way. The owner removes it; its state goes with a later sweep. */
  #purge(id: string, stopped: Promise<void>): void {
    if (!this.isOwner) return
    const { acceptance, store } = this.#ports
    void this.#persist(async () => {
      await stopped
      await acceptance.written()
      await Promise.all([...this.#ended])
      await store.deliveries.remove(id, { states: rowStates })
    })
  }

  /** Looks at the store at once. */
  look(): void {
    void this.#inTurn(() => this.#look()).catch((err: unknown) => {
      this.#ports.log.error({ err }, 'deliveries failed because of a bug in the gateway')
    })
  }

  async #look(): Promise<void> {
    if (this.#isStopped) return
    this.#stopTimer?.()
    try {
      await this.#tryRoles()
      await this.#readStates()
      if (this.isOwner) await this.#own()
    } catch (cause) {
      this.#storeIsAway(cause)
    }
    this.#stopTimer?.()
    if (!this.#isStopped) this.#stopTimer = this.#ports.clock.after(lookMs, () => this.look())
  }

  /** The lease lapses meanwhile: then another process may send. */
  #storeIsAway(cause: unknown): void {
    if (!(cause instanceof Error && 'uri' in cause)) throw cause
    if (!this.isOwner || this.#ports.monotonic() - this.#renewedAt < leaseMs) return
    this.#yield()
  }

  async #tryRoles(): Promise<void> {
    const { holder, monotonic, node, store } = this.#ports
    const asked = monotonic()
    if (asked - this.#renewedAt < renewMs) return
    const { realm_uri } = this
    const request = { realm_uri, holder, node }
    const epoch = await store.deliveryOwners.take({ ...request, role: 'owner' }, leaseMs)
    if (epoch !== undefined) {
      this.#renewedAt = asked
      if (this.#epoch !== epoch) await this.#begin(epoch)
      return
    }
    if (this.isOwner) this.#yield()
    const standby = await store.deliveryOwners.take({ ...request, role: 'standby' }, leaseMs)
    this.#renewedAt = asked
    this.#role = standby === undefined ? undefined : 'standby'
  }

  async #begin(epoch: number): Promise<void> {
    const { holder, lock, log, store } = this.#ports
    const { realm_uri } = this
    if (this.isOwner) this.#yield()
    if (this.#role === 'standby') {
      await store.deliveryOwners.release({ realm_uri, role: 'standby', holder })
    }
    this.#epoch = epoch
    this.#role = 'owner'
    this.#lock ??= lock?.(realm_uri)
    this.#rereadAt = 0
    // another process has sent since
    this.#countAt = 0
    log.info(
      { realm: realm_uri, epoch },
      'this process accepts and sends the deliveries of the realm',
    )
  }

  /** Another process owns the realm, or may. */
  #yield(): void {
    this.#epoch = undefined
    this.#role = undefined
    for (const slot of this.slots.values()) {
      slot.endAccepting()
      void slot.stopSender()
    }
    void this.#lock?.end()
    this.#lock = undefined
    this.#ports.log.warn(
      { realm: this.realm_uri },
      'this process does not own the deliveries of the realm any more',
    )
  }

  async #readStates(): Promise<void> {
    const { deliveryOwners } = this.#ports.store
    const rows = await deliveryOwners.states()
    const byId = new Map(rows.map((row) => [row.delivery, row]))
    const fresh: DeliveryStateRow[] = []
    for (const slot of this.slots.values()) {
      const row = byId.get(slot.id) ?? newState(slot, this.#ports.clock.now())
      if (!byId.has(slot.id)) fresh.push(row)
      slot.row = row
      if (row.covered_until !== null) slot.covered(row.covered_until)
    }
    await deliveryOwners.declare(fresh)
    if (this.#ports.clock.now() >= this.#countAt) await this.count()
    for (const slot of this.slots.values()) {
      if (this.#role !== undefined && slot.delivery.isActive) slot.listen()
      else if (slot.isListening) slot.deafen()
    }
  }

  async #own(): Promise<void> {
    const { clock } = this.#ports
    const { deliveries } = this.#ports.store
    const slots = [...this.slots.values()]
    const now = clock.now()
    const isAlone = this.#lock === undefined || this.#lock.isHeld
    for (const slot of slots) {
      if (!slot.isHearing) continue
      if (isAlone) slot.beginAccepting()
      else slot.endAccepting()
    }
    if (!isAlone) await this.#coverElsewhere(slots, now)
    await this.#keepGaps(now)
    const taken = await deliveries.takeNew(slots.map(({ id }) => id))
    for (const [id, rows] of Map.groupBy(taken, ({ delivery }) => delivery)) {
      const slot = this.slots.get(id)
      if (slot) this.#taken(slot, rows)
    }
    if (now >= this.#rereadAt) {
      this.#rereadAt = now + rereadMs
      // a user's endpoint mostly has none
      for (const slot of slots.filter(({ pending }) => pending > 0)) {
        await deliveries.releaseAll(slot.id)
        slot.sender?.refresh()
      }
    }
    for (const slot of slots) this.#startOrStop(slot)
    await this.#cover(slots, now)
    this.#gapMessages.tell(slots)
    this.#sweepIfDue(now)
  }

  /** Of stores of their own: what has come until now is accepted by another process, or told by it. */
  async #coverElsewhere(slots: readonly Slot[], now: number): Promise<void> {
    if (now < this.#askedAt + renewMs) return
    this.#askedAt = now
    if (!(await this.#lock?.isElsewhere())) return
    const active = slots.filter(({ delivery }) => delivery.isActive)
    await this.#ports.store.deliveryOwners.cover(
      active.map(({ id }) => id),
      now,
    )
  }

  /** Notes until when each has accepted all. Nothing waits for the events that are being written: the lease is renewed meanwhile. */
  async #cover(slots: readonly Slot[], now: number): Promise<void> {
    const { acceptance, store } = this.#ports
    const waitingSince = acceptance.waitingSince()
    const covered = slots.flatMap((slot) => {
      if (!slot.isAccepting || !slot.isHearing) return []
      const until = Math.min(now, (waitingSince.get(slot) ?? Infinity) - 1)
      return until > (slot.row?.covered_until ?? 0) ? [{ id: slot.id, until }] : []
    })
    for (const [until, some] of Map.groupBy(covered, (one) => one.until)) {
      await store.deliveryOwners.cover(
        some.map(({ id }) => id),
        until,
      )
    }
  }

  /** In the background: it takes long where much is removed, and the lease is renewed meanwhile. */
  #sweepIfDue(now: number): void {
    if (this.#sweeping || now < this.#sweptAt + sweepMs) return
    this.#sweptAt = now
    this.#sweeping = this.#sweep(now)
      .catch((err: unknown) => {
        // the store is away
        if (err instanceof Error && 'uri' in err) return
        this.#ports.log.error({ err }, 'deliveries failed because of a bug in the gateway')
      })
      .finally(() => {
        this.#sweeping = undefined
      })
  }

  #taken(
    slot: Slot,
    rows: Awaited<ReturnType<RealmPorts['store']['deliveries']['takeNew']>>,
  ): void {
    slot.changeRows(rows.length)
    slot.counts.accepted += rows.length
    slot.oldestAt ??= rows[0]?.accepted_at
    slot.sender?.add(rows.filter(({ key }) => key === null))
    const keys = new Set(rows.flatMap(({ key }) => key ?? []))
    if (keys.size > 0) void this.#release(slot, [...keys])
  }

  #startOrStop(slot: Slot): void {
    const { row, delivery } = slot
    const isSending = delivery.isActive && row?.state === 'active'
    if (isSending && !slot.sender) {
      slot.sender = this.#sender(slot)
      slot.sender.start(row.failing_since)
    } else if (!isSending && slot.sender) {
      void slot.stopSender()
    }
  }

  #sender(slot: Slot): Sender {
    const { box, clock, log, monotonic, store } = this.#ports
    const { id, counts } = slot
    const epoch = this.epoch
    const owner = { realm_uri: this.realm_uri, holder: this.#ports.holder, epoch }
    const { deliveryOwners, deliveries } = store
    return new Sender(slot.delivery, {
      ...{ clock, monotonic, inTurn: this.#ports.beginInTurn },
      rows: {
        due: (limit) => deliveries.due(id, limit),
        claim: (rows, ms) => deliveries.claim(owner, rows, ms),
        end: (end) => this.#end({ ...end, delivery: id, epoch }),
        release: (key) => this.#releases.add({ delivery: id, key }),
      },
      open: (row) => openEvent(box, row),
      onStop: (reason) => this.#stopDelivery(slot, reason),
      onFailing: (failing_since) => {
        if (slot.row) slot.row = { ...slot.row, failing_since }
        void this.#persist(() => deliveryOwners.setState(id, { failing_since }))
      },
      onAttempt(result) {
        counts.attempts[result] += 1
      },
      onDead: () => {
        slot.changeRows(0, 1)
      },
      onOver: () => {
        slot.changeRows(-1)
      },
      onBug: (err) => log.error({ err, ...nameOf(slot) }, 'an attempt failed because of a bug'),
    })
  }

  async #end(end: DeliveryRowEnd): Promise<void> {
    const ended = this.#persist(() => this.#ends.add(end))
    this.#ended.add(ended)
    await ended
    // once its sender has told that the event is over
    setImmediate(() => this.#ended.delete(ended))
  }

  #stopDelivery(slot: Slot, reason: StopReason): void {
    const { log, store } = this.#ports
    if (!slot.row || slot.row.state === 'stopped') return
    slot.row = { ...slot.row, state: 'stopped', reason }
    this.#startOrStop(slot)
    const said = reason === 'gone' ? 'the endpoint is gone (410)' : 'nothing but failures'
    log.error({ ...nameOf(slot), reason: said }, 'a delivery is stopped')
    void this.#persist(() => store.deliveryOwners.setState(slot.id, { state: 'stopped', reason }))
  }

  async #release(slot: Slot, keys: readonly string[]): Promise<void> {
    const { deliveries } = this.#ports.store
    await this.#persist(async () => {
      const pairs = keys.map((key) => ({ delivery: slot.id, key }))
      slot.sender?.add(await deliveries.release(pairs))
    })
  }

  async #keepGaps(now: number, isAll = false): Promise<void> {
    const { log, store } = this.#ports
    const rows = [...this.slots.values()].flatMap((slot) =>
      slot.gaps.take(now, isAll).map((gap) => {
        const { reason, count } = gap
        slot.counts.gaps[reason] += 1
        const since = new Date(gap.since).toISOString()
        const until = new Date(gap.until).toISOString()
        log.warn(
          { ...nameOf(slot), reason, since, until, count },
          'events of a delivery are missing',
        )
        const due_at = slot.delivery.gapRequest ? now : null
        const id = this.#ports.box.derive('gap', slot.id, reason, since, `${this.epoch}`)
        return {
          ...{ ...gap, delivery: slot.id, id: id.toString('base64url').slice(0, 22) },
          ...{ due_at, attempts: 0 },
        }
      }),
    )
    if (rows.length > 0) await this.#persist(() => store.deliveryOwners.addGaps(rows))
  }

  async #sweep(now: number): Promise<void> {
    const { store } = this.#ports
    for (const slot of this.slots.values()) {
      if (this.#isStopped) return
      if (slot.pending > 0) await this.#expire(slot, now)
      if (slot.over > 0) await store.deliveries.sweep(slot.id, mostDead)
    }
    await store.deliveryOwners.sweepGaps(now - gapKeptMs)
    await store.deliveryOwners.declared([...this.slots.keys()], now)
    await this.#sweepAbandoned(now)
    await this.count()
  }

  async #expire(slot: Slot, now: number): Promise<void> {
    const { seqAt, store } = this.#ports
    const before = seqAt(now - slot.delivery.limits.maxAge * 1_000)
    const expired = await store.deliveries.expire(slot.id, before, now + deadKeptMs)
    if (expired.length === 0) return
    await store.deliveries.releaseAll(slot.id)
    slot.sender?.refresh()
  }

  /** Of all realms: one without deliveries has no owner. */
  async #sweepAbandoned(now: number): Promise<void> {
    const { deliveries, deliveryOwners } = this.#ports.store
    const forgottenBefore = now - abandonedKeptMs
    for (const row of await deliveryOwners.abandoned(now - undeclaredMs)) {
      const { delivery, endpoint, declared_at } = row
      // a user's endpoint, removed while no process owned the realm
      const isRemoved = endpoint !== '' && !this.#ports.hasEndpoint(endpoint)
      if (isRemoved || (declared_at ?? now) < forgottenBefore) {
        await deliveries.remove(delivery, { states: rowStates })
        await deliveryOwners.forget(delivery, isRemoved ? now : forgottenBefore)
      } else await deliveries.sweep(delivery, mostDead)
    }
  }

  /** Counts rows anew; where some change meanwhile, once more after a while. Throws as the store does. */
  async count(): Promise<void> {
    const { acceptance, clock, store } = this.#ports
    const { deliveries } = store
    const before = new Map([...this.slots.values()].map((slot) => [slot, slot.rowChanges]))
    const counts = await deliveries.counts()
    this.#ports.onCounted(counts.reduce((all, { bytes }) => all + bytes, 0))
    const byId = Map.groupBy(counts, ({ delivery }) => delivery)
    const waiting = acceptance.waitingSince()
    // what the store has changed and this process has not counted yet may be counted twice
    const changed = [...before].filter(
      ([slot, changes]) => slot.rowChanges !== changes || waiting.has(slot) || this.#ended.size > 0,
    )
    // what has been right, and has followed the changes, is right
    if (this.#countAt === Infinity) for (const [slot] of changed) before.delete(slot)
    else this.#countAt = changed.length === 0 ? Infinity : clock.now() + rereadMs
    for (const slot of before.keys()) {
      const mine = byId.get(slot.id) ?? []
      const sum = (isCounted: (state: string) => boolean) =>
        mine.reduce((all, { state, rows }) => all + (isCounted(state) ? rows : 0), 0)
      slot.dead = sum((state) => state === 'dead')
      slot.over = slot.dead + sum((state) => state === 'done')
      slot.pending = sum((state) => state !== 'dead' && state !== 'done')
    }
    for (const slot of before.keys()) {
      slot.oldestAt = slot.pending > 0 ? await deliveries.oldest(slot.id) : undefined
    }
  }

  /** Goes on until the store has it, or the process ends. */
  async #persist(task: () => Promise<unknown>): Promise<void> {
    const open = this.#persistently(task)
    this.#open.add(open)
    await open
    this.#open.delete(open)
  }

  async #persistently(task: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await task()
        return
      } catch (cause) {
        if (!(cause instanceof Error && 'uri' in cause)) throw cause
        if (this.#isStopped) return
        await new Promise<void>((resolve) => this.#ports.clock.after(lookMs, resolve))
      }
    }
  }

  /** Hands over: what was accepted is on the disk, what is under way has ended, and another process may own the realm. */
  async stop(): Promise<void> {
    const { clock, drainMs, holder, store } = this.#ports
    const { realm_uri } = this
    this.#isStopped = true
    await this.#inTurn(async () => this.#stopTimer?.())
    await this.#sweeping
    const slots = [...this.slots.values()]
    const senders = slots.flatMap(({ sender }) => sender ?? [])
    const stopTimer = clock.after(drainMs, () => {
      for (const sender of senders) void sender.stop(true)
    })
    await Promise.all(senders.map((sender) => sender.stop(false)))
    stopTimer()
    while (this.#open.size > 0) await Promise.all(this.#open)
    const now = clock.now()
    await this.#ports.acceptance.written()
    const hearing = slots.filter((slot) => slot.isAccepting && slot.isHearing)
    try {
      await this.#keepGaps(now, true)
      await store.deliveryOwners.cover(
        hearing.map(({ id }) => id),
        now,
      )
      if (this.#role) {
        await store.deliveryOwners.release({ realm_uri, role: this.#role, holder })
      }
    } catch {
      // the store is away: the leases lapse
    }
    this.#epoch = undefined
    for (const slot of slots) slot.deafen()
    await this.#lock?.end()
  }
}

const nameOf = ({ delivery: { api_spec, name, endpoint } }: Slot) => ({
  ...{ api_spec, delivery: name },
  ...(endpoint !== undefined && { endpoint }),
})

/** Of no two rows of different orders. */
const orderOf = ({ delivery, key }: Pick<WaitingRow, 'delivery' | 'key'>) => `${delivery} ${key}`

const newState = (
  { id, delivery: { realm_uri, api_spec, name, endpoint = '' } }: Slot,
  declared_at: number,
): DeliveryStateRow => ({
  ...{ delivery: id, realm_uri, api_spec, name, endpoint, state: 'active' },
  ...{ reason: null, failing_since: null, covered_until: null, declared_at },
})
