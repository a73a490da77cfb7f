/** Tasks that run again and again beside a test: a load, and faults that last. */
import { setTimeout as pause } from 'node:timers/promises'

/** Tasks that run until all are stopped. A task that fails is tried again: faults make requests fail. */
export class Repeated {
  readonly #end = Promise.withResolvers<void>()
  readonly #loops: Promise<void>[] = []
  #isOver = false

  /** Starts a task. @param ms between two runs */
  start(ms: number, task: () => unknown): void {
    this.#loops.push(this.#run(ms, task))
  }

  /** No task is started any more; one that still waits, such as a request to a gateway that refuses connections, is left alone. */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#end.resolve()
    await Promise.all(this.#loops)
  }

  async #run(ms: number, task: () => unknown): Promise<void> {
    while (!this.#isOver) {
      await Promise.race([this.#tried(task), this.#end.promise])
      await Promise.race([pause(ms), this.#end.promise])
    }
  }

  async #tried(task: () => unknown): Promise<void> {
    try {
      await task()
    } catch {
      // the next run
    }
  }
}
