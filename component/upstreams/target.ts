/** One target of an upstream in this process: how it is connected to, what is under way at it, and whether it is there. */
import type { ConnectionTerms } from '#component/action/connections/connector.ts'
import type { EgressProxy } from '#component/action/connections/egress.ts'
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { TargetResult } from '#component/action/target-result.ts'
import type { Origin } from '#component/syntax/upstream-origin.ts'
import { type OpenValue, secureContextOf } from './secure-context.ts'
import type { HealthSettings, ProxySettings, TlsSettings } from './settings.ts'

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

/** What the connections to a target depend on. */
export interface TargetConnection {
  readonly url: string
  /** Of its name, where each address is a target; undefined: whichever the system gives. */
  readonly address: string | undefined
  readonly origin: Origin
  readonly connections: number
  readonly socketPath: string | undefined
  readonly proxy: ProxySettings | undefined
  readonly tls: TlsSettings | undefined
  /** The name in TLS; undefined: that of the origin. */
  readonly serverName: string | undefined
}

/** What targets need of their upstream. */
export interface TargetPorts {
  readonly connections: Connections
  /** Opens what `tls` refers to. */
  readonly open: OpenValue
  /** The one of the settings. */
  readonly proxy: EgressProxy | undefined
}

/** The same text for equal connections. */
export const keyOf = ({ origin: _, ...others }: TargetConnection): string => JSON.stringify(others)

/** A request is begun and ended at it. Times are milliseconds since the epoch. */
export class Target {
  /** What it is known by, on every node. */
  readonly id: string
  /** As the document writes it. */
  readonly url: string
  /** The one of its addresses that it is; undefined: all of them. */
  readonly address: string | undefined
  /** All that its connections depend on: while this is the same, a load of the realm keeps the target. */
  readonly key: string
  /** Where it is connected to. */
  readonly origin: Origin
  readonly #connections: Connections
  /** Requests that are under way. */
  pending = 0
  /** WebSockets that are open. */
  sockets = 0
  /** The last check of this process: when, milliseconds since the epoch, and why it was bad; undefined: there was none. */
  lastCheck: { readonly at: number; readonly problem: string | undefined } | undefined
  /** How its requests have ended until now. */
  readonly ends: Record<TargetResult, number> = { success: 0, failure: 0, unknown: 0 }
  /** Why a request has failed last. */
  lastError: string | undefined
  /** Failures in a row. */
  #failures = 0
  /** When its state has changed last, or it was made. */
  since: number
  /** Since when it is out; undefined: it is not. */
  #outSince: number | undefined
  #outUntil = 0
  /** How long it was sent away last. */
  #outMs = 0
  #isProbed = false
  /** Undefined once it was taken away. */
  #onReleased: Set<() => void> | undefined = new Set()
  /** Changes with the state, so that a request that began before does not count after it. */
  #state = 0

  /** What its connections have of their own. */
  readonly #terms: ConnectionTerms
  /** Whether the checks say that it is not there. */
  #isDown = false
  /** Since when its weight grows. */
  #freshSince: number

  constructor(settings: TargetConnection, { connections, open, proxy }: TargetPorts, now: number) {
    const { tls, serverName, url, address, socketPath } = settings
    this.id = address === undefined ? url : `${url} ${address}`
    this.url = url
    this.address = address
    this.key = keyOf(settings)
    this.origin = settings.origin
    this.#terms = {
      ...{ connections: settings.connections, serverName, address, socketPath, proxy },
      secureContext: tls && secureContextOf(tls, open),
    }
    this.#connections = connections
    this.#freshSince = now
    this.since = now
  }

  /** Its connections. @param connectTimeoutMs time limit of one connection, name resolution and TLS included */
  pool(connectTimeoutMs: number): ReturnType<Connections['pool']> {
    return this.#connections.pool(this.origin, false, connectTimeoutMs, this.#terms)
  }

  /** How many of its connections are open, WebSockets apart. */
  get connections(): number {
    return this.#connections.connected(this.origin, this.#terms)
  }

  /** Failures in a row, up to the one that took it out. */
  get failures(): number {
    return this.#failures
  }

  /** Ends its connections, once what runs on them is over. @param afterMs how long that may take */
  release(afterMs: number): void {
    this.#connections.release(this.origin, this.#terms, afterMs)
    const told = this.#onReleased ?? []
    this.#onReleased = undefined
    for (const callback of told) callback()
  }

  /** Calls back when it is taken away: at once where it was. @returns ends that */
  onRelease(callback: () => void): () => void {
    const told = this.#onReleased
    if (told) told.add(callback)
    else callback()
    return () => told?.delete(callback)
  }

  /** The part of its weight that it has, at most 1: while it is new or back it grows, from a tenth. */
  partAt(now: number, slowStartMs: number): number {
    const ms = now - this.#freshSince
    return ms < 0 || ms >= slowStartMs ? 1 : Math.max(0.1, ms / slowStartMs)
  }

  /** Whether requests go to it, as far as is known. */
  get isUp(): boolean {
    return this.#outSince === undefined && !this.#isDown
  }

  /** Whether the checks say that it is not there. */
  get isDown(): boolean {
    return this.#isDown
  }

  /** What the checks say. @returns what has become of the target; undefined: nothing */
  mark(isDown: boolean, reason: string | undefined, now: number): Turn | undefined {
    if (isDown === this.#isDown) return undefined
    this.#isDown = isDown
    this.since = now
    if (isDown) this.lastError = reason
    else this.#freshSince = now
    return isDown ? 'out' : 'back'
  }

  /** Whether a request may be sent to it: one that is out gets one when its time has come, the probe. */
  isOpen(now: number): boolean {
    if (this.#isDown) return false
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
    this.ends[result] += 1
    if (result === 'failure') this.lastError = reason
    if (ticket !== this.#state) return undefined
    if (this.#isProbed) {
      this.#isProbed = false
      this.#state += 1
      if (result === 'success') return this.#goBack(now)
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
    if (this.#outSince === undefined) this.since = now
    this.#outSince = now
    this.#outUntil = now + ms
    this.#outMs = ms
    this.#state += 1
  }

  #goBack(now: number): Turn {
    this.#outSince = undefined
    this.#freshSince = now
    this.since = now
    this.#failures = 0
    return 'back'
  }
}
