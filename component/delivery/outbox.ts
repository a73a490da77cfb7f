/** The outbox of one process: the deliveries of all realms, and what management asks of them. */
import { randomInt, randomUUID } from 'node:crypto'
import { ServiceError } from '#component/errors.ts'
import type { DeliveryRowHead, RowSelection } from '#component/store/delivery-store.ts'
import { type DeliveryRow, type DeliveryStateRow, rowStates } from '#component/store/tables.ts'
import { Acceptance, type ArrivedEvent, rowOf } from './acceptance.ts'
import { gapOf } from './gap-messages.ts'
import { deliveryIdOf, webhookIdOf, wholeIdOf } from './ids.ts'
import { openEvent } from './open-event.ts'
import type { OutboxPorts } from './outbox-ports.ts'
import { RealmOutbox } from './realm-outbox.ts'
import { SeqClock } from './seq-clock.ts'
import type { Slot, SlotCounts } from './slot.ts'
import {
  type AttemptEnd,
  type DeliveredEvent,
  type Delivery,
  type DeliveryEventStatus,
  type DeliveryFailure,
  type DeliveryGap,
  type DeliveryRef,
  type DeliveryState,
  type DeliveryStatus,
  type EndpointStatus,
  type EventPage,
  type EventQuery,
  type EventSelection,
  type EventState,
  gapReasons,
  type HandedEvent,
  type Outbox,
} from './types.ts'

/** Gaps that are listed. */
const mostGaps = 100

/** The states of rows behind a state that is told. */
const statesOf: Readonly<Record<EventState, readonly DeliveryRow['state'][]>> = {
  pending: ['new', 'pending'],
  held: ['held'],
  done: ['done'],
  dead: ['dead'],
}

const selectionOf = (selection: EventSelection): RowSelection =>
  'state' in selection ? { states: statesOf[selection.state] } : selection

/** What is told of a delivery, or of one of its endpoints of users, without a look at the store. Those share their counts. */
export interface KnownDelivery extends DeliveryRef {
  readonly state: DeliveryState
  /** Whether this process accepts and sends. */
  readonly isOwner: boolean
  readonly pending: number
  readonly dead: number
  /** Milliseconds since the epoch. */
  readonly oldestAt: number | undefined
  readonly counts: SlotCounts
}

/** One for each process. Until a document declares a delivery it does nothing. */
export class ProcessOutbox implements Outbox {
  readonly #ports: OutboxPorts
  readonly #acceptance: Acceptance
  readonly #seq: SeqClock
  /** Of this process, in rows that no owner has claimed. */
  readonly #name = -randomInt(1, 2 ** 47)
  readonly #realms = new Map<string, RealmOutbox>()
  /** Those whose endpoints are of users, by their ids. */
  #ofUsers: ReadonlyMap<string, Delivery> = new Map()
  readonly #counts = new Map<string, SlotCounts>()
  readonly #ending = new Set<Promise<void>>()
  /** Bytes of all rows: as they were counted last, and what was added since. */
  #bytes = 0
  #isStopped = false

