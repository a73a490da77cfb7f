/** Finished spans on their way to the collector: a bounded queue, sent in batches, one at a time. */
import type { Clock } from '#component/clock.ts'
import type { RecordedSpan } from './recorded-span.ts'

/** Why spans were dropped: `queue_full`, `stopped`, or what the export failed by. */
export type DropReason = 'queue_full' | 'stopped' | ExportFailure['reason']

/** Why the collector did not take a batch, after all attempts. */
export interface ExportFailure {
  readonly reason: 'refused' | 'unavailable' | 'unreachable' | 'failed'
  /** For the log: a status or an error of the network, no text of the collector. */
  readonly message: string
}

/** Sends a batch, and again where that helps; calls back once. */
export type ExportSpans = (
  spans: readonly RecordedSpan[],
  done: (failure?: ExportFailure) => void,
) => void

/** What a queue tells of. */
export interface QueueListener {
  onExported(count: number): void
  onDropped(count: number, reason: DropReason, message: string): void
}

/** Spans that are held at most, those that are being sent included. */
const mostSpans = 2048
/** As many spans are sent at once. */
const batchSpans = 512
/** How long spans wait for others; milliseconds. */
const longestWait = 1000

/** The queue of a process. */
export class SpanQueue {
  readonly #clock: Pick<Clock, 'after'>
  readonly #export: ExportSpans
  readonly #listener: QueueListener
  #waiting: RecordedSpan[] = []
  #sending = 0
  #stopTimer: (() => void) | undefined
  /** Takes no more spans. */
  #isClosed = false
  /** Has dropped those that were left. */
  #isOver = false
  /** Called when nothing is left. */
  #onEmpty: (() => void) | undefined

  constructor(clock: Pick<Clock, 'after'>, exportSpans: ExportSpans, listener: QueueListener) {
    this.#clock = clock
    this.#export = exportSpans
    this.#listener = listener
  }

  /** Takes a span; drops it where the queue is full. */
  add(span: RecordedSpan): void {
    if (this.#isClosed) this.#listener.onDropped(1, 'stopped', '')
    else if (this.#waiting.length + this.#sending >= mostSpans) {
      this.#listener.onDropped(1, 'queue_full', '')
    } else {
      this.#waiting.push(span)
      if (this.#waiting.length >= batchSpans) this.#send()
      else this.#stopTimer ??= this.#clock.after(longestWait, () => this.#send())
    }
  }

  /** Sends what is left, for at most `ms` milliseconds; drops the rest, and every later span. */
  async close(ms: number): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await new Promise<void>((resolve) => {
      const stop = this.#clock.after(ms, resolve)
      this.#onEmpty = () => {
        stop()
        resolve()
      }
      this.#send()
    })
    const left = this.#waiting.length + this.#sending
    this.#waiting = []
    this.#isOver = true
    if (left > 0) this.#listener.onDropped(left, 'stopped', '')
  }

  #send(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    if (this.#sending > 0) return
    if (this.#waiting.length === 0) {
      this.#onEmpty?.()
      return
    }
    const batch = this.#waiting.splice(0, batchSpans)
    this.#sending = batch.length
    this.#export(batch, (failure) => {
      if (this.#isOver) return
      this.#sending = 0
      if (failure) this.#listener.onDropped(batch.length, failure.reason, failure.message)
      else this.#listener.onExported(batch.length)
      if (this.#isClosed || this.#waiting.length >= batchSpans) this.#send()
      else if (this.#waiting.length > 0) {
        this.#stopTimer ??= this.#clock.after(longestWait, () => this.#send())
      }
    })
  }
}
