/** A metric: its name, its labels, and its series. */
import { nowhere, type ServedPath, type ServedVersion } from './place.ts'
import type { LabelValue, Series, SeriesOwner, Subject } from './series.ts'

/** A metric as it is declared. */
export interface FamilyPlan {
  /** Its Prometheus name; that of a counter ends with `_total`. */
  readonly name: string
  readonly help: string
  /** Upper bounds of the buckets, seconds: it is a histogram. */
  readonly bounds?: readonly number[]
  /** Whether its numbers may fall. */
  readonly isGauge?: boolean
  /** A counter that is told beside a histogram: how many there were in all buckets. */
  readonly counter?: { readonly name: string; readonly help: string }
  /** Whether it has no labels `api` and `version`. */
  readonly isOfNode?: boolean
  /** The label with many values: `route`, `procedure`, `topic` and so on; absent: it has none. */
  readonly subject?: string
  /** At most two further labels, with few values. */
  readonly labels?: readonly [] | readonly [string] | readonly [string, string]
}

/** Where the series of a process are. */
export interface SeriesStock {
  /** Milliseconds since the epoch. */
  now(): number
  register(family: Family): void
  find(family: Family, version: ServedVersion, text: string): Subject | undefined
  /** The subject of a path for which {@link keep} was called; undefined once its series have ended. */
  known(path: ServedPath): Subject | undefined
  keep(path: ServedPath, subject: Subject): void
  /** Makes a series; beyond the bound, finds the one that stands for all others. */
  make(
    family: Family,
    version: ServedVersion,
    text: string,
    first: LabelValue,
    second: LabelValue,
  ): Series
}

/** One metric of the process. Making it is enough: it is written, added up between processes, and bounded with the others. */
export class Family implements SeriesOwner {
  readonly plan: FamilyPlan
  readonly bounds: readonly number[] | undefined
  /** Whether its series end with their route; other series end with their version. */
  readonly isOfRoutes: boolean
  readonly #stock: SeriesStock

  constructor(plan: FamilyPlan, stock: SeriesStock) {
    this.plan = plan
    this.bounds = plan.bounds
    this.isOfRoutes = plan.subject === 'route'
    this.#stock = stock
    stock.register(this)
  }

  /**
   * The series of these label values. It ends some minutes after its place is gone: then the next call makes another one, which
   * begins at 0. Who raises a gauge keeps the series, and lowers the same one.
   * @param version `nowhere` for what no document serves
   * @param subject the value of the label with many values, never request data; `''` where the metric has none
   * @param first the value of the first further label, of few
   */
  at(
    version: ServedVersion,
    subject: string,
    first: LabelValue = '',
    second: LabelValue = '',
  ): Series {
    const found = this.#among(this.#stock.find(this, version, subject), first, second)
    return found ?? this.#stock.make(this, version, subject, first, second)
  }

  /** The same for a metric of routes, faster where the path is one object for many requests. */
  on(path: ServedPath, first: LabelValue = '', second: LabelValue = ''): Series {
    const known = this.#among(this.#stock.known(path), first, second)
    if (known) return known
    const { version, pattern } = path
    const series = this.at(version, pattern, first, second)
    if (series.subject.text === pattern) this.#stock.keep(path, series.subject)
    return series
  }

  /** The series of a metric without `api`, `version` and a label with many values. */
  with(first: LabelValue = '', second: LabelValue = ''): Series {
    return this.at(nowhere, '', first, second)
  }

  #among(subject: Subject | undefined, first: LabelValue, second: LabelValue): Series | undefined {
    let series = subject?.series
    while (
      series !== undefined &&
      !(series.owner === this && series.first === first && series.second === second)
    ) {
      series = series.next
    }
    return series
  }

  now(): number {
    return this.#stock.now()
  }
}
