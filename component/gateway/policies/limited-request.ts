/** One request under the rate limits of its route: who shares each of them, what it costs, and what the client is told. */
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { unfit } from '#component/gateway/failure.ts'
import type { Identity } from '#component/identity.ts'
import type { Decision, Rate } from '#component/policy/gcra.ts'
import { type LimitPlan, policyItem } from '#component/policy/limit-plan.ts'
import type { Charge, RateLimits } from '#component/policy/rate-limits.ts'
import { addressOf, networkOf } from '#component/syntax/ip-address.ts'
import type { SecuredRequest } from './passage.ts'

/** What rate limits need. */
export interface LimitPorts {
  readonly buckets: RateLimits
  readonly clock: Pick<Clock, 'now' | 'random'>
  /** Told of a request that a limit refuses, or would refuse. */
  readonly onLimited?: (route: CompiledOperation, plan: LimitPlan) => void
  /** Told of each limit that holds for a request. */
  readonly onHeld?: (held: HeldLimit) => void
}

/** A limit as it holds for one request. */
export interface HeldLimit extends Charge {
  readonly plan: LimitPlan
  /** Who shares the limit: `user com.example ada`. */
  readonly sharer: string
  readonly decision: Decision
}

/** Longer waits are told up to a tenth too long, so that clients do not all come back at once; seconds. */
const spreadBeyond = 10

/** Of one request. */
export class LimitedRequest {
  readonly #plans: readonly LimitPlan[]
  readonly #ports: LimitPorts
  readonly #exchange: Exchange
  readonly #route: CompiledOperation
  readonly #held: HeldLimit[] = []

  constructor(
    plans: readonly LimitPlan[],
    ports: LimitPorts,
    exchange: Exchange,
    route: CompiledOperation,
  ) {
    this.#plans = plans
    this.#ports = ports
    this.#exchange = exchange
    this.#route = route
  }

  /** Before security: the limits by address. ServiceError 429. */
  admit(): void {
    this.#take(true)
  }

  /** After security: the other limits. ServiceError 429, ExpressionError. */
  charge(request: SecuredRequest): void {
    this.#take(false, request)
  }

  /** Takes from all limits, or from none: what was taken before security is given back where a later limit refuses. */
  #take(isEarly: boolean, request?: SecuredRequest): void {
    const now = this.#ports.clock.now()
    const taken: HeldLimit[] = []
    let refused: HeldLimit | undefined
    for (const plan of this.#plans) {
      if (plan.isEarly !== isEarly) continue
      const held = this.#hold(plan, request, now)
      taken.push(held)
      if (held.decision.isAllowed) continue
      this.#ports.onLimited?.(this.#route, plan)
      const isLonger = refused === undefined || held.decision.waitMs > refused.decision.waitMs
      if (plan.mode === 'enforce' && isLonger) refused = held
    }
    if (refused) this.#giveBack()
    this.#held.push(...taken)
    if (refused) throw this.#refusal(refused)
    const { buckets } = this.#ports
    for (const one of taken) if (one.decision.isAllowed) buckets.take(one, one.decision, now)
  }

  #hold(plan: LimitPlan, request: SecuredRequest | undefined, now: number): HeldLimit {
    const rate = rateOf(plan, request?.identity)
    const cost = costOf(plan, request)
    const place = plan.isSeparate ? `${this.#route.at}${plan.name}` : plan.place
    const sharer = sharerOf(plan, this.#exchange, request)
    const key = `${this.#route.path.version.api}\n${place}\n${sharer}`
    const charge = { key, rate, cost, isShared: plan.isShared }
    const decision = this.#ports.buckets.decide(charge, now)
    const held = { ...charge, plan, sharer, decision }
    this.#ports.onHeld?.(held)
    return held
  }

  #refusal({ plan, rate, decision }: HeldLimit): ServiceError {
    const seconds = Math.max(Math.ceil(decision.waitMs / 1000), 1)
    const spread = seconds > spreadBeyond ? 1 + this.#ports.clock.random() / 10 : 1
    const wait = Math.ceil(seconds * spread)
    const message = `the limit ${JSON.stringify(plan.name)} allows ${rate.amount} in ${rate.windowMs / 1000} s`
    return new ServiceError('service.error.too_many_requests', message, {
      headers: { 'retry-after': String(wait) },
    })
  }

  /**
   * The reply with the RateLimit fields (draft-ietf-httpapi-ratelimit-headers-10). Who was refused by security has taken
   * nothing.
   */
  leave(reply: Reply): Reply {
    const status = reply.error?.status
    if (status === 401 || status === 403) this.#giveBack()
    let nearest: HeldLimit | undefined
    let policies = ''
    for (const held of this.#held) {
      const { plan, rate } = held
      if (!plan.hasHeaders || plan.mode !== 'enforce') continue
      const item = plan.told ?? policyItem(plan.name, rate.amount, plan.rate.windowMs / 1000)
      policies = policies === '' ? item : `${policies}, ${item}`
      if (nearest === undefined || isNearer(held, nearest)) nearest = held
    }
    if (nearest === undefined) return reply
    const { left, fullInMs } = nearest.decision
    const state = `"${nearest.plan.name}";r=${left};t=${Math.ceil(fullInMs / 1000)}`
    const headers = { ...reply.headers, 'ratelimit-policy': policies, ratelimit: state }
    return { ...reply, headers }
  }

  #giveBack(): void {
    const { buckets, clock } = this.#ports
    for (const one of this.#held) if (one.decision.isAllowed) buckets.give(one, clock.now())
  }
}

