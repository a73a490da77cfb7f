/** Shares of networks. */
import { expect } from 'chai'
import { NetworkShare } from '#component/limits/network-share.ts'
import { Quota } from '#component/limits/quota.ts'

describe('NetworkShare', () => {
  it('lets a network hold no more than the limit, and others go on', () => {
    const share = new NetworkShare(2)
    expect(share.tryTake('192.0.2.1')).to.equal(true)
    expect(share.tryTake('192.0.2.1')).to.equal(true)
    expect(share.tryTake('192.0.2.1')).to.equal(false)
    expect(share.tryTake('192.0.2.2')).to.equal(true)
    expect(share.heldBy('192.0.2.1')).to.equal(2)
  })

  it('lets one in again when one has left', () => {
    const share = new NetworkShare(1)
    share.tryTake('192.0.2.1')
    share.give('192.0.2.1')
    expect(share.heldBy('192.0.2.1')).to.equal(0)
    expect(share.tryTake('192.0.2.1')).to.equal(true)
  })

  const same = [
    ['2001:db8::1', '2001:db8::2'],
    ['2001:db8:0:0:ffff::1', '2001:DB8::2'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
  ] as const
  for (const [one, other] of same) {
    it(`counts ${one} and ${other} as one`, () => {
      const share = new NetworkShare(1)
      share.tryTake(one)
      expect(share.tryTake(other)).to.equal(false)
    })
  }

  it('says how much the network holds that holds most, and tells each refusal', () => {
    let refused = 0
    const onRefused = () => {
      refused += 1
    }
    const share = new NetworkShare(2, { onRefused })
    expect(share.most).to.equal(0)
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.2'])
      share.tryTake(address)
    expect([share.most, refused]).to.deep.equal([2, 1])
  })

  it('counts networks of IPv6 apart', () => {
    const share = new NetworkShare(1)
    share.tryTake('2001:db8::1')
    expect(share.tryTake('2001:db8:0:1::1')).to.equal(true)
  })

  it('takes nothing when all networks together hold the most, and forgets what was given back', () => {
    const share = new NetworkShare(8, { whole: new Quota(10) })
    expect(share.tryTake('192.0.2.1', 8)).to.equal(true)
    expect(share.tryTake('192.0.2.2', 3)).to.equal(false)
    expect(share.heldBy('192.0.2.2')).to.equal(0)
    share.give('192.0.2.1', 8)
    expect(share.heldBy('192.0.2.1')).to.equal(0)
    expect(share.tryTake('192.0.2.2', 8)).to.equal(true)
  })
})
