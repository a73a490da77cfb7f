/** The use of quotas: decided in this process, added to a ledger that all processes share, and read back from it. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { atMost } from '#component/limits/at-most.ts'
import { inTurn } from '#component/yielding.ts'
import { type QuotaRow, QuotaUse } from './quota-use.ts'
import { type QuotaWindow, spanAt } from './quota-window.ts'

/** What all processes share. Methods reject while it is away. */
export interface QuotaLedger {
  /** The units that all processes have added, in the order of the rows. */
  sums(rows: readonly QuotaRow[]): Promise<readonly number[]>
  /** Adds units; no row comes twice. */
  add(rows: readonly (readonly [row: QuotaRow, units: number])[]): Promise<void>
}

/** What the use of quotas needs. */
export interface QuotaPorts {
  readonly ledger: QuotaLedger
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** A short text that follows from others, and does not show them. */
  readonly digest: (...texts: readonly string[]) => string
  /** How many sharers are known at once; half as many addresses and values of one quota in one window have rows of their own. */
  readonly maxKeys: number
  /** Told when exchanges begin to fail, with the cause; and when they succeed again, with undefined. */
  readonly onAway?: (cause: unknown) => void
}

/** What names the use of one sharer in the ledger, beside the window. */
export type QuotaName = Pick<QuotaRow, 'rule' | 'key' | 'sharer'>

/** Milliseconds between two exchanges with the ledger. */
const exchangeMs = 5_000
/** A sum that was read earlier is read again before a request is served by it; milliseconds. Longer than between two exchanges. */
const freshMs = 6_000
/** The longest time that a request waits for the ledger; milliseconds. */
const maxWaitMs = 250
/** Rows of one statement. */
const batchSize = 200
/** The kinds of sharers that requests make: their number has no bound of its own. */
const madeByRequests = /^(?:address|value) /

/** The row of all addresses and values that have none of their own. */
const others = 'others'

/** Longer sharers are known by their digest; characters. */
const maxSharer = 200

/** One for each process. */
export class Quotas {
  readonly #ports: QuotaPorts
  /** The newest window of each sharer; those that were not used for longest are forgotten first. */
  readonly #uses: LRUCache<string, QuotaUse>
  /** What the next exchange adds or reads, also of forgotten sharers. */
  readonly #touched = new Map<string, QuotaUse>()
  /** The addresses and values of each quota in its newest window, as far as they have rows. */
  readonly #made = new Map<string, { readonly startMs: number; rows: number }>()
  /** The ledger is asked one thing after the other: a sum that was read never lacks, or has twice, what is being added. */
  readonly #serially = inTurn()
  #asked = new Set<QuotaUse>()
  #asking: Promise<void> | undefined
  /** Whether the ledger did not answer when it was last asked: requests do not wait for it. */
  #isSilent = false
  #isAway = false
  #isStopped = false
  #stopTimer = (): void => undefined

  constructor(ports: QuotaPorts) {
    this.#ports = ports
    this.#uses = new LRUCache(atMost(ports.maxKeys))
  }

  /** How many sharers are known. */
  get size(): number {
    return this.#uses.size
  }

