/** Waits of tests: conditions are polled, and each wait has an end that says what did not come. */

type Condition = () => boolean | Promise<boolean>

/** Polls until the condition holds. @throws Error with `what` after `limit` milliseconds */
export async function until(what: string, condition: Condition, limit = 60_000): Promise<void> {
  const end = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${limit} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** As {@link until}; the error quotes the condition. */
export const untilHolds = (condition: Condition): Promise<void> =>
  until(String(condition), condition)
