import { expect } from 'chai'
import { Quota } from '#component/limits/quota.ts'

describe('Quota', () => {
  it('lets bytes be taken up to its limit', () => {
    const quota = new Quota(10)
    expect(quota.tryTake(7)).to.equal(true)
    expect(quota.tryTake(4)).to.equal(false)
    expect(quota.tryTake(3)).to.equal(true)
    expect(quota.used).to.equal(10)
  })

  it('lets bytes that were given back be taken again', () => {
    const quota = new Quota(10)
    quota.tryTake(10)
    quota.give(6)
    expect(quota.used).to.equal(4)
    expect(quota.tryTake(6)).to.equal(true)
  })

  it('never holds less than nothing', () => {
    const quota = new Quota(10)
    quota.tryTake(3)
    quota.give(5)
    expect(quota.used).to.equal(0)
    expect(quota.tryTake(11)).to.equal(false)
  })

  it('takes from the whole what a share takes', () => {
    const whole = new Quota(10)
    const share = new Quota(6, whole)
    expect(share.tryTake(6)).to.equal(true)
    expect(whole.used).to.equal(6)
    share.give(2)
    expect(whole.used).to.equal(4)
  })

  it('refuses a share what the whole has not left, and takes nothing then', () => {
    const whole = new Quota(10)
    const [one, other] = [new Quota(8, whole), new Quota(8, whole)]
    expect(one.tryTake(8)).to.equal(true)
    expect(other.tryTake(3)).to.equal(false)
    expect([other.used, whole.used]).to.deep.equal([0, 8])
  })

  it('refuses a share more than its own limit, and takes nothing from the whole', () => {
    const whole = new Quota(10)
    const share = new Quota(4, whole)
    expect(share.tryTake(5)).to.equal(false)
    expect(whole.used).to.equal(0)
  })

  it('gives back to the whole no more than its share holds', () => {
    const whole = new Quota(10)
    const share = new Quota(4, whole)
    whole.tryTake(5)
    share.tryTake(2)
    share.give(4)
    expect(whole.used).to.equal(5)
  })
})
