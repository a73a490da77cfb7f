/** The ports of policies for tests: in memory, under a clock that the test moves. */
import type { Clock } from '#component/clock.ts'
import { KeyShares } from '#component/limits/key-shares.ts'
import { Caching } from '#component/policies/cache/caching.ts'
import { ResponseCache } from '#component/policies/cache/response-cache.ts'
import { Circuits } from '#component/policies/circuit-breaker/circuits.ts'
import { Conditions } from '#component/policies/etag/conditions.ts'
import { keyedDigest } from '#component/policies/idempotency/keyed-digest.ts'
import type { PolicyPorts } from '#component/policies/index.ts'
import { RateLimits } from '#component/policies/limits/rate-limits.ts'
import { SecretBox } from '#component/secret-box.ts'
import { encodeBody } from '#http/codec.ts'

/** A store that no test of another policy asks. */
const unasked = () => Promise.reject(new TypeError('the test gives no store of answers'))

/** The policies that the tests share; others come from their own tests. */
type SharedPorts = Partial<PolicyPorts> &
  Pick<PolicyPorts, 'conditions' | 'limits' | 'circuits' | 'caching' | 'idempotency'>

/** @param more replaces ports */
export const policyPorts = (
  more: Partial<PolicyPorts> = {},
  clock: Pick<Clock, 'now'> & Partial<Clock> = { now: () => 0 },
): SharedPorts => {
  const conditions = new Conditions(() => '')
  const whole: Clock = {
    now: () => clock.now(),
    random: () => 0,
    after: (ms, callback) => clock.after?.(ms, callback) ?? (() => undefined),
  }
  const cache = new ResponseCache({ maxBytes: 10_000_000, maxEntryBytes: 100_000 })
  return {
    conditions,
    limits: { buckets: new RateLimits(1000), clock: whole },
    circuits: { circuits: new Circuits(), clock },
    caching: new Caching({
      cache,
      clock: whole,
      encode: encodeBody,
      conditions: new Conditions(encodeBody),
    }),
    idempotency: {
      answers: { take: unasked, keep: unasked, renew: unasked, release: unasked },
      shares: new KeyShares({ rows: 1, bytes: 1, rowsOfUser: 1 }, whole, { rows: 0, bytes: 0 }),
      clock: { after: () => () => undefined },
      box: new SecretBox('a key of tests'),
      digest: keyedDigest(new SecretBox('a key of tests')),
      encode: encodeBody,
    },
    ...more,
  }
}
