/** One request on its way through the policies of its route, in the order of behaviour §3. */
import type { ActionFields, Outcome } from '#component/action/action.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { ActionPlan, CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Identity } from '#component/identity.ts'
import type { PolicyPlan } from '#component/policy/plan.ts'
import type { Conditions } from './conditions.ts'
import { type CircuitPorts, GuardedActions } from './guarded-actions.ts'
import { LimitedRequest, type LimitPorts } from './limited-request.ts'

/** What holds the policies of all routes. */
export interface PolicyPorts {
  readonly limits: LimitPorts
  readonly conditions: Conditions
  readonly circuits: CircuitPorts
}

/** A request whose user is known; its body is not read. */
export interface SecuredRequest {
  readonly identity: Identity
  /** What expressions read of it. */
  readonly context: Context
}

/** Exists only for requests of routes with policies. */
export class Passage {
  readonly #limited: LimitedRequest | undefined
  readonly #conditions: Conditions | undefined
  readonly #guarded: GuardedActions | undefined
  readonly #exchange: Exchange
  #hasLeft = false

  constructor(
    { breaker, etag, limits }: PolicyPlan,
    ports: PolicyPorts,
    exchange: Exchange,
    route: CompiledOperation,
  ) {
    this.#limited = limits && new LimitedRequest(limits, ports.limits, exchange, route)
    this.#conditions = etag ? ports.conditions : undefined
    this.#guarded = breaker && new GuardedActions(breaker, ports.circuits)
    this.#exchange = exchange
  }

  /** Before security: the limits by address. ServiceError 429. */
  admit(): void {
    this.#limited?.admit()
  }

  /** After security: the other limits. ServiceError 429. */
  charge(request: SecuredRequest): void {
    this.#limited?.charge(request)
  }

  /**
   * Performs an action of the route, unless its circuit is open.
   * @param fields as evaluated for the request
   */
  perform(plan: ActionPlan, fields: ActionFields, run: () => Promise<Outcome>): Promise<Outcome> {
    return this.#guarded ? this.#guarded.perform(plan, fields, run) : run()
  }

  /** The reply as it is sent; once for a request. ExpressionError where its body cannot be encoded. */
  leave(reply: Reply): Reply {
    if (this.#hasLeft) return reply
    this.#hasLeft = true
    const told = this.#guarded ? this.#guarded.leave(reply) : reply
    const answer = this.#conditions?.answer(this.#exchange, told) ?? told
    return this.#limited ? this.#limited.leave(answer) : answer
  }
}
