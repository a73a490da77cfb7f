/** The message by which processes tell each other of the use of limits. */
import { expect } from 'chai'
import { readUsage, usageFields } from '#component/policies/limits/usage-message.ts'

describe('a message about usage', () => {
  const item = ['a', 1, 2000.5, 1500]

  it('comes back as it was sent, to the thousandth of a millisecond', () => {
    const used = [{ key: 'a', first: 3, ms: 1234.5678, aheadMs: 99.7 }]
    const read = readUsage(usageFields({ tick: 7, used }))
    expect(read).to.deep.equal({
      tick: 7,
      used: [{ key: 'a', first: 3, ms: 1234.568, aheadMs: 100 }],
    })
  })

  for (const [name, fields] of Object.entries({
    'without a tick': { used: [item] },
    'with tick 0': { tick: 0, used: [item] },
    'without use': { tick: 1 },
    'with a map of keys': { tick: 1, used: { a: 1 } },
    'with a short item': { tick: 1, used: [['a', 1, 2]] },
    'with an empty key': { tick: 1, used: [['', 1, 2, 3]] },
    'with a key of 101 characters': { tick: 1, used: [['k'.repeat(101), 1, 2, 3]] },
    'with a sum from a later tick': { tick: 1, used: [['a', 2, 2, 3]] },
    'with a text for a number': { tick: 1, used: [['a', 1, '2', 3]] },
    'with more time than there is': { tick: 1, used: [['a', 1, 1e300, 3]] },
    'with too many keys': { tick: 1, used: Array(10_001).fill(item) },
  })) {
    it(`${name} is not taken`, () => {
      expect(readUsage(fields)).to.equal(undefined)
    })
  }
})
