/** The actions of one request under the circuit breaker of its route. */
import type { ActionFields, Outcome } from '#component/action/action.ts'
import { reachedBy } from '#component/action/kind.ts'
import { targetResult } from '#component/action/target-result.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { ActionPlan } from '#component/gateway/api.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { actionErrorOf } from '#component/gateway/failure-answer.ts'
import { stage } from '#component/gateway/stage.ts'
import type { RequestState } from '#component/gateway/state.ts'
import type { Result } from './breaker.ts'
import type { Circuits } from './circuits.ts'
import { circuitBreaker } from './kind.ts'
import type { BreakerPlan } from './plan.ts'

/** What circuit breakers need. */
export interface CircuitPorts {
  readonly circuits: Circuits
  readonly clock: Pick<Clock, 'now'>
}

/** Of one request. */
export class GuardedActions {
  readonly #plan: BreakerPlan
  readonly #ports: CircuitPorts
  /** Whole seconds until an action that was refused is tried again; undefined: none was refused. */
  #retryAfter: number | undefined

  constructor(plan: BreakerPlan, ports: CircuitPorts) {
    this.#plan = plan
    this.#ports = ports
  }

  /** Performs an action, or refuses it while its circuit is open: the refusal is its outcome. */
  async perform(
    action: ActionPlan,
    fields: ActionFields,
    run: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const { circuits, clock } = this.#ports
    const target = targetOf(action, fields)
    if (target === undefined) return run()
    const now = clock.now()
    const breaker = circuits.of(this.#plan, target, nameOf(action), now)
    const ticket = breaker.begin(now)
    if (ticket === undefined) return this.#refuse(action, breaker.waitMs(now))
    let result: Result = 'unknown'
    try {
      const outcome = await run()
      result = resultOf(outcome, this.#plan)
      return outcome
    } finally {
      breaker.end(ticket, result, clock.now(), this.#plan)
    }
  }

  /** The reply of a refused action with `Retry-After`, unless the document declares one. */
  leave(reply: Reply): Reply {
    if (this.#retryAfter === undefined || reply.status < 400) return reply
    return { ...reply, headers: { 'retry-after': String(this.#retryAfter), ...reply.headers } }
  }

  #refuse(action: ActionPlan, waitMs: number): Outcome {
    this.#retryAfter = Math.max(Math.ceil(waitMs / 1000), 1)
    // clients read the message: it does not name the target
    const reason = `the action has failed too often and is tried again in ${this.#retryAfter} s`
    const refusal = new ServiceError('service.error.circuit_open', reason)
    return { error: actionErrorOf(refusal, action), reason, effect: 'none' }
  }
}

const nameOf = ({ target: { api, version, text } }: ActionPlan) => ({ api, version, text })

/** The origin or the upstream of a forward, or the procedure of a call; undefined for other actions, which have no peer, and for values that are no target. */
function targetOf({ kind, target }: ActionPlan, fields: ActionFields): string | undefined {
  const { reaches } = kind
  if (!reaches?.isGuarded) return undefined
  if (target.literal !== undefined) return target.literal
  return reachedBy(reaches, fields)
}

/** What an outcome tells of the target of its action. */
function resultOf(outcome: Outcome, { errors }: BreakerPlan): Result {
  const isDeclared = 'error' in outcome && errors.has(outcome.error.error_uri)
  return isDeclared ? 'failure' : targetResult(outcome)
}

/** What circuit breakers know of a request. */
interface Own {
  guarded?: GuardedActions
}

function guardedOf({ inherited, parts }: RequestState): GuardedActions {
  const { circuits } = parts.policies
  return new GuardedActions(circuitBreaker.planOf(inherited.policies) as BreakerPlan, circuits)
}

declare module '#component/gateway/stage-facts.ts' {
  interface StagePorts {
    readonly circuits: CircuitPorts
  }

  interface StageFacts {
    breaker: Record<never, never>
  }
}

/** Performs actions unless their circuit is open. */
export const breaker = stage('breaker', {
  around(state, plan, fields, perform) {
    const { origin } = state
    origin.policies ??= {}
    const own: Own = origin.policies
    own.guarded ??= guardedOf(state)
    return own.guarded.perform(plan, fields, perform)
  },
  leave(state, reply) {
    const own: Own | undefined = state.policies
    return state.source === 'kept' ? reply : (own?.guarded?.leave(reply) ?? reply)
  },
  facts: () => ({}),
})
