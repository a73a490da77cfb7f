/** Keeps log lines that others can cause from filling the log: each sender has a few in an interval, the rest is left out. */
import type { Clock } from '#component/clock.ts'

/** How many lines are written. */
export interface LogLimits {
  /** Lines of one sender in an interval. */
  readonly lines: number
  readonly intervalMs: number
  /** Senders that are told apart in an interval; all further ones count as one. Absent: no limit. */
  readonly senders?: number
  /** Called at the end of an interval in which lines of a sender were left out. */
  readonly onLeftOut?: (sender: string, lines: number) => void
}

/** One line a minute about each of 100 senders. */
export const linePerMinute: LogLimits = { lines: 1, intervalMs: 60_000, senders: 100 }

interface Interval {
  readonly startedAt: number
  lines: number
}

/** Counts the lines of each sender. */
export class LogThrottle {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #limits: LogLimits
  /** By sender; the oldest first. */
  readonly #intervals = new Map<string, Interval>()

  constructor(clock: Pick<Clock, 'now' | 'after'>, limits: LogLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Whether a line about the sender is to be written now; it counts as written. */
  admits(sender: string): boolean {
    const { lines, senders = Number.POSITIVE_INFINITY } = this.#limits
    const now = this.#clock.now()
    this.#endIntervals(now)
    const isKnown = this.#intervals.has(sender) || this.#intervals.size < senders
    const name = isKnown ? sender : ''
    const interval = this.#intervals.get(name) ?? { startedAt: now, lines: 0 }
    this.#intervals.set(name, interval)
    interval.lines += 1
    if (interval.lines === lines + 1) this.#reportLater(name, interval)
    return interval.lines <= lines
  }

  #endIntervals(now: number): void {
    for (const [sender, { startedAt }] of this.#intervals) {
      // a clock that was set back must not silence a sender
      if (Math.abs(now - startedAt) < this.#limits.intervalMs) return
      this.#intervals.delete(sender)
    }
  }

  #reportLater(sender: string, interval: Interval): void {
    const { intervalMs, lines, onLeftOut } = this.#limits
    if (!onLeftOut) return
    this.#clock.after(intervalMs, () => {
      if (this.#intervals.get(sender) === interval) this.#intervals.delete(sender)
      onLeftOut(sender, interval.lines - lines)
    })
  }
}
