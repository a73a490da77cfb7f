/** The numbers that are read when /metrics is asked for: those of the metrics library on the process, and those of other parts. */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricValueWithName,
  Registry,
} from '@prometheus-io/client'
import {
  boundText,
  type Format,
  headText,
  type Labels,
  labelText,
  sampleText,
} from '#component/metrics/exposition.ts'
import type { MetricSource, MetricSources } from '#component/metrics/source.ts'
import { LoopDelay, type LoopDelays } from '#http/limits/loop-delay.ts'

/** The numbers of one process, as data. */
export type ProcessValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

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

/** The numbers of this process. */
export class ProcessMetrics {
  readonly #registry = new Registry()
  readonly #loopDelay = new LoopDelay()

  constructor(sources: MetricSources) {
    collectDefaultMetrics({ register: this.#registry, ...rarely })
    for (const name of unused) this.#registry.removeSingleMetric(name)
    this.#offerLoopDelay()
    for (const [name, source] of Object.entries(sources)) this.#offer(name, source)
  }

  /** Reads all numbers. */
  read(): Promise<ProcessValues> {
    return this.#registry.getMetricsAsJSON()
  }

  /** Stops watching the event loop. */
  close(): void {
    this.#loopDelay.stop()
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
}

/** The numbers of several processes as those of one. */
export const addedUp = (all: readonly ProcessValues[]): Promise<ProcessValues> =>
  Registry.aggregate([...all]).getMetricsAsJSON()

/** The text of the numbers, one series after the other. */
export function* processText(values: ProcessValues, format: Format): Generator<string> {
  for (const { name, help, type, values: samples } of values) {
    yield headText(format, name, help, type)
    // numbers that were added up come bucket by bucket of all series, then the sums of all
    for (const group of Map.groupBy(samples, seriesOf).values()) {
      for (const sample of group) {
        const { labels, value, metricName = name }: MetricValueWithName<string> = sample
        yield sampleText(metricName, labelText(written(format, labels)), value)
      }
    }
  }
}

/** What the samples of one series have in common: all labels but the bound of the bucket. */
const seriesOf = ({ labels }: ProcessValues[number]['values'][number]): string =>
  labelText(
    Object.entries(labels).flatMap(([name, value]) =>
      name === 'le' ? [] : [[name, String(value)]],
    ),
  )

/** The labels of the library: the bound of a bucket is a number. */
const written = (format: Format, labels: Readonly<Partial<Record<string, unknown>>>): Labels =>
  Object.entries(labels).map(([name, value]) => [
    name,
    name === 'le' && typeof value === 'number' ? boundText(format, value) : String(value),
  ])
