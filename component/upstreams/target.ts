/** One target of an upstream in this process: how it is connected to, what is under way at it, and whether it is there. */
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { TargetResult } from '#component/action/target-result.ts'
import type { Origin } from '#component/syntax/upstream-origin.ts'
import type { HealthSettings } from './settings.ts'

/** The longest time that a target is out; milliseconds. */
const longestOut = 300_000

/** What has become of a target. */
export type Turn = 'out' | 'back'

/** How a request to a target has ended, for its health. */
export interface TargetEnd {
  readonly result: TargetResult
  /** Why it has failed, in words without data of the request. */
  readonly reason?: string | undefined
}

/** A request is begun and ended at it. Times are milliseconds since the epoch. */
export class Target {
  /** What it is known by, on every node. */
  readonly id: string
  /** Where it is connected to. */
  readonly origin: Origin
  readonly #connections: Connections
  /** Requests that are under way. */
  pending = 0
  /** Why a request has failed last. */
  lastError: string | undefined
  /** Failures in a row. */
  #failures = 0
  /** Since when it is out; undefined: it is not. */
  #outSince: number | undefined
  #outUntil = 0
  /** How long it was sent away last. */
  #outMs = 0
  #isProbed = false
  /** Changes with the state, so that a request that began before does not count after it. */
  #state = 0

  constructor({ url, origin }: { url: string; origin: Origin }, connections: Connections) {
    this.id = url
    this.origin = origin
    this.#connections = connections
  }

  /** Its connections. @param connectTimeoutMs time limit of one connection, name resolution and TLS included */
  pool(connectTimeoutMs: number): ReturnType<Connections['pool']> {
    return this.#connections.pool(this.origin, false, connectTimeoutMs)
  }

  /** Whether requests go to it, as far as is known. */
  get isUp(): boolean {
    return this.#outSince === undefined
  }

  /** Whether a request may be sent to it: one that is out gets one when its time has come, the probe. */
  isOpen(now: number): boolean {
    if (this.#outSince === undefined) return true
    // a clock that was set back does not keep it out
    return !this.#isProbed && (now >= this.#outUntil || now < this.#outSince)
  }

  /** A request begins. @returns a ticket for {@link end} */
  begin(): number {
    this.pending += 1
    if (this.#outSince === undefined) return this.#state
    this.#isProbed = true
    this.#state += 1
    return this.#state
  }

  /**
   * The answer to a request has come, or will not come. It counts unless the state has changed since the request began.
   * @param isLast whether no other target is up: then it stays
   * @returns what has become of the target; undefined: nothing
   */
  end(
    ticket: number,
    { result, reason }: TargetEnd,
    now: number,
    { failures, outMs }: HealthSettings,
    isLast: () => boolean,
  ): Turn | undefined {
    if (result === 'failure') this.lastError = reason
    if (ticket !== this.#state) return undefined
    if (this.#isProbed) {
      this.#isProbed = false
      this.#state += 1
      if (result === 'success') return this.#goBack()
      if (result === 'failure') this.#goOut(now, Math.min(this.#outMs * 2, longestOut))
      return undefined
    }
    if (result === 'success') this.#failures = 0
    if (result !== 'failure') return undefined
    this.#failures += 1
    if (this.#failures < failures || isLast()) return undefined
    this.#goOut(now, outMs)
    return 'out'
  }

  /** The answer to a request has come to its end, or its connection has. */
  leave(): void {
    this.pending -= 1
  }

  #goOut(now: number, ms: number): void {
    this.#outSince = now
    this.#outUntil = now + ms
    this.#outMs = ms
    this.#state += 1
  }

  #goBack(): Turn {
    this.#outSince = undefined
    this.#failures = 0
    return 'back'
  }
}