  constructor(ports: OutboxPorts) {
    const { box, clock, log, store, yieldTurn } = ports
    this.#ports = ports
    this.#seq = new SeqClock(clock)
    this.#acceptance = new Acceptance({
      write: async (rows) => {
        const kept = await store.deliveries.accept(rows)
        for (const { bytes } of kept) this.#bytes += bytes
        return kept
      },
      seal: (text, purpose) => box.seal(text, purpose),
      keyDigest: this.#keyDigest,
      after: (ms, callback) => clock.after(ms, callback),
      yieldTurn,
      nextSeq: () => this.#seq.next(),
      epoch: this.#name,
      maxBytes: ports.bufferBytes,
      onBug: (err) => log.error({ err }, 'an event could not be accepted because of a bug'),
    })
  }

  readonly #keyDigest = (delivery: string, key: string): string =>
    this.#ports.box.derive('delivery order', delivery, key).toString('base64url').slice(0, 22)

  use(deliveries: readonly Delivery[]): void {
    if (this.#isStopped) return
    const [ofUsers, sent] = [true, false].map((isOfUsers) =>
      deliveries.filter(({ endpoints }) => (endpoints !== undefined) === isOfUsers),
    ) as [Delivery[], Delivery[]]
    this.#ofUsers = new Map(ofUsers.map((one) => [deliveryIdOf(one), one]))
    const byRealm = Map.groupBy(sent, ({ realm_uri }) => realm_uri)
    for (const [realm_uri, realm] of this.#realms) {
      if (byRealm.has(realm_uri)) continue
      this.#realms.delete(realm_uri)
      realm.use([])
      this.#end(realm)
    }
    for (const [realm_uri, declared] of byRealm) this.#realm(realm_uri).use(declared)
    const ids = new Set(deliveries.map(wholeIdOf))
    for (const id of this.#counts.keys()) if (!ids.has(id)) this.#counts.delete(id)
  }

  #end(realm: RealmOutbox): void {
    const ending = realm.stop().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  #realm(realm_uri: string): RealmOutbox {
    const known = this.#realms.get(realm_uri)
    if (known) return known
    const made = new RealmOutbox(realm_uri, {
      ...this.#ports,
      acceptance: this.#acceptance,
      room: () => this.#ports.bufferBytes - this.bufferedBytes,
      hasBytes: () => this.#bytes < this.#ports.maxBytes,
      countsOf: (delivery) => this.#countsOf(delivery),
      onCounted: (bytes) => {
        this.#bytes = bytes
      },
      seqAt: (ms) => this.#seq.at(ms),
    })
    this.#realms.set(realm_uri, made)
    return made
  }

  /** Bytes of events that wait in memory. */
  get bufferedBytes(): number {
    return this.#acceptance.bytes + this.#keptBytes()
  }

  #keptBytes(): number {
    let all = 0
    for (const { keptBytes } of this.#slots()) all += keptBytes
    return all
  }

  #countsOf(delivery: Delivery): SlotCounts {
    const id = wholeIdOf(delivery)
    const known = this.#counts.get(id)
    if (known) return known
    // each series begins with 0, so that its first change is seen
    const gaps = Object.fromEntries(gapReasons.map((reason) => [reason, 0])) as SlotCounts['gaps']
    const made = { accepted: 0, attempts: { ok: 0, failed: 0, not_sent: 0 }, gaps }
    this.#counts.set(id, made)
    return made
  }

  *#slots(): Generator<Slot> {
    for (const { slots } of this.#realms.values()) yield* slots.values()
  }

  /** Those that are declared, without a look at the store. */
  known(): readonly KnownDelivery[] {
    return [...this.#realms.values()].flatMap((realm) =>
      [...realm.slots.values()].map(({ delivery, state, pending, dead, oldestAt, counts }) => {
        const { realm_uri, api_spec, name, endpoint } = delivery
        const { isOwner } = realm
        return {
          ...{ realm_uri, api_spec, name, state, isOwner, pending, dead, oldestAt, counts },
          ...(endpoint !== undefined && { endpoint }),
        }
      }),
    )
  }

  async accept(
    ref: DeliveryRef,
    { id, ...handed }: HandedEvent,
  ): Promise<{ readonly webhook_id: string; readonly is_repeat: boolean }> {
    const publication = `deliver:${id ?? randomUUID()}`
    const at = this.#ports.clock.now()
    const event: ArrivedEvent = { ...handed, details: {}, publication, at, size: 0 }
    const made = this.#ofUsers.has(deliveryIdOf(ref))
      ? await this.#rowsOfUsers(ref, event)
      : [await this.#rowOf(this.#declared(ref), event)]
    const kept = await this.#ports.store.deliveries.accept(made)
    for (const { bytes } of kept) this.#bytes += bytes
    this.#realms.get(ref.realm_uri)?.look()
    const is_repeat = made.length > 0 && kept.length === 0
    return { webhook_id: webhookIdOf(ref, publication), is_repeat }
  }

  /** One for each endpoint that takes it; the others are told what they miss. */
  async #rowsOfUsers(ref: DeliveryRef, event: ArrivedEvent): Promise<readonly DeliveryRow[]> {
    const slots = [...this.#slots()].filter(
      ({ delivery }) => wholeIdOf(delivery) === deliveryIdOf(ref),
    )
    const rows: DeliveryRow[] = []
    for (const slot of slots) {
      const pause = this.#ports.yieldTurn()
      if (pause !== undefined) await pause
      if (slot.state === 'inactive') continue
      // the filter may say whose event it is
      const made = this.#madeRow(slot.id, slot.delivery, event)
      if (made === undefined) continue
      if (slot.room < 1) await slot.makeRoom(1)
      if (slot.row?.state === 'stopped') slot.onLost('stopped', event.at)
      else if (slot.room < 1) slot.onLost('full', event.at)
      else rows.push(made)
    }
    return rows
  }

  async #rowOf(slot: Slot, event: ArrivedEvent): Promise<DeliveryRow> {
    if (slot.state === 'inactive' || slot.row?.state === 'stopped') {
      throw unavailable('the delivery is stopped')
    }
    if (slot.room < 1) await slot.makeRoom(1)
    if (slot.room < 1) throw unavailable('the delivery has no room for more events')
    const made = this.#madeRow(slot.id, wanted(slot.delivery), event)
    if (made === undefined) throw unavailable('the event was not accepted')
    return made
  }

  #madeRow(id: string, delivery: Delivery, event: ArrivedEvent): DeliveryRow | undefined {
    const { box } = this.#ports
    const made = rowOf({ id, delivery }, event, {
      seal: (text, purpose) => box.seal(text, purpose),
      keyDigest: this.#keyDigest,
      nextSeq: () => this.#seq.next(),
      epoch: this.#name,
    })
    if (made === 'too_large') {
      throw new ServiceError('service.error.payload_too_large', 'the event is too large')
    }
    return made && { ...made, state: made.state === 'dead' ? 'dead' : 'new' }
  }

  async list(): Promise<readonly DeliveryStatus[]> {
    const all = await this.#statuses(() => true)
    const byName = Map.groupBy(all, nameOf)
    for (const one of this.#ofUsers.values())
      if (!byName.has(nameOf(one))) byName.set(nameOf(one), [])
    return [...byName]
      .map(([name, some]) => this.#whole(name, some))
      .filter(
        ({ is_declared, pending, dead, gaps: holes }) => is_declared || pending + dead + holes,
      )
      .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  }

  /** A delivery with its endpoints of users as one: whose they are and how they are is told by {@link endpoints}. */
  #whole(name: string, some: readonly DeliveryStatus[]): DeliveryStatus {
    const [realm_uri = '', api_spec = '', of = ''] = JSON.parse(name) as string[]
    const ofUsers = this.#ofUsers.get(deliveryIdOf({ realm_uri, api_spec, name: of }))
    const own = some.find(({ endpoint }) => endpoint === undefined)
    const [first] = some
    if (own && some.length === 1 && !ofUsers) return own
    const sum = (key: 'pending' | 'dead' | 'gaps') => some.reduce((all, one) => all + one[key], 0)
    const times = some.flatMap(({ oldest_at }) => oldest_at ?? [])
    const isActive = ofUsers ? ofUsers.isActive : own?.is_declared === true
    return {
      ...{ realm_uri, api_spec, name: of, reason: own?.reason ?? null },
      state: isActive ? (own?.is_declared ? own.state : 'active') : 'inactive',
      is_declared: ofUsers !== undefined || own?.is_declared === true,
      ...{ pending: sum('pending'), dead: sum('dead'), gaps: sum('gaps') },
      oldest_at: times.length === 0 ? null : Math.min(...times),
      owner: first?.owner ?? null,
    }
  }

  async endpoints(ref: DeliveryRef, ids: readonly string[]): Promise<readonly EndpointStatus[]> {
    const { realm_uri, api_spec, name } = ref
    const there = ids.filter((endpoint) => this.#ports.hasEndpoint(endpoint))
    const asked = new Set(
      there.map((endpoint) => deliveryIdOf({ realm_uri, api_spec, name, endpoint })),
    )
    const all = await this.#statuses(({ delivery }) => asked.has(delivery))
    return all.flatMap((one) => {
      const { endpoint } = one
      return endpoint === undefined ? [] : [{ ...one, endpoint }]
    })
  }

  async #statuses(isMeant: (row: DeliveryStateRow) => boolean): Promise<readonly DeliveryStatus[]> {
    const { deliveries, deliveryOwners } = this.#ports.store
    const [rows, counts, gaps, owners] = await Promise.all([
      ...([deliveryOwners.states(), deliveries.counts()] as const),
      ...([deliveryOwners.gapCounts(), deliveryOwners.owners()] as const),
    ])
    const slots = new Map([...this.#slots()].map((slot) => [slot.id, slot]))
    const byId = Map.groupBy(counts, ({ delivery }) => delivery)
    return await Promise.all(
      rows.filter(isMeant).map(async (row): Promise<DeliveryStatus> => {
        const id = row.delivery
        const slot = slots.get(id)
        const sum = (...states: readonly DeliveryRow['state'][]) =>
          (byId.get(id) ?? []).reduce(
            (sum, one) => sum + (states.includes(one.state) ? one.rows : 0),
            0,
          )
        const pending = sum('new', 'pending', 'held')
        return {
          ...{ ...refOf(row), state: stateOf(row, slot), pending, dead: sum('dead') },
          reason: row.reason as DeliveryStatus['reason'],
          is_declared: slot !== undefined,
          oldest_at: pending === 0 ? null : ((await deliveries.oldest(id)) ?? null),
          gaps: gaps.get(id) ?? 0,
          owner: owners.get(row.realm_uri) ?? null,
        }
      }),
    )
  }

  async events(ref: DeliveryRef, { state, limit, after }: EventQuery): Promise<EventPage> {
    const id = await this.#known(ref)
    const afterSeq = Number(after ?? 0)
    const states = state === undefined ? rowStates : statesOf[state]
    const rows = await this.#ports.store.deliveries.page(id, states, { afterSeq, limit: limit + 1 })
    const shown = rows.slice(0, limit)
    const events = shown.map(statusOf)
    const last = shown.at(-1)
    return rows.length > limit && last ? { events, cursor: String(last.seq) } : { events }
  }

  async event(
    ref: DeliveryRef,
    webhook_id: string,
  ): Promise<DeliveryEventStatus & { readonly event: DeliveredEvent }> {
    const id = await this.#known(ref)
    const [row] = await this.#ports.store.deliveries.find(id, webhook_id)
    if (!row) throw notFound('the delivery has no event of this webhook_id')
    const event = openEvent(this.#ports.box, row)
    if (!event) throw unavailable('the event was sealed with another store.key')
    return { ...statusOf(row), event }
  }

  async gaps(ref: DeliveryRef): Promise<readonly DeliveryGap[]> {
    const id = await this.#known(ref)
    return (await this.#ports.store.deliveryOwners.gaps(id, mostGaps)).map(gapOf)
  }

  async replay(ref: DeliveryRef, selection: EventSelection): Promise<number> {
    const id = await this.#known(ref)
    const count = await this.#ports.store.deliveries.renew(id, selectionOf(selection))
    this.#realms.get(ref.realm_uri)?.look()
    return count
  }

  async drop(ref: DeliveryRef, selection: EventSelection): Promise<number> {
    const id = await this.#known(ref)
    const { deliveries } = this.#ports.store
    const count = await deliveries.remove(id, selectionOf(selection))
    // what was held behind them is due; the owner reads it soon
    await deliveries.releaseAll(id)
    this.#slot(id)?.sender?.refresh()
    await this.#realms.get(ref.realm_uri)?.count()
    return count
  }

  pause(ref: DeliveryRef): Promise<void> {
    return this.#setState(ref, { state: 'paused', reason: null })
  }

  resume(ref: DeliveryRef): Promise<void> {
    return this.#setState(ref, { state: 'active', reason: null, failing_since: null })
  }

  async #setState(
    ref: DeliveryRef,
    changes: Partial<Pick<DeliveryStateRow, 'state' | 'reason' | 'failing_since'>>,
  ): Promise<void> {
    const id = await this.#known(ref)
    await this.#ports.store.deliveryOwners.setState(id, changes)
    this.#realms.get(ref.realm_uri)?.look()
  }

  async test(ref: DeliveryRef, handed: HandedEvent): Promise<AttemptEnd | DeliveryFailure> {
    const { delivery } = this.#declared(ref)
    const { clock } = this.#ports
    const { topic, args, kwargs, id } = handed
    const publication = `test:${id ?? randomUUID()}`
    const accepted_at = new Date(clock.now()).toISOString()
    const event = { topic, args, kwargs, details: {}, publication, accepted_at }
    const webhook_id = webhookIdOf(delivery, publication)
    const request = delivery.request(event, { attempt: 1, webhook_id, now: clock.now() })
    return 'failed' in request ? request : await request.send(new AbortController().signal)
  }

  #declared(ref: DeliveryRef): Slot {
    const id = deliveryIdOf(ref)
    if (this.#ofUsers.has(id)) throw needsEndpoint()
    const slot = this.#slot(id)
    if (!slot) throw notFound('no document declares this delivery')
    return slot
  }

  #slot(id: string): Slot | undefined {
    for (const slot of this.#slots()) if (slot.id === id) return slot
    return undefined
  }

  /** The id of a delivery that is declared, or of which something is left. */
  async #known(ref: DeliveryRef): Promise<string> {
    const id = deliveryIdOf(ref)
    if (this.#slot(id)) return id
    if (this.#ofUsers.has(id)) throw needsEndpoint()
    const rows = await this.#ports.store.deliveryOwners.states()
    if (rows.some(({ delivery }) => delivery === id)) return id
    throw notFound('there is no such delivery')
  }

  /** Hands over to other processes: see {@link RealmOutbox.stop}. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#acceptance.stop()
    for (const realm of this.#realms.values()) this.#end(realm)
    await Promise.all(this.#ending)
  }
}

/** Whatever the filter says. */
const wanted = (delivery: Delivery): Delivery => ({
  ...delivery,
  admit(event) {
    const admitted = delivery.admit(event)
    return 'failed' in admitted ? admitted : { ...admitted, isWanted: true }
  },
})

const stateOf = (row: DeliveryStateRow, slot: Slot | undefined): DeliveryState => {
  if (!slot?.delivery.isActive) return 'inactive'
  if (row.state !== 'active') return row.state
  return slot.state === 'failing' ? 'failing' : 'active'
}

const statusOf = (row: DeliveryRowHead): DeliveryEventStatus => {
  const { webhook_id, publication, topic, attempts, accepted_at, due_at, status, error } = row
  const state = row.state === 'new' ? 'pending' : row.state
  return {
    ...{ webhook_id, publication, topic, state, attempts, accepted_at, status, error },
    reason: row.reason as DeliveryEventStatus['reason'],
    due_at: state === 'pending' ? due_at : null,
  }
}

const refOf = ({ realm_uri, api_spec, name, endpoint }: DeliveryStateRow): DeliveryRef => ({
  ...{ realm_uri, api_spec, name },
  ...(endpoint !== '' && { endpoint }),
})

const nameOf = ({ realm_uri, api_spec, name }: DeliveryRef): string =>
  JSON.stringify([realm_uri, api_spec, name])

const unavailable = (message: string): ServiceError =>
  new ServiceError('service.error.unavailable', message, { headers: { 'Retry-After': '5' } })

const needsEndpoint = (): ServiceError =>
  new ServiceError(
    'wamp.error.invalid_argument',
    'the delivery has endpoints of users: name one by its id (endpoint)',
  )

const notFound = (message: string): ServiceError =>
  new ServiceError('service.error.not_found', message)
