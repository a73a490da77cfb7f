/** Notices that the process is overloaded, so that new requests are refused while there is still time to (reliability §3.1). */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Clock } from '#component/clock.ts'

/** What is looked at each second. */
export interface Load {
  /** 99th percentile of the event loop's delay since the last look; milliseconds. */
  readonly delay: number
  /** Part of the heap limit in use, 0–1. */
  readonly heap: number
}

const interval = 1000
/** Looks in a row that must agree. */
const patience = 5
const maxDelay = 200
const maxHeap = 0.9

/** True from the fifth bad look in a row until the first good one. */
export class OverloadGuard {
  readonly #clock: Clock
  readonly #sample: () => Load
  #bad = 0
  #cancel: () => void = () => undefined

  constructor(clock: Clock, sample: () => Load) {
    this.#clock = clock
    this.#sample = sample
  }

  get isOverloaded(): boolean {
    return this.#bad >= patience
  }

  start(): void {
    this.#cancel = this.#clock.after(interval, () => {
      const { delay, heap } = this.#sample()
      this.#bad = delay > maxDelay || heap > maxHeap ? this.#bad + 1 : 0
      this.start()
    })
  }

  stop(): void {
    this.#cancel()
  }
}

/** Looks at this process. */
export function processLoad(): () => Load {
  const histogram = monitorEventLoopDelay({ resolution: 20 })
  histogram.enable()
  return () => {
    // the histogram counts its own resolution in
    const delay = histogram.percentile(99) / 1e6 - 20
    histogram.reset()
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    return { delay, heap: used_heap_size / heap_size_limit }
  }
}
