/** The overload guard, and the ids of requests. */
import { expect } from 'chai'
import type { Clock } from '#component/clock.ts'
import { LoopDelay } from '#http/limits/loop-delay.ts'
import { type Load, OverloadGuard, type Pressure, processLoad } from '#http/limits/overload.ts'
import { requestId } from '#http/request-id.ts'

describe('OverloadGuard', () => {
  const judge = (loads: readonly Load[]): Pressure[] => {
    let tick: (() => void) | undefined
    const clock: Clock = {
      now: () => 0,
      random: () => 0,
      after(_ms, callback) {
        tick = callback
        return () => {
          tick = undefined
        }
      },
    }
    let index = 0
    const guard = new OverloadGuard(clock, () => loads[index] ?? { delay: 0, memory: 0 })
    guard.start()
    const verdicts = loads.map(() => {
      tick?.()
      index++
      expect(guard.memory).to.equal(loads[index - 1]?.memory)
      return guard.pressure
    })
    guard.stop()
    expect(tick).to.equal(undefined)
    return verdicts
  }
  const fine = { delay: 10, memory: 0.5 }
  const slow = { delay: 201, memory: 0.5 }
  const full = { delay: 10, memory: 0.91 }
  const stuck = { delay: 1001, memory: 0.5 }
  const bursting = { delay: 10, memory: 0.96 }

  it('is strained after five bad seconds in a row, until the first good one', () => {
    const found = judge([slow, full, slow, slow, slow, slow, fine])
    expect(found).to.deep.equal([
      ...['none', 'none', 'none', 'none'],
      ...['strained', 'strained', 'none'],
    ])
  })

  it('is full after five seconds in a row beyond the hard limits', () => {
    const found = judge([stuck, bursting, stuck, stuck, stuck, slow])
    expect(found).to.deep.equal(['none', 'none', 'none', 'none', 'full', 'strained'])
  })

  it('forgives bad seconds in between', () => {
    expect(judge([slow, slow, slow, slow, fine, slow])).to.not.include('strained')
  })

  it('reads the delay of the event loop in milliseconds, and the memory of this process', () => {
    let now = 0
    const loopDelay = new LoopDelay(() => now)
    const load = processLoad(loopDelay)
    now = 320
    loopDelay.tick()
    const { delay, memory } = load()
    expect(delay).to.be.closeTo(300, 1)
    expect(memory).to.be.within(0.000_1, 1)
  })
})

describe('requestId', () => {
  it('is a UUIDv7 of its time, and unlike every other', () => {
    const ids = new Set(Array.from({ length: 1000 }, () => requestId(0x0192_3456_789a)))
    expect(ids.size).to.equal(1000)
    for (const id of ids) {
      expect(id).to.match(/^01923456-789a-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })
})
