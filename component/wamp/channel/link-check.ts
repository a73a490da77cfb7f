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
  lose(reason: string): void
}

/** A later check of the link shows that the process was suspended, and that the router has given it up; milliseconds. */
const stillMs = 5000

/** Why a link ends after the process stood still: nothing is said of the router. */
export const suspended = 'the process was suspended'

/** Checks one link. */
export class LinkCheck {
  readonly #ports: LinkCheckPorts
  #isSilent = false
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
    this.#isSilent = false
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
    if (this.#isSilent || this.#hasStoodStill()) {
      this.#ports.lose(this.#hasStoodStill() ? suspended : 'the link is silent')
      return
    }
    this.#isSilent = true
    this.start()
    this.#ports.ask()
  }
}
