/** Detects that the process is overloaded or short of memory, so that requests are refused in time (reliability §3.1). */
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Clock } from '#component/clock.ts'
import type { LoopDelay } from './loop-delay.ts'

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

const isBeyond = ({ delay, memory }: Load, limit: Load): boolean =>
  delay > limit.delay || memory > limit.memory

/** Measures the process each second, once started: pressure lasts from the fifth bad measurement in a row until the first good one. */
export class OverloadGuard {
  readonly #clock: Clock
  readonly #sample: () => Load
  /** Consecutive measurements beyond each limit. */
  #strained = 0
  #full = 0
  #memory = 0
  #cancel: () => void = () => undefined

  constructor(clock: Clock, sample: () => Load) {
    this.#clock = clock
    this.#sample = sample
  }

  get pressure(): Pressure {
    if (this.#full >= patience) return 'full'
    return this.#strained >= patience ? 'strained' : 'none'
  }

  /** Part of the memory limit in use at the last measurement, 0–1; 0 before the first one. */
  get memory(): number {
    return this.#memory
  }

  start(): void {
    this.#cancel = this.#clock.after(interval, () => {
      const load = this.#sample()
      this.#memory = load.memory
      this.#strained = isBeyond(load, limits.strained) ? this.#strained + 1 : 0
      this.#full = isBeyond(load, limits.full) ? this.#full + 1 : 0
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
