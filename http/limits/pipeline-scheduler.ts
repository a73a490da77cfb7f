/** Shares the event loop between connections with pipelined requests: it limits how many requests begin in one turn. */

/** At most this many pipelined requests begin in one turn of the event loop, on all connections together. */
const perTurn = 64

/** A connection that goes on in a later turn. */
interface Waiting {
  goOn(): void
}

/** The queue of connections that have more requests than this turn of the event loop may begin; first come, first served. */
export class PipelineScheduler {
  readonly #waiting = new Set<Waiting>()
  #left = perTurn
  #isSet = false

  /** Takes one of the pipelined requests that may begin in this turn; false when none is left. */
  tryTake(): boolean {
    this.#set()
    if (this.#left === 0) return false
    this.#left -= 1
    return true
  }

  /** Queues the connection for the next turn that has room. */
  wait(pipeline: Waiting): void {
    this.#waiting.add(pipeline)
    this.#set()
  }

  forget(pipeline: Waiting): void {
    this.#waiting.delete(pipeline)
  }

  #set(): void {
    if (this.#isSet) return
    this.#isSet = true
    setImmediate(() => {
      this.#isSet = false
      this.#left = perTurn
      for (const pipeline of this.#waiting) {
        if (!this.tryTake()) break
        this.#waiting.delete(pipeline)
        pipeline.goOn()
      }
    })
  }
}
