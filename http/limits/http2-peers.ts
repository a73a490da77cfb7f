/** What the clients of one network may do with connections of HTTP/2 beyond the bounds of each: reset requests, end them by faults, and keep those that have no request. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { atMost } from '#component/limits/at-most.ts'
import { decide } from '#component/limits/gcra.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import { http2Bounds } from './http2-session.ts'

/** A connection. */
export interface Http2Peer {
  /** Whether it has no request, and is not about to end. */
  readonly isIdle: boolean
  /** Ends the connection. */
  end(): void
}

/** How often something may happen: at once, and a second. */
interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** The connections of networks, of each the oldest first. */
type ByNetwork = Map<string, Set<Http2Peer>>

/** Networks whose faults are known, and whose resets are; the one whose last is oldest is forgotten. */
const maxNetworks = 10_000

/** Of all connections of a process. */
export class Http2Peers {
  readonly #clock: Pick<Clock, 'now'>
  readonly #isExempt: (address: string) => boolean
  /** When all faults of a network are forgiven, and all its resets, as {@link decide} has it; milliseconds. */
  readonly #faults = new LRUCache<string, number>(atMost(maxNetworks))
  readonly #resets = new LRUCache<string, number>(atMost(maxNetworks))
  /** Those that were not ended. */
  readonly #open: ByNetwork = new Map()
  /** Of these, those that have asked nothing. */
  readonly #silent: ByNetwork = new Map()

  /** @param isExempt addresses that stand for many clients: trusted proxies */
  constructor(clock: Pick<Clock, 'now'>, isExempt: (address: string) => boolean) {
    this.#clock = clock
    this.#isExempt = isExempt
  }

  /** Whether a client may have a further connection: those of its network have not ended by too many faults lately. */
  mayOpen(address: string): boolean {
    const arrival = this.#faults.get(networkOf(address))
    return arrival === undefined || this.#decide(arrival, http2Bounds.faults).isAllowed
  }

  /** Takes note of a request that its client has reset; false where its network has reset too many lately. */
  mayReset(address: string): boolean {
    if (this.#isExempt(address)) return true
    return this.#count(this.#resets, networkOf(address), http2Bounds.resetsOfNetwork)
  }

  /** Takes note of a connection that has ended by a fault of its client. */
  fault(address: string): void {
    if (this.#isExempt(address)) return
    // of connections that were open already: no more than a burst counts
    this.#count(this.#faults, networkOf(address), http2Bounds.faults)
  }

  /**
   * Takes note of a connection, which has asked nothing. Too many such ones of a network end the oldest of them; too many without a request, the
   * oldest of those.
   */
  begin(address: string, connection: Http2Peer): void {
    if (this.#isExempt(address)) return
    const network = networkOf(address)
    const silent = add(this.#silent, network, connection)
    const open = add(this.#open, network, connection)
    if (silent.size > http2Bounds.silent) this.#end(network, silent)
    // looking at 5,000 takes a small part of what the handshake of one took
    if (open.size <= http2Bounds.idle) return
    const idle = [...open].filter(({ isIdle }) => isIdle)
    if (idle.length > http2Bounds.idle) this.#end(network, idle)
  }

  /** Ends the oldest one. It is over before its socket is closed. */
  #end(network: string, [oldest]: Iterable<Http2Peer>): void {
    if (!oldest) return
    this.#forget(network, oldest)
    oldest.end()
  }

  /** Takes note of the first request of a connection. */
  asked(address: string, connection: Http2Peer): void {
    remove(this.#silent, networkOf(address), connection)
  }

  /** Takes note of the end of a connection. */
  over(address: string, connection: Http2Peer): void {
    this.#forget(networkOf(address), connection)
  }

  #forget(network: string, connection: Http2Peer): void {
    remove(this.#silent, network, connection)
    remove(this.#open, network, connection)
  }

  /** Counts one more, unless there were too many; returns whether it was counted. */
  #count(all: LRUCache<string, number>, network: string, bound: Rate): boolean {
    const { isAllowed, next } = this.#decide(all.get(network), bound)
    if (isAllowed) all.set(network, next)
    return isAllowed
  }

  #decide(arrival: number | undefined, { burst, perSecond }: Rate) {
    const rate = { amount: perSecond, windowMs: 1000, burst }
    return decide(arrival, this.#clock.now(), 1, rate)
  }
}

function add(all: ByNetwork, network: string, connection: Http2Peer): ReadonlySet<Http2Peer> {
  const connections = all.get(network) ?? new Set()
  all.set(network, connections)
  return connections.add(connection)
}

function remove(all: ByNetwork, network: string, connection: Http2Peer): void {
  const connections = all.get(network)
  connections?.delete(connection)
  if (connections?.size === 0) all.delete(network)
}
