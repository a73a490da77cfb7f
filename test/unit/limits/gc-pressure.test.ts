/** When all garbage is collected: once peers are done that had much held for them. */
import { expect } from 'chai'
import { collectAfter } from '#component/limits/gc-pressure.ts'
import { Quota } from '#component/limits/quota.ts'

const megabyte = 1024 * 1024

describe('memory that was held for peers', () => {
  let collections: string[]
  let budget: Quota
  let pass: () => void

  beforeEach(() => {
    collections = []
    budget = new Quota(64 * megabyte)
    const after = (_ms: number, callback: () => void) => {
      pass = callback
      return () => {
        pass = () => undefined
      }
    }
    collectAfter(budget, { after }, (type) => collections.push(type))
  })

  const holds = (bytes: number) => {
    expect(budget.tryTake(bytes)).to.equal(true)
    budget.give(bytes)
  }

  it('is collected once, when peers are done', () => {
    holds(32 * megabyte)
    pass()
    expect(collections).to.deep.equal([])
    pass()
    pass()
    expect(collections).to.deep.equal(['major'])
  })

  it('is not collected while peers go on', () => {
    for (let look = 0; look < 10; look++) {
      holds(32 * megabyte)
      pass()
    }
    expect(collections).to.deep.equal([])
  })

  it('is not collected while it is held', () => {
    expect(budget.tryTake(32 * megabyte)).to.equal(true)
    for (let look = 0; look < 10; look++) pass()
    expect(collections).to.deep.equal([])
  })

  it('is left to V8 where it is little', () => {
    holds(8 * megabyte)
    pass()
    pass()
    expect(collections).to.deep.equal([])
  })
})
