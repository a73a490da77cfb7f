/** The holes of one delivery that are being noticed: losses that follow each other are one. Times are milliseconds since the epoch. */
import type { GapReason } from './types.ts'

/** A hole, as it is kept. */
export interface NoticedGap {
  readonly reason: GapReason
  readonly since: number
  readonly until: number
  /** null: not known. */
  readonly count: number | null
}

/** Losses that are further apart are two holes. */
const quietMs = 5_000

/** A hole that goes on is told after this time, and another one begins. */
const longestMs = 60_000

/** Of one delivery. */
export class GapRecord {
  /** By reason. */
  readonly #open = new Map<GapReason, { since: number; until: number; count: number }>()
  #whole: NoticedGap[] = []

  /** An event was lost. */
  lost(reason: GapReason, at: number): void {
    const open = this.#open.get(reason)
    if (open) {
      open.until = at
      open.count += 1
    } else this.#open.set(reason, { since: at, until: at, count: 1 })
  }

  /** Nothing was heard for a time. */
  add(gap: NoticedGap): void {
    this.#whole.push(gap)
  }

  /** The holes that have ended. @param isAll those that go on, too */
  take(now: number, isAll = false): readonly NoticedGap[] {
    const taken = this.#whole
    this.#whole = []
    for (const [reason, open] of this.#open) {
      if (!isAll && now - open.until < quietMs && now - open.since < longestMs) continue
      this.#open.delete(reason)
      taken.push({ reason, ...open })
    }
    return taken
  }
}
