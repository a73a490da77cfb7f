/** What becomes of the spans of a process: counted, and logged where the collector does not take them. */
import type { Clock } from '#component/clock.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import type { Families } from '#component/metrics/families.ts'
import { Family } from '#component/metrics/family.ts'
import type { DropReason, QueueListener } from './span-queue.ts'

/** Dependencies of {@link ExportWatch}. */
export interface ExportWatchPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'warn' | 'info'>
  readonly families: Families
  /** Where spans are sent, for the log. */
  readonly url: string
}

/** Counts every span, and tells of drops once a minute. */
export class ExportWatch implements QueueListener {
  readonly #log: ExportWatchPorts['log']
  readonly #url: string
  readonly #throttle: LogThrottle
  readonly #spans: Family
  readonly #dropped: Family
  /** Dropped since the last line. */
  #untold = 0
  /** Why, as the exporter said it last. */
  #message = ''
  /** Whether the last line said that spans are dropped. */
  #isTold = false

  constructor({ clock, log, families, url }: ExportWatchPorts) {
    this.#log = log
    this.#url = url
    this.#throttle = new LogThrottle(clock, linePerMinute)
    this.#spans = new Family(
      {
        name: 'gateway_telemetry_spans_total',
        help: 'Spans of sampled requests, by what became of them: exported or dropped.',
        isOfNode: true,
        labels: ['result'],
      },
      families,
    )
    this.#dropped = new Family(
      {
        name: 'gateway_telemetry_dropped_total',
        help: 'Spans that were dropped, by reason.',
        isOfNode: true,
        labels: ['reason'],
      },
      families,
    )
    // a counter that appears with its first drop has no rate then
    this.#spans.with('exported').add(0)
    this.#spans.with('dropped').add(0)
  }

  onExported(count: number): void {
    this.#spans.with('exported').add(count)
    if (!this.#isTold) return
    this.#isTold = false
    this.#log.info({ collector: this.#url }, 'the collector takes spans again')
  }

  onDropped(count: number, reason: DropReason, message: string): void {
    this.#spans.with('dropped').add(count)
    this.#dropped.with(reason).add(count)
    this.#untold += count
    if (message !== '') this.#message = message
    if (!this.#throttle.admits('')) return
    const line = { collector: this.#url, reason, spans: this.#untold }
    this.#log.warn(
      { ...line, ...(this.#message !== '' && { cause: this.#message }) },
      'spans were dropped',
    )
    this.#untold = 0
    this.#message = ''
    this.#isTold = true
  }
}
