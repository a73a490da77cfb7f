/** A publisher that numbers what it publishes, joins again whenever its session ends, and notes what the router acknowledged. */
import { RouterPeer } from '#test/contract/router/peer.ts'

/** Where and how often it publishes. */
export interface PublisherPlan {
  readonly url: string
  readonly realm: string
  readonly topic: string
  /** A second. */
  readonly rate: number
}

/** Before it tries to join again; milliseconds. */
const rest = 50

export class Publisher {
  /** The publication ids of what was acknowledged, by number. What is missing may have reached subscribers nevertheless. */
  readonly acknowledged = new Map<number, number>()
  /** The number of the next publication. */
  next = 1
  readonly #plan: PublisherPlan
  readonly #timer: NodeJS.Timeout
  readonly #ended: Promise<void>
  #peer: RouterPeer | undefined
  /** Of the session: the numbers of its requests, in their order from 1. */
  #requests: number[] = []
  #isStopped = false

  constructor(plan: PublisherPlan) {
    this.#plan = plan
    this.#timer = setInterval(() => this.#publish(), 1000 / plan.rate)
    this.#ended = this.#run()
  }

  /** Publishes no more; resolves when the session is closed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#isStopped = true
    this.#peer?.cut()
    await this.#ended
  }

  #publish(): void {
    const peer = this.#peer
    if (peer === undefined) return
    const number = this.next++
    const request = this.#requests.push(number)
    peer.send(16, request, { acknowledge: true }, this.#plan.topic, [number])
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#serve().catch(() => undefined)
      this.#peer = undefined
      await new Promise((resolve) => setTimeout(resolve, rest))
    }
  }

  /** One session, to its end. */
  async #serve(): Promise<void> {
    const peer = await RouterPeer.open(this.#plan.url)
    const closed = peer.closed.then(() => undefined)
    const next = () => Promise.race([peer.next(), closed])
    peer.send(1, this.#plan.realm, { roles: { publisher: {} } })
    if ((await next())?.[0] !== 2) return peer.cut()
    this.#requests = []
    this.#peer = peer
    if (this.#isStopped) peer.cut()
    for (let message = await next(); message !== undefined; message = await next()) {
      const [type, request, publication] = message
      const number = this.#requests[Number(request) - 1]
      if (type === 17 && number !== undefined) this.acknowledged.set(number, Number(publication))
    }
  }
}
