/** Ids of the global scope (WAMP: IDs). */
import type { Clock } from '#component/clock.ts'

/** A random integer from 1 to 2^53 − 1: what every serializer carries exactly. */
export const randomId = (clock: Clock): number =>
  Math.floor(clock.random() * (Number.MAX_SAFE_INTEGER - 1)) + 1
