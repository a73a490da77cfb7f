/** What Prometheus may know: requests by route pattern and status, and the numbers that other parts offer. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RequestMetrics } from './request-metrics.ts'

/** A number that another part keeps: calls in flight, sessions, loads, registry entries. */
export interface MetricSource {
  readonly help: string
  /** Grows only? */
  readonly isCounter?: boolean
  /** Is it the same number in each process of a gateway, not a part of it? */
  readonly isShared?: boolean
  read(): number
}

/** The metrics of one process, as data. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The other processes of this gateway: whichever is asked answers for all. */
export interface MetricSiblings {
  /** Takes the way to ask this process. */
  answerBy(read: () => Promise<MetricValues>): void
  /** What the others say; who does not say anything in time is left out. */
  gather(): Promise<readonly MetricValues[]>
}

/** The metrics of the process. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new RequestMetrics()
  /** Requests being served now. */
  inFlight = 0

  readonly #siblings: MetricSiblings | undefined

  /** @param sources by name of the metric */
  constructor(sources: Readonly<Record<string, MetricSource>>, siblings?: MetricSiblings) {
    this.#siblings = siblings
    siblings?.answerBy(() => this.#registry.getMetricsAsJSON())
    for (const metric of this.#requests.metrics()) this.#registry.registerMetric(metric)
    collectDefaultMetrics({ register: this.#registry })
    const all: Record<string, MetricSource> = {
      gateway_http_requests_in_flight: {
        help: 'HTTP requests being served now.',
        read: () => this.inFlight,
      },
      ...sources,
    }
    for (const [name, source] of Object.entries(all)) this.#offer(name, source)
  }

  #offer(name: string, { help, isCounter, isShared, read }: MetricSource): void {
    const registers = [this.#registry]
    if (!isCounter) {
      new Gauge({
        name,
        help,
        registers,
        aggregator: isShared ? 'max' : 'sum',
        collect() {
          this.set(read())
        },
      })
      return
    }
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }

  /** Counts a request that is over. */
  count(method: string, route: string, status: number, durationMs: number): void {
    this.#requests.count(method, route, status, durationMs / 1000)
  }

  /** The media type of {@link render}. */
  get contentType(): string {
    return this.#registry.contentType
  }

  /** The text for Prometheus; of several processes the sums. */
  async render(): Promise<string> {
    if (!this.#siblings) return this.#registry.metrics()
    const own = await this.#registry.getMetricsAsJSON()
    const others = await this.#siblings.gather()
    return AggregatorRegistry.aggregate([own, ...others]).metrics()
  }
}
