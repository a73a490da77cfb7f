/** `scope` of `rate_limit`: which use the other processes are told of. */
import { expect } from 'chai'
import { RateLimits } from '#component/policies/limits/rate-limits.ts'
import { UsageExchange } from '#component/policies/limits/usage-exchange.ts'
import { forEachType } from '#component/security/kinds.ts'
import { type SecurityScheme, unauthorized } from '#component/security/scheme.ts'
import { documentOf, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'
import { policyPorts } from './policy-ports.ts'

/** Whoever has a name is let in. */
const scheme: SecurityScheme = {
  authenticate(request, protection) {
    const username = request.header('authorization')
    if (!username) throw unauthorized(protection, 'who are you')
    return {
      ...{ realm_uri: 'com.example.realm', username, authid: username, authmethod: 'basic' },
      ...{ authroles: [], groups: [], meta: {} },
    }
  },
}
const schemes = forEachType(() => scheme)

/** A process with one other: the statuses of requests, and what is told of them. */
async function toldOf(path: object, users: readonly string[]) {
  const usage = new UsageExchange()
  usage.others = 1
  const ports = policyPorts()
  const served = serve(documentOf({ '/x': path }), undefined, undefined, schemes, '*', undefined, {
    ...ports,
    limits: { ...ports.limits, buckets: new RateLimits(1000, usage) },
  })
  const statuses: number[] = []
  for (const authorization of users) {
    statuses.push((await served.ask('GET /v1/x', { headers: { authorization } })).status)
  }
  return { statuses, used: usage.tell(0)?.used.map(({ ms }) => ms) ?? [] }
}

const two = { amount: 2, window: 60 }

describe('a rate limit', () => {
  for (const [title, rate_limit, used] of [
    ['tells the other processes its use', two, [30_000]],
    ['tells it with scope: all', { ...two, scope: 'all' }, [30_000]],
    ['tells nothing with scope: process', { ...two, scope: 'process' }, []],
  ] as const) {
    it(title, async () => {
      const told = await toldOf({ rate_limit, get: fixed() }, ['ann'])
      expect(told).to.deep.equal({ statuses: [200], used })
    })
  }

  it('tells nothing of requests that security refuses', async () => {
    const rate_limit = { amount: 4, window: 60, per: 'address' }
    const path = { security: { type: 'basic' }, rate_limit, get: fixed() }
    const told = await toldOf(path, ['', 'ann'])
    expect(told).to.deep.equal({ statuses: [401, 200], used: [15_000] })
  })
})
