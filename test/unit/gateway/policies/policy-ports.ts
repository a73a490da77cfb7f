/** The ports of policies for tests: in memory, under a clock that the test moves. */
import { Conditions } from '#component/gateway/policies/conditions.ts'
import type { PolicyPorts } from '#component/gateway/policies/passage.ts'
import { Circuits } from '#component/policy/circuits.ts'
import { RateLimits } from '#component/policy/rate-limits.ts'

/** @param more replaces ports */
export const policyPorts = (
  more: Partial<PolicyPorts> = {},
  clock: { now: () => number } = { now: () => 0 },
): PolicyPorts => ({
  conditions: new Conditions(() => ''),
  limits: { buckets: new RateLimits(1000), clock: { ...clock, random: () => 0 } },
  circuits: { circuits: new Circuits(), clock },
  ...more,
})
