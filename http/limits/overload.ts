/** Detects that the process is overloaded or short of memory, so that requests are refused in time (reliability §3.1). */
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Clock } from '#component/clock.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import type { LoopDelay } from './loop-delay.ts'
import type { Workload } from './workload.ts'

/** The load of the process, measured each second. */
export interface Load {
  /** 99th percentile of the event loop's delay since the last measurement; milliseconds. */
  readonly delay: number
  /** Part of the memory limit in use, 0–1: of the heap, or of the whole process. */
  readonly memory: number
}

/** At `strained` expensive requests are refused, at `full` all of them. */
export type Pressure = 'none' | 'strained' | 'full'

const interval = 1000
/** Consecutive measurements that must agree. */
const patience = 5
const limits = {
  strained: { delay: 200, memory: 0.9 },
  full: { delay: 1000, memory: 0.95 },
} as const
/** After a measurement that was good because requests were refused, so many times as many may be in hand. */
const easing = 1.5

/** One of the limits, and whether it has been exceeded for long enough. */
class Level {
  readonly limit: Load
  /** Whether memory was short at the last measurement. */
  isShort = false
  /** Whether requests were refused since then, because too many were in hand. */
  hasRefused = false
  #streak = 0
  #ease = 1

  constructor(limit: Load) {
    this.limit = limit
  }

  get isOn(): boolean {
    return this.#streak >= patience
  }

  /** Takes a measurement. It is on from the fifth bad one in a row until a good one without a refusal. */
  add({ delay, memory }: Load): void {
    const isHeld = this.isOn && this.hasRefused
    this.isShort = memory > this.limit.memory
    this.hasRefused = false
    if (this.isShort || delay > this.limit.delay) {
      this.#streak += 1
      this.#ease = 1
    } else if (isHeld) this.#ease *= easing
    else this.#streak = 0
  }

  /** Whether so many requests in hand are too many: any number while memory is short. */
  isExceeded(inHand: number, concurrency: ConcurrencyLimit): boolean {
    return this.isShort || inHand > concurrency.within(this.limit.delay) * this.#ease
  }
}

/**
 * Measures the process each second, once started. There is pressure from the fifth bad measurement in a row until the first good one, while a late
 * event loop is the process's own doing: with more requests in hand than it serves in the time that the limit of the delay allows. Where refusals
 * have made the measurement good, the pressure lasts and more requests are let in, until none is refused.
 */
export class OverloadGuard {
  readonly #clock: Clock
  readonly #sample: () => Load
  readonly #workload: Pick<Workload, 'take' | 'weigh' | 'inHand'>
  readonly #concurrency: ConcurrencyLimit
  readonly #strained = new Level(limits.strained)
  readonly #full = new Level(limits.full)
  #memory = 0
  #cancel: () => void = () => undefined

  /** @param least so many requests in hand are never too many for the event loop */
  constructor(
    clock: Clock,
    sample: () => Load,
    workload: Pick<Workload, 'take' | 'weigh' | 'inHand'>,
    least: number,
  ) {
    this.#clock = clock
    this.#sample = sample
    this.#workload = workload
    this.#concurrency = new ConcurrencyLimit(least)
  }

  /** What the measurements say, whatever is in hand. */
  get pressure(): Pressure {
    if (this.#full.isOn) return 'full'
    return this.#strained.isOn ? 'strained' : 'none'
  }

  /** The pressure that a request meets: there is none while refusing it would help nothing. */
  pressureNow(): Pressure {
    if (!this.#strained.isOn && !this.#full.isOn) return 'none'
    const { inHand } = this.#workload
    const isAt = (level: Level) => level.isOn && level.isExceeded(inHand, this.#concurrency)
    if (isAt(this.#full)) return 'full'
    return isAt(this.#strained) ? 'strained' : 'none'
  }

  /** A request was refused at this pressure. */
  refused(pressure: Pressure): void {
    this.#strained.hasRefused ||= !this.#strained.isShort
    this.#full.hasRefused ||= pressure === 'full' && !this.#full.isShort
  }

  /** Part of the memory limit in use at the last measurement, 0–1; 0 before the first one. */
  get memory(): number {
    return this.#memory
  }

  /** Which limits have been exceeded for long, one sentence each. */
  problems(): readonly string[] {
    const level = this.#full.isOn ? this.#full : this.#strained
    if (!level.isOn) return []
    const { delay, memory } = level.limit
    return level.isShort
      ? [`more than ${memory * 100} % of the memory is in use`]
      : [`the event loop is late by more than ${delay} ms`]
  }

  start(): void {
    this.#cancel = this.#clock.after(interval, () => {
      const load = this.#sample()
      this.#memory = load.memory
      this.#concurrency.add(this.#workload.take(), load.delay > limits.strained.delay)
      this.#strained.add(load)
      this.#full.add(load)
      this.#workload.weigh(this.pressure !== 'none')
      this.start()
    })
  }

  stop(): void {
    this.#cancel()
  }
}

/** Memory that the process may have, bytes: that of its container, or of the machine. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

/** Reads the load of this process. @param loopDelay nothing else may read it */
export function processLoad(loopDelay: Pick<LoopDelay, 'read'>): () => Load {
  const most = memoryLimit()
  return () => {
    const delay = loopDelay.read().p99 * 1000
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    // buffers are not in the heap
    const memory = Math.max(used_heap_size / heap_size_limit, process.memoryUsage.rss() / most)
    return { delay, memory }
  }
}
