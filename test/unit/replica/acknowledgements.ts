/** What clients of several nodes were told, and nothing else: from it follows what every node must hold in the end. */
import type { Entry } from '#component/replica/entry.ts'
import { compareStamps, formatStamp, type Stamp } from '#component/replica/stamp.ts'

/** What a client asked for; `text` null asks for the deletion. */
export interface Attempt {
  readonly id: string
  readonly text: string | null
}

interface Acknowledged extends Attempt {
  readonly stamp: Stamp
}

/** The clients' side of a run. */
export class Acknowledgements {
  /** The greatest of each id. */
  readonly #greatest = new Map<string, Acknowledged>()
  /** Never answered: it may have happened or not. */
  readonly #open = new Set<Attempt>()

  /** How many there were. */
  count = 0

  ask(attempt: Attempt): void {
    this.#open.add(attempt)
  }

  /** The client was told that it is not done. */
  refuse(attempt: Attempt): void {
    this.#open.delete(attempt)
  }

  acknowledge(attempt: Attempt, stamp: Stamp): void {
    this.#open.delete(attempt)
    this.count++
    const greatest = this.#greatest.get(attempt.id)
    if (greatest && compareStamps(greatest.stamp, stamp) >= 0) return
    this.#greatest.set(attempt.id, { ...attempt, stamp })
  }

  /** What is wrong with what a node holds in the end. */
  judge(held: ReadonlyMap<string, Entry>): string[] {
    const missing = [...this.#greatest.keys()].filter((id) => !held.has(id))
    return [
      ...missing.map((id) => `${id}: what was acknowledged is gone`),
      ...[...held.values()].flatMap((entry) => this.#judge(entry)),
    ]
  }

  #judge({ id, stamp, document }: Entry): string[] {
    const text = document === null ? null : document.text
    const greatest = this.#greatest.get(id)
    const order = greatest ? compareStamps(stamp, greatest.stamp) : 1
    if (greatest && order === 0 && text === greatest.text) return []
    const mayHaveHappened = [...this.#open].some((open) => open.id === id && open.text === text)
    if (order > 0 && mayHaveHappened) return []
    const wanted = greatest ? `${greatest.text} of ${formatStamp(greatest.stamp)}` : 'nothing'
    return [`${id}: ${text} of ${formatStamp(stamp)} is held, ${wanted} was acknowledged`]
  }
}
