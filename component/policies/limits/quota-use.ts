/** What one sharer of a quota has used in one window, over all processes, as far as this process knows. */
import type { Span } from './quota-window.ts'

/** What names a use in the store. */
export interface QuotaRow extends Span {
  /** Of the quota: a digest of its document, its place and the length of its windows. */
  readonly rule: string
  /** Of the sharer: a digest. */
  readonly key: string
  /** Who shares the quota, in plain text; a long one is cut. */
  readonly sharer: string
}

/** Units: those that the store knows, of all processes, and those that this process has not added to it yet. */
export class QuotaUse implements QuotaRow {
  readonly rule: string
  readonly key: string
  readonly sharer: string
  readonly startMs: number
  readonly endMs: number
  readonly #onTouch: (use: QuotaUse) => void
  #stored = 0
  #pending = 0
  #readMs = Number.NEGATIVE_INFINITY

  /** @param onTouch told when the store is to be told or asked with the next exchange */
  constructor(row: QuotaRow, onTouch: (use: QuotaUse) => void) {
    this.rule = row.rule
    this.key = row.key
    this.sharer = row.sharer
    this.startMs = row.startMs
    this.endMs = row.endMs
    this.#onTouch = onTouch
  }

  /** When the store was last asked; milliseconds since the epoch, -Infinity: never. */
  get readMs(): number {
    return this.#readMs
  }

  get used(): number {
    return this.#stored + this.#pending
  }

  /** Units that the store does not have; negative where more was given back. */
  get pending(): number {
    return this.#pending
  }

  /** @param units of a request; negative: given back */
  add(units: number): void {
    if (units === 0) return
    this.#pending += units
    this.#onTouch(this)
  }

  /** The next exchange tells what others have given back, perhaps. */
  askAgain(): void {
    this.#onTouch(this)
  }

  /** The store has taken units that were pending. */
  moved(units: number): void {
    this.#stored += units
    this.#pending -= units
  }

  /** @param sum what the store knows, of all processes; @param now milliseconds since the epoch */
  tell(sum: number, now: number): void {
    this.#stored = sum
    this.#readMs = now
  }
}
