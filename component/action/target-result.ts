/** What the outcome of an action tells of its peer: for circuit breakers, and for the health of targets. */
import type { Outcome } from './action.ts'

/** `unknown` tells nothing of the peer, as where the client has gone away. */
export type TargetResult = 'success' | 'failure' | 'unknown'

/** Statuses of an upstream that are failures: it, or what stands before it, is not there. */
export const failedStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** What an outcome tells of the peer of its action. */
export function targetResult(outcome: Outcome): TargetResult {
  if ('result' in outcome) return 'success'
  const { error, reason, answer, effect } = outcome
  const { error_uri } = error
  if (error_uri === 'wamp.error.timeout') return 'failure'
  if (answer) return failedStatuses.has(answer.status_code) ? 'failure' : 'success'
  // the peer has answered
  if (reason === undefined) return 'success'
  switch (error_uri) {
    case 'service.error.bad_gateway':
    case 'service.error.timeout':
      return 'failure'
    case 'wamp.error.net_failure':
      return effect === 'unknown' ? 'failure' : 'unknown'
    default:
      return 'unknown'
  }
}
