/** What holds the policies of a process, and what they know of one request. */
import type { RequestState } from '#component/gateway/state.ts'
import type { CacheStatus } from './cached-reply.ts'
import type { Caching } from './caching.ts'
import type { Conditions } from './conditions.ts'
import type { CircuitPorts, GuardedActions } from './guarded-actions.ts'
import type { IdempotencyPorts, IdempotentRequest } from './idempotent-request.ts'
import type { LimitedRequest, LimitPorts } from './limited-request.ts'

/** What holds the policies of all routes. One that is absent does not hold, as where a request is only explained. */
export interface PolicyPorts {
  readonly limits: LimitPorts
  readonly conditions: Conditions
  readonly circuits: CircuitPorts
  readonly caching: Caching
  readonly idempotency: IdempotencyPorts
}

/** The stages of a request are those of policies that are held: their ports are there. */
export const portsOf = ({ parts }: RequestState): PolicyPorts => parts.policies as PolicyPorts

/** One request under its policies. */
class PolicyState {
  limited: LimitedRequest | undefined = undefined
  guarded: GuardedActions | undefined = undefined
  idempotent: IdempotentRequest | undefined = undefined
  /** How the answer came from what is kept; undefined: none was looked for. */
  how: CacheStatus['how'] | undefined = undefined

  /** Whether the answer was kept before the request: it tells nothing of what is used, and of what failed. */
  get isKept(): boolean {
    return this.how === 'hit' || this.how === 'stale'
  }
}

/** What the policies know of a request. */
export function policyState(state: RequestState): PolicyState {
  state.policies ??= new PolicyState()
  return state.policies as PolicyState
}
