/** Log lines that are left out. */
import { expect } from 'chai'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import { networkOf } from '#component/syntax/ip-address.ts'

describe('LogThrottle', () => {
  let now: number
  let timers: (() => void)[]
  const clock = {
    now: () => now,
    after(_ms: number, callback: () => void) {
      timers.push(callback)
      return () => undefined
    },
  }

  beforeEach(() => {
    now = 0
    timers = []
  })

  describe('with ten lines a second', () => {
    let leftOut: object[]
    let throttle: LogThrottle

    beforeEach(() => {
      leftOut = []
      const onLeftOut = (sender: string, lines: number) => void leftOut.push({ sender, lines })
      throttle = new LogThrottle(clock, { lines: 10, intervalMs: 1_000, onLeftOut })
    })

    const admitted = (address: string, count: number) =>
      Array.from({ length: count }, () => throttle.admits(networkOf(address))).filter(Boolean)
        .length

    it('admits ten lines of a network in a second, then says how many were left out', () => {
      expect(admitted('192.0.2.1', 25)).to.equal(10)
      for (const timer of timers.splice(0)) timer()
      expect(leftOut).to.deep.equal([{ sender: '192.0.2.1', lines: 15 }])
      expect(admitted('192.0.2.1', 1)).to.equal(1)
    })

    it('counts on from one when the second is over, whether it was told or not', () => {
      expect(admitted('192.0.2.1', 11)).to.equal(10)
      now = 1_000
      expect(admitted('192.0.2.1', 11)).to.equal(10)
      for (const timer of timers.splice(0)) timer()
      expect(leftOut.map((line) => 'lines' in line && line.lines)).to.deep.equal([1, 1])
    })

    it('keeps the lines of other networks', () => {
      expect(admitted('2001:db8::1', 10)).to.equal(10)
      expect(admitted('2001:db8::2', 1)).to.equal(0)
      expect(admitted('192.0.2.1', 1)).to.equal(1)
    })

    it('says nothing when nothing was left out, and waits for nothing', () => {
      expect(admitted('192.0.2.1', 10)).to.equal(10)
      expect(timers).to.deep.equal([])
    })
  })

  describe('with a line a minute', () => {
    it('admits a line of a sender again after a minute, and when the clock was set back', () => {
      const throttle = new LogThrottle(clock, linePerMinute)
      const lines = [0, 59_999, 60_000, -1, 0].map((at) => {
        now = at
        return throttle.admits('a')
      })
      expect(lines).to.deep.equal([true, false, true, true, false])
    })

    it('tells 100 senders apart, and takes all further ones for one', () => {
      const throttle = new LogThrottle(clock, linePerMinute)
      const admitted = Array.from({ length: 1_000 }, (_, index) => throttle.admits(`${index}`))
      expect(admitted.filter(Boolean)).to.have.length(101)
    })
  })
})
