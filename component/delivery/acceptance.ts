/** Accepts events: judged by the document, sealed, and written with those of the same time, before anything is sent. */
import { stringifyJson } from '#component/codec/json.ts'
import type { DeliveryRow } from '#component/store/tables.ts'
import type { YieldTurn } from '#component/yielding.ts'
import { deadKeptMs } from './after-attempt.ts'
import { webhookIdOf } from './ids.ts'
import type { DeliveredEvent, Delivery, GapReason } from './types.ts'

/** An event that has come. */
export interface ArrivedEvent extends Omit<DeliveredEvent, 'accepted_at'> {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Bytes of memory, about. */
  readonly size: number
}

/** The delivery that an event has come for. */
export interface AcceptingDelivery {
  /** In the store. */
  readonly id: string
  readonly delivery: Delivery
  /** How many more rows it may have; below 1 it is full. */
  readonly room: number
  /** Rows were added. */
  onKept(rows: readonly DeliveryRow[]): void
  /** Room is needed, where the oldest may go. */
  makeRoom(rows: number): Promise<void>
  onLost(reason: GapReason, at: number): void
}

/** What accepting needs. */
export interface AcceptancePorts {
  /** As {@link DeliveryStore.accept}. */
  readonly write: (rows: readonly DeliveryRow[]) => Promise<readonly DeliveryRow[]>
  readonly seal: (text: string, purpose: string) => string
  /** A digest of the key of an order: keys are data of events. */
  readonly keyDigest: (delivery: string, key: string) => string
  readonly after: (ms: number, callback: () => void) => unknown
  readonly yieldTurn: YieldTurn
  /** The next number in the order of acceptance. */
  readonly nextSeq: () => number
  /** Names the process in rows that no owner has claimed. */
  readonly epoch: number
  /** Bytes that may wait for the store. */
  readonly maxBytes: number
  readonly onBug: (err: unknown) => void
}

/** Rows and bytes of one transaction: so few rows that a turn of the event loop that hands them to the store is short, and no fewer than make the flush of the disk cheap. */
const mostRows = 64
const mostBytes = 4 << 20

/** An event whose row is larger is not accepted. Bytes, sealed. */
const largestRow = mostBytes

/** Milliseconds until a store that is away is asked again. */
const againMs = 1_000

interface Queued {
  readonly to: AcceptingDelivery
  readonly event: ArrivedEvent
}

interface Made {
  readonly to: AcceptingDelivery
  readonly row: DeliveryRow
  readonly at: number
  readonly size: number
}

/** The purpose under which an event is sealed. */
export const purposeOf = (delivery: string, webhook_id: string): string =>
  `delivery ${delivery} ${webhook_id}`

/** Makes the row of an event. @returns undefined: the document does not want it; `too_large` */
export function rowOf(
  { id, delivery }: Pick<AcceptingDelivery, 'id' | 'delivery'>,
  { at, size: _, ...arrived }: ArrivedEvent,
  {
    seal,
    keyDigest,
    nextSeq,
    epoch,
  }: Pick<AcceptancePorts, 'seal' | 'keyDigest' | 'nextSeq' | 'epoch'>,
): DeliveryRow | 'too_large' | undefined {
  const event: DeliveredEvent = { ...arrived, accepted_at: new Date(at).toISOString() }
  const admitted = delivery.admit(event)
  const hasFailed = 'failed' in admitted
  if (!hasFailed && !admitted.isWanted) return undefined
  const webhook_id = webhookIdOf(delivery, event.publication)
  const order = hasFailed ? undefined : admitted.order
  const sealed = sealedOf(event, (text) => seal(text, purposeOf(id, webhook_id)))
  if (sealed === undefined || sealed.length > largestRow) return 'too_large'
  const { publication, topic } = event
  return {
    ...{
      delivery: id,
      endpoint: delivery.endpoint ?? '',
      webhook_id,
      publication,
      topic,
      seq: nextSeq(),
    },
    key: order === undefined ? null : keyDigest(id, order),
    state: hasFailed ? 'dead' : order === undefined ? 'pending' : 'held',
    due_at: hasFailed ? at + deadKeptMs : at,
    ...{ attempts: 0, lease_until: 0, epoch, status: null },
    error: hasFailed ? admitted.failed : null,
    reason: hasFailed ? 'not_rendered' : null,
    ...{ accepted_at: at, bytes: sealed.length, sealed },
  }
}