/**
 * Whether a limit is told rather than another: one that refuses rather than one that does not; then that of which less is left, as
 * a part of what it allows at once; then the one that is full later.
 */
function isNearer(
  { decision, rate }: HeldLimit,
  { decision: other, rate: otherRate }: HeldLimit,
): boolean {
  if (decision.isAllowed !== other.isAllowed) return other.isAllowed
  const difference = decision.left / rate.burst - other.left / otherRate.burst
  return difference === 0 ? decision.fullInMs > other.fullInMs : difference < 0
}

/** The rate that holds for a user: the greatest of those that fit. */
function rateOf({ by, rate }: LimitPlan, identity: Identity | undefined): Rate {
  if (by === undefined || identity === undefined) return rate
  let found: Rate | undefined
  for (const name of [...identity.authroles, identity.authid]) {
    const other = by.get(name)
    if (other && (found === undefined || other.amount > found.amount)) found = other
  }
  return found ?? rate
}

function costOf({ cost, at }: LimitPlan, request: SecuredRequest | undefined): number {
  if (typeof cost === 'number' || request === undefined) return typeof cost === 'number' ? cost : 1
  const value = cost.node.evaluate(request.context)
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1000) {
    return value
  }
  throw unfit(cost.node, `${at}/cost`, 'an integer from 0 to 1000')
}

/** A text that is equal for all requests that share the limit. */
function sharerOf(
  { per, at }: LimitPlan,
  { peername }: Exchange,
  request: SecuredRequest | undefined,
): string {
  const address = () => `address ${networkOf(addressOf(peername))}`
  if (request === undefined || per === 'address') return address()
  const { identity, context } = request
  if (typeof per === 'object') {
    const value = per.node.evaluate(context)
    if (value === '' || value === null || typeof value === 'object') {
      throw unfit(per.node, `${at}/per`, 'a text that is not empty, a number or a boolean')
    }
    return `value ${String(value)}`
  }
  switch (per) {
    case 'all':
      return 'all'
    case 'role':
      return `role ${[...identity.authroles].sort().join(' ')}`
    case 'client':
      if (identity.client_id !== undefined) return `client ${identity.client_id}`
      break
    default:
  }
  return identity.username === undefined
    ? address()
    : `user ${identity.realm_uri} ${identity.username}`
}
