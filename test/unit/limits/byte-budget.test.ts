import { expect } from 'chai'
import { ByteBudget } from '#component/limits/byte-budget.ts'

describe('ByteBudget', () => {
  it('lets bytes be taken up to its limit', () => {
    const budget = new ByteBudget(10)
    expect(budget.tryTake(7)).to.equal(true)
    expect(budget.tryTake(4)).to.equal(false)
    expect(budget.tryTake(3)).to.equal(true)
    expect(budget.used).to.equal(10)
  })

  it('lets bytes that were given back be taken again', () => {
    const budget = new ByteBudget(10)
    budget.tryTake(10)
    budget.give(6)
    expect(budget.used).to.equal(4)
    expect(budget.tryTake(6)).to.equal(true)
  })

  it('never holds less than nothing', () => {
    const budget = new ByteBudget(10)
    budget.tryTake(3)
    budget.give(5)
    expect(budget.used).to.equal(0)
    expect(budget.tryTake(11)).to.equal(false)
  })

  it('takes from the whole what a share takes', () => {
    const whole = new ByteBudget(10)
    const share = new ByteBudget(6, whole)
    expect(share.tryTake(6)).to.equal(true)
    expect(whole.used).to.equal(6)
    share.give(2)
    expect(whole.used).to.equal(4)
  })

  it('refuses a share what the whole has not left, and takes nothing then', () => {
    const whole = new ByteBudget(10)
    const [one, other] = [new ByteBudget(8, whole), new ByteBudget(8, whole)]
    expect(one.tryTake(8)).to.equal(true)
    expect(other.tryTake(3)).to.equal(false)
    expect([other.used, whole.used]).to.deep.equal([0, 8])
  })

  it('refuses a share more than its own limit, and takes nothing from the whole', () => {
    const whole = new ByteBudget(10)
    const share = new ByteBudget(4, whole)
    expect(share.tryTake(5)).to.equal(false)
    expect(whole.used).to.equal(0)
  })

  it('gives back to the whole no more than its share holds', () => {
    const whole = new ByteBudget(10)
    const share = new ByteBudget(4, whole)
    whole.tryTake(5)
    share.tryTake(2)
    share.give(4)
    expect(whole.used).to.equal(5)
  })
})
