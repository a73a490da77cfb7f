/** How often a node says that it is there, and whom it compares itself with: what all send together does not grow as the square of their number. */
import type { Peer } from './peers.ts'

/** Milliseconds between two ticks of a node: at least, and what chance adds at most (4 s ± 20 %). */
const ticks = { least: 3200, chance: 1600 }
const longestTick = ticks.least + ticks.chance
/** Milliseconds between two heartbeats of a node among few others: one a tick. */
const fewMs = 4000
/** Of the heartbeats of many nodes, at most this many arrive in a second, counted at all nodes together. */
const arrivals = 150
/** How many gateways a node compares itself with when it joins, and at each tick while it sends no heartbeat. */
export const atJoin = 8
export const atTick = 1

/** Of one node; the number of others that are there decides, anew at each tick. */
export class Pace {
  /** At most this long after a heartbeat the next one follows; milliseconds. It is told with each message. */
  everyMs = longestTick
  /** Mean time from one heartbeat to the next one. Milliseconds. */
  #meanMs = fewMs
  /** Milliseconds since the epoch. */
  #nextAt = 0
  readonly #others: () => readonly Peer[]
  readonly #random: () => number

  constructor(others: () => readonly Peer[], random: () => number) {
    this.#others = others
    this.#random = random
  }

  /** Milliseconds to the next tick. */
  untilTick(): number {
    return ticks.least + this.#random() * ticks.chance
  }

  /** Whether the others are so many that heartbeats come more seldom than ticks, and digests are compared with some of them only. */
  get isCrowd(): boolean {
    return this.#meanMs > fewMs
  }

  /** Looks at who is there; whether a heartbeat is due at the tick of now. */
  look(now: number): boolean {
    const others = this.#others()
    this.#meanMs = Math.max(fewMs, (others.length * (others.length + 1) * 1000) / arrivals)
    // a clock that was set back must not silence the node
    return now >= this.#nextAt || this.#nextAt - now > Math.min(this.everyMs, this.#meanMs * 1.2)
  }

  /** A heartbeat is sent now. */
  beat(now: number): void {
    const share = this.#meanMs / fewMs
    this.#nextAt = now + share * this.untilTick() - longestTick / 2
    // it waits for the tick after that moment
    this.everyMs = Math.ceil(share * longestTick + (this.isCrowd ? longestTick / 2 : 0))
  }

  /** Some of the others, at random. */
  some(count: number): readonly Peer[] {
    return sample(this.#others(), count, this.#random)
  }
}

/** Some of a list, at random, each once. */
export function sample<T>(list: readonly T[], count: number, random: () => number): readonly T[] {
  const mixed = [...list]
  const size = Math.min(count, list.length)
  for (let at = 0; at < size; at++) {
    const other = at + Math.floor(random() * (mixed.length - at))
    const [one, two] = [mixed[at] as T, mixed[other] as T]
    mixed[at] = two
    mixed[other] = one
  }
  return mixed.slice(0, size)
}
