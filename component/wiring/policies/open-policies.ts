/** What holds the policies of all routes in this process. */
import { Conditions } from '#component/gateway/policies/conditions.ts'
import type { PolicyPorts } from '#component/gateway/policies/passage.ts'
import { Family } from '#component/metrics/family.ts'
import { RateLimits } from '#component/policy/rate-limits.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { encodeBody } from '#http/codec.ts'

export function openPolicies({ clock, config, families }: WiringContext): PolicyPorts {
  const buckets = new RateLimits(config.limits.rate_limit_keys)
  const limited = new Family(
    {
      name: 'gateway_rate_limited_total',
      help: 'Requests that a rate_limit refused, or would refuse (mode: log), by route pattern, name of the limit and mode.',
      subject: 'route',
      labels: ['limit', 'mode'],
    },
    families,
  )
  return {
    conditions: new Conditions(encodeBody),
    limits: {
      buckets,
      clock,
      onLimited: ({ path }, { name, mode }) => limited.on(path, name, mode).add(),
    },
  }
}
