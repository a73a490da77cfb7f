/** A store as one process has it: it takes time, and the end of the process comes before or after its work is done. */
import type { Entry, Kind } from '#component/replica/entry.ts'
import type { ReplicaStore } from '#component/replica/replica-store.ts'
import type { SimulatedTime } from '#test/unit/sync/time.ts'

export class SlowStore implements ReplicaStore {
  /** How long the next piece of work takes: milliseconds, 0 for no time at all. */
  delay: () => number = () => 0
  readonly #store: ReplicaStore
  readonly #time: SimulatedTime
  readonly #waiting = new Set<() => void>()
  #hasEnded = false

  constructor(store: ReplicaStore, time: SimulatedTime) {
    this.#store = store
    this.#time = time
  }

  since(revision: number): Promise<{ revision: number; entries: readonly Entry[] }> {
    return this.#work(() => this.#store.since(revision))
  }

  replace(entries: readonly Entry[]): Promise<boolean> {
    return this.#work(() => this.#store.replace(entries))
  }

  merge(entries: readonly Entry[]): Promise<void> {
    return this.#work(() => this.#store.merge(entries))
  }

  forget(entries: readonly Entry[]): Promise<void> {
    return this.#work(() => this.#store.forget(entries))
  }

  versions(kind: Kind, id: string): Promise<Entry[]> {
    return this.#work(() => this.#store.versions(kind, id))
  }

  /** The process has ended. @param isDone was the work under way done, or never begun? */
  end(isDone: boolean): void {
    this.#hasEnded = true
    if (isDone) for (const begin of this.#waiting) begin()
    this.#waiting.clear()
  }

  #work<T>(work: () => Promise<T>): Promise<T> {
    const ms = this.delay()
    if (ms === 0 && !this.#hasEnded) return work()
    return new Promise<void>((begin) => {
      if (this.#hasEnded) return
      this.#waiting.add(begin)
      this.#time.after(ms, () => {
        if (this.#waiting.delete(begin)) begin()
      })
    }).then(work)
  }
}
