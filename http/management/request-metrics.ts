/** Requests by method, route pattern and status: counted and timed at little cost, and written as text for Prometheus. */
import { FormerRoutes, type RoutePorts } from './former-routes.ts'

/** Upper bounds of the buckets; seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** A series as it is sent between processes: `sum` in seconds, one count per bucket. */
type Row = readonly [
  method: string,
  route: string,
  status: number,
  sum: number,
  buckets: readonly number[],
]

/** At most this many rows are sent as one text: parsing one must be a short step. */
const rowsPerText = 200

/** Escapes a label value (Prometheus: Text-based format). */
const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

/** The requests of one method, route and status. */
class Series {
  readonly method: string
  readonly route: string
  readonly status: number
  /** Counts by bucket; the last one is beyond all bounds. */
  readonly buckets = new Array<number>(bounds.length + 1).fill(0)
  /** Seconds. */
  sum = 0

  constructor(method: string, route: string, status: number) {
    this.method = method
    this.route = route
    this.status = status
  }

  observe(seconds: number): void {
    let bucket = 0
    while (seconds > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
    this.sum += seconds
  }

  add(sum: number, buckets: readonly number[]): void {
    this.sum += sum
    for (const [index, count] of buckets.entries()) {
      this.buckets[index] = (this.buckets[index] ?? 0) + count
    }
  }

  get row(): Row {
    return [this.method, this.route, this.status, this.sum, this.buckets]
  }

  get #labels(): string {
    return `method="${escaped(this.method)}",route="${escaped(this.route)}",status="${this.status}"`
  }

  counterText(name: string): string {
    const count = this.buckets.reduce((sum, bucket) => sum + bucket, 0)
    return `${name}{${this.#labels}} ${count}\n`
  }

  /** Buckets are cumulative. */
  histogramText(name: string): string {
    const labels = this.#labels
    let below = 0
    let text = ''
    for (const [index, count] of this.buckets.entries()) {
      below += count
      text += `${name}_bucket{le="${bounds[index] ?? '+Inf'}",${labels}} ${below}\n`
    }
    return `${text}${name}_sum{${labels}} ${this.sum}\n${name}_count{${labels}} ${below}\n`
  }
}

/** The metrics of requests, and how each shows a series. */
const metrics = [
  {
    name: 'gateway_http_requests_total',
    type: 'counter',
    help: 'HTTP requests by method, route pattern and status.',
    textOf: (series: Series, name: string) => series.counterText(name),
  },
  {
    name: 'gateway_http_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the head of a request to the end of its answer.',
    textOf: (series: Series, name: string) => series.histogramText(name),
  },
] as const

/**
 * The requests since the start. The series of a route end some minutes after the route, and a reloaded route starts at 0.
 * This is no histogram of the metrics library, which writes the series of all routes in one step and would block the event loop
 * meanwhile (docs/performance.md, "What was tried").
 */
export class RequestMetrics {
  /** Series by route; a route has few. */
  readonly #routes = new Map<string, Series[]>()
  readonly #former: FormerRoutes

  constructor(ports: RoutePorts) {
    this.#former = new FormerRoutes(ports)
  }

  /** Counts a request that is over. */
  count(method: string, route: string, status: number, seconds: number): void {
    this.#series(method, route, status).observe(seconds)
  }

  /** Removes the series of former routes. */
  sweep(): void {
    for (const route of this.#former.sweep(this.#routes)) this.#routes.delete(route)
  }

  /** The series as texts that another process can {@link add}, made one after the other. */
  *pack(): Generator<string> {
    let rows: Row[] = []
    for (const series of this.#all()) {
      rows.push(series.row)
      if (rows.length < rowsPerText) continue
      yield JSON.stringify(rows)
      rows = []
    }
    if (rows.length > 0) yield JSON.stringify(rows)
  }

  /** Adds one text of {@link pack}. */
  add(text: string): void {
    for (const [method, route, status, sum, buckets] of JSON.parse(text) as readonly Row[]) {
      this.#series(method, route, status).add(sum, buckets)
    }
  }

  /** The text for Prometheus, in pieces of a few kilobytes. */
  *text(): Generator<string> {
    const all = this.#all()
    for (const { name, type, help, textOf } of metrics) {
      yield `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
      for (const series of all) yield textOf(series, name)
    }
  }

  #series(method: string, route: string, status: number): Series {
    const ofRoute = this.#routes.get(route) ?? []
    const known = ofRoute.find((one) => one.status === status && one.method === method)
    if (known) return known
    const series = new Series(method, route, status)
    this.#routes.set(route, [...ofRoute, series])
    if (this.#former.isSweepDue) this.sweep()
    return series
  }

  #all(): Series[] {
    return [...this.#routes.values()].flat()
  }
}
