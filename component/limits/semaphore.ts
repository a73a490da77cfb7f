/** Limits how many tasks run at once: more wait, the networks that they are for in turn, and beyond a bound they are refused. */
import type { Clock } from '#component/clock.ts'
import { canceled, ServiceError } from '#component/errors.ts'

/** The part of the slots that the tasks of one network leave to those of others; of fewer than eight, none. */
const othersPart = 1 / 8

/** Slots that one network may have. */
const shareOf = (atOnce: number): number => atOnce - Math.floor(atOnce * othersPart)

/** The network of tasks that are for no client. */
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
  /** That the task is for, as {@link networkOf} names it; absent: none, and it may have all slots. */
  readonly network?: string
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
  /** Slots that each network has. */
  readonly #taken = new Map<string, number>()
  #waiting = 0
  #running = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
  }

  /** Whether a task would have to wait. @param network that it is for */
  isFull(network = nobody): boolean {
    const { atOnce } = this.#limits
    if (this.#running >= atOnce) return true
    return network !== nobody && (this.#taken.get(network) ?? 0) >= shareOf(atOnce)
  }

  /**
   * Runs the task when a slot is free. The slot is held until the task has settled, and what goes on after it is over.
   * ServiceError: `service.error.unavailable` with `Retry-After` when too many tasks wait already or the wait
   * was too long, `wamp.error.canceled` when the client went away meanwhile.
   * @param goesOn says of a result what goes on after it; undefined: nothing
   */
  run<T>(
    task: () => Promise<T>,
    limit?: WaitLimit,
    goesOn?: (result: T) => OnOver | undefined,
  ): Promise<T> {
    const network = limit?.network ?? nobody
    if (this.isFull(network)) {
      return this.#wait(network, limit).then(() => this.#hold(task, network, goesOn))
    }
    this.#take(network)
    return this.#hold(task, network, goesOn)
  }

  #take(network: string): void {
    this.#running += 1
    if (network !== nobody) this.#taken.set(network, (this.#taken.get(network) ?? 0) + 1)
  }

  /** Runs the task in a slot that is taken. */
  async #hold<T>(
    task: () => Promise<T>,
    network: string,
    goesOn?: (result: T) => OnOver | undefined,
  ): Promise<T> {
    let onOver: OnOver | undefined
    try {
      const result = await task()
      onOver = goesOn?.(result)
      return result
    } finally {
      if (onOver) onOver(() => this.#release(network))
      else this.#release(network)
    }
  }

  #wait(network: string, limit: WaitLimit | undefined): Promise<void> {
    const watch = limit?.watch
    const { atOnce, waiting, refusal } = this.#limits
    const queue = this.#queues.get(network) ?? new Set()
    // as many of the places to wait as of the slots
    const share = network === nobody ? 1 : shareOf(atOnce) / atOnce
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
        if (!this.#leave(network, start)) return
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
  #leave(network: string, start: () => void): boolean {
    const queue = this.#queues.get(network)
    if (queue === undefined || !queue.delete(start)) return false
    if (queue.size === 0) this.#queues.delete(network)
    this.#waiting -= 1
    return true
  }

  /** Frees the slot, and hands it to the oldest task of the network whose turn it is. */
  #release(network: string): void {
    this.#running -= 1
    const taken = (this.#taken.get(network) ?? 0) - 1
    if (taken > 0) this.#taken.set(network, taken)
    else this.#taken.delete(network)
    // at most one network is passed over: no two have seven eighths of the slots
    for (const [next, queue] of this.#queues) {
      if (this.isFull(next)) continue
      const [start] = queue
      if (start === undefined) continue
      this.#leave(next, start)
      if (this.#queues.delete(next)) this.#queues.set(next, queue)
      this.#take(next)
      start()
      return
    }
  }
}
