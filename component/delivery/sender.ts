/** Sends the events of one delivery: which one is next, how many at once, when again, and what becomes of it. */
import type { Clock } from '#component/clock.ts'
import type { ClaimedRow, DeliveryRowEnd, WaitingRow } from '#component/store/delivery-store.ts'
import type { RunInTurn } from '#component/yielding.ts'
import { afterAttempt, failuresUntilFailing } from './after-attempt.ts'
import { RateTokens } from './rate-tokens.ts'
import type { AttemptEnd, DeliveredEvent, Delivery, DeliveryFailure, StopReason } from './types.ts'

/** The rows of one delivery, as the process that owns its realm reaches them. What they reject with is that the store is away. */
interface SenderRows {
  /** The pending rows that are due first. */
  due(limit: number): Promise<readonly WaitingRow[]>
  /** Claims rows for an attempt each. */
  claim(rows: readonly WaitingRow[], leaseMs: number): Promise<readonly ClaimedRow[]>
  /** Resolves once the store has it: it is tried until then. */
  end(end: Omit<DeliveryRowEnd, 'epoch' | 'delivery'>): Promise<void>
  /** The row is over: the next one of its key is due. */
  release(key: string): Promise<readonly WaitingRow[]>
}

/** What a sender needs. */
export interface SenderPorts {
  readonly rows: SenderRows
  /** Its `now` is that of the store. */
  readonly clock: Clock
  /** Milliseconds of a clock that goes on while the process is frozen. */
  readonly monotonic: () => number
  /** As {@link OutboxPorts.beginInTurn}. */
  readonly inTurn: RunInTurn
  /** The event of a row; undefined: it was sealed with another key. */
  readonly open: (row: ClaimedRow) => DeliveredEvent | undefined
  /** The delivery is to be stopped. */
  readonly onStop: (reason: StopReason) => void
  /** Since when each attempt fails; null: the last one has succeeded. */
  readonly onFailing: (since: number | null) => void
  readonly onAttempt: (result: 'ok' | 'failed' | 'not_sent', row: ClaimedRow) => void
  /** An event is a dead letter. */
  readonly onDead: () => void
  /** An event is over. */
  readonly onOver: () => void
  /** A bug of the gateway. */
  readonly onBug: (err: unknown) => void
}

/** Rows that are read at once, and that are in memory, about. SQLite reads on the event loop: more would take long for one turn. */
const windowRows = 250

/** More rows are read when so few are left. */
const lowRows = 100

/** Milliseconds that a claim lasts beyond the time of an attempt. */
const leaseGraceMs = 10_000

/** Milliseconds from a claim, within which its attempt begins; later the row is given back. */
const freshMs = 5_000

/** Rows that are claimed before there is a place for their attempt. */
const mostAhead = 64

/** Milliseconds until a store that is away is asked again, and rows that could not be claimed are read again. */
const againMs = 1_000

const ignore = (): void => undefined

interface Claimed {
  readonly row: ClaimedRow
  readonly waiting: WaitingRow
  /** Of the clock that goes on. */
  readonly claimedAt: number
}

const idOf = ({ webhook_id, endpoint }: Pick<WaitingRow, 'webhook_id' | 'endpoint'>): string =>
  `${webhook_id} ${endpoint}`

/** When an attempt may begin: a former owner may have one under way. */
const startOf = ({ due_at, lease_until }: WaitingRow): number => Math.max(due_at, lease_until)

/** Of one delivery. It sends from {@link start} to {@link stop}. */
export class Sender {
  #delivery: Delivery
  readonly #ports: SenderPorts
  /** In the order of their attempts. */
  #waiting: WaitingRow[] = []
  /** In `waiting`, or between a claim and its end. */
  readonly #known = new Set<string>()
  #claimed: Claimed[] = []
  #claiming = 0
  /** Those under way. Each has a signal of its own: what waits for one goes with its attempt. */
  readonly #attempts = new Set<AbortController>()
  /** Whether no pending row of the store is unknown. */
  #hasAll = false
  #isLoading = false
  #hasMissed = false
  /** Nothing is read from the store before. */
  #readAt = 0
  #allowed = 1
  #failures = 0
  #failingSince: number | null = null
  /** The row that probes. */
  #probe: string | undefined
  #pausedUntil = 0
  #tokens: RateTokens | undefined
  /** Milliseconds of the attempts of late. */
  #usualMs = 1_000
  #stopTimer: () => void = ignore
  #isPumpPlanned = false
  #isTurnAsked = false
  #isRunning = false
  #whenIdle: (() => void) | undefined

