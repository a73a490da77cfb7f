/** Which routes and versions have series and are served no more, and how long their series are kept. */
import type { Steps } from '#component/yielding.ts'
import { anyVersion, nowhere, other, type ServedPath, type ServedVersion } from './place.ts'
import type { Subject } from './series.ts'
import type { Subjects, VersionSubjects } from './subjects.ts'

/** As long as Prometheus looks back; milliseconds. */
const keptMs = 300_000

/** At most this many removed routes keep series, or twice the number of served routes where that is more. */
const leastKept = 100

/** The removed routes among those that have series. */
export class FormerPlaces {
  /** With the time when that was noticed; oldest first. */
  readonly #gone = new Map<Subject, number>()
  readonly #subjects: Subjects
  readonly #now: () => number
  #sweeps = 0

  constructor(subjects: Subjects, now: () => number) {
    this.#subjects = subjects
    this.#now = now
  }

  /** The number of the current sweep: what is added meanwhile counts as found by it. */
  get sweeps(): number {
    return this.#sweeps
  }

  /**
   * Takes away the routes that were removed {@link keptMs} ago, the oldest ones beyond a bound, and versions that have no route left.
   * @param served all paths that are served
   * @param onEnd receives each subject whose series end
   */
  *sweep(served: Iterable<ServedPath>, onEnd: (subject: Subject) => void): Steps<void> {
    this.#sweeps += 1
    for (const { version, pattern } of served) {
      yield
      const found = this.#subjects.of(version)
      if (!found) continue
      found.seen = this.#sweeps
      const route = found.routes.get(pattern)
      if (route) route.seen = this.#sweeps
    }
    const known = yield* this.#note()
    const now = this.#now()
    const most = Math.max(leastKept, 2 * (known - this.#gone.size))
    for (const [subject, since] of this.#gone) {
      if (now - since < keptMs && this.#gone.size <= most) break
      yield
      this.#gone.delete(subject)
      this.#subjects.of(subject.version)?.routes.delete(subject.text)
      onEnd(subject)
    }
    for (const found of this.#subjects.all()) {
      yield
      if (this.#isServed(found) || found.routes.size > 0) continue
      this.#subjects.remove(found.version)
      for (const subject of found.texts.values()) onEnd(subject)
    }
  }

  /** Notes which routes are gone. @returns how many routes have series */
  *#note(): Steps<number> {
    const now = this.#now()
    let known = 0
    for (const found of this.#subjects.all()) {
      const isServed = this.#isServed(found)
      for (const route of found.routes.values()) {
        yield
        known += 1
        if (isServed && (route.seen === this.#sweeps || isForAll(route))) this.#gone.delete(route)
        else if (!this.#gone.has(route)) this.#gone.set(route, now)
      }
    }
    return known
  }

  #isServed({ version, seen }: VersionSubjects): boolean {
    return seen === this.#sweeps || isAlways(version)
  }
}

const isAlways = ({ api, label }: ServedVersion): boolean =>
  [nowhere, anyVersion].some((one) => one.api === api && one.label === label)

/** Whether the subject stands for requests without a route, or for those beyond the bound. */
const isForAll = ({ text }: Subject): boolean => text === '' || text === other
