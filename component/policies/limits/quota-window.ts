/** The windows of quotas: hours, days and months of the calendar in UTC, or some seconds each. */

/** A window of the calendar in UTC; or a number of milliseconds: such windows are counted from 1970-01-01T00:00:00Z. */
export type QuotaWindow = 'hour' | 'day' | 'month' | number

/** One window. Milliseconds since the epoch. */
export interface Span {
  readonly startMs: number
  /** The first millisecond of the next window. */
  readonly endMs: number
}

const lengths = { hour: 3_600_000, day: 86_400_000 } as const

/** The window that a time falls into. @param now milliseconds since the epoch */
export function spanAt(window: QuotaWindow, now: number): Span {
  if (window === 'month') {
    const date = new Date(now)
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
    return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) }
  }
  const length = typeof window === 'number' ? window : lengths[window]
  const startMs = Math.floor(now / length) * length
  return { startMs, endMs: startMs + length }
}
