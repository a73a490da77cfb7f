/** The metrics for Prometheus: requests by route pattern and status, and the numbers of other parts. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { Clock } from '#component/clock.ts'
import type { YieldTurn } from '#component/yielding.ts'
import { LoopDelay, type LoopDelays } from '#http/limits/loop-delay.ts'
import { RequestMetrics } from './request-metrics.ts'

/** One number of a metric with labels. */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Numbers of another part: calls in flight, sessions, loads, registry entries. */
export interface MetricSource {
  readonly help: string
  /** Whether the number only grows. */
  readonly isCounter?: boolean
  /** How the numbers of several processes become one: by default they are parts of a sum. */
  readonly across?: 'sum' | 'max' | 'min' | 'average'
  /** The names of the labels that every sample has; absent: one number without labels. */
  readonly labels?: readonly string[]
  read(): number | readonly MetricSample[]
}

/** Durations of another part. */
export interface HistogramSource {
  readonly help: string
  /** Upper bounds; seconds. */
  readonly buckets: readonly number[]
  /** Takes what observes a duration; seconds. */
  connect(observe: (seconds: number) => void): void
}

/** The metrics of one process, as data. */
export interface MetricValues {
  readonly values: Awaited<ReturnType<Registry['getMetricsAsJSON']>>
  /** Texts of {@link RequestMetrics.pack}: parsed in short steps, and passed between processes unparsed. */
  readonly requests: readonly string[]
}

/** A process that has no metrics yet. */
export const noMetrics: MetricValues = { values: [], requests: [] }

/** The other processes of this gateway: every process answers for all of them. */
export interface MetricSiblings {
  /** Registers the function that answers for this process. */
  answerBy(read: () => Promise<MetricValues>): void
  /** The metrics of the other processes; a process that does not answer in time is left out. */
  gather(): Promise<readonly MetricValues[]>
}

/** The metrics of other parts by name. */
export type MetricSources = Readonly<Record<string, MetricSource | HistogramSource>>

/** Dependencies of {@link Metrics}. */
export interface MetricPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly sources: MetricSources
  readonly siblings?: MetricSiblings | undefined
  /** Yields to other requests while the text is written. */
  readonly yieldTurn?: YieldTurn
  /** Whether something serves the route now; absent: there are no routes. */
  readonly isServed?: (route: string) => boolean
}

/** Characters in one piece of the text. */
const pieceLength = 65_536

/** The library's own monitors of the event loop miss stalls and are not used: they run once an hour. Milliseconds. */
const rarely = { eventLoopMonitoringPrecision: 3_600_000, eventLoopUtilizationTimeout: 3_600_000 }
const unused = [
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
  // gauges under the names of counters: each is the sum of the metric without `_total`
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

const lag = 'nodejs_eventloop_lag'

/** The metrics of the event loop: name, help, and how the values of several processes are combined. */
const lagMetrics: readonly (readonly [
  name: string,
  help: string,
  across: NonNullable<MetricSource['across']>,
  key: keyof LoopDelays,
])[] = [
  [`${lag}_seconds`, 'Delay of the event loop at its last measurement.', 'average', 'last'],
  [`${lag}_min_seconds`, 'Shortest delay since the last scrape.', 'min', 'min'],
  [`${lag}_max_seconds`, 'Longest delay since the last scrape.', 'max', 'max'],
  [`${lag}_mean_seconds`, 'Mean delay since the last scrape.', 'average', 'mean'],
  [`${lag}_stddev_seconds`, 'Standard deviation of the delays.', 'average', 'stddev'],
  [`${lag}_p50_seconds`, 'Median delay since the last scrape.', 'average', 'p50'],
  [`${lag}_p90_seconds`, '90th percentile since the last scrape.', 'average', 'p90'],
  [`${lag}_p99_seconds`, '99th percentile since the last scrape.', 'average', 'p99'],
]

/** The metrics of the process. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: RequestMetrics
  readonly #loopDelay = new LoopDelay()
  readonly #ports: MetricPorts

  constructor(ports: MetricPorts) {
    this.#ports = ports
    const { clock, siblings, sources, isServed = () => false } = ports
    this.#requests = new RequestMetrics({ now: () => clock.now(), isServed })
    siblings?.answerBy(() => this.own())
    collectDefaultMetrics({ register: this.#registry, ...rarely })
    for (const name of unused) this.#registry.removeSingleMetric(name)
    this.#offerLoopDelay()
    for (const [name, source] of Object.entries(sources)) {
      if ('buckets' in source) this.#offerHistogram(name, source)
      else this.#offer(name, source)
    }
  }

  /** Replaces the library's metrics of these names. */
  #offerLoopDelay(): void {
    this.#loopDelay.start()
    let delays = this.#loopDelay.read()
    for (const [index, [name, help, across, key]] of lagMetrics.entries()) {
      this.#registry.removeSingleMetric(name)
      const read = () => {
        if (index === 0) delays = this.#loopDelay.read()
        return delays[key]
      }
      this.#offer(name, { help, across, read })
    }
  }

  #offer(name: string, source: MetricSource): void {
    const { help, isCounter, across = 'sum', labels = [], read } = source
    const options = { name, help, labelNames: labels, aggregator: across }
    const common = { ...options, registers: [this.#registry] }
    const samples = () => {
      const found = read()
      return typeof found === 'number' ? [{ labels: {}, value: found }] : found
    }
    if (isCounter) {
      new Counter({
        ...common,
        collect() {
          this.reset()
          for (const { labels, value } of samples()) this.inc(labels, value)
        },
      })
    } else {
      new Gauge({
        ...common,
        collect() {
          this.reset()
          for (const { labels, value } of samples()) this.set(labels, value)
        },
      })
    }
  }

  #offerHistogram(name: string, { help, buckets, connect }: HistogramSource): void {
    const registers = [this.#registry]
    const histogram = new Histogram({ name, help, buckets: [...buckets], registers })
    connect((seconds) => histogram.observe(seconds))
  }

  /** Counts a request that is over. */
  count(method: string, route: string, status: number, durationMs: number): void {
    this.#requests.count(method, route, status, durationMs / 1000)
  }

  /** The media type of {@link render}. */
  get contentType(): string {
    return this.#registry.contentType
  }

  /** The text for Prometheus in pieces, yielding between them; with several processes, their sums. */
  async *render(): AsyncGenerator<string> {
    const { siblings } = this.#ports
    let piece: string
    let requests = this.#requests
    if (siblings) {
      const all = [await this.own(), ...(await siblings.gather())]
      const values = all.map((one) => one.values)
      piece = await Registry.aggregate(values).metrics()
      requests = await this.#sum(all)
    } else {
      requests.sweep()
      piece = await this.#registry.metrics()
    }
    piece += '\n'
    for (const text of requests.text()) {
      piece += text
      await this.#ports.yieldTurn?.()
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
    yield piece
  }

  /** Stops watching the event loop. */
  close(): void {
    this.#loopDelay.stop()
  }

  /** The metrics of this process alone. */
  async own(): Promise<MetricValues> {
    this.#requests.sweep()
    const values = await this.#registry.getMetricsAsJSON()
    const requests: string[] = []
    for (const text of this.#requests.pack()) {
      requests.push(text)
      await this.#ports.yieldTurn?.()
    }
    return { values, requests }
  }

  /** The requests of all processes. */
  async #sum(all: readonly MetricValues[]): Promise<RequestMetrics> {
    const sum = new RequestMetrics({ now: () => 0, isServed: () => true })
    for (const text of all.flatMap(({ requests }) => requests)) {
      sum.add(text)
      await this.#ports.yieldTurn?.()
    }
    return sum
  }
}
