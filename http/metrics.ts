/** What Prometheus may know: requests by route pattern and status, and the numbers that other parts offer. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RequestMetrics } from './request-metrics.ts'

/** A number that another part keeps: calls in flight, sessions, loads, registry entries. */
export interface MetricSource {
  readonly help: string
  /** Grows only? */
  readonly isCounter?: boolean
  read(): number
}

/** The metrics of the process. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new RequestMetrics()
  /** Requests being served now. */
  inFlight = 0

  /** @param sources by name of the metric */
  constructor(sources: Readonly<Record<string, MetricSource>>) {
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

  #offer(name: string, { help, isCounter, read }: MetricSource): void {
    const registers = [this.#registry]
    if (!isCounter) {
      new Gauge({
        name,
        help,
        registers,
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

  async render(): Promise<string> {
    return `${this.#requests.render()}\n${await this.#registry.metrics()}`
  }
}
