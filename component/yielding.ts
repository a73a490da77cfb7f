/** Long work in short steps, so that a large document does not keep requests waiting. */

/** Work that can be interrupted wherever it yields; it knows nothing of time, whoever runs it does. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Asked between two steps: a promise when others should have their turn first. */
export type Breathe = () => Promise<void> | undefined

/** Does all of it at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Does it with pauses in between; where nobody breathes, without. */
export async function runSteps<T>(steps: Steps<T>, breathe?: Breathe): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    const pause = breathe?.()
    if (pause !== undefined) await pause
  }
}
