/** What serves `rate_limit` and `quota`, which hold together: their stages, and what a process counts. */
import type { Clock } from '#component/clock.ts'
import type { PolicyPlans } from '#component/gateway/api.ts'
import type { LimitUsage } from '#component/limits/limit-usage.ts'
import type { Families } from '#component/metrics/families.ts'
import { Family } from '#component/metrics/family.ts'
import { servedPolicy } from '#component/policies/serve.ts'
import { quota, rateLimit } from './kind.ts'
import { addressLimit, type LimitPorts, limit, userLimit } from './limited-request.ts'
import { openQuotas, type QuotaWorld } from './open-quotas.ts'
import { openQuotaUsage } from './quota-usage.ts'
import { RateLimits } from './rate-limits.ts'
import { UsageExchange } from './usage-exchange.ts'
import { UsageSharing } from './usage-sharing.ts'

export interface World extends QuotaWorld {
  readonly clock: Clock
  readonly families: Families
  readonly usage: Pick<LimitUsage, 'declare'>
}

/** More limits than an operation may have. */
const mostLimits = 100

/** Whether a limit holds before the user is known. */
const hasEarly = (plans: PolicyPlans): boolean =>
  rateLimit.planOf(plans)?.some(({ isEarly }) => isEarly) === true

const hasLate = (plans: PolicyPlans): boolean =>
  quota.planOf(plans) !== undefined ||
  rateLimit.planOf(plans)?.some(({ isEarly }) => !isEarly) === true

/** The other half of the rows in `kind.ts`. */
export const limits = servedPolicy('limits', {
  stages: [
    { stage: addressLimit, place: 'before security', isNeeded: hasEarly },
    {
      stage: limit,
      place: 'after security',
      isNeeded: (plans) => hasLate(plans) && !hasEarly(plans),
      isOfInvocations: true,
    },
    {
      stage: userLimit,
      place: 'after security',
      isNeeded: (plans) => hasLate(plans) && hasEarly(plans),
    },
  ],
  open(world: World) {
    const { clock, config, families, usage } = world
    const { rate_limit_keys: maxKeys } = config.limits
    const exchange = new UsageExchange()
    const buckets = new RateLimits(maxKeys, exchange)
    const quotas = openQuotas(world)
    usage.declare('limits.rate_limit_keys', maxKeys, () => Math.max(buckets.size, quotas.size))
    const refused = (name: string, key: string) =>
      new Family(
        {
          name,
          help: `Requests that a ${key} refused, or would refuse (mode: log), by route pattern, name of the limit and mode.`,
          subject: 'route',
          labels: ['limit', 'mode'],
        },
        families,
      )
    const limited = refused('gateway_rate_limited_total', rateLimit.key)
    const exceeded = refused('gateway_quota_exceeded_total', quota.key)
    const port: LimitPorts = {
      ...{ buckets, quotas, clock },
      onLimited: ({ path }, plan) =>
        ('counted' in plan ? exceeded : limited).on(path, plan.name, plan.mode).add(),
    }
    return {
      port,
      usage: openQuotaUsage(world, quotas),
      share: (ports) => new UsageSharing({ ...ports, usage: exchange }),
      close: () => quotas.stop(),
    }
  },
  // quotas do not hold there
  rehearse: ({ clock, tellsLimits }) =>
    tellsLimits ? { buckets: new RateLimits(mostLimits), clock } : undefined,
})
