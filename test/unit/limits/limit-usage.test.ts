/** How much of each limit is used. */
import { expect } from 'chai'
import { LimitUsage } from '#component/limits/limit-usage.ts'

describe('LimitUsage', () => {
  it('tells the bound of a limit, what is used of it now, and what it has refused', () => {
    const usage = new LimitUsage()
    let used = 1
    usage.declare('limits.streams', 10, () => used)
    usage.refuse('limits.streams')
    used = 9
    expect(usage.all).to.deep.equal([{ key: 'limits.streams', bound: 10, used: 9, refused: 1 }])
  })

  it('knows limits that bound nothing, and those that are named after their first refusal', () => {
    const usage = new LimitUsage()
    usage.refuse('rate_limits.user_failures')
    usage.declare('rate_limits.user_failures', undefined)
    expect(usage.all).to.deep.equal([
      { key: 'rate_limits.user_failures', bound: undefined, used: undefined, refused: 1 },
    ])
  })
})
