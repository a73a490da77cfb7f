/** Long work in short steps: it yields the event loop between them, so that a large document does not delay requests; and tasks in turn. */

/** Work that can be interrupted wherever it yields. It knows nothing of time; its runner does. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Called between two steps: returns a promise while other work should run first. */
export interface YieldTurn {
  (): Promise<void> | undefined
  /** Before this moment there is no need to call it; as `performance.now()` tells it. Absent: it is to be called after each step. */
  readonly until?: number
}

/** Does all the work at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Does the work with pauses between its steps; without `yieldTurn`, all at once. */
export async function runSteps<T>(steps: Steps<T>, yieldTurn?: YieldTurn): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (yieldTurn === undefined) continue
    if (yieldTurn.until !== undefined && performance.now() < yieldTurn.until) continue
    const pause = yieldTurn()
    if (pause !== undefined) await pause
  }
}

/** Does work, now or later, with pauses between its steps. */
export type RunSteps = (steps: Steps<void>) => Promise<void>

/** Long work of all origins: one piece at a time, so that the memory of one is taken. */
export function runOneByOne(yieldTurn: YieldTurn | undefined): RunSteps {
  const next = inTurn()
  return (steps) => next(() => runSteps(steps, yieldTurn))
}

/** Long work of one origin, and what has come behind it: each piece begins when the one before it is done. */
export class StepsInOrder {
  readonly #run: RunSteps
  readonly #onIdle: () => void
  /** The first is under way. */
  #waiting: (() => Steps<void>)[] = []
  #whenIdle: (() => void)[] = []

  /**
   * @param run does one piece
   * @param onIdle called each time that all of it is done
   */
  constructor(run: RunSteps, onIdle: () => void) {
    this.#run = run
    this.#onIdle = onIdle
  }

  /** Whether something is under way; what comes then has to wait. */
  get isBusy(): boolean {
    return this.#waiting.length > 0
  }

  add(work: () => Steps<void>): void {
    if (this.#waiting.push(work) === 1) void this.#runAll()
  }

  /** Calls back at once, or as soon as nothing is under way. */
  whenIdle(task: () => void): void {
    if (this.isBusy) this.#whenIdle.push(task)
    else task()
  }

  /** Ends what is under way at its next step, and forgets what waits. */
  end(): void {
    this.#waiting.splice(1)
    if (this.isBusy) this.#waiting[0] = noWork
  }

  async #runAll(): Promise<void> {
    for (let work = this.#waiting[0]; work; work = this.#waiting[0]) {
      await this.#run(this.#whileFirst(work))
      this.#waiting.shift()
    }
    for (const task of this.#whenIdle.splice(0)) task()
    this.#onIdle()
  }

  *#whileFirst(work: () => Steps<void>): Steps<void> {
    for (const _step of work()) {
      if (this.#waiting[0] !== work) return
      yield
    }
  }
}

function* noWork(): Steps<void> {}

/** Runs tasks one after the other: each begins when the one before it has settled. */
export function inTurn(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => undefined) // the caller gets the failure; the next task runs in any case
    return result
  }
}

/** Work goes on for this long before other work has its turn; milliseconds. */
const sliceMs = 1

/** A turn of the event loop in which other work takes longer than this is likely followed by more of it; milliseconds. */
const busyTurnMs = 1

/** At most this many turns of the event loop in a row are left to other work, so that the long work makes progress. */
const maxTurns = 4

/** One for all long work of the process: each turn of the event loop does at most one slice of it. */
export function turnYielder(): YieldTurn {
  let last = Promise.resolve()
  const yieldTurn = Object.assign(
    () => {
      if (performance.now() < yieldTurn.until) return undefined
      last = last.then(pause)
      return last
    },
    { until: 0 },
  )
  return yieldTurn

  async function pause(): Promise<void> {
    for (let turns = 0; turns < maxTurns; turns += 1) {
      const began = performance.now()
      await nextTurn()
      if (performance.now() - began < busyTurnMs) break
    }
    yieldTurn.until = performance.now() + sliceMs
  }
}

/** Resolves behind the events that have arrived. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A turn of the event loop begins short work for so long; milliseconds. */
const shortWorkMs = 0.5

/** Begins short work: each callback in its turn, in the order in which they were added. */
export type RunInTurn = (callback: () => void) => void

/**
 * One for all work of a kind: a turn of the event loop begins at least one callback, and no more once they have taken half a
 * millisecond. What a callback leaves to microtasks counts.
 * @param now milliseconds
 */
export function shortTurns(now: () => number = () => performance.now()): RunInTurn {
  const waiting: (() => void)[] = []
  let until = 0
  const next = (): void => {
    const callback = waiting.shift()
    if (waiting.length > 0) queueMicrotask(() => process.nextTick(goOn))
    callback?.()
  }
  const begin = (): void => {
    until = now() + shortWorkMs
    next()
  }
  // after the microtasks of the callback before
  const goOn = (): void => {
    if (now() < until) next()
    else setImmediate(begin)
  }
  return (callback) => {
    if (waiting.push(callback) === 1) setImmediate(begin)
  }
}