/** undefined: it is larger than any text may be. */
function sealedOf(event: DeliveredEvent, seal: (text: string) => string): string | undefined {
  try {
    return seal(stringifyJson(event, largestRow))
  } catch {
    return undefined
  }
}

/** Of the deliveries of one process. Events of one delivery are written in the order in which they came. */
export class Acceptance {
  readonly #ports: AcceptancePorts
  #queue: Queued[] = []
  /** What is being written, and how many of them are written or lost. */
  #taken: readonly Queued[] = []
  #settled = 0
  #bytes = 0
  #isWriting = false
  #isStopped = false
  #whenEmpty: (() => void)[] = []

  constructor(ports: AcceptancePorts) {
    this.#ports = ports
  }

  /** Bytes that wait for the store. */
  get bytes(): number {
    return this.#bytes
  }

  /** Takes an event; the session is always read, so that an event for which there is no room is lost, which is told. */
  add(to: AcceptingDelivery, event: ArrivedEvent): void {
    if (this.#bytes + event.size > this.#ports.maxBytes) {
      to.onLost('store_away', event.at)
      return
    }
    this.#bytes += event.size
    this.#queue.push({ to, event })
    if (this.#isWriting) return
    this.#isWriting = true
    // what has arrived in this turn of the event loop is written together
    setImmediate(() => void this.#writeAll())
  }

  /** When the oldest of the events of each delivery came that are neither written nor lost; milliseconds since the epoch. */
  waitingSince(): ReadonlyMap<AcceptingDelivery, number> {
    const found = new Map<AcceptingDelivery, number>()
    for (const some of [this.#taken.slice(this.#settled), this.#queue]) {
      for (const { to, event } of some) if (!found.has(to)) found.set(to, event.at)
    }
    return found
  }

  /** Resolves once all that has come until now is written or lost. */
  written(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve()
    return new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  /** What waits for the store is given up. */
  stop(): void {
    this.#isStopped = true
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const waiting = this.#whenEmpty
      this.#whenEmpty = []
      const queue = this.#queue
      this.#queue = []
      this.#taken = queue
      this.#settled = 0
      await this.#writeThese(queue).catch(this.#ports.onBug)
      this.#taken = []
      for (const resolve of waiting) resolve()
    }
    this.#isWriting = false
    for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }

  async #writeThese(queue: readonly Queued[]): Promise<void> {
    const { yieldTurn, onBug } = this.#ports
    let made: Made[] = []
    let bytes = 0
    for (const [index, { to, event }] of queue.entries()) {
      const pause = yieldTurn()
      if (pause !== undefined) await pause
      let row: DeliveryRow | 'too_large' | undefined
      try {
        row = rowOf(to, event, this.#ports)
      } catch (err) {
        onBug(err)
      }
      if (typeof row !== 'object') {
        this.#bytes -= event.size
        if (row === 'too_large') to.onLost('too_large', event.at)
        continue
      }
      if (made.length === mostRows || bytes + row.bytes > mostBytes) {
        await this.#write(made)
        this.#settled = index
        made = []
        bytes = 0
      }
      made.push({ to, row, at: event.at, size: event.size })
      bytes += row.bytes
    }
    await this.#write(made)
  }

  async #write(made: readonly Made[]): Promise<void> {
    const admitted: Made[] = []
    for (const [to, some] of Map.groupBy(made, (one) => one.to)) {
      if (to.room < some.length) await to.makeRoom(some.length)
      const room = Math.max(to.room, 0)
      admitted.push(...some.slice(0, room))
      for (const { at } of some.slice(room)) to.onLost('full', at)
    }
    const kept = await this.#persistently(admitted.map(({ row }) => row))
    for (const { size } of made) this.#bytes -= size
    const fresh = kept && new Set(kept)
    for (const [to, some] of Map.groupBy(admitted, (one) => one.to)) {
      if (fresh) to.onKept(some.flatMap(({ row }) => (fresh.has(row) ? [row] : [])))
      else for (const { at } of some) to.onLost('store_away', at)
    }
  }

  /** @returns undefined: the process stops */
  async #persistently(rows: readonly DeliveryRow[]): Promise<readonly DeliveryRow[] | undefined> {
    const { write, after } = this.#ports
    if (rows.length === 0) return []
    for (;;) {
      try {
        return await write(rows)
      } catch {
        if (this.#isStopped) return undefined
        await new Promise<void>((resolve) => void after(againMs, resolve))
      }
    }
  }
}
