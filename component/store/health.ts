/** The health of the store: whether its server answers, the offset of its clock, and whether it takes writes. */
import type { Clock } from '#component/clock.ts'
import type { StoreFault } from './engine.ts'

/** What a server says of itself. */
interface WatchAnswer {
  /** Its time; milliseconds since the epoch. */
  readonly now: number
  /** Whether it takes no writes, as a replica. */
  readonly isReadOnly: boolean
}

/** A server of a database, asked over a connection of its own. */
export interface Watched {
  /** Rejects when it answers anything else, or nothing in some seconds. */
  ask(): Promise<WatchAnswer>
  /** Closes the connections of all running queries, so that a server that continues does not execute abandoned ones. */
  abandon(): void
  close(): Promise<void>
}

/** The dependencies of the health check. */
export interface HealthPorts {
  readonly clock: Clock
  /** Undefined for a database in this process. */
  readonly watched: Watched | undefined
  /** Writes something of the size of a document, and removes it. */
  readonly probe: () => Promise<void>
  /** The error of queries that are given up. */
  readonly unanswered: () => Error
}

/** Milliseconds between two probes: a hanging server is detected within 4 s. */
const askMs = 1_500
/** Milliseconds that a server may take to say what time it is. */
const patienceMs = 2_500
/** A slower answer is not used for the clock offset. Milliseconds. */
const exactMs = 1_000
/** Milliseconds between two attempts to write. */
const probeMs = 5_000

const ignore = () => undefined

/** Faults of a store as people are told of them. */
export const faultTexts: Readonly<Record<StoreFault, string>> = {
  full: 'the disk of the store is full',
  failed: 'the disk of the store failed',
  read_only: 'the store is read-only',
}

/** One for each store. */
export class StoreHealth {
  /** Told when {@link isAway} has changed. */
  onAway: () => void = ignore
  /** Told when {@link fault} has changed. */
  onFault: (fault: StoreFault | undefined) => void = ignore
  readonly #ports: HealthPorts
  readonly #waiting = new Set<(reason: Error) => void>()
  #isAway = false
  #fault: StoreFault | undefined
  #clockOffsetMs: number | undefined
  #isClosed = false
  #stopAsking: () => void = ignore
  #stopLooking: () => void = ignore

  constructor(ports: HealthPorts) {
    this.#ports = ports
    this.#askLater()
  }

  /** The server gives no answer. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** Why the last write was refused; undefined once a write has succeeded. */
  get fault(): StoreFault | undefined {
    return this.#fault
  }

  /** The server's clock minus ours; undefined where there is no server, and until it has said. Milliseconds. */
  get clockOffsetMs(): number | undefined {
    return this.#clockOffsetMs
  }

  /** Waits for a query no longer than its server answers. */
  async guard<T>(query: () => Promise<T>): Promise<T> {
    const { watched, unanswered } = this.#ports
    if (!watched) return await query()
    if (this.#isAway) throw unanswered()
    const given = Promise.withResolvers<T>()
    this.#waiting.add(given.reject)
    query().then(given.resolve, given.reject)
    try {
      return await given.promise
    } finally {
      this.#waiting.delete(given.reject)
    }
  }

  /** Takes note that the store takes no writes. */
  noteFault(fault: StoreFault): void {
    if (this.#fault === fault || this.#isClosed) return
    this.#fault = fault
    this.#lookLater()
    this.onFault(fault)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopAsking()
    this.#stopLooking()
    await this.#ports.watched?.close()
  }

  #askLater(): void {
    const { clock, watched } = this.#ports
    if (!watched || this.#isClosed) return
    this.#stopAsking = clock.after(askMs, () => {
      this.#ask(watched).then(() => this.#askLater(), ignore)
    })
  }

  async #ask(watched: Watched): Promise<void> {
    const { clock } = this.#ports
    const asked = clock.now()
    const late = Promise.withResolvers<'late'>()
    const stopTimer = clock.after(patienceMs, () => late.resolve('late'))
    // a refusal is an answer: queries get their own error
    const answer = await Promise.race([watched.ask().catch(ignore), late.promise])
    stopTimer()
    const took = clock.now() - asked
    if (answer === 'late') this.#setAway(true)
    else if (answer !== undefined) {
      if (took <= exactMs) this.#clockOffsetMs = answer.now - asked - took / 2
      this.#setAway(false)
      if (answer.isReadOnly) this.noteFault('read_only')
      else if (this.#fault === 'read_only') this.#look()
    }
  }

  #setAway(isAway: boolean): void {
    if (isAway === this.#isAway || this.#isClosed) return
    this.#isAway = isAway
    if (isAway) {
      for (const reject of [...this.#waiting]) reject(this.#ports.unanswered())
      this.#ports.watched?.abandon()
    }
    this.onAway()
  }

  #lookLater(): void {
    this.#stopLooking()
    this.#stopLooking = this.#ports.clock.after(probeMs, () => this.#look())
  }

  #look(): void {
    this.#stopLooking()
    this.#ports.probe().then(
      () => {
        if (this.#isClosed || this.#fault === undefined) return
        this.#fault = undefined
        this.onFault(undefined)
      },
      () => {
        if (!this.#isClosed && this.#fault !== undefined) this.#lookLater()
      },
    )
  }
}
