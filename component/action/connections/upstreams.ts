/** Connections to upstreams: one pool per origin; the address of each socket is checked. Only this file opens undici's pools. */
import { lookup as systemLookup } from 'node:dns'
import { type Dispatcher, Pool } from 'undici'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Origin } from '#component/syntax/upstream-origin.ts'
import { maxHeadBytes } from './answer-heads.ts'
import { type ConnectionTerms, connectorOf, type Lookup } from './connector.ts'
import { direct, type Egress } from './egress.ts'
import type { HostPolicy } from './origin.ts'
import { UpstreamConnection } from './upstream-connection.ts'

/** At most this many pools of hosts; then the least recently used one is closed. Those of targets are as many as realms declare, and not counted. */
const maxPools = 512

/** A pool that has not been used for this long is closed, at most as long again later; milliseconds. */
const idleMs = 60_000

/** Sockets per upstream (reliability §3.1, upstream agents). */
export const maxConnections = 256

/** Of each connection. */
const connectionOptions = {
  pipelining: 1,
  // Milliseconds a free one is kept: less than upstreams that say nothing do (gunicorn: 2 s), and than `Keep-Alive: timeout` of those that do.
  keepAliveTimeout: 1500,
  keepAliveTimeoutThreshold: 500,
  keepAliveMaxTimeout: 4000,
  maxHeaderSize: maxHeadBytes,
  // Deadlines are the forward's own: undici's timers are coarse.
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
} as const

/** What ends a request that goes on for too long at a target that is gone. */
const removed = 'the target of the upstream was removed'

/** One pool of connections and its key. */
interface Entry {
  readonly isComputed: boolean
  readonly connectTimeoutMs: number
  readonly terms: ConnectionTerms | undefined
  readonly pool: Pool
  /** The number of its last use; the pool with the lowest is the least recently used. */
  lastUse: number
}

/** A request to an upstream. */
export type UpstreamRequest = Dispatcher.DispatchOptions
/** Is told of the answer to it. */
export type UpstreamHandler = Dispatcher.DispatchHandler

/** The connections of forwards. */
export interface Connections {
  /**
   * The connections to an origin.
   * @param isComputed whether the host is computed from the request: then private addresses must be listed
   * @param connectTimeoutMs time limit of one connection, name resolution and TLS included
   * @param terms of the target of an upstream, whose connections are its own
   */
  pool(
    origin: Origin,
    isComputed: boolean,
    connectTimeoutMs: number,
    terms?: ConnectionTerms,
  ): { dispatch(request: UpstreamRequest, handler: UpstreamHandler): unknown }
  /** How many connections to a target are open; those that have become WebSockets are not counted. */
  connected(origin: Origin, terms: ConnectionTerms): number
  /**
   * Ends the connections of a target, once what runs on them is over.
   * @param afterMs how long that may take; then they are ended
   */
  release(origin: Origin, terms: ConnectionTerms, afterMs: number): void
  /** Whether requests to an origin leave by a proxy, which resolves its name. */
  proxies(origin: Origin): boolean
  /** Ends all connections, those in use too. */
  close(): Promise<void>
}

/** How connections leave the gateway. */
interface Outside {
  /** Resolves names; absent: the system. */
  readonly lookup?: Lookup | undefined
  /** The certificates (PEM) that are trusted; absent: those of the system. */
  readonly ca?: string | undefined
  /** Absent: by no proxy. */
  readonly egress?: Egress | undefined
  /** `forward.unix_sockets`: the folders whose sockets may be connected to. */
  readonly unixSockets?: readonly string[]
}

/** Opens and keeps the connections of all forwards. */
export class Upstreams implements Connections {
  readonly #clock: Clock
  readonly #policy: HostPolicy
  readonly #egress: Egress
  readonly #ports: Parameters<typeof connectorOf>[0]
  /** By the text of the origin. */
  readonly #pools = new Map<string, Entry[]>()
  /** Stop the timers of pools that end. */
  readonly #ending = new Set<() => void>()
  #size = 0
  /** Those of hosts. */
  #ofHosts = 0
  #uses = 0
  /** The number of the last use when idle pools were last looked for. */
  #usesBefore = 0
  /** Undefined while no pool is open. */
  #stopTimer: (() => void) | undefined

  /**
   * @param policy for hosts that are computed from the request
   */
  constructor(clock: Clock, policy: HostPolicy, outside: Outside = {}) {
    const { lookup = systemLookup, ca, egress = direct, unixSockets = [] } = outside
    this.#clock = clock
    this.#policy = policy
    this.#egress = egress
    this.#ports = { clock, lookup, ca, unixSockets }
  }

  proxies(origin: Origin): boolean {
    return this.#egress(origin) !== undefined
  }

