/** What /metrics says of the limits. */
import { expect } from 'chai'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { limitSources } from '#component/wiring/status/limit-status.ts'

describe('the metrics of limits', () => {
  it('are the bound, what is used of it, and what was refused, by the key of the configuration', () => {
    const usage = new LimitUsage()
    usage.declare('limits.streams', 10, () => 4)
    usage.declare('limits.streams_per_address', undefined, () => 3)
    usage.declare('rate_limits.user_failures', 5)
    usage.refuse('rate_limits.user_failures')
    const read = Object.entries(limitSources(usage)).map(([name, source]) => {
      const found = source.read()
      const samples = typeof found === 'number' ? [] : found
      return [name, samples.map(({ labels, value }) => `${labels.limit} ${value}`)]
    })
    expect(Object.fromEntries(read)).to.deep.equal({
      gateway_limit: ['limits.streams 10', 'rate_limits.user_failures 5'],
      gateway_limit_used: ['limits.streams 4'],
      gateway_limit_refused_total: [
        'limits.streams 0',
        'limits.streams_per_address 0',
        'rate_limits.user_failures 1',
      ],
    })
  })
})
