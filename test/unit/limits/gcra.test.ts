/** The generic cell rate algorithm: what it lets pass, and what it tells. */
import { expect } from 'chai'
import { decide, type Rate } from '#component/limits/gcra.ts'

const rate: Rate = { amount: 10, windowMs: 1000, burst: 5 }

/** Times of served requests, of clients that ask at these times. */
function served(asks: readonly number[], allowed: Rate): number[] {
  let arrival: number | undefined
  return asks.filter((now) => {
    const { isAllowed, next } = decide(arrival, now, 1, allowed)
    if (isAllowed) arrival = next
    return isAllowed
  })
}

/** A generator of numbers from 0 to 1, the same for each run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

describe('a rate', () => {
  it('lets the burst pass at once, and then one request each time a unit is there again', () => {
    const asks = Array.from({ length: 41 }, (_, index) => index * 25)
    expect(served(asks, { ...rate, burst: 2 })).to.deep.equal([
      0, 25, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000,
    ])
  })

  it('tells what is left, when all is there again, and how long a refused request waits', () => {
    const first = decide(undefined, 1000, 1, rate)
    expect(first).to.deep.include({ isAllowed: true, left: 4, fullInMs: 100, waitMs: 0 })
    const last = decide(1400, 1000, 1, rate)
    expect(last).to.deep.include({ isAllowed: true, left: 0, fullInMs: 500 })
    const refused = decide(1500, 1000, 1, rate)
    expect(refused).to.deep.include({ isAllowed: false, left: 0, fullInMs: 500, waitMs: 100 })
  })

  it('takes the cost of a request, at most the burst', () => {
    expect(decide(undefined, 0, 3, rate).left).to.equal(2)
    expect(decide(undefined, 0, 50, rate)).to.include({ isAllowed: true, left: 0 })
    expect(decide(100, 0, 50, rate)).to.include({ isAllowed: false, waitMs: 100 })
    expect(decide(500, 0, 0, rate)).to.include({ isAllowed: true, left: 0 })
  })

  it('is full at most, after a clock that went back and after a greater rate', () => {
    expect(decide(9_000_000, 1000, 1, rate).waitMs).to.be.closeTo(100, 1e-6)
  })

  it('never serves more than burst + amount × t / window in any time t (200 seeds)', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seeded(seed)
      const amount = 1 + Math.floor(random() * 50)
      const burst = 1 + Math.floor(random() * 50)
      const allowed = { amount, windowMs: 100 + Math.floor(random() * 5000), burst }
      let now = 0
      const asks = Array.from({ length: 100 }, () => {
        now += Math.floor(random() * random() * 200)
        return now
      })
      const times = served(asks, allowed)
      const excesses = times.flatMap((start, from) =>
        times.slice(from).map((end, more) => {
          const most = burst + (amount * (end - start)) / allowed.windowMs
          return more + 1 - most
        }),
      )
      expect(times.length).to.be.greaterThan(0)
      expect(Math.max(...excesses), `seed ${seed}`).to.be.at.most(1e-6)
    }
  })

  it('serves all of a client that asks as often as it may (200 seeds)', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seeded(seed)
      const amount = 1 + Math.floor(random() * 1000)
      const allowed = { amount, windowMs: 1 + Math.floor(random() * 86_400_000), burst: 1 }
      const asks = Array.from({ length: 100 }, (_, index) => (index * allowed.windowMs) / amount)
      expect(served(asks, allowed), `seed ${seed}`).to.have.length(100)
    }
  })
})
