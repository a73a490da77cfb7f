/** Load shedding of a process: what it measures, and which requests it refuses. */
import { availableParallelism } from 'node:os'
import type { Clock } from '#component/clock.ts'
import type { InFlight } from '#component/in-flight.ts'
import { LoopDelay } from './loop-delay.ts'
import { OverloadGuard, type Pressure, processLoad } from './overload.ts'
import { type Sheddable, Shedding, type ShedReason } from './shedding.ts'
import { Workload } from './workload.ts'

/** So many requests in hand for each core are never too many. */
const perCore = 2

/** What `/metrics` tells of it. */
export interface SheddingState {
  /** Part of the memory limit in use, 0–1. */
  readonly memory: number
  readonly pressure: Pressure
  /** Requests that were refused under pressure. */
  readonly shed: Readonly<Record<ShedReason, number>>
}

/** One of a process. */
export class LoadShedding {
  readonly workload: Workload
  readonly #isOn: boolean
  readonly #loopDelay: LoopDelay
  readonly #guard: OverloadGuard
  readonly #shedding: Shedding

  /**
   * @param exchanges the requests in flight, and when they have come: performance.now()
   * @param isOn whether it refuses; it measures in any case
   * @param loopDelay nothing else may read it
   */
  constructor(
    clock: Clock,
    exchanges: InFlight<Sheddable, number>,
    isOn: boolean,
    loopDelay = new LoopDelay(),
  ) {
    this.#isOn = isOn
    this.#loopDelay = loopDelay
    this.workload = new Workload(exchanges)
    const least = perCore * availableParallelism()
    this.#guard = new OverloadGuard(clock, processLoad(this.#loopDelay), this.workload, least)
    this.#shedding = new Shedding(clock, exchanges)
  }

  get state(): SheddingState {
    const { memory, pressure } = this.#guard
    return { memory, pressure, shed: this.#shedding.counts }
  }

  /** What is wrong with the process, one sentence each. */
  problems(): readonly string[] {
    return this.#guard.problems()
  }

  /** Whether a request that has just come is refused; it is counted then. */
  refuses(exchange: Sheddable): boolean {
    if (!this.#isOn) return false
    const pressure = this.#guard.pressureNow()
    if (!this.#shedding.refuses(exchange, pressure)) return false
    this.#guard.refused(pressure)
    return true
  }

  start(): void {
    this.#loopDelay.start()
    this.#guard.start()
  }

  stop(): void {
    this.#loopDelay.stop()
    this.#guard.stop()
  }
}
