/** One request on its way through the policies of its route, in the order of behaviour §3. */
import type { ActionFields, Outcome } from '#component/action/action.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { ActionPlan, CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Identity } from '#component/identity.ts'
import type { PolicyPlan } from '#component/policy/plan.ts'
import type { CacheStatus } from './cached-reply.ts'
import type { CachedRequest, Caching } from './caching.ts'
import type { Conditions } from './conditions.ts'
import { type CircuitPorts, GuardedActions } from './guarded-actions.ts'
import { LimitedRequest, type LimitPorts } from './limited-request.ts'

/** What holds the policies of all routes. One that is absent does not hold, as where a request is only explained. */
export interface PolicyPorts {
  readonly limits: LimitPorts
  readonly conditions: Conditions
  readonly circuits: CircuitPorts
  readonly caching: Caching
}

/** A request whose user is known; its body is not read. */
export interface SecuredRequest {
  readonly identity: Identity
  /** What expressions read of it. */
  readonly context: Context
}

/** Exists only for requests of routes with policies. */
export class Passage {
  readonly #plan: PolicyPlan
  readonly #limited: LimitedRequest | undefined
  readonly #guarded: GuardedActions | undefined
  readonly #ports: Partial<PolicyPorts>
  readonly #exchange: Exchange
  readonly #route: CompiledOperation
  /** undefined: no answer was looked for. */
  #how: CacheStatus['how'] | undefined
  #hasLeft = false

  constructor(
    plan: PolicyPlan,
    ports: Partial<PolicyPorts>,
    exchange: Exchange,
    route: CompiledOperation,
  ) {
    const { breaker, limits } = plan
    this.#plan = plan
    this.#limited =
      limits && ports.limits && new LimitedRequest(limits, ports.limits, exchange, route)
    this.#ports = ports
    this.#guarded = breaker && ports.circuits && new GuardedActions(breaker, ports.circuits)
    this.#exchange = exchange
    this.#route = route
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

  /** Whether the answer may be a kept one. */
  get isCached(): boolean {
    const { method } = this.#exchange
    const keeps = this.#plan.cache !== undefined && this.#ports.caching !== undefined
    return keeps && (method === 'get' || method === 'head')
  }

  /** The kept answer to a negotiated request, or that of its action. Rejects as the action does. */
  async lookUp(request: Omit<CachedRequest, 'plan' | 'exchange' | 'route'>): Promise<Reply> {
    const { cache } = this.#plan
    const { caching } = this.#ports
    if (cache === undefined || caching === undefined) return request.act(this.#exchange)
    const [exchange, route] = [this.#exchange, this.#route]
    const asked: CachedRequest = { ...request, plan: cache, exchange, route }
    const { reply, how } = await caching.answer(asked)
    this.#how = how
    return reply
  }

  /** The reply as it is sent; once for a request. ExpressionError where its body cannot be encoded. */
  leave(reply: Reply): Reply {
    if (this.#hasLeft) return reply
    this.#hasLeft = true
    // a kept answer tells nothing of what is used, and of what failed
    if (this.#how === 'hit' || this.#how === 'stale') return this.#conditional(reply)
    const answer = this.#conditional(this.#guarded ? this.#guarded.leave(reply) : reply)
    return this.#limited ? this.#limited.leave(answer) : answer
  }

  #conditional(reply: Reply): Reply {
    const { conditions } = this.#ports
    if (conditions === undefined) return reply
    const exchange = this.#exchange
    if (this.#how === undefined || this.#how === 'bypass') {
      return this.#plan.etag ? conditions.answer(exchange, reply) : reply
    }
    // the action has not seen the conditions
    const tagged = this.#plan.etag ? conditions.tagged(exchange, reply) : reply
    return conditions.answerKept(exchange, tagged)
  }
}
