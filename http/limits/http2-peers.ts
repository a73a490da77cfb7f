/** What the clients of one network may do with connections of HTTP/2 beyond the bounds of each: end them by faults, and keep those that ask nothing. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { atMost } from '#component/limits/at-most.ts'
import { decide } from '#component/limits/gcra.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import { http2Bounds } from './http2-session.ts'

/** A connection that has asked nothing. */
interface Silent {
  /** Ends the connection. */
  end(): void
}

/** Networks whose faults are known; the one whose last fault is oldest is forgotten. */
const maxNetworks = 10_000

/** Of all connections of a process. */
export class Http2Peers {
  readonly #clock: Pick<Clock, 'now'>
  readonly #isExempt: (address: string) => boolean
  /** When all faults of a network are forgiven, as {@link decide} has it; milliseconds. */
  readonly #faults = new LRUCache<string, number>(atMost(maxNetworks))
  /** By network, the oldest first. */
  readonly #silent = new Map<string, Set<Silent>>()

  /** @param isExempt addresses that stand for many clients: trusted proxies */
  constructor(clock: Pick<Clock, 'now'>, isExempt: (address: string) => boolean) {
    this.#clock = clock
    this.#isExempt = isExempt
  }

  /** Whether a client may have a further connection: those of its network have not ended by too many faults lately. */
  mayOpen(address: string): boolean {
    const arrival = this.#faults.get(networkOf(address))
    return arrival === undefined || this.#decide(arrival).isAllowed
  }

  /** Takes note of a connection that has ended by a fault of its client. */
  fault(address: string): void {
    if (this.#isExempt(address)) return
    const network = networkOf(address)
    const { isAllowed, next } = this.#decide(this.#faults.get(network))
    // of connections that were open already: no more than a burst counts
    if (isAllowed) this.#faults.set(network, next)
  }

  /** Takes note of a connection, which has asked nothing; too many of a network end the oldest one. */
  begin(address: string, connection: Silent): void {
    if (this.#isExempt(address)) return
    const network = networkOf(address)
    const silent = this.#silent.get(network) ?? new Set()
    this.#silent.set(network, silent)
    silent.add(connection)
    if (silent.size <= http2Bounds.silent) return
    const [oldest = connection] = silent
    // it is over before its socket is closed
    silent.delete(oldest)
    oldest.end()
  }

  /** Takes note of the first request of a connection, or of its end. */
  over(address: string, connection: Silent): void {
    const network = networkOf(address)
    const silent = this.#silent.get(network)
    silent?.delete(connection)
    if (silent?.size === 0) this.#silent.delete(network)
  }

  #decide(arrival: number | undefined) {
    const { burst, perSecond } = http2Bounds.faults
    const rate = { amount: perSecond, windowMs: 1000, burst }
    return decide(arrival, this.#clock.now(), 1, rate)
  }
}
