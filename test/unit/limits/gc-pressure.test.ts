/** When garbage is collected: once peers are done that had much held for them, and once a busy process is quiet. */
import { expect } from 'chai'
import { collectAfter, tellHeld } from '#component/limits/gc-pressure.ts'
import { Quota } from '#component/limits/quota.ts'

const megabyte = 1024 * 1024

describe('memory that was held for peers', () => {
  let collections: string[]
  let trims: number
  let budget: Quota
  let utilization: number
  let pass: () => void

  beforeEach(() => {
    collections = []
    trims = 0
    utilization = 0.2
    budget = new Quota(64 * megabyte)
    const after = (_ms: number, callback: () => void) => {
      pass = callback
      return () => {
        pass = () => undefined
      }
    }
    collectAfter(budget, {
      clock: { after },
      collect: (collection) => collections.push(collection),
      trim: () => trims++,
      utilization: () => utilization,
      memory: () => 0,
    })
  })

  const holds = (bytes: number) => {
    expect(budget.tryTake(bytes)).to.equal(true)
    budget.give(bytes)
  }

  it('is collected once, when peers are done, and its pages are given back in a turn of their own', () => {
    holds(32 * megabyte)
    pass()
    expect(collections).to.deep.equal([])
    pass()
    expect([collections, trims]).to.deep.equal([['major'], 0])
    pass()
    expect([collections, trims]).to.deep.equal([['major', 'last-resort'], 1])
    pass()
    expect([collections, trims]).to.deep.equal([['major', 'last-resort'], 1])
  })

  it('is given back outside of the heap, too, once the process is idle, and once only', () => {
    utilization = 0
    for (let look = 0; look < 20; look++) pass()
    expect(trims).to.equal(1)
    utilization = 0.5
    pass()
    utilization = 0
    for (let look = 0; look < 5; look++) pass()
    expect(trims).to.equal(1)
    pass()
    expect(trims).to.equal(2)
  })

  it('is collected again once the process is quiet, also where it was quiet while it was held', () => {
    utilization = 0
    expect(budget.tryTake(32 * megabyte)).to.equal(true)
    for (let look = 0; look < 10; look++) pass()
    budget.give(32 * megabyte)
    pass()
    collections = []
    for (let look = 0; look < 40; look++) pass()
    expect(collections).to.deep.equal(['major', 'last-resort', 'minor', 'minor'])
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

describe('garbage of a busy process', () => {
  let collections: string[]
  let utilization: number
  let memory: number
  let pass: () => void

  beforeEach(() => {
    collections = []
    utilization = 1
    memory = 20 * megabyte
    collectAfter(new Quota(64 * megabyte), {
      clock: {
        after: (_ms, callback) => {
          pass = callback
          return () => undefined
        },
      },
      collect: (collection) => {
        collections.push(collection)
        if (collection !== 'minor') memory -= 10 * megabyte
      },
      utilization: () => utilization,
      memory: () => memory,
    })
  })

  const passWith = (part: number) => {
    utilization = part
    pass()
  }

  it('is left to V8 while the process is busy, or does something', () => {
    passWith(1)
    passWith(0.5)
    passWith(0.2)
    expect(collections).to.deep.equal([])
  })

  const staysQuiet = (looks: number) => {
    for (let look = 0; look < looks; look++) passWith(0.15)
  }

  it('is collected where it is young, once the process has been quiet for a minute, and its pages are given back at the next look', () => {
    staysQuiet(29)
    expect(collections).to.deep.equal([])
    passWith(0.15)
    expect(collections).to.deep.equal(['minor'])
    staysQuiet(60)
    expect(collections).to.deep.equal(['minor', 'minor'])
  })

  it('is collected again after the process was busy again', () => {
    staysQuiet(40)
    passWith(0.25)
    staysQuiet(40)
    expect(collections).to.deep.equal(['minor', 'minor', 'minor', 'minor'])
  })

  it('is left to V8 between bursts that are less than a minute apart', () => {
    for (let burst = 0; burst < 5; burst++) {
      passWith(1)
      staysQuiet(29)
    }
    expect(collections).to.deep.equal([])
  })

  it('is collected everywhere where the heap has grown by much since the last time, once the process has been quiet for ten seconds', () => {
    memory += 40 * megabyte
    staysQuiet(4)
    expect(collections).to.deep.equal([])
    staysQuiet(10)
    passWith(1)
    memory += 20 * megabyte
    staysQuiet(10)
    expect(collections).to.deep.equal(['minor', 'major', 'last-resort'])
  })

  it('is collected once where the heap is large', () => {
    memory += 400 * megabyte
    staysQuiet(10)
    expect(collections).to.deep.equal(['minor', 'major'])
  })
})

describe('memory outside of the heap', () => {
  it('counts for the object that holds it, and is no member of it', () => {
    const object = { a: 1 }
    const before = process.memoryUsage().arrayBuffers
    tellHeld(object, 64 * megabyte)
    expect(process.memoryUsage().arrayBuffers - before).to.be.above(32 * megabyte)
    expect(object).to.deep.equal({ a: 1 })
    expect(Object.keys(object)).to.deep.equal(['a'])
  })
})
