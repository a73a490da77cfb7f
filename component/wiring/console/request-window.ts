/** The requests of the last seconds, from the series of /metrics: how many there were, how many failed, how long they took. */
import { durationBounds } from '#component/metrics/bounds.ts'
import type { Families } from '#component/metrics/families.ts'
import { other } from '#component/metrics/place.ts'
import type { Series } from '#component/metrics/series.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'

/** Requests of a time. */
interface Counts {
  readonly count: number
  /** Those that were answered with 500 or above. */
  readonly errors: number
  /** How many took as long as each of {@link durationBounds}, and longer than all. */
  readonly buckets: readonly number[]
}

/** A method of a path of a document. */
interface Place {
  readonly api: string
  readonly version: string
  readonly route: string
  readonly method: string
}

/** What {@link RequestWindow.used} tells of a route. */
interface UsedRoute extends Place {
  readonly count: number
  /** When a request ended last; milliseconds since the epoch. */
  readonly used_at: number
}

/** What {@link RequestWindow.read} tells. */
export interface WindowCounts extends Counts {
  /** The time that it covers; seconds. */
  readonly seconds: number
  readonly bounds: readonly number[]
  /** Those with most requests. */
  readonly routes: readonly (Place & Counts)[]
}

type Snapshot = ReadonlyMap<string, Place & Counts>

const metric = 'gateway_http_request_duration_seconds'

/** Requests are told of this time; milliseconds. */
const windowMs = 10_000
/** As many routes are told. */
const mostRoutes = 50

const none: Counts = { count: 0, errors: 0, buckets: durationBounds.map(() => 0).concat(0) }

const plus = (a: Counts, b: Counts): Counts => ({
  count: a.count + b.count,
  errors: a.errors + b.errors,
  buckets: a.buckets.map((count, index) => count + (b.buckets[index] ?? 0)),
})

/** A series that has begun anew counts from 0. */
const minus = (a: Counts, b: Counts): Counts =>
  a.count < b.count
    ? a
    : {
        count: a.count - b.count,
        errors: a.errors - b.errors,
        buckets: a.buckets.map((count, index) => count - (b.buckets[index] ?? 0)),
      }

/** The requests of one process. */
export class RequestWindow {
  readonly #families: Families
  readonly #now: () => number
  readonly #yieldTurn: YieldTurn
  /** The oldest first. */
  readonly #snapshots: { readonly at: number; readonly counts: Snapshot }[] = []

  /** @param now milliseconds since the epoch */
  constructor(families: Families, now: () => number, yieldTurn: YieldTurn) {
    this.#families = families
    this.#now = now
    this.#yieldTurn = yieldTurn
  }

  /** Reads the series, and tells what has come since they were read 10 seconds ago or, at first, later. */
  async read(): Promise<WindowCounts> {
    const at = this.#now()
    const counts = await this.#snapshot()
    this.#snapshots.push({ at, counts })
    while ((this.#snapshots[1]?.at ?? at) <= at - windowMs) this.#snapshots.shift()
    const oldest = this.#snapshots[0]
    const routes = [...counts]
      .map(([key, now]) => ({ ...now, ...minus(now, oldest?.counts.get(key) ?? none) }))
      .filter(({ count }) => count > 0)
    routes.sort((a, b) => b.count - a.count)
    return {
      ...routes.reduce<Counts>(plus, none),
      seconds: (at - (oldest?.at ?? at)) / 1000,
      bounds: durationBounds,
      routes: routes.slice(0, mostRoutes),
    }
  }

  /**
   * The routes of a document, or of all, that were asked for since the process started.
   * @returns `isWhole`: whether all are told, which they are not where metrics do not tell documents or routes apart
   */
  async used(
    api_spec: string | undefined,
  ): Promise<{ readonly routes: readonly UsedRoute[]; readonly isWhole: boolean }> {
    const found = new Map<string, UsedRoute>()
    const sinceMs = performance.now() - this.#now()
    let isWhole = this.#families.hasApiLabel
    for (const series of await this.#series()) {
      const { version, text: route } = series.subject
      const { api, label } = version
      if (route === other) isWhole = false
      if (api === '' || (api_spec ?? api) !== api) continue
      const place = { api, version: label, route, method: String(series.first) }
      const key = JSON.stringify(Object.values(place))
      const { count, used_at } = found.get(key) ?? { count: 0, used_at: 0 }
      found.set(key, {
        ...place,
        count: count + countsOf(series).count,
        used_at: Math.max(used_at, Math.round(series.countedAt - sinceMs)),
      })
    }
    return { routes: [...found.values()], isWhole }
  }

  async #series(): Promise<readonly Series[]> {
    const family = this.#families.named(metric)
    const all = await runSteps(this.#families.collect(), this.#yieldTurn)
    return (family && all.get(family)) ?? []
  }

  /** The next {@link read} tells nothing of the time before it. */
  forget(): void {
    this.#snapshots.length = 0
  }

  async #snapshot(): Promise<Snapshot> {
    const counts = new Map<string, Place & Counts>()
    for (const series of await this.#series()) {
      const { subject, first } = series
      const { api, label } = subject.version
      // without the label no series tells the document
      if (api === '' && this.#families.hasApiLabel) continue
      const place = { api, version: label, route: subject.text, method: String(first) }
      const key = JSON.stringify(Object.values(place))
      counts.set(key, { ...place, ...plus(counts.get(key) ?? none, countsOf(series)) })
    }
    return counts
  }
}

function countsOf({ buckets = [], second }: Series): Counts {
  const count = buckets.reduce((sum, each) => sum + each, 0)
  return { count, errors: Number(second) >= 500 ? count : 0, buckets }
}
