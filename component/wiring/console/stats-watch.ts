/** Tells how many requests a process serves and how fast, every two seconds, while a console of any node shows it. */
import type { Clock } from '#component/clock.ts'
import type { RequestWindow } from './request-window.ts'

/** How often the numbers are told; milliseconds. */
const intervalMs = 2_000

/** The dependencies of {@link StatsWatch}. */
export interface StatsPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly node: string
  readonly window: Pick<RequestWindow, 'read' | 'forget'>
  /** The state of the listeners; undefined before they are open. */
  state(): { readonly inFlight: number; readonly isReady: boolean } | undefined
  /** Takes the numbers; must not throw. */
  tell(stats: Readonly<Record<string, unknown>>): void
}

/** Of one process. */
export class StatsWatch {
  readonly #ports: StatsPorts
  #until = 0
  #stopTimer: (() => void) | undefined

  constructor(ports: StatsPorts) {
    this.#ports = ports
  }

  /** Tells the numbers at once, and from now on for this time, or longer where that was asked for before. */
  watch(seconds: number): void {
    this.#until = Math.max(this.#until, this.#ports.clock.now() + seconds * 1000)
    if (this.#stopTimer === undefined) void this.#tick()
  }

  stop(): void {
    this.#until = 0
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#ports.window.forget()
  }

  async #tick(): Promise<void> {
    const { clock, node, tell, state, window } = this.#ports
    if (clock.now() >= this.#until) {
      this.stop()
      return
    }
    this.#stopTimer = clock.after(intervalMs, () => void this.#tick())
    const counts = await window.read()
    const { inFlight = 0, isReady = false } = state() ?? {}
    tell({ node, ts: clock.now(), is_ready: isReady, in_flight: inFlight, ...counts })
  }
}
