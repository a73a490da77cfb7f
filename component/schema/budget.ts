/** What a check may cost: schemas count their visits, patterns their characters, and a check that spends too much ends. */

/** Visits of keywords that cost as much as one character of a pattern. */
const visitsPerUnit = 4

/** What one check may spend, in units: a character of a plain pattern costs one. */
const unitsPerCheck = 2_000_000

/** What a check finds: whether a value fits, its first mistake, or all of them. */
export type Depth = 'fits' | 'first' | 'all'

/** Thrown out of a check that has spent its budget. */
export const tooCostly: Error = new Error('too costly to check')

/** The budget of the check that is running; checks never wait, so there is one at a time. */
export const meter = {
  /** What is left, in visits of keywords. */
  left: 0,
  /** Called where {@link left} has fallen below 0. */
  stop(): never {
    throw tooCostly
  },
}

/** Gives the next check its whole budget. */
export function refill(): void {
  meter.left = unitsPerCheck * visitsPerUnit
}

/** Spends visits. @throws {@link tooCostly} */
export function spendVisits(visits: number): void {
  meter.left -= visits
  if (meter.left < 0) throw tooCostly
}

/** Spends units. @throws {@link tooCostly} */
export const spendUnits = (units: number): void => spendVisits(units * visitsPerUnit)
