/** One request on its way through the policies of its route, in the order of behaviour §3. */
import type { ActionFields, Outcome } from '#component/action/action.ts'
import type { ActionPlan, CompiledOperation } from '#component/gateway/api.ts'
import { idempotencyOf } from '#component/gateway/checks.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { PolicyPlan } from '#component/policy/plan.ts'
import type { CacheStatus } from './cached-reply.ts'
import type { Answered, CachedRequest, Caching } from './caching.ts'
import type { Conditions } from './conditions.ts'
import { type CircuitPorts, GuardedActions } from './guarded-actions.ts'
import { type IdempotencyPorts, IdempotentRequest } from './idempotent-request.ts'
import { LimitedRequest, type LimitPorts } from './limited-request.ts'
import type { SecuredRequest } from './sharer.ts'

/** What holds the policies of all routes. One that is absent does not hold, as where a request is only explained. */
export interface PolicyPorts {
  readonly limits: LimitPorts
  readonly conditions: Conditions
  readonly circuits: CircuitPorts
  readonly caching: Caching
  readonly idempotency: IdempotencyPorts
}

/** Exists only for requests of routes with policies. */
export class Passage {
  readonly #plan: PolicyPlan
  readonly #limited: LimitedRequest | undefined
  readonly #guarded: GuardedActions | undefined
  readonly #idempotent: IdempotentRequest | undefined
  readonly #ports: Partial<PolicyPorts>
  readonly #exchange: Exchange
  readonly #route: CompiledOperation
  /** undefined: no answer was looked for. */
  #how: CacheStatus['how'] | undefined
  #hasLeft = false

  /** @param policy the configured CORS headers */
  constructor(
    plan: PolicyPlan,
    ports: Partial<PolicyPorts>,
    exchange: Exchange,
    route: CompiledOperation,
    policy: Headers,
  ) {
    const { breaker, limits, quotas } = plan
    this.#plan = plan
    this.#limited =
      (limits || quotas) && ports.limits && new LimitedRequest(plan, ports.limits, exchange, route)
    this.#ports = ports
    this.#guarded = breaker && ports.circuits && new GuardedActions(breaker, ports.circuits)
    const idempotency = idempotencyOf(route.inherited, exchange.method)
    this.#idempotent =
      idempotency &&
      ports.idempotency &&
      new IdempotentRequest(idempotency, ports.idempotency, exchange, route, policy)
    this.#exchange = exchange
    this.#route = route
  }

  /** Takes note of a body that is read; undefined: nobody needs it. */
  get noteBody(): ((bytes: Uint8Array) => void) | undefined {
    return this.#idempotent?.noteBody
  }

  /** Whether the answer to the request is kept for its repeats: it is rendered without headers of this request alone. */
  get isHeld(): boolean {
    return this.#idempotent?.isHeld === true
  }

  /** Whether rate limits or quotas hold: the request is charged. */
  get isLimited(): boolean {
    return this.#limited !== undefined
  }

  /** Before security: the limits by address. ServiceError 429. */
  admit(): void {
    this.#limited?.admit()
  }

  /**
   * After security: the other limits, and the quotas. ServiceError 429.
   * @returns undefined unless the use of a quota must be read first
   */
  charge(request: SecuredRequest): Promise<void> | undefined {
    return this.#limited?.charge(request)
  }

  /**
   * Before the action of a checked request.
   * @returns the answer of an earlier request in its place; undefined: it is performed. ServiceError 400, 409, 422, 503
   */
  begin({ identity }: SecuredRequest): Promise<Reply | undefined> | undefined {
    return this.#idempotent?.begin(identity)
  }

  /**
   * Performs an action of the route, unless its circuit is open.
   * @param fields as evaluated for the request
   */
  perform(plan: ActionPlan, fields: ActionFields, run: () => Promise<Outcome>): Promise<Outcome> {
    const guarded = this.#guarded
    const perform = guarded ? () => guarded.perform(plan, fields, run) : run
    return this.#idempotent ? this.#idempotent.follow(perform) : perform()
  }

  /** Whether the answer may be a kept one. */
  get isCached(): boolean {
    const { method } = this.#exchange
    const keeps = this.#plan.cache !== undefined && this.#ports.caching !== undefined
    return keeps && (method === 'get' || method === 'head')
  }

  /**
   * The kept answer to a negotiated request, or that of its action.
   * @throws ServiceError 504, or rejects as the action does
   */
  lookUp(request: Omit<CachedRequest, 'plan' | 'exchange' | 'route'>): Reply | Promise<Reply> {
    const { cache } = this.#plan
    const { caching } = this.#ports
    if (cache === undefined || caching === undefined) return request.act(this.#exchange)
    const [exchange, route] = [this.#exchange, this.#route]
    const answered = caching.answer({ ...request, plan: cache, exchange, route })
    const reply = ({ reply, how }: Answered): Reply => {
      this.#how = how
      return reply
    }
    return answered instanceof Promise ? answered.then(reply) : reply(answered)
  }

  /** The reply as it is sent; once for a request. ServiceError where its body cannot be encoded or read. */
  leave(reply: Reply): Reply | Promise<Reply> {
    if (!this.isHeld) return this.#leave(reply)
    return this.#idempotent?.end(reply).then((kept) => this.#leave(kept)) ?? reply
  }

  /** The request has ended by a bug. */
  abandon(): void {
    void this.#idempotent?.abandon()
  }

  #leave(reply: Reply): Reply {
    if (this.#hasLeft) return reply
    this.#hasLeft = true
    this.#limited?.settle(reply)
    // a kept answer tells nothing of what is used, and of what failed
    if (this.#how === 'hit' || this.#how === 'stale') return this.#conditional(reply)
    const answer = this.#conditional(this.#guarded ? this.#guarded.leave(reply) : reply)
    return this.#limited ? this.#limited.tell(answer) : answer
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
