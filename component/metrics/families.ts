/** The metrics of a process that have labels: it finds and makes their series, up to a bound, and ends those of places that are gone. */
import { runAtOnce, runSteps, type Steps, type YieldTurn } from '#component/yielding.ts'
import { Family, type SeriesStock } from './family.ts'
import { FormerPlaces } from './former-places.ts'
import { anyVersion, nowhere, other, type ServedPath, type ServedVersion } from './place.ts'
import { type LabelValue, Series, type Subject } from './series.ts'
import { Subjects } from './subjects.ts'

/** A new series starts a sweep of the places at most once in this time; milliseconds. */
const sweepMs = 60_000

/** What the metrics of a process depend on. */
export interface FamiliesPorts {
  /** Milliseconds since the epoch. */
  now(): number
  /** Whether `api` and `version` are labels; otherwise the numbers of all documents are one. */
  readonly hasApiLabel?: boolean
  /**
   * How many series there may be. Beyond, the label with many values is `_other`, which takes at most an eighth more; beyond that,
   * `api` and `version` are `_other`, too. The few series of the node itself are always made.
   */
  readonly maxSeries?: number
}

/** The metrics of one process. */
export class Families implements SeriesStock {
  /** Whether `api` and `version` are labels. */
  readonly hasApiLabel: boolean
  readonly #families = new Map<string, Family>()
  readonly #subjects = new Subjects()
  /** The subjects of paths that have counted. */
  readonly #kept = new WeakMap<ServedPath, Subject>()
  readonly #ports: FamiliesPorts
  readonly #maxSeries: number
  readonly #former: FormerPlaces
  readonly #overflow: Family
  #size = 0
  #sweptAt = Number.NEGATIVE_INFINITY
  #sweeping: Promise<void> | undefined
  /** Yields to other work; absent: a sweep is one step. */
  yieldTurn: YieldTurn | undefined
  /** The paths that are served now; no series ends until it is set. */
  served: (() => Iterable<ServedPath>) | undefined

  constructor(ports: FamiliesPorts) {
    this.#ports = ports
    this.hasApiLabel = ports.hasApiLabel ?? true
    this.#maxSeries = ports.maxSeries ?? Number.POSITIVE_INFINITY
    this.#former = new FormerPlaces(this.#subjects, () => this.now())
    this.#overflow = new Family(
      {
        name: 'gateway_metrics_overflow_total',
        help: 'Observations that were counted under "_other" because there are metrics.max_series series, by metric.',
        isOfNode: true,
        labels: ['metric'],
      },
      this,
    )
  }

  /** How many series there are. */
  get size(): number {
    return this.#size
  }

  /** The metric of a name. */
  named(name: string): Family | undefined {
    return this.#families.get(name)
  }

  now(): number {
    return this.#ports.now()
  }

  register(family: Family): void {
    const { name } = family.plan
    if (this.#families.has(name)) throw new TypeError(`there are two metrics ${name}`)
    this.#families.set(name, family)
  }

  find({ isOfRoutes }: Family, version: ServedVersion, text: string): Subject | undefined {
    return this.#subjects.find(this.hasApiLabel ? version : nowhere, isOfRoutes, text)
  }

  known(path: ServedPath): Subject | undefined {
    const subject = this.#kept.get(path)
    return subject?.isOver ? undefined : subject
  }

  keep(path: ServedPath, subject: Subject): void {
    this.#kept.set(path, subject)
  }

  make(
    family: Family,
    version: ServedVersion,
    text: string,
    first: LabelValue,
    second: LabelValue,
  ): Series {
    const { name, subject: label, isOfNode } = family.plan
    if (this.now() - this.#sweptAt >= sweepMs) void this.sweep()
    if (!isOfNode && this.#size >= this.#maxSeries) {
      const rest = label === undefined ? '' : other
      const isFull = this.#size >= this.#maxSeries * 1.125 && version !== anyVersion
      if (text !== rest || isFull) {
        this.#overflow.with(name).add()
        return family.at(isFull ? anyVersion : version, rest, first, second)
      }
    }
    const place = this.hasApiLabel ? version : nowhere
    const sweep = this.#former.sweeps
    const subject = this.#subjects.findOrAdd(place, family.isOfRoutes, text, sweep)
    const series = new Series(family, subject, first, second)
    if (subject.series) lastOf(subject.series).next = series
    else subject.series = series
    this.#size += 1
    return series
  }

  /** Ends the series of places that are gone, in short steps. */
  sweep(): Promise<void> {
    this.#sweptAt = this.now()
    if (!this.served) return Promise.resolve()
    const { yieldTurn } = this
    const steps = this.#former.sweep(this.served(), (subject) => {
      subject.isOver = true
      for (let series = subject.series; series; series = series.next) this.#size -= 1
    })
    if (!yieldTurn) {
      runAtOnce(steps)
      return Promise.resolve()
    }
    this.#sweeping ??= runSteps(steps, yieldTurn).finally(() => {
      this.#sweeping = undefined
    })
    return this.#sweeping
  }

  /** The same metrics without series, where those of all processes are added up. */
  copy(): Families {
    const { now, hasApiLabel } = this.#ports
    const copy = new Families({ now, ...(hasApiLabel !== undefined && { hasApiLabel }) })
    for (const { plan } of this.#families.values()) {
      if (!copy.named(plan.name)) new Family(plan, copy)
    }
    return copy
  }

  /** The series that there are now, by metric. */
  *collect(): Steps<ReadonlyMap<Family, readonly Series[]>> {
    const found = new Map<object, Series[]>()
    for (const family of this.#families.values()) found.set(family, [])
    for (const { routes, texts } of this.#subjects.all()) {
      for (const subjects of [routes, texts]) {
        for (const subject of subjects.values()) {
          yield
          for (let series = subject.series; series; series = series.next) {
            found.get(series.owner)?.push(series)
          }
        }
      }
    }
    return found as ReadonlyMap<Family, readonly Series[]>
  }
}

function lastOf(series: Series): Series {
  let last = series
  while (last.next) last = last.next
  return last
}