  constructor(delivery: Delivery, ports: SenderPorts) {
    this.#delivery = delivery
    this.#ports = ports
    this.use(delivery)
  }

  get isFailing(): boolean {
    return this.#failures >= failuresUntilFailing
  }

  /** The document has changed: what is sent from now on is by the new one. */
  use(delivery: Delivery): void {
    this.#delivery = delivery
    const { concurrency, rate } = delivery.limits
    this.#allowed = Math.min(this.#isRunning ? this.#allowed : concurrency, concurrency)
    this.#tokens = rate === undefined ? undefined : (this.#tokens ?? new RateTokens())
    this.#plan(0)
  }

  /** @param failingSince as the store has it */
  start(failingSince: number | null): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#failingSince = failingSince
    this.#failures = failingSince === null ? 0 : failuresUntilFailing
    this.#probe = undefined
    this.#allowed = this.#delivery.limits.concurrency
    this.#pausedUntil = 0
    this.#hasAll = false
    this.#readAt = 0
    this.#plan(0)
  }

  /** Sends no more; resolves once the attempts under way are over. @param isAtOnce ends them */
  async stop(isAtOnce: boolean): Promise<void> {
    this.#isRunning = false
    this.#stopTimer()
    this.#putBackClaimed()
    for (const row of this.#waiting) this.#known.delete(idOf(row))
    this.#waiting = []
    this.#hasAll = false
    if (isAtOnce) for (const attempt of this.#attempts) attempt.abort()
    if (this.#isIdle) return
    await new Promise<void>((resolve) => {
      const before = this.#whenIdle
      this.#whenIdle = () => {
        before?.()
        resolve()
      }
    })
  }

  /** Rows that have just become pending. */
  add(rows: readonly WaitingRow[]): void {
    // those that are not kept in memory now are read when they are due first
    for (const row of this.#hasAll || this.#isLoading ? rows : []) {
      if (this.#waiting.length < windowRows) this.#insert(row)
      else {
        this.#hasAll = false
        this.#hasMissed = true
      }
    }
    this.#plan(0)
  }

  /** Rows of the store may have become pending otherwise. */
  refresh(): void {
    this.#hasAll = false
    this.#hasMissed = this.#isLoading
    this.#readAt = 0
    this.#plan(0)
  }

  #insert(row: WaitingRow): void {
    const id = idOf(row)
    if (this.#known.has(id)) return
    this.#known.add(id)
    const at = this.#waiting.findLastIndex(
      (one) => startOf(one) < startOf(row) || (startOf(one) === startOf(row) && one.seq < row.seq),
    )
    this.#waiting.splice(at + 1, 0, row)
  }

  #plan(ms: number): void {
    if (!this.#isRunning) return
    if (ms === 0) {
      if (this.#isPumpPlanned) return
      this.#isPumpPlanned = true
      setImmediate(() => {
        this.#isPumpPlanned = false
        this.#pump()
      })
      return
    }
    this.#stopTimer()
    this.#stopTimer = this.#ports.clock.after(ms, () => this.#pump())
  }

  /** @param mayBegin an attempt */
  #pump(mayBegin = false): void {
    if (!this.#isRunning) return
    this.#stopTimer()
    this.#stopTimer = ignore
    const { clock } = this.#ports
    const now = clock.now()
    this.#loadIfLow(now)
    const wakeAt = [this.#begin(now, mayBegin)]
    if (now >= this.#pausedUntil) this.#claimDue(now)
    const [next] = this.#waiting
    if (next) wakeAt.push(startOf(next))
    if (!this.#hasAll && this.#readAt > now) wakeAt.push(this.#readAt)
    const soonest = Math.min(...wakeAt.map((at) => Math.max(at, this.#pausedUntil)))
    // what is due now waits for a place, which plans the next turn
    if (Number.isFinite(soonest) && soonest > now) this.#plan(Math.min(soonest - now, 86_400_000))
  }

  #askTurn(): void {
    if (this.#isTurnAsked) return
    this.#isTurnAsked = true
    this.#ports.inTurn(() => {
      this.#isTurnAsked = false
      this.#pump(true)
    })
  }

  /** Begins the attempt of a claimed row, if it may, and asks for the turn of the next one. @returns when that may begin, where time alone holds it up */
  #begin(now: number, mayBegin: boolean): number {
    if (now < this.#pausedUntil) {
      this.#putBackClaimed()
      return this.#pausedUntil
    }
    const { rate } = this.#delivery.limits
    for (let isTurn = mayBegin; this.#claimed.length > 0; ) {
      if (this.#attempts.size >= (this.isFailing ? 1 : this.#allowed)) return Infinity
      if (!isTurn) {
        this.#askTurn()
        return Infinity
      }
      const claimed = this.#claimed[0] as Claimed
      if (this.#ports.monotonic() - claimed.claimedAt > freshMs) {
        // the process may have been frozen: others may claim it soon
        this.#claimed.shift()
        this.#putBack(claimed)
        continue
      }
      const wait = rate === undefined ? 0 : (this.#tokens?.take(now, rate) ?? 0)
      if (wait > 0) return now + wait
      this.#claimed.shift()
      void this.#attempt(claimed)
      isTurn = false
    }
    return Infinity
  }

  #claimDue(now: number): void {
    if (this.#claiming > 0) return
    const places = (this.isFailing ? 1 : this.#allowed) - this.#attempts.size
    const ahead = this.isFailing ? 0 : this.#ahead()
    const wanted = places + ahead - this.#claimed.length
    if (wanted <= 0 || (this.#claimed.length > ahead / 2 && places <= this.#claimed.length)) return
    const rows: WaitingRow[] = []
    while (rows.length < wanted) {
      const row = this.#nextDue(now)
      if (!row) break
      rows.push(row)
    }
    if (rows.length > 0) void this.#claim(rows)
  }

  /** As many as there will be a place for within a second. */
  #ahead(): number {
    const { rate } = this.#delivery.limits
    const pace = (this.#allowed * 1_000) / Math.max(this.#usualMs, 1)
    return Math.min(mostAhead, Math.floor(Math.min(pace, rate ?? Infinity)))
  }

  #nextDue(now: number): WaitingRow | undefined {
    if (this.isFailing) {
      if (this.#probe !== undefined && !this.#known.has(this.#probe)) this.#probe = undefined
      this.#probe ??= this.#waiting[0] && idOf(this.#waiting[0])
      const at = this.#waiting.findIndex((row) => idOf(row) === this.#probe)
      const row = this.#waiting[at]
      if (!row) return undefined
      if (startOf(row) > now) {
        this.#plan(startOf(row) - now)
        return undefined
      }
      this.#waiting.splice(at, 1)
      return row
    }
    const [first] = this.#waiting
    if (!first || startOf(first) > now) return undefined
    this.#waiting.shift()
    return first
  }

  async #claim(rows: readonly WaitingRow[]): Promise<void> {
    const { rows: store, monotonic, clock } = this.#ports
    this.#claiming += rows.length
    const claimedAt = monotonic()
    try {
      const leaseMs = this.#delivery.limits.timeoutMs + leaseGraceMs
      const found = await store.claim(rows, leaseMs)
      const byId = new Map(found.map((row) => [idOf(row), row]))
      for (const waiting of rows) {
        const row = byId.get(idOf(waiting))
        const claimed = row && { row, waiting, claimedAt }
        if (claimed && this.#isRunning) this.#claimed.push(claimed)
        else if (claimed) this.#putBack(claimed)
        else {
          // others have it, or it is gone
          this.#known.delete(idOf(waiting))
          this.#hasAll = false
          this.#readAt = clock.now() + againMs
        }
      }
    } catch {
      for (const row of rows) {
        this.#known.delete(idOf(row))
        if (this.#isRunning) this.#insert({ ...row, due_at: clock.now() + againMs })
      }
    }
    this.#claiming -= rows.length
    this.#tellIdle()
    this.#plan(0)
  }

  /** Whether nothing of it is under way: what was claimed is put back, too. */
  get #isIdle(): boolean {
    return this.#attempts.size === 0 && this.#claiming === 0
  }

  #tellIdle(): void {
    if (this.#isIdle && !this.#isRunning) this.#whenIdle?.()
  }

  #putBackClaimed(): void {
    const claimed = this.#claimed
    this.#claimed = []
    for (const one of claimed) this.#putBack(one)
  }

  /** No attempt was made. */
  #putBack({ row, waiting }: Claimed): void {
    const { endpoint, webhook_id, attempts } = row
    const { due_at } = waiting
    const kept = { status: null, error: null, reason: null, attempts: attempts - 1 }
    void this.#ports.rows
      .end({ endpoint, webhook_id, state: 'pending', due_at, ...kept })
      .then(() => {
        this.#known.delete(idOf(row))
        if (this.#isRunning) this.#insert({ ...waiting, lease_until: 0 })
        this.#plan(0)
      })
  }

  async #attempt(claimed: Claimed): Promise<void> {
    const { rows, clock, monotonic, onAttempt, onDead, onOver } = this.#ports
    const { row, waiting } = claimed
    const cut = new AbortController()
    const { signal } = cut
    this.#attempts.add(cut)
    const begun = monotonic()
    const end = await this.#send(claimed, signal)
    this.#usualMs = this.#usualMs * 0.8 + (monotonic() - begun) * 0.2
    const now = clock.now()
    const { limits } = this.#delivery
    const isCut = signal.aborted && !('status' in end)
    const { event, delivery } = afterAttempt(isCut ? { error: 'the attempt was ended' } : end, {
      ...{ attempt: row.attempts, now, random: clock.random(), limits },
    })
    const { endpoint, webhook_id, attempts } = row
    const isPending = isCut || event.state === 'pending'
    const over = isCut
      ? { state: 'pending' as const, due_at: now, status: null, error: null, reason: null }
      : event
    if (!isCut) {
      onAttempt(delivery.result === 'none' ? 'not_sent' : delivery.result, row)
      this.#judge(claimed, delivery, now)
    }
    this.#attempts.delete(cut)
    this.#tellIdle()
    this.#plan(0)
    await rows.end({ endpoint, webhook_id, attempts, ...over })
    this.#known.delete(idOf(row))
    if (over.state === 'dead') onDead()
    if (!isPending) {
      onOver()
      await this.#release(waiting)
    } else if (this.#isRunning) {
      this.#insert({ ...waiting, due_at: over.due_at, lease_until: 0 })
    }
    this.#plan(0)
  }

  async #release({ key }: WaitingRow): Promise<void> {
    if (key === null) return
    const { rows, clock } = this.#ports
    for (;;) {
      try {
        this.add(await rows.release(key))
        return
      } catch {
        if (!this.#isRunning) return
        await new Promise<void>((resolve) => clock.after(againMs, resolve))
      }
    }
  }

  async #send({ row }: Claimed, signal: AbortSignal): Promise<AttemptEnd | DeliveryFailure> {
    const { clock, open, onBug } = this.#ports
    try {
      const event = open(row)
      if (!event) return { failed: 'the event was sealed with another store.key' }
      const { attempts: attempt, webhook_id } = row
      const request = this.#delivery.request(event, { attempt, webhook_id, now: clock.now() })
      if ('failed' in request) return request
      return await request.send(signal)
    } catch (err) {
      onBug(err)
      return { failed: 'the request could not be made because of a bug in the gateway' }
    }
  }

  /** What the end of an attempt says of the endpoint. */
  #judge({ row }: Claimed, after: ReturnType<typeof afterAttempt>['delivery'], now: number): void {
    const { onFailing, onStop } = this.#ports
    const { concurrency, disableAfter } = this.#delivery.limits
    if (after.result === 'ok') {
      this.#failures = 0
      this.#probe = undefined
      this.#allowed = Math.min(this.#allowed + 1, concurrency)
      if (this.#failingSince !== null) onFailing(null)
      this.#failingSince = null
      return
    }
    if (after.result === 'none') return
    const wasFailing = this.isFailing
    this.#failures += 1
    if (this.#failingSince === null) {
      this.#failingSince = now
      onFailing(now)
    }
    if (this.isFailing) {
      if (!wasFailing) this.#putBackClaimed()
      this.#probe ??= idOf(row)
    }
    if (after.isOverloaded) this.#allowed = Math.max(1, Math.floor(this.#allowed / 2))
    this.#pausedUntil = Math.max(this.#pausedUntil, after.pausedUntil)
    if (after.isGone) onStop('gone')
    else if (now - this.#failingSince >= disableAfter * 1_000) onStop('failures')
  }

  #loadIfLow(now: number): void {
    if (this.#hasAll || this.#isLoading || this.#waiting.length >= lowRows || now < this.#readAt) {
      return
    }
    void this.#load()
  }

  async #load(): Promise<void> {
    const { rows, clock } = this.#ports
    this.#isLoading = true
    this.#hasMissed = false
    const limit = windowRows + this.#known.size
    try {
      const page = await rows.due(limit)
      if (!this.#isRunning) return
      for (const row of page) this.#insert(row)
      this.#hasAll = page.length < limit && !this.#hasMissed
    } catch {
      this.#readAt = clock.now() + againMs
    } finally {
      this.#isLoading = false
    }
    this.#plan(0)
  }
}
