/** Requests by method, route pattern and status: counted and timed at little cost, formatted by prom-client when it is asked. */
import type { Metric } from 'prom-client'

/** Upper bounds of the buckets; seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** One line for Prometheus. */
interface Sample {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** The requests of one method, route and status. */
class Series {
  readonly method: string
  readonly route: string
  readonly status: number
  /** By bucket; the last one is beyond all bounds. */
  readonly buckets = new Array<number>(bounds.length + 1).fill(0)
  count = 0
  /** Seconds. */
  sum = 0

  constructor(method: string, route: string, status: number) {
    this.method = method
    this.route = route
    this.status = status
  }

  get labels(): Readonly<Record<string, string | number>> {
    const { method, route, status } = this
    return { method, route, status }
  }

  observe(seconds: number): void {
    let bucket = 0
    while (seconds > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
    this.count += 1
    this.sum += seconds
  }

  /** Buckets are cumulative. */
  samples(name: string): Sample[] {
    const { labels } = this
    let below = 0
    const buckets = this.buckets.map((count, index) => {
      below += count
      const le = bounds[index] ?? '+Inf'
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.sum },
      { metricName: `${name}_count`, labels, value: this.count },
    ]
  }
}

/**
 * The requests since the start. A histogram of prom-client makes a text of the labels for each observation and looks that
 * up among those of all routes, for each of the two metrics: 2 % of a forward.
 */
export class RequestMetrics {
  /** By route; one has few. */
  readonly #routes = new Map<string, Series[]>()

  /** Counts a request that is over. */
  count(method: string, route: string, status: number, seconds: number): void {
    const ofRoute = this.#routes.get(route) ?? []
    let series = ofRoute.find((one) => one.status === status && one.method === method)
    if (!series) {
      series = new Series(method, route, status)
      this.#routes.set(route, [...ofRoute, series])
    }
    series.observe(seconds)
  }

  /** Both metrics, for {@link Registry.registerMetric} of prom-client: it asks them for what it formats and adds up. */
  metrics(): Metric<string>[] {
    const requests = 'gateway_http_requests_total'
    const durations = 'gateway_http_request_duration_seconds'
    return [
      this.#metric(
        {
          name: requests,
          type: 'counter',
          help: 'HTTP requests by method, route pattern and status.',
        },
        ({ labels, count }) => [{ metricName: requests, labels, value: count }],
      ),
      this.#metric(
        {
          name: durations,
          type: 'histogram',
          help: 'Time from the head of a request to the end of its answer.',
        },
        (series) => series.samples(durations),
      ),
    ]
  }

  #metric(
    about: { readonly name: string; readonly type: string; readonly help: string },
    samplesOf: (series: Series) => Sample[],
  ): Metric<string> {
    const get = async () => ({
      ...about,
      aggregator: 'sum',
      values: this.#all().flatMap((series) => samplesOf(series)),
    })
    // what a registry asks of a metric is its name and this
    return { name: about.name, get } as unknown as Metric<string>
  }

  #all(): Series[] {
    return [...this.#routes.values()].flat()
  }
}
