/** One series of a metric: a count, a number that rises and falls, or durations in buckets. */
import { Buffer } from 'node:buffer'
import type { ServedVersion } from './place.ts'

/** The value of a label. */
export type LabelValue = string | number

/** What the series of a metric share. */
export interface SeriesOwner {
  /** Upper bounds of the buckets; undefined: no histogram. */
  readonly bounds: readonly number[] | undefined
  /** Milliseconds since the epoch. */
  now(): number
}

/** What series belong to: a route, a procedure or another text of a version; their list is linked, because there are thousands. */
export interface Subject {
  readonly version: ServedVersion
  /** The route pattern, the procedure, and so on. */
  readonly text: string
  /** The first series. */
  series: Series | undefined
  /** The last sweep that has found it served. */
  seen: number
  /** Whether its series have ended: the next ones are those of another subject. */
  isOver: boolean
}

/** A measurement, and the trace that it comes from. */
export interface Exemplar {
  readonly traceId: string
  readonly value: number
  /** Seconds since the epoch. */
  readonly at: number
}

/** Counts by bucket; the last one is beyond all bounds. */
export type Buckets = number[]

/** The numbers for one set of label values. */
export class Series {
  readonly owner: SeriesOwner
  readonly subject: Subject
  readonly first: LabelValue
  readonly second: LabelValue
  /** The next series of the subject. */
  next: Series | undefined
  /** The count; of a histogram the sum, seconds. */
  value = 0
  /** Undefined unless it is a histogram. */
  readonly buckets: Buckets | undefined
  /** When it was counted last, where that is noted: milliseconds of `performance.now`; 0: never. */
  countedAt = 0
  /** The last one by bucket; undefined where no trace was named. */
  exemplars: (Exemplar | undefined)[] | undefined

  constructor(owner: SeriesOwner, subject: Subject, first: LabelValue, second: LabelValue) {
    this.owner = owner
    this.subject = subject
    this.first = first
    this.second = second
    const { bounds } = owner
    this.buckets = bounds && new Array<number>(bounds.length + 1).fill(0)
  }

  /** Counts; a negative count lowers a gauge. */
  add(count = 1): void {
    this.value += count
  }

  /** Observes a duration. @param traceId of the recorded trace that it belongs to, 32 hex digits: becomes the exemplar */
  observe(seconds: number, traceId?: string): void {
    const { bounds } = this.owner
    const { buckets } = this
    if (!bounds || !buckets) throw new TypeError('the metric is no histogram')
    let bucket = 0
    while (seconds > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
    this.value += seconds
    if (traceId === undefined) return
    this.exemplars ??= new Array<Exemplar | undefined>(buckets.length).fill(undefined)
    // a text of its own: an id is a part of many digits, or of a header field, which it would keep in memory
    const own = Buffer.from(traceId, 'latin1').toString('latin1')
    this.exemplars[bucket] = { traceId: own, value: seconds, at: this.owner.now() / 1000 }
  }

  /** Adds what another process has counted: of exemplars, the latest of each bucket stays. */
  merge(
    value: number,
    buckets: readonly number[] = [],
    exemplars: readonly (Exemplar | null)[] = [],
  ): void {
    const own = this.buckets ?? []
    this.value += value
    for (const [index, count] of buckets.entries()) own[index] = (own[index] ?? 0) + count
    for (const [index, exemplar] of exemplars.entries()) {
      if (!exemplar) continue
      this.exemplars ??= new Array<Exemplar | undefined>(own.length).fill(undefined)
      const known = this.exemplars[index]
      if (!known || known.at < exemplar.at) this.exemplars[index] = exemplar
    }
  }
}
