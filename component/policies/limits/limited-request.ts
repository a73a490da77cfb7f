/** One request under the rate limits and quotas of its route: whether it is served, and what the client is told. */
import type { Clock } from '#component/clock.ts'
import type { CompiledOperation, PolicyPlans } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { stage } from '#component/gateway/stage.ts'
import type { PolicyCheck } from '#component/gateway/stage-facts.ts'
import type { RequestState } from '#component/gateway/state.ts'
import type { Rate } from '#component/limits/gcra.ts'
import { type Held, HeldLimit, HeldQuota } from './held.ts'
import { quota, rateLimit } from './kind.ts'
import type { LimitPlan, QuotaPlan } from './plan.ts'
import type { QuotaUse } from './quota-use.ts'
import type { Quotas } from './quotas.ts'
import type { RateLimits } from './rate-limits.ts'
import { costOf, fitting, ruleOf, type SecuredRequest, sharerOf } from './sharer.ts'

/** What rate limits and quotas need. */
export interface LimitPorts {
  readonly buckets: RateLimits
  /** Absent: quotas do not hold. */
  readonly quotas?: Quotas
  readonly clock: Pick<Clock, 'now' | 'random'>
  /** Told of a request that a limit refuses, or would refuse. */
  readonly onLimited?: (route: CompiledOperation, plan: LimitPlan | QuotaPlan) => void
}

/** Longer waits are told up to a tenth too long, so that clients do not all come back at once; seconds. */
const spreadBeyond = 10

const none: readonly never[] = []

const amountOf = ({ amount }: Rate): number => amount

/** A quota, and what the user has used of it. */
type Metered = readonly [plan: QuotaPlan, use: QuotaUse]

/** Of one request. */
export class LimitedRequest {
  readonly #limits: readonly LimitPlan[]
  readonly #metering: { readonly plans: readonly QuotaPlan[]; readonly quotas: Quotas } | undefined
  readonly #ports: LimitPorts
  readonly #exchange: Exchange
  readonly #route: CompiledOperation
  #held: readonly Held[] = none

  constructor(plans: PolicyPlans, ports: LimitPorts, exchange: Exchange, route: CompiledOperation) {
    const quotas = quota.planOf(plans)
    this.#limits = rateLimit.planOf(plans) ?? none
    this.#metering = quotas && ports.quotas && { plans: quotas, quotas: ports.quotas }
    this.#ports = ports
    this.#exchange = exchange
    this.#route = route
  }

  /** The limits that have held so far, as they stood for the request. */
  get held(): readonly Held[] {
    return this.#held
  }

  /** Before security: the limits by address. ServiceError 429. */
  admit(): void {
    this.#takeAll(this.#hold(true))
  }

  /**
   * After security: the other limits, and the quotas.
   * @returns undefined unless the use of a quota must be read first
   * @throws ServiceError 429, ExpressionError
   */
  charge(request: SecuredRequest): Promise<undefined> | undefined {
    if (this.#metering === undefined) {
      this.#takeAll(this.#hold(false, request))
      return undefined
    }
    const { plans, quotas } = this.#metering
    const metered = plans.map((plan): Metered => {
      const sharer = sharerOf(plan, this.#exchange, request)
      return [plan, quotas.use(ruleOf(plan, this.#route), plan.window, sharer)]
    })
    // decided after the wait: nothing comes between the decision and the count
    const take = (): undefined => {
      this.#takeAll([...this.#hold(false, request), ...this.#holdQuotas(metered, request)])
    }
    const reading = quotas.known(metered.map(([, use]) => use))
    if (reading !== undefined) return reading.then(take)
    return take()
  }

  /** Takes from all limits, or from none: what was taken before security is given back where a later limit refuses. */
  #takeAll(all: readonly Held[]): void {
    if (all.length === 0) return
    let refused: Held | undefined
    for (const held of all) {
      const { plan, standing } = held
      if (standing.isAllowed) continue
      this.#ports.onLimited?.(this.#route, plan)
      const isLonger = refused === undefined || standing.waitMs > refused.standing.waitMs
      if (plan.mode === 'enforce' && isLonger) refused = held
    }
    if (refused) this.#giveBack(this.#held)
    this.#held = this.#held.length === 0 ? all : [...this.#held, ...all]
    if (refused) throw refused.refusal(this.#retryAfter(refused))
    for (const held of all) if (held.standing.isAllowed) held.take()
  }

  #hold(isEarly: boolean, request?: SecuredRequest): readonly Held[] {
    const { buckets, clock } = this.#ports
    let all: HeldLimit[] | undefined
    let now: number | undefined
    for (const plan of this.#limits) {
      if (plan.isEarly !== isEarly) continue
      now ??= clock.now()
      const sharer = sharerOf(plan, this.#exchange, request)
      const charge = {
        key: `${ruleOf(plan, this.#route)}\n${sharer}`,
        cost: costOf(plan, request),
        rate: fitting(plan.by, plan.rate, request?.identity, amountOf),
        isShared: plan.isShared,
      }
      const held = new HeldLimit(plan, sharer, charge, buckets, now)
      if (all) all.push(held)
      else all = [held]
    }
    return all ?? none
  }

  #holdQuotas(metered: readonly Metered[], request: SecuredRequest): readonly Held[] {
    const now = this.#ports.clock.now()
    return metered.map(([plan, use]) => {
      const amount = fitting(plan.by, plan.amount, request.identity, (other) => other)
      return new HeldQuota(plan, amount, costOf(plan, request), use, now)
    })
  }

  #retryAfter({ standing }: Held): string {
    const seconds = Math.max(Math.ceil(standing.waitMs / 1000), 1)
    const spread = seconds > spreadBeyond ? 1 + this.#ports.clock.random() / 10 : 1
    return String(Math.ceil(seconds * spread))
  }

  /** Gives back what a reply does not cost: who was refused by security has taken nothing, and some quotas count successes only. */
  settle({ status, error }: Reply): void {
    if (status < 400 && error === undefined) return
    const isRefused = error?.status === 401 || error?.status === 403
    this.#giveBack(
      this.#held.filter(({ plan }) => isRefused || (status >= 400 && countsSuccess(plan))),
    )
  }

  #giveBack(all: readonly Held[]): void {
    const now = this.#ports.clock.now()
    for (const held of all) held.giveBack(now)
  }

