/** One target of an upstream in this process: how it is connected to, and what is under way at it. */
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { Origin } from '#component/syntax/upstream-origin.ts'

/** A request is begun and ended at it. */
export class Target {
  /** What it is known by, on every node. */
  readonly id: string
  /** Where it is connected to. */
  readonly origin: Origin
  readonly #connections: Connections
  /** Requests that are under way. */
  pending = 0

  constructor({ url, origin }: { url: string; origin: Origin }, connections: Connections) {
    this.id = url
    this.origin = origin
    this.#connections = connections
  }

  /** Its connections. @param connectTimeoutMs time limit of one connection, name resolution and TLS included */
  pool(connectTimeoutMs: number): ReturnType<Connections['pool']> {
    return this.#connections.pool(this.origin, false, connectTimeoutMs)
  }

  /** Whether a request may be sent to it. @param now milliseconds since the epoch */
  isOpen(_now: number): boolean {
    return true
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