  /**
   * The use of a quota in the window that it is now.
   * @param rule what names the quota among all
   */
  use(rule: string, window: QuotaWindow, sharer: string): QuotaUse {
    const now = this.#ports.clock.now()
    const isLong = sharer.length > maxSharer
    const name = `${rule}\n${window}\n${isLong ? this.#ports.digest('sharer', sharer) : sharer}`
    const known = this.#uses.get(name)
    if (known && known.startMs <= now && now < known.endMs) return known
    if (madeByRequests.test(sharer) && !this.#hasRow(rule, window, now))
      return this.use(rule, window, others)
    const row = { ...this.nameOf(rule, window, sharer), ...spanAt(window, now) }
    // one that was forgotten may not have been added yet
    const use = this.#touched.get(textOf(row)) ?? new QuotaUse(row, (one) => this.#touch(one))
    this.#uses.set(name, use)
    return use
  }

  /** Whether another address or value of a quota may have a row of its own; then it has one. */
  #hasRow(rule: string, window: QuotaWindow, now: number): boolean {
    const name = `${rule}\n${window}`
    const { startMs } = spanAt(window, now)
    const known = this.#made.get(name)
    const made = known?.startMs === startMs ? known : { startMs, rows: 0 }
    // half: one quota does not make those of others be forgotten
    if (made.rows >= this.#ports.maxKeys / 2) return false
    made.rows += 1
    this.#made.set(name, made)
    return true
  }

  /** What names a use in the ledger. The length of the window is part of it: a day is not counted into a month. */
  nameOf(rule: string, window: QuotaWindow, sharer: string): QuotaName {
    const { digest } = this.#ports
    return {
      rule: digest('rule', rule, String(window)),
      key: digest('sharer', sharer),
      sharer: sharer.slice(0, maxSharer),
    }
  }

  /**
   * Reads from the ledger what is not known, or was read too long ago. Where it does not answer in time, requests go on with
   * what is known.
   * @returns undefined when there is nothing to wait for
   */
  known(uses: readonly QuotaUse[]): Promise<void> | undefined {
    const oldest = this.#ports.clock.now() - freshMs
    const unknown = uses.filter(({ readMs }) => readMs < oldest)
    if (unknown.length === 0) return undefined
    for (const use of unknown) {
      if (this.#isSilent) this.#touch(use)
      else this.#asked.add(use)
    }
    if (this.#isSilent) return undefined
    this.#asking ??= this.#serially(() => this.#readAsked())
    return this.#withinBound(this.#asking)
  }

  /** Exchanges with the ledger every 5 s, until {@link stop}. */
  start(): void {
    const exchange = async () => {
      await this.exchange()
      if (!this.#isStopped) this.start()
    }
    this.#stopTimer = this.#ports.clock.after(exchangeMs, () => void exchange())
  }

  /** Adds what has been used until now, as far as the ledger answers. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer()
    await this.exchange()
  }

  /** Adds what is pending of all uses, and reads their sums, as far as the ledger answers. */
  async exchange(): Promise<void> {
    const touched = [...this.#touched.values()]
    if (touched.length === 0) return
    let failure: { readonly cause: unknown } | undefined
    for (let from = 0; from < touched.length && !this.#isFailing(failure); from += batchSize) {
      const batch = touched.slice(from, from + batchSize)
      await this.#serially(async () => {
        failure ??= await this.#add(batch)
        const unread = await this.#read(batch)
        failure ??= unread
      })
      for (const use of batch) if (use.pending === 0) this.#touched.delete(textOf(use))
    }
    const isAway = failure !== undefined
    if (isAway !== this.#isAway) this.#ports.onAway?.(failure?.cause)
    this.#isAway = isAway
  }

  #isFailing(failure: object | undefined): boolean {
    return failure !== undefined && this.#isSilent
  }

  #touch(use: QuotaUse): void {
    this.#touched.set(textOf(use), use)
  }

  async #withinBound(reading: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<void>()
    const stop = this.#ports.clock.after(maxWaitMs, () => {
      this.#isSilent = true
      late.resolve()
    })
    await Promise.race([reading, late.promise])
    stop()
  }

  async #readAsked(): Promise<void> {
    const asked = [...this.#asked]
    this.#asked = new Set()
    this.#asking = undefined
    for (let from = 0; from < asked.length; from += batchSize) {
      if (await this.#read(asked.slice(from, from + batchSize))) return
    }
  }

  /** Never rejects. @returns why not */
  async #read(uses: readonly QuotaUse[]): Promise<{ readonly cause: unknown } | undefined> {
    try {
      const sums = await this.#ports.ledger.sums(uses)
      const now = this.#ports.clock.now()
      for (const [index, use] of uses.entries()) use.tell(sums[index] ?? 0, now)
      this.#isSilent = false
      return undefined
    } catch (cause) {
      // with the next exchange
      for (const use of uses) this.#touch(use)
      this.#isSilent = true
      return { cause }
    }
  }

  /** Never rejects. @returns why not */
  async #add(uses: readonly QuotaUse[]): Promise<{ readonly cause: unknown } | undefined> {
    const rows = uses
      .filter(({ pending }) => pending !== 0)
      .map((use) => [use, use.pending] as const)
    if (rows.length === 0) return undefined
    try {
      await this.#ports.ledger.add(rows)
      for (const [use, units] of rows) use.moved(units)
      return undefined
    } catch (cause) {
      return { cause }
    }
  }
}

const textOf = ({ rule, key, startMs }: Omit<QuotaRow, 'endMs' | 'sharer'>): string =>
  `${rule} ${key} ${startMs}`
