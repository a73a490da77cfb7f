/** Targets that may take each other's place, and the choice among those that are open. */
import type { Clock } from '#component/clock.ts'
import { type Digest, digestOf, scoreOf } from './rendezvous.ts'
import type { UpstreamSettings } from './settings.ts'
import type { Target } from './target.ts'

/** A target and its part of the requests. */
export interface Member {
  readonly target: Target
  /** Above 0. */
  readonly weight: number
}

/** What decides beside the weights. */
export interface Drawn {
  /** For `hash`: the same text, the same target. */
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Targets that the request has been sent to already. */
  readonly tried: readonly Target[]
}

/** How targets are chosen. */
type RingSettings = Pick<UpstreamSettings, 'balance' | 'maxPending' | 'slowStartMs'>

/** Of one load of the realm. */
export class Ring {
  readonly #clock: Pick<Clock, 'random'>
  readonly #maxPending: number
  readonly #slowStartMs: number
  readonly #targets: readonly Target[]
  readonly #digests: readonly Digest[]
  readonly #weights: Float64Array
  /** The weights of those that are open now; 0 of the others. */
  readonly #open: Float64Array
  /** Of the smooth weighted round robin (nginx): who has waited longest has the most. */
  readonly #credit: Float64Array
  readonly #choose: (drawn: Drawn, total: number) => number

  constructor(members: readonly Member[], settings: RingSettings, clock: Pick<Clock, 'random'>) {
    const { balance, maxPending, slowStartMs } = settings
    this.#clock = clock
    this.#maxPending = maxPending
    this.#slowStartMs = slowStartMs
    this.#targets = members.map(({ target }) => target)
    this.#digests = members.map(({ target }) => digestOf(target.id))
    this.#weights = Float64Array.from(members, ({ weight }) => weight)
    this.#open = new Float64Array(members.length)
    this.#credit = new Float64Array(members.length)
    this.#choose = {
      round_robin: this.#roundRobin,
      least_pending: this.#leastPending,
      hash: this.#hash,
    }[balance]
  }

  /** The target of a request; undefined: none is open. */
  choose(drawn: Drawn): Target | undefined {
    const { now, tried } = drawn
    let total = 0
    for (let at = 0; at < this.#targets.length; at += 1) {
      const target = this.#targets[at] as Target
      const isOpen = target.isOpen(now) && target.pending < this.#maxPending
      const weight = isOpen && !tried.includes(target) ? this.#weightAt(at, now) : 0
      this.#open[at] = weight
      total += weight
    }
    return total > 0 ? this.#targets[this.#choose(drawn, total)] : undefined
  }

  #weightAt(at: number, now: number): number {
    const weight = this.#weights[at] as number
    if (this.#slowStartMs === 0) return weight
    return weight * (this.#targets[at] as Target).partAt(now, this.#slowStartMs)
  }

  readonly #roundRobin = (_drawn: Drawn, total: number): number => {
    let best = -1
    for (let at = 0; at < this.#open.length; at += 1) {
      const weight = this.#open[at] as number
      if (weight === 0) continue
      const credit = (this.#credit[at] as number) + weight
      this.#credit[at] = credit
      if (best < 0 || credit > (this.#credit[best] as number)) best = at
    }
    this.#credit[best] = (this.#credit[best] as number) - total
    return best
  }

  /** The less busy of two that are drawn by their weights. */
  readonly #leastPending = (_drawn: Drawn, total: number): number => {
    const first = this.#draw(this.#clock.random() * total)
    const rest = total - (this.#open[first] as number)
    if (rest <= 0) return first
    this.#open[first] = 0
    const second = this.#draw(this.#clock.random() * rest)
    const [one, other] = [this.#targets[first] as Target, this.#targets[second] as Target]
    return other.pending < one.pending ? second : first
  }

  /** The one at a part of all weights. */
  #draw(part: number): number {
    let left = part
    let last = 0
    for (let at = 0; at < this.#open.length; at += 1) {
      const weight = this.#open[at] as number
      if (weight === 0) continue
      last = at
      if (left < weight) return at
      left -= weight
    }
    return last
  }

  readonly #hash = ({ key }: Drawn): number => {
    const digest = digestOf(key)
    let best = 0
    let most = Number.NEGATIVE_INFINITY
    for (let at = 0; at < this.#open.length; at += 1) {
      const weight = this.#open[at] as number
      if (weight === 0) continue
      const score = scoreOf(digest, this.#digests[at] as Digest, weight)
      if (score > most) {
        most = score
        best = at
      }
    }
    return best
  }
}
