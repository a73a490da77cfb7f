/** How often a test repeats what must hold each time: a short form, and with `LONG=1` (`npm run test:long`) the long one. */

/** Whether this is the long run. */
export const isLong = process.env.LONG === '1'

/** The number of the run: the first one, or in the long run the second. */
export const rounds = (short: number, long: number): number => (isLong ? long : short)
