/** One target of an upstream in this process: how it is connected to, and what is under way at it. */
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { Origin } from '#component/syntax/upstream-origin.ts'
import type { TargetSettings } from './settings.ts'

/** A request is begun and ended at it. */
export class Target {
  readonly settings: TargetSettings
  readonly #connections: Connections
  /** Requests that are under way. */
  pending = 0

  constructor(settings: TargetSettings, connections: Connections) {
    this.settings = settings
    this.#connections = connections
  }

  /** Where it is connected to. */
  get origin(): Origin {
    return this.settings.origin
  }

  /** Its connections. @param connectTimeoutMs time limit of one connection, name resolution and TLS included */
  pool(connectTimeoutMs: number): ReturnType<Connections['pool']> {
    return this.#connections.pool(this.origin, false, connectTimeoutMs)
  }

  /** A request begins. */
  begin(): void {
    this.pending += 1
  }

  /** A request has ended. */
  end(): void {
    this.pending -= 1
  }
}
