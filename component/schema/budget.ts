/** What a check may cost: schemas count their visits, patterns their characters, and a check that spends too much ends. */

/** Visits of keywords that cost as much as one character of a pattern. */
const visitsPerUnit = 4

/** What one check may spend: 2,000,000 units, of which a character of a plain pattern costs one. */
const visitsPerCheck = 2_000_000 * visitsPerUnit

/** The clock is looked at each so many visits: they take a tenth of a millisecond where V8 has compiled the check, and up to two before. */
const visitsPerLook = 50_000

/** What a check may take of one turn of the event loop, from its first look at the clock; milliseconds. */
const shareMs = 5

/** What a check finds: whether a value fits, its first mistake, or all of them. */
export type Depth = 'fits' | 'first' | 'all'

/** Thrown out of a check that has spent its budget. */
export const tooCostly: Error = new Error('too costly to check')

/** Thrown out of a check that has taken its share of a turn of the event loop: it begins anew in a later one. */
export const turnIsOver: Error = new Error('a later turn goes on')

/** Tells the time, as `performance.now()` does. */
export type Now = () => number

/** The budget of the check that is running; a turn runs one at a time. */
export const meter = {
  /** What is left until {@link stop} is called, in visits of keywords. */
  left: 0,
  /** What is left behind that. */
  rest: 0,
  /** Absent: the check may take its whole budget in one turn. */
  now: undefined as Now | undefined,
  /** When the turn is over; 0: nobody has looked at the clock. */
  until: 0,
  /**
   * Called where {@link left} has fallen below 0: gives of the rest.
   * @throws {@link tooCostly}, {@link turnIsOver}
   */
  stop(): void {
    if (meter.left + meter.rest < 0) throw tooCostly
    if (meter.now !== undefined) {
      const now = meter.now()
      if (meter.until === 0) meter.until = now + shareMs
      else if (now >= meter.until) throw turnIsOver
    }
    const more = Math.min(meter.rest, visitsPerLook - meter.left)
    meter.left += more
    meter.rest -= more
  },
}

/** What the check that has ended has left of its budget, in visits; below 0: it has spent more. */
export const leftInAll = (): number => meter.left + meter.rest

/**
 * Gives the next check its budget.
 * @param now decides when its share of the turn is over
 */
export function refill(visits = visitsPerCheck, now?: Now): void {
  meter.left = Math.min(visits, visitsPerLook)
  meter.rest = visits - meter.left
  meter.now = now
  meter.until = 0
}

/** Spends visits. @throws {@link tooCostly}, {@link turnIsOver} */
export function spendVisits(visits: number): void {
  meter.left -= visits
  if (meter.left < 0) meter.stop()
}

/** Spends units. @throws {@link tooCostly}, {@link turnIsOver} */
export const spendUnits = (units: number): void => spendVisits(units * visitsPerUnit)
