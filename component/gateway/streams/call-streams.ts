/** What the answers of a process that are streams of a call share: their limits, and how many pieces have come. */
import type { Clock } from '#component/clock.ts'

/** Bytes; the default of `limits.call_buffer`. */
const defaultBufferBytes = 4_194_304

interface CallStreamsPorts {
  readonly clock: Clock
  /** `limits.call_buffer`. */
  readonly bufferBytes?: number
  /** Runs a task behind the events that have arrived. */
  readonly nextTurn?: (task: () => void) => void
}

/** One for each process. */
export class CallStreams {
  readonly clock: Clock
  /** Bytes that may wait for one client. */
  readonly bufferBytes: number
  readonly nextTurn: (task: () => void) => void
  /** Progressive results that have come for answers that are streams. */
  pieces = 0

  constructor({
    clock,
    bufferBytes = defaultBufferBytes,
    nextTurn = setImmediate,
  }: CallStreamsPorts) {
    this.clock = clock
    this.bufferBytes = bufferBytes
    this.nextTurn = nextTurn
  }
}
