/** The overload guard, and the ids of requests. */
import { expect } from 'chai'
import type { Clock } from '#component/clock.ts'
import { type Load, OverloadGuard, processLoad } from '#http/overload.ts'
import { requestId } from '#http/request-id.ts'

describe('OverloadGuard', () => {
  const judge = (loads: readonly Load[]): boolean[] => {
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
    const guard = new OverloadGuard(clock, () => loads[index] ?? { delay: 0, heap: 0 })
    guard.start()
    const verdicts = loads.map(() => {
      tick?.()
      index++
      return guard.isOverloaded
    })
    guard.stop()
    expect(tick).to.equal(undefined)
    return verdicts
  }
  const fine = { delay: 10, heap: 0.5 }
  const slow = { delay: 201, heap: 0.5 }
  const full = { delay: 10, heap: 0.91 }

  it('refuses after five bad seconds in a row, until the first good one', () => {
    expect(judge([slow, full, slow, slow, slow, slow, fine])).to.deep.equal([
      false,
      false,
      false,
      false,
      true,
      true,
      false,
    ])
  })

  it('forgives bad seconds in between', () => {
    expect(judge([slow, slow, slow, slow, fine, slow])).to.not.include(true)
  })

  it('looks at this process', () => {
    const { delay, heap } = processLoad()()
    expect(delay).to.be.lessThan(200)
    expect(heap).to.be.within(0, 1)
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
