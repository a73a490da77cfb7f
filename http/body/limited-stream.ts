/** The body of a request as it arrives, within its limits. */
import { Readable } from 'node:stream'
import type { Clock } from '#component/clock.ts'
import { countPassed } from '#component/limits/gc-pressure.ts'
import type { BodyLimits } from '#component/request.ts'
import { gone, ignore, tooLarge, tooSlow } from './body-errors.ts'

/** A stream buffers at most this many bytes, whatever body_read_bytes allows: uploads must not fill the memory. */
const maxBuffered = 65_536

/** Passes the bytes of a request on: at most body_max_bytes, each body_read_bytes within body_read_seconds. */
export class LimitedStream extends Readable {
  readonly #request: Readable
  readonly #limits: BodyLimits
  readonly #clock: Clock
  readonly #onPassed: ((bytes: number) => void) | undefined
  #size = 0
  /** Bytes since the clock was set: each body_read_bytes may take body_read_seconds. */
  #window = 0
  #stopTimer: (() => void) | undefined

  /** @param onPassed is told of the bytes once there are no more */
  constructor(
    request: Readable,
    limits: BodyLimits,
    clock: Clock,
    onPassed?: (bytes: number) => void,
  ) {
    super({ highWaterMark: Math.max(1, Math.min(limits.body_read_bytes, maxBuffered)) })
    this.#request = request
    this.#limits = limits
    this.#clock = clock
    this.#onPassed = onPassed
    request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    request.on('error', ignore).pause()
  }

  readonly #onData = (chunk: Buffer) => {
    countPassed(chunk.length)
    this.#size += chunk.length
    this.#window += chunk.length
    if (this.#size > this.#limits.body_max_bytes) {
      this.destroy(tooLarge())
      return
    }
    if (this.#window >= Math.max(this.#limits.body_read_bytes, maxBuffered)) {
      this.#window = 0
      this.#setTimer()
    }
    if (!this.push(chunk)) {
      this.#request.pause()
      // the reader is slow now, not the client
      this.#clearTimer()
    }
  }

  readonly #onEnd = () => {
    this.#clearTimer()
    this.push(null)
  }

  readonly #onClose = () => {
    if (!this.#request.readableEnded) this.destroy(gone())
  }

  #setTimer(): void {
    this.#clearTimer()
    const { body_read_seconds } = this.#limits
    this.#stopTimer = this.#clock.after(body_read_seconds, () => this.destroy(tooSlow()))
  }

  #clearTimer(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  override _read(): void {
    if (!this.#stopTimer && !this.#request.readableEnded) this.#setTimer()
    this.#request.resume()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#clearTimer()
    this.#onPassed?.(this.#size)
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    // the rest of the body is read and dropped
    this.#request.resume()
    callback(error)
  }
}