  pool(
    origin: Origin,
    isComputed: boolean,
    connectTimeoutMs: number,
    terms?: ConnectionTerms,
  ): Dispatcher {
    this.#uses += 1
    const entries = this.#pools.get(origin.text) ?? []
    for (const entry of entries) {
      if (entry.isComputed !== isComputed || entry.connectTimeoutMs !== connectTimeoutMs) continue
      if (entry.terms !== terms) continue
      entry.lastUse = this.#uses
      return entry.pool
    }
    const policy = isComputed ? this.#policy : undefined
    const isLocal = terms?.socketPath !== undefined
    const proxy = terms?.proxy ?? (isLocal ? undefined : this.#egress(origin))
    const connectBy = (isTunnel: boolean) =>
      connectorOf(this.#ports, policy, connectTimeoutMs, terms, proxy, isTunnel)
    const connect = connectBy(false)
    // a proxy is asked for http by the whole URL (RFC 9112 §3.2.2), for a tunnel under https and for WebSockets (RFC 6455 §4.1)
    const asked = proxy && origin.protocol === 'http:' ? { proxy, text: origin.text } : undefined
    const factory = (url: URL): UpstreamConnection =>
      new UpstreamConnection(
        url,
        connectionOptions,
        connect,
        asked && {
          ...asked,
          tunnel: () => new UpstreamConnection(url, connectionOptions, connectBy(true)),
        },
      )
    const connections = terms?.connections ?? maxConnections
    const pool = new Pool(origin.text, { connections, factory, allowH2: false })
    entries.push({ isComputed, connectTimeoutMs, terms, pool, lastUse: this.#uses })
    this.#pools.set(origin.text, entries)
    this.#size += 1
    if (terms === undefined) this.#ofHosts += 1
    if (this.#ofHosts > maxPools) this.#closeOldest()
    this.#stopTimer ??= this.#clock.after(idleMs, () => this.#closeIdle())
    return pool
  }

  connected(origin: Origin, terms: ConnectionTerms): number {
    const entries = (this.#pools.get(origin.text) ?? []).filter((entry) => entry.terms === terms)
    return entries.reduce((sum, { pool }) => sum + pool.stats.connected, 0)
  }

  release(origin: Origin, terms: ConnectionTerms, afterMs: number): void {
    const entries = this.#pools.get(origin.text) ?? []
    for (let index = entries.length - 1; index >= 0; index -= 1) {
      if (entries[index]?.terms === terms) this.#remove(origin.text, entries, index, afterMs)
    }
  }

  async close(): Promise<void> {
    const entries = [...this.#pools.values()].flat()
    this.#pools.clear()
    this.#size = 0
    this.#ofHosts = 0
    this.#stopTimer?.()
    this.#stopTimer = undefined
    for (const stop of this.#ending) stop()
    this.#ending.clear()
    await Promise.all(entries.map(({ pool }) => pool.destroy()))
  }

  #closeOldest(): void {
    let least = Number.POSITIVE_INFINITY
    let oldest: [text: string, entries: Entry[], index: number] | undefined
    for (const [text, entries] of this.#pools) {
      for (const [index, { lastUse, terms }] of entries.entries()) {
        if (terms !== undefined || lastUse >= least) continue
        least = lastUse
        oldest = [text, entries, index]
      }
    }
    if (!oldest) return
    const [text, entries, index] = oldest
    this.#remove(text, entries, index)
  }

  /** Closes the pools that have not been used since the last call. */
  #closeIdle(): void {
    for (const [text, entries] of this.#pools) {
      for (let index = entries.length - 1; index >= 0; index -= 1) {
        const { lastUse = 0 } = entries[index] ?? {}
        if (lastUse <= this.#usesBefore) this.#remove(text, entries, index)
      }
    }
    this.#usesBefore = this.#uses
    this.#stopTimer =
      this.#size === 0 ? undefined : this.#clock.after(idleMs, () => this.#closeIdle())
  }

  /** @param afterMs how long running requests may take; undefined: as long as they do */
  #remove(text: string, entries: Entry[], index: number, afterMs?: number): void {
    const [entry] = entries.splice(index, 1)
    if (entries.length === 0) this.#pools.delete(text)
    this.#size -= 1
    if (!entry) return
    if (entry.terms === undefined) this.#ofHosts -= 1
    const end = () =>
      void entry.pool.destroy(new ServiceError('service.error.bad_gateway', removed))
    const stopTimer = afterMs === undefined ? undefined : this.#clock.after(afterMs, end)
    if (stopTimer) this.#ending.add(stopTimer)
    // running requests end first
    entry.pool.close(() => {
      stopTimer?.()
      if (stopTimer) this.#ending.delete(stopTimer)
    })
  }
}
