/** Processes that share rate limits, and a network between them that loses, delays and doubles their messages. */
import { type Rate, useMsOf } from '#component/limits/gcra.ts'
import { type Charge, RateLimits } from '#component/policies/limits/rate-limits.ts'
import { tickMs, type Usage, UsageExchange } from '#component/policies/limits/usage-exchange.ts'
import { readUsage, usageFields } from '#component/policies/limits/usage-message.ts'

/** How messages travel. */
export interface Network {
  /** How often a message arrives. @param lost how many before it were lost on this way */
  readonly copies: (lost: number) => number
  /** Milliseconds. */
  readonly delay: () => number
}

/** Nothing is lost, and nothing takes time. */
export const perfect: Network = { copies: () => 1, delay: () => 0 }

interface Process {
  readonly name: string
  readonly exchange: UsageExchange
  readonly limits: RateLimits
  /** When it sends next; milliseconds. */
  sendsAt: number
  /** How many messages in a row did not arrive here, by sender. */
  readonly lost: Map<string, number>
  /** How far its clock is off; milliseconds. */
  readonly offset: number
}

interface Passing {
  readonly at: number
  readonly to: Process
  readonly from: string
  readonly usage: Usage
}

/** Time passes by {@link Processes.advance}, which begins at 0. */
export class Processes {
  now = 0
  /** Messages that were sent, and keys in all of them. */
  readonly sent = { messages: 0, keys: 0 }
  readonly #all: Process[] = []
  readonly #network: Network
  readonly #random: () => number
  #passing: Passing[] = []

  constructor(count: number, random: () => number, network = perfect, maxKeys = 1000) {
    this.#random = random
    this.#network = network
    for (let index = 0; index < count; index += 1) this.join(maxKeys)
  }

  /** One process more. */
  join(maxKeys = 1000): void {
    const exchange = new UsageExchange()
    const name = `process ${this.#all.length}`
    const limits = new RateLimits(maxKeys, exchange)
    const sendsAt = this.now + this.#random() * tickMs
    const offset = Math.floor((this.#random() - 0.5) * 1e7)
    this.#all.push({ name, exchange, limits, sendsAt, lost: new Map(), offset })
    for (const process of this.#all) process.exchange.others = this.#all.length - 1
  }

  /** The units that are left after one request of a process; undefined where it is refused. */
  ask(index: number, rate: Rate, key = 'a', cost = 1): number | undefined {
    const { limits, offset } = this.#at(index)
    const charge: Charge = { key, rate, cost, isShared: true }
    const now = this.now + offset
    const decision = limits.decide(charge, now)
    if (decision.isAllowed) limits.take(charge, decision, now)
    return decision.isAllowed ? decision.left : undefined
  }

  /** Gives a request back, as after a refusal by security. */
  give(index: number, rate: Rate, key = 'a'): void {
    const { limits, offset } = this.#at(index)
    limits.give({ key, rate, cost: 1, isShared: true }, this.now + offset)
  }

  /** What a process knows to be used; units, at least 0. */
  used(index: number, rate: Rate, key = 'a'): number {
    const { limits, offset } = this.#at(index)
    const { fullInMs } = limits.decide({ key, rate, cost: 0, isShared: true }, this.now + offset)
    return fullInMs / useMsOf(rate, 1)
  }

  /** As many requests of a process as are served, at most `most`. */
  askAll(index: number, rate: Rate, most: number, key = 'a'): number {
    let served = 0
    while (served < most && this.ask(index, rate, key) !== undefined) served += 1
    return served
  }

  /** Messages are sent and arrive until so many milliseconds have passed. */
  advance(ms: number): void {
    const end = this.now + ms
    for (;;) {
      const sends = Math.min(...this.#all.map(({ sendsAt }) => sendsAt))
      const arrives = Math.min(...this.#passing.map(({ at }) => at))
      const next = Math.min(sends, arrives)
      if (next > end) break
      this.now = next
      if (arrives <= sends) this.#deliver()
      else for (const process of this.#all) if (process.sendsAt === next) this.#send(process)
    }
    this.now = end
  }

  #send(sender: Process): void {
    sender.sendsAt += tickMs
    const usage = sender.exchange.tell(this.now + sender.offset)
    if (usage === undefined) return
    this.sent.messages += 1
    this.sent.keys += usage.used.length
    // as it comes out of JSON
    const read = readUsage(JSON.parse(JSON.stringify(usageFields(usage))))
    if (read === undefined) throw new Error('a message cannot be read')
    for (const to of this.#all) {
      if (to === sender) continue
      const lost = to.lost.get(sender.name) ?? 0
      const copies = this.#network.copies(lost)
      to.lost.set(sender.name, copies === 0 ? lost + 1 : 0)
      for (let copy = 0; copy < copies; copy += 1) {
        const at = this.now + this.#network.delay()
        this.#passing.push({ at, to, from: sender.name, usage: read })
      }
    }
  }

  #deliver(): void {
    const due = this.#passing.filter(({ at }) => at <= this.now)
    this.#passing = this.#passing.filter(({ at }) => at > this.now)
    for (const { to, from, usage } of due) to.exchange.hear(from, usage, this.now + to.offset)
  }

  #at(index: number): Process {
    const process = this.#all[index]
    if (process === undefined) throw new Error(`there is no process ${index}`)
    return process
  }
}
