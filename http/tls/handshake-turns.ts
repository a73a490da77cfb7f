/** The handshakes of TLS in the turns of the event loop, and the connections of HTTP/2 that follow them: a few begin in each turn, of the networks of clients one after the other, and few are under way at once. */
import type { Clock } from '#component/clock.ts'

/** The bounds that no option changes; docs/operations.md, "Limits for clients", has them. */
export const handshakeBounds = {
  /** What begins in a turn: handshakes, and connections of HTTP/2, with each of which the requests are read that have come by then; and how many of all are such connections. */
  inTurn: { all: 8, connections: 1 },
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

/** What follows a handshake. */
type Next = () => void

type ByNetwork<T> = Map<string, Set<T>>

/** Those of all listeners of a process. */
export class HandshakeTurns {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #later: (callback: () => void) => void
  /** Those that wait, in the order in which they have come; the network that is next stands first. */
  readonly #waiting: ByNetwork<Handshake> = new Map()
  /** Those under way, the oldest first, and when they have begun; milliseconds. */
  readonly #begun = new Map<Handshake, number>()
  readonly #begunOf: ByNetwork<Handshake> = new Map()
  /** What follows handshakes that have ended, in the same order. */
  readonly #next: ByNetwork<Next> = new Map()
  #isAwaited = false
  #stopTimer: (() => void) | undefined

  /** @param later calls back in the next turn of the event loop */
  constructor(clock: Pick<Clock, 'now' | 'after'>, later: (callback: () => void) => void) {
    this.#clock = clock
    this.#later = later
  }

  /** Begins a handshake in its turn. */
  add(handshake: Handshake): void {
    put(this.#waiting, handshake.network, handshake)
    this.#await()
  }

  /** Begins what follows a handshake, in its turn. @param network of its client */
  follow(network: string, next: Next): void {
    put(this.#next, network, next)
    this.#await()
  }

  /** Takes note that a connection is closed, or that its handshake has ended. */
  over(handshake: Handshake): void {
    this.#ended(handshake)
    remove(this.#waiting, handshake.network, handshake)
    if (this.#waiting.size > 0) this.#await()
  }

  /** Ends the timer. */
  close(): void {
    this.#stopTimer?.()
  }

  #ended(handshake: Handshake): void {
    this.#begun.delete(handshake)
    remove(this.#begunOf, handshake.network, handshake)
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
    const { all, connections } = handshakeBounds.inTurn
    let left: number = all
    for (; left > all - connections; left--) {
      const next = takeNext(this.#next)
      if (!next) break
      next()
    }
    for (; left > 0; left--) {
      const first = this.#take()
      if (!first) break
      first.begin()
    }
    if (this.#next.size > 0 || (this.#waiting.size > 0 && left === 0)) this.#await()
    // what waits does so for others
    else if (this.#waiting.size > 0) {
      this.#stopTimer = this.#clock.after(interval, () => this.#await())
    }
  }

  /** Takes the next one that may be under way, and counts it. What follows the handshakes of its network goes first. */
  #take(): Handshake | undefined {
    const { begun } = handshakeBounds
    if (this.#waiting.size === 0 || !this.#hasRoom(this.#begun, begun.all)) return undefined
    const first = takeNext(this.#waiting, (network, { isExempt }) => {
      if (this.#next.has(network)) return false
      const own = this.#begunOf.get(network)
      return !own || isExempt || this.#hasRoom(own, begun.network)
    })
    if (!first) return undefined
    this.#begun.set(first, this.#clock.now())
    put(this.#begunOf, first.network, first)
    return first
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

function put<T>(all: ByNetwork<T>, network: string, one: T): void {
  const own = all.get(network) ?? new Set()
  all.set(network, own.add(one))
}

function remove<T>(all: ByNetwork<T>, network: string, one: T): void {
  const own = all.get(network)
  own?.delete(one)
  if (own?.size === 0) all.delete(network)
}

/** Takes the oldest one of the first network that may begin one; the others of that network come behind those of all networks. */
function takeNext<T>(
  all: ByNetwork<T>,
  mayBegin: (network: string, first: T) => boolean = () => true,
): T | undefined {
  for (const [network, own] of all) {
    const [first] = own
    if (first === undefined || !mayBegin(network, first)) continue
    remove(all, network, first)
    if (all.delete(network)) all.set(network, own)
    return first
  }
  return undefined
}
