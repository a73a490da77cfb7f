/** Limits how many tasks run at once: more wait, the networks that they are for in turn, and beyond a bound they are refused. */
import type { Clock } from '#component/clock.ts'
import { canceled, ServiceError } from '#component/errors.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import { NetworkShare } from './network-share.ts'

/** The part of the slots that the tasks of one network leave to those of others; of fewer than eight, none. */
const othersPart = 1 / 8

/** Slots that one network may have. */
const shareOf = (atOnce: number): number => atOnce - Math.floor(atOnce * othersPart)

/** Networks without a task that each of thousands of semaphores may remember: entries that come and go with every task cost more. */
const maxIdle = 16

/** The address of the client of tasks that are for none. */
const nobody = ''

/** The bounds of a semaphore. */
export interface SemaphoreLimits {
  /** Tasks that run at once, at least 1. */
  readonly atOnce: number
  /** Tasks that wait. */
  readonly waiting: number
  /** The message to a task beyond these. */
  readonly refusal: string
}

/** Is told of one task that finds no free slot. */
export interface WaitWatch {
  /** The task waits. */
  waits(): void
  /** It waits no more, or was refused at once. */
  over(isRefused: boolean): void
}

/** How long a task waits; without it, until a slot is free. */
interface WaitLimit {
  readonly clock: Clock
  readonly maxMs: number
  /** Takes a callback that gives up waiting because the client went away. */
  onCancel(callback: () => void): void
  /** Receives each task that finds no free slot, for metrics. */
  readonly watch?: WaitWatch | undefined
  /** The IP address of the client that the task is for; absent: none, and it may have all slots. */
  readonly client?: string
}

const unavailable = (message: string): ServiceError =>
  new ServiceError('service.error.unavailable', message, { headers: { 'retry-after': '1' } })

/** Takes a callback for when a task is over, although it has settled before. */
export type OnOver = (callback: () => void) => void

/** A number of slots, and a queue of each network in front of them. */
export class Semaphore {
  readonly #limits: SemaphoreLimits
  /** Starts the waiting tasks of each network, the oldest first. The network whose turn is next stands first. */
  readonly #queues = new Map<string, Set<() => void>>()
  /** Slots that one network may have. */
  readonly #share: number
  /** Slots that each network has. */
  readonly #taken: NetworkShare
  #waiting = 0
  /** Slots that are taken, or are handed on. */
  #running = 0
  #handed = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
    this.#share = shareOf(limits.atOnce)
    this.#taken = new NetworkShare(this.#share, { maxIdle })
  }

  /** Whether a task would have to wait. @param client that it is for */
  isFull(client = nobody): boolean {
    if (this.#running >= this.#limits.atOnce) return true
    // no network has more slots than are taken
    if (this.#running < this.#share || client === nobody) return false
    return this.#taken.heldBy(client) >= this.#share
  }

  /** Takes a slot, which {@link leave} gives back; false, with nothing taken, where a task has to {@link wait}. @param client that it is for */
  tryTake(client = nobody): boolean {
    if (this.isFull(client)) return false
    this.#take(client)
    return true
  }

  /**
   * Waits for a slot; resolves once it is taken.
   * ServiceError: `service.error.unavailable` with `Retry-After` when too many tasks wait already or the wait
   * was too long, `wamp.error.canceled` when the client went away meanwhile.
   */
  wait(limit?: WaitLimit): Promise<void> {
    return this.#wait(networkOf(limit?.client ?? nobody), limit)
  }

  /**
   * Runs the task when a slot is free. The slot is held until the task has settled, and what goes on after it is over.
   * ServiceError as those of {@link wait}.
   * @param goesOn says of a result what goes on after it; undefined: nothing
   */
  async run<T>(
    task: () => Promise<T>,
    limit?: WaitLimit,
    goesOn?: (result: T) => OnOver | undefined,
  ): Promise<T> {
    const client = limit?.client ?? nobody
    if (!this.tryTake(client)) await this.wait(limit)
    let onOver: OnOver | undefined
    try {
      const result = await task()
      onOver = goesOn?.(result)
      return result
    } finally {
      if (onOver) onOver(() => this.leave(client))
      else this.leave(client)
    }
  }

  #take(client: string): void {
    this.#running += 1
    if (client !== nobody) this.#taken.tryTake(client)
  }

  #wait(network: string, limit: WaitLimit | undefined): Promise<void> {
    const watch = limit?.watch
    const { atOnce, waiting, refusal } = this.#limits
    const queue = this.#queues.get(network) ?? new Set()
    // as many of the places to wait as of the slots
    const share = network === nobody ? 1 : this.#share / atOnce
    if (this.#waiting >= waiting || queue.size >= waiting * share) {
      watch?.over(true)
      return Promise.reject(unavailable(refusal))
    }
    return new Promise((resolve, reject) => {
      let stopTimer: (() => void) | undefined
      const start = (): void => {
        stopTimer?.()
        watch?.over(false)
        resolve()
      }
      queue.add(start)
      this.#queues.set(network, queue)
      this.#waiting += 1
      watch?.waits()
      if (limit === undefined) return
      const giveUp = (error: ServiceError, isRefused: boolean): void => {
        if (!this.#quit(network, start)) return
        stopTimer?.()
        watch?.over(isRefused)
        reject(error)
      }
      const { clock, maxMs } = limit
      const late = 'the request waited too long for its turn'
      stopTimer = clock.after(maxMs, () => giveUp(unavailable(late), true))
      limit.onCancel(() => giveUp(canceled(), false))
    })
  }

  /** Takes a task out of the queue of its network; false where it does not wait. */
  #quit(network: string, start: () => void): boolean {
    const queue = this.#queues.get(network)
    if (queue === undefined || !queue.delete(start)) return false
    if (queue.size === 0) this.#queues.delete(network)
    this.#waiting -= 1
    return true
  }

  /**
   * Gives a slot back. Where tasks wait, it is handed on in the next turn of the event loop: clients that go away together begin none for each other.
   * @param client that has taken it
   */
  leave(client = nobody): void {
    if (client !== nobody) this.#taken.give(client)
    if (this.#waiting === 0) {
      this.#running -= 1
      return
    }
    if (this.#handed === 0) setImmediate(this.#handOn)
    this.#handed += 1
  }

  /** Hands each slot to the oldest task of the network whose turn it is. */
  readonly #handOn = (): void => {
    this.#running -= this.#handed
    let left = this.#handed
    this.#handed = 0
    while (left > 0 && this.#waiting > 0 && this.#startNext()) left -= 1
  }

  /** Starts the oldest task of the network whose turn it is; false where no network may have a slot. */
  #startNext(): boolean {
    // at most one network is passed over: no two have seven eighths of the slots
    for (const [next, queue] of this.#queues) {
      if (this.isFull(next)) continue
      const [start] = queue
      if (start === undefined) continue
      this.#quit(next, start)
      if (this.#queues.delete(next)) this.#queues.set(next, queue)
      this.#take(next)
      start()
      return true
    }
    return false
  }
}
