/**
 * Gateways that were heard, and are not known: their messages may be old ones that are sent again. Few are asked at once. Where there
 * are many, another gateway that knows them vouches for them: so one that joins is not asked by all others at the same time.
 */
import type { Clock } from '#component/clock.ts'
import { atJoin, type Pace } from './pace.ts'
import type { Peers } from './peers.ts'
import { type Fields, readIntroduced, readList } from './sync-messages.ts'

/** The dependencies of strangers. */
interface StrangersPorts {
  readonly clock: Pick<Clock, 'now'>
  /** The name of this node. */
  readonly node: string
  readonly pace: Pick<Pace, 'isCrowd'>
  readonly peers: Pick<Peers, 'get' | 'introduce'>
}

/** In each time of so many milliseconds, few strangers are asked, and few requests ask for introductions. */
const windowMs = 4000
const maxIntroductions = 2
/** Milliseconds for which somebody may vouch for a stranger; then the stranger is asked. */
const patienceMs = 20_000
/** Strangers that are remembered. */
const maxStrangers = 1000

/** Those of one node. */
export class Strangers {
  readonly #ports: StrangersPorts
  /** Node to when it was heard first. */
  readonly #heardAt = new Map<string, number>()
  #window = { begin: 0, asked: new Set<string>(), introductions: 0 }

  constructor(ports: StrangersPorts) {
    this.#ports = ports
  }

  /** Takes note of one. @returns whether it waits for another gateway that knows it; else it is asked now */
  wait(node: string): boolean {
    const { clock, pace } = this.#ports
    const { asked } = this.#current()
    if (!pace.isCrowd && (asked.has(node) || asked.size < atJoin)) {
      asked.add(node)
      return false
    }
    const isFull = this.#heardAt.size >= maxStrangers
    if (!this.#heardAt.has(node) && !isFull) this.#heardAt.set(node, clock.now())
    return true
  }

  /** Whether others should be asked for those that they know. */
  get areThere(): boolean {
    return this.#heardAt.size > 0
  }

  /**
   * Whether the next request should ask for those that its callee knows.
   * @param isNew this node has just come, and knows nobody
   */
  wantsIntroductions(isNew: boolean): boolean {
    const window = this.#current()
    if (!isNew && !this.areThere) return false
    window.introductions++
    return window.introductions <= maxIntroductions
  }

  #current() {
    const now = this.#ports.clock.now()
    if (Math.abs(now - this.#window.begin) >= windowMs) {
      this.#window = { begin: now, asked: new Set(), introductions: 0 }
    }
    return this.#window
  }

  /** Reads the gateways that an answer vouches for. */
  learn({ peers: told }: Fields): void {
    const { node, peers } = this.#ports
    for (const introduced of readList(told, readIntroduced) ?? []) {
      if (introduced.heartbeat.node !== node) peers.introduce(introduced)
    }
    for (const one of this.#heardAt.keys()) if (peers.get(one)) this.#heardAt.delete(one)
  }

  /** One that nobody has vouched for in time, to be asked itself. */
  late(): readonly string[] {
    const now = this.#ports.clock.now()
    for (const [node, at] of this.#heardAt) {
      if (Math.abs(now - at) < patienceMs) continue
      this.#heardAt.delete(node)
      return [node]
    }
    return []
  }
}
