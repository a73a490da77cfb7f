/** Whether the clock of this node agrees with those of the other nodes. */
import type { Log } from '#component/log.ts'

/** Greatest allowed offset of this node's clock from the median of the others. Milliseconds. */
const maxOffsetMs = 30_000

/** The clock of one node. */
export class ClockSkew {
  readonly #offsetMs: () => number | undefined
  readonly #log: Log
  #wasSkewed = false

  /** @param offsetMs the median of the others minus this clock; undefined with no others */
  constructor(offsetMs: () => number | undefined, log: Log) {
    this.#offsetMs = offsetMs
    this.#log = log
  }

  /** The problem of this node's clock; undefined while it agrees. */
  get problem(): string | undefined {
    const offset = this.#offsetMs() ?? 0
    if (Math.abs(offset) <= maxOffsetMs) return undefined
    const found = `${Math.round(Math.abs(offset) / 1000)} s ${offset < 0 ? 'ahead of' : 'behind'}`
    return `the clock of this node is ${found} the clocks of the other nodes (at most ${maxOffsetMs / 1000} s are allowed): loads are refused until the clock is set (NTP)`
  }

  /** Logs that the clock has begun to differ, or agrees again. */
  watch(): void {
    const { problem } = this
    if (problem !== undefined && !this.#wasSkewed) this.#log.error(problem)
    if (problem === undefined && this.#wasSkewed)
      this.#log.info('the clock of this node agrees with the other nodes again')
    this.#wasSkewed = problem !== undefined
  }
}
