/** Goes back to the first router of a list once a session on it has lived for a while (`wamp.failback_after`). */
import type { Routers } from './routers.ts'

/** A session that watches whether the first router is there. */
export interface Probe {
  /** Whether it is joined. */
  readonly isOpen: boolean
  leave(): Promise<void>
}

/** The dependencies of a {@link Failback}. */
export interface FailbackPorts {
  readonly clock: { after(ms: number, callback: () => void): () => void }
  readonly routers: Routers
  /** Milliseconds that the first router must be up; 0: the process never goes back. */
  readonly afterMs: number
  /** Opens a session on a router, which joins again whenever it is lost. @param onJoin called after each join */
  readonly open: (url: string | undefined, onJoin: () => void) => Probe
  /** Another router is used. */
  readonly onUse: () => void
}

/** Watches the first router while another one is used. A router that is lost within the time has not come back. */
export class Failback {
  readonly #ports: FailbackPorts
  #probe: Probe | undefined
  #stopTimer: () => void = () => undefined
  #isClosed = false

  constructor(ports: FailbackPorts) {
    this.#ports = ports
    ports.routers.onUse = () => {
      ports.onUse()
      this.#follow()
    }
  }

  /** Watches no more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  #follow(): void {
    const { afterMs, open, routers } = this.#ports
    if (routers.isFirst) void this.#end()
    else if (afterMs > 0 && !this.#isClosed) {
      this.#probe ??= open(routers.first, () => this.#wait())
    }
  }

  /** The first router is up from now on. */
  #wait(): void {
    const { afterMs, clock } = this.#ports
    this.#stopTimer()
    this.#stopTimer = clock.after(afterMs, () => void this.#return())
  }

  async #return(): Promise<void> {
    // the next join begins anew
    if (!this.#probe?.isOpen) return
    await this.#ports.routers.return()
    if (this.#probe?.isOpen) this.#wait()
  }

  async #end(): Promise<void> {
    this.#stopTimer()
    const probe = this.#probe
    this.#probe = undefined
    await probe?.leave()
  }
}
