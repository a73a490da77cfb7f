/** Whether the other end of a link is alive, and whether this process was suspended. */
import type { Clock } from '#component/clock.ts'
import { ignore } from './channel.ts'

/** The dependencies of a check. */
export interface LinkCheckPorts {
  readonly clock: Clock
  /** Milliseconds between two checks; a link that is silent for two of them is lost. */
  readonly everyMs: number
  /** Asks the router for a sign of life. */
  ask(): void
  /** Bytes that have come: a long message that is on its way is a sign of life. */
  received(): number
  /** Bytes that wait to be written: the question of a sign of life waits behind them. */
  unsent(): number
  lose(reason: string): void
}

/** A later check of the link shows that the process was suspended, and that the router has given it up; milliseconds. */
const stillMs = 5000

/** Checks without a sign of life after which a link is lost while bytes wait to be written: 16 MiB by 2 Mbit/s take that long. */
const mostWhileSending = 14

/** Why a link ends after the process stood still: nothing is said of the router. */
export const suspended = 'the process was suspended'

/** Checks one link. */
export class LinkCheck {
  readonly #ports: LinkCheckPorts
  /** Checks in a row that found no sign of life. */
  #silentChecks = 0
  #received = 0
  /** Time of the next check; milliseconds since the epoch. */
  #dueAt = Number.POSITIVE_INFINITY
  #stop = ignore

  constructor(ports: LinkCheckPorts) {
    this.#ports = ports
  }

  start(): void {
    const { clock, everyMs } = this.#ports
    this.#dueAt = clock.now() + everyMs
    this.#stop = clock.after(everyMs, () => this.#check())
  }

  stop(): void {
    this.#stop()
  }

  /**
   * Something has come.
   * @returns whether it may be taken: the event loop delivers what arrived during a suspension before it runs any timer
   */
  hear(): boolean {
    this.#silentChecks = 0
    if (!this.#hasStoodStill()) return true
    this.#ports.lose(suspended)
    return false
  }

  /**
   * A process that was suspended, or whose machine was, resumes with requests that are long out of date. Their callers have given up:
   * the session ends with its registrations, and the next one begins with current requests.
   */
  #hasStoodStill(): boolean {
    return this.#ports.clock.now() > this.#dueAt + stillMs
  }

  /** A half-open connection is silent: a router that has not answered by the next check is lost (reliability F2). */
  #check(): void {
    const { ask, lose, received, unsent } = this.#ports
    if (this.#hasStoodStill()) {
      lose(suspended)
      return
    }
    const bytes = received()
    if (bytes !== this.#received) this.#silentChecks = 0
    this.#received = bytes
    if (this.#silentChecks >= (unsent() > 0 ? mostWhileSending : 1)) {
      lose('the link is silent')
      return
    }
    this.#silentChecks += 1
    this.start()
    ask()
  }
}
