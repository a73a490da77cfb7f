/** What becomes of an event after an attempt, and of the delivery: pure rules. Times are milliseconds since the epoch. */
import type { AttemptEnd, DeadReason, DeliveryFailure, DeliveryLimits } from './types.ts'

/** How long what was delivered is known; milliseconds. */
const doneKeptMs = 3_600_000

/** How long dead letters are kept; milliseconds. */
export const deadKeptMs = 30 * 86_400_000

/** The longest Retry-After that is followed; milliseconds. */
const longestRetryAfterMs = 86_400_000

/** The number of failures in a row after which one event probes the receiver, and the others wait. */
export const failuresUntilFailing = 5

/** The event after the attempt. */
export interface EventAfter {
  readonly state: 'pending' | 'done' | 'dead'
  /** Of the next attempt; of one that is over: when it is removed. */
  readonly due_at: number
  readonly status: number | null
  readonly error: string | null
  readonly reason: DeadReason | null
}

/** The delivery after the attempt. */
export interface DeliveryAfter {
  /** `none`: the attempt says nothing of the endpoint. */
  readonly result: 'ok' | 'failed' | 'none'
  /** The endpoint is gone for good. */
  readonly isGone: boolean
  /** The endpoint has too much to do. */
  readonly isOverloaded: boolean
  /** Before this nothing is sent; 0: at once. */
  readonly pausedUntil: number
}

/** What an attempt was. */
interface Attempted {
  /** From 1. */
  readonly attempt: number
  readonly now: number
  /** At least 0, less than 1. */
  readonly random: number
  readonly limits: Pick<DeliveryLimits, 'delays' | 'jitter'>
}

/** The milliseconds to the next attempt; undefined: no attempt is left. */
function delayOf({ attempt, random, limits }: Omit<Attempted, 'now'>): number | undefined {
  const delay = limits.delays[attempt - 1]
  return delay === undefined
    ? undefined
    : Math.round(delay * 1000 * (1 + limits.jitter * (2 * random - 1)))
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

const overloaded = new Set([429, 502, 503, 504])

/** What becomes of both. */
export function afterAttempt(
  end: AttemptEnd | DeliveryFailure,
  attempted: Attempted,
): { readonly event: EventAfter; readonly delivery: DeliveryAfter } {
  const { now } = attempted
  const quiet: DeliveryAfter = {
    result: 'none',
    isGone: false,
    isOverloaded: false,
    pausedUntil: 0,
  }
  const dead = { state: 'dead', due_at: now + deadKeptMs } as const
  if ('failed' in end) {
    const reason = end.isRefused ? 'refused' : 'not_rendered'
    return { event: { ...dead, status: null, error: end.failed, reason }, delivery: quiet }
  }
  if ('error' in end && end.isRefused) {
    return {
      event: { ...dead, status: null, error: end.error, reason: 'refused' },
      delivery: quiet,
    }
  }
  const status = 'status' in end ? end.status : null
  const error = 'error' in end ? end.error : null
  if (status !== null && isSuccess(status)) {
    const event: EventAfter = {
      ...{ state: 'done', due_at: now + doneKeptMs, status, error, reason: null },
    }
    return { event, delivery: { ...quiet, result: 'ok' } }
  }
  const isGone = status === 410
  const retryAfterMs = Math.min(('status' in end && end.retryAfterMs) || 0, longestRetryAfterMs)
  const pausedUntil = retryAfterMs > 0 ? now + retryAfterMs : 0
  const isOverloaded =
    status === null ? 'isTimeout' in end && end.isTimeout === true : overloaded.has(status)
  const delivery: DeliveryAfter = { result: 'failed', isGone, isOverloaded, pausedUntil }
  const delay = isGone ? 0 : delayOf(attempted)
  if (delay === undefined) {
    return { event: { ...dead, status, error, reason: 'exhausted' }, delivery }
  }
  const due_at = Math.max(now + delay, pausedUntil)
  return { event: { state: 'pending', due_at, status, error, reason: null }, delivery }
}