  /** The reply with the RateLimit fields (draft-ietf-httpapi-ratelimit-headers-10). */
  tell(reply: Reply): Reply {
    let nearest: Held | undefined
    let policies = ''
    for (const held of this.#held) {
      const { plan } = held
      if (!plan.hasHeaders || plan.mode !== 'enforce') continue
      policies = policies === '' ? held.policy : `${policies}, ${held.policy}`
      if (nearest === undefined || isNearer(held, nearest)) nearest = held
    }
    if (nearest === undefined) return reply
    const { left, fullInMs } = nearest.standing
    const state = `"${nearest.plan.name}";r=${left};t=${Math.ceil(fullInMs / 1000)}`
    const headers = { ...reply.headers, 'ratelimit-policy': policies, ratelimit: state }
    return { ...reply, headers }
  }
}

const countsSuccess = (plan: LimitPlan | QuotaPlan): boolean =>
  'counted' in plan && plan.counted === 'success'

/**
 * Whether a limit is told rather than another: one that refuses rather than one that does not; then that of which less is left, as
 * a part of what it allows at once; then the one that is full later.
 */
function isNearer({ standing, all }: Held, { standing: other, all: otherAll }: Held): boolean {
  if (standing.isAllowed !== other.isAllowed) return other.isAllowed
  const difference = standing.left / all - other.left / otherAll
  return difference === 0 ? standing.fullInMs > other.fullInMs : difference < 0
}

/** What limits know of a request. */
interface Own {
  limited?: LimitedRequest
}

/** How the limits that hold for a request stand; those of one stage, or all so far. */
interface LimitFacts {
  readonly findings: readonly PolicyCheck[]
}

/** A limit in the mode `log` lets all pass. Quotas are none. */
const checksOf = (all: readonly Held[]): readonly PolicyCheck[] =>
  all
    .filter((held) => held instanceof HeldLimit)
    .map(({ plan, sharer, charge, standing }) => {
      const { name, mode, at } = plan
      const { rate, cost } = charge
      const { isAllowed, left } = standing
      return {
        ...{ step: rateLimit.key, name, passed: isAllowed || mode === 'log' },
        ...{ amount: rate.amount, window: rate.windowMs / 1000, shared_by: sharer, cost, left },
        ...(mode === 'log' && { mode, would_pass: isAllowed }),
        at,
      }
    })

declare module '#component/gateway/stage-facts.ts' {
  interface StagePorts {
    readonly limits: LimitPorts
  }

  interface StageFacts {
    'limit.address': LimitFacts
    limit: LimitFacts
  }
}

/** A route with limits has a plan. */
const limitedOf = (state: RequestState): LimitedRequest => {
  const { inherited, exchange, route } = state
  state.policies ??= {}
  const own: Own = state.policies
  const { limits } = state.parts.policies
  own.limited ??= new LimitedRequest(inherited.policies as PolicyPlans, limits, exchange, route)
  return own.limited
}

/** The answer with what the client is told of the limits; a kept one tells nothing of what is used. */
function leave(state: RequestState, reply: Reply): Reply {
  const limited = limitedOf(state)
  limited.settle(reply)
  return state.source === 'kept' ? reply : limited.tell(reply)
}

const facts = (state: RequestState): LimitFacts => ({
  findings: checksOf(limitedOf(state).held),
})

/** Before security: the limits by address. 429. */
export const addressLimit = stage('limit.address', {
  enter(state) {
    limitedOf(state).admit()
    return undefined
  },
  leave,
  facts,
})

const charge = (state: RequestState) => limitedOf(state).charge(state)

/** After security: all limits, and the quotas. 429. */
export const limit = stage('limit', { enter: charge, leave, facts })

/** After security, of a route that has limits by address, too: the others. 429. */
export const userLimit = stage('limit', { enter: charge, facts })
