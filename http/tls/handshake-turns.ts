/** The handshakes of TLS in the turns of the event loop: a few begin in each turn, of the networks of clients one after the other, and few are under way at once. */
import type { Clock } from '#component/clock.ts'

/** The bounds that no option changes; docs/operations.md, "Limits for clients", has them. */
export const handshakeBounds = {
  /** Handshakes that begin in a turn, and sessions of HTTP/2, which cost as much. */
  inTurn: 8,
  /** Handshakes that are under way, of a network and of all. A further one waits until one of these ends or has lasted for `patience`; milliseconds. */
  begun: { network: 256, all: 1_024 },
  patience: 1_000,
} as const

/** How often those that wait for others look at them; milliseconds. */
const interval = 100

/** A connection whose client has sent the first bytes of its handshake. */
export interface Handshake {
  /** The network of the client. */
  readonly network: string
  /** Whether the network stands for many clients, so that the bound of a network does not hold. */
  readonly isExempt: boolean
  begin(): void
  /** Closes the connection. */
  cut(): void
}

type ByNetwork = Map<string, Set<Handshake>>

/** Those of all listeners of a process. */
export class HandshakeTurns {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #later: (callback: () => void) => void
  /** Those that wait, in the order in which they have come; the network that is next stands first. */
  readonly #waiting: ByNetwork = new Map()
  /** Those under way, the oldest first, and when they have begun; milliseconds. */
  readonly #begun = new Map<Handshake, number>()
  readonly #begunOf: ByNetwork = new Map()
  /** What follows handshakes that have ended. */
  readonly #next = new Set<() => void>()
  #isAwaited = false
  #stopTimer: (() => void) | undefined

  /** @param later calls back in the next turn of the event loop */
  constructor(clock: Pick<Clock, 'now' | 'after'>, later: (callback: () => void) => void) {
    this.#clock = clock
    this.#later = later
  }

  /** Begins a handshake in its turn. */
  add(handshake: Handshake): void {
    put(this.#waiting, handshake)
    this.#await()
  }

  /** Takes note that a handshake has ended. @param next what follows it in its turn */
  end(handshake: Handshake | undefined, next?: () => void): void {
    if (handshake) this.over(handshake)
    if (next === undefined) return
    this.#next.add(next)
    this.#await()
  }

  /** Takes note that a connection is closed, or that its handshake has ended. */
  over(handshake: Handshake): void {
    this.#ended(handshake)
    remove(this.#waiting, handshake)
    if (this.#waiting.size > 0) this.#await()
  }

  /** Ends the timer. */
  close(): void {
    this.#stopTimer?.()
  }

  #ended(handshake: Handshake): void {
    this.#begun.delete(handshake)
    remove(this.#begunOf, handshake)
  }

  #await(): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    this.#later(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isAwaited = false
    this.#stopTimer?.()
    this.#stopTimer = undefined
    for (let left = handshakeBounds.inTurn; left > 0; left--) {
      const work = this.#take()
      if (work) work()
      else {
        // what waits does so for others
        if (this.#waiting.size > 0)
          this.#stopTimer = this.#clock.after(interval, () => this.#await())
        return
      }
    }
    if (this.#next.size > 0 || this.#waiting.size > 0) this.#await()
  }

  #take(): (() => void) | undefined {
    for (const next of this.#next) {
      this.#next.delete(next)
      return next
    }
    const { begun } = handshakeBounds
    if (this.#waiting.size === 0 || !this.#hasRoom(this.#begun, begun.all)) return undefined
    for (const [network, waiting] of this.#waiting) {
      const [first] = waiting
      if (!first) continue
      const own = this.#begunOf.get(network)
      if (own && !first.isExempt && !this.#hasRoom(own, begun.network)) continue
      remove(this.#waiting, first)
      // behind the other networks
      if (this.#waiting.delete(network)) this.#waiting.set(network, waiting)
      this.#begun.set(first, this.#clock.now())
      put(this.#begunOf, first)
      return () => first.begin()
    }
    return undefined
  }

  /** Whether one more of these may be under way; the oldest makes room once it has had its time. */
  #hasRoom(those: ReadonlySet<Handshake> | ReadonlyMap<Handshake, number>, most: number): boolean {
    if (those.size < most) return true
    const [oldest] = those.keys()
    const since = oldest && this.#begun.get(oldest)
    if (!since || this.#clock.now() - since < handshakeBounds.patience) return false
    this.#ended(oldest)
    oldest.cut()
    return true
  }
}

function put(all: ByNetwork, handshake: Handshake): void {
  const own = all.get(handshake.network) ?? new Set()
  all.set(handshake.network, own.add(handshake))
}

function remove(all: ByNetwork, handshake: Handshake): void {
  const own = all.get(handshake.network)
  own?.delete(handshake)
  if (own?.size === 0) all.delete(handshake.network)
}
