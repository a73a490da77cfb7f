/** Looks after all streams again and again, with one timer for all of the same heartbeat. */
import type { Clock } from '#component/clock.ts'
import type { Stream } from './stream.ts'
import type { Turns } from './turns.ts'

/** Looks in one heartbeat: a heartbeat comes at most this part of it too early. */
const looks = 8

/** The streams of one heartbeat. */
class Beat {
  readonly streams = new Set<Stream>()
  readonly #clock: Clock
  readonly #turns: Turns
  readonly #periodMs: number
  #stop: (() => void) | undefined

  constructor(clock: Clock, turns: Turns, heartbeatMs: number) {
    this.#clock = clock
    this.#turns = turns
    this.#periodMs = heartbeatMs / looks
  }

  add(stream: Stream): void {
    this.streams.add(stream)
    this.#stop ??= this.#clock.after(this.#periodMs, () => this.#look())
  }

  remove(stream: Stream): void {
    this.streams.delete(stream)
    if (this.streams.size > 0) return
    this.#stop?.()
    this.#stop = undefined
  }

  #look(): void {
    const now = this.#clock.now()
    const rest = this.streams.values()
    this.#turns.add((isLate) => {
      for (const stream of rest) {
        stream.look(now, this.#periodMs)
        if (isLate()) return false
      }
      return true
    })
    this.#stop = this.#clock.after(this.#periodMs, () => this.#look())
  }
}

/** The heartbeats of all streams of a process. */
export class Pulse {
  readonly #clock: Clock
  readonly #turns: Turns
  readonly #beats = new Map<number, Beat>()

  constructor(clock: Clock, turns: Turns) {
    this.#clock = clock
    this.#turns = turns
  }

  /** Looks after a stream from now on. */
  add(stream: Stream, heartbeatMs: number): void {
    let beat = this.#beats.get(heartbeatMs)
    if (beat === undefined) {
      beat = new Beat(this.#clock, this.#turns, heartbeatMs)
      this.#beats.set(heartbeatMs, beat)
    }
    beat.add(stream)
  }

  /** No more. */
  remove(stream: Stream, heartbeatMs: number): void {
    const beat = this.#beats.get(heartbeatMs)
    beat?.remove(stream)
    if (beat?.streams.size === 0) this.#beats.delete(heartbeatMs)
  }
}
