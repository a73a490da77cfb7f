/** The overload guard, and the ids of requests. */
import { expect } from 'chai'
import type { Clock } from '#component/clock.ts'
import { LoopDelay } from '#http/limits/loop-delay.ts'
import { type Load, OverloadGuard, type Pressure, processLoad } from '#http/limits/overload.ts'
import { requestId } from '#http/request-id.ts'

/** A process that serves 100 requests a second, 10 ms each, and has so many in hand. */
const busyWith = (inHand: number) => ({
  take: () => ({ served: 100, spent: 1000, seconds: 1 }),
  weigh: () => undefined,
  inHand,
})

describe('OverloadGuard', () => {
  /** @param inHand requests at each measurement, one of which meets the pressure and is refused then */
  const observe = (loads: readonly Load[], inHand: (second: number) => number) => {
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
    const workload = busyWith(0)
    const sample = () => loads[index] ?? { delay: 0, memory: 0 }
    const guard = new OverloadGuard(clock, sample, workload, 4)
    guard.start()
    const verdicts = loads.map(() => {
      tick?.()
      workload.inHand = inHand(index)
      index++
      expect(guard.memory).to.equal(loads[index - 1]?.memory)
      const met = guard.pressureNow()
      if (met !== 'none') guard.refused(met)
      return { told: guard.pressure, met, problems: guard.problems() }
    })
    guard.stop()
    expect(tick).to.equal(undefined)
    return verdicts
  }
  const judge = (loads: readonly Load[]): Pressure[] =>
    observe(loads, () => 0).map(({ told }) => told)
  /** The pressure that requests meet. */
  const meet = (loads: readonly Load[], inHand: (second: number) => number): Pressure[] =>
    observe(loads, inHand).map(({ met }) => met)
  const times = <T>(count: number, value: T): readonly T[] =>
    Array.from({ length: count }, () => value)
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

  // 20 are served within 200 ms, 100 within a second
  const late: readonly (readonly [string, Load, number, Pressure])[] = [
    ['nothing', stuck, 0, 'none'],
    ['as many requests as are always served', stuck, 4, 'none'],
    ['what it serves within 200 ms', stuck, 20, 'none'],
    ['more than that', slow, 21, 'strained'],
    ['more than that beside a full delay', stuck, 100, 'strained'],
    ['more than it serves within a second', stuck, 101, 'full'],
    ['more than it serves within a second beside a small delay', slow, 101, 'strained'],
    ['any number while memory is short', full, 0, 'strained'],
    ['any number while memory is nearly used up', bursting, 0, 'full'],
  ]
  for (const [title, load, inHand, expected] of late) {
    it(`makes requests meet ${expected} after five bad seconds with ${title} in hand`, () => {
      const found = meet(times(5, load), () => inHand)
      expect(found).to.deep.equal([...times(4, 'none'), expected])
    })
  }

  it('tells of a late event loop and of short memory, whatever is in hand', () => {
    const told = (load: Load) => observe(times(5, load), () => 0).at(-1)
    expect(told(slow)).to.deep.include({
      told: 'strained',
      problems: ['the event loop is late by more than 200 ms'],
    })
    expect(told(stuck)).to.deep.include({
      told: 'full',
      problems: ['the event loop is late by more than 1000 ms'],
    })
    expect(told(full)?.problems).to.deep.equal(['more than 90 % of the memory is in use'])
    expect(told(bursting)?.problems).to.deep.equal(['more than 95 % of the memory is in use'])
    expect(told(fine)).to.deep.equal({ told: 'none', met: 'none', problems: [] })
  })

  it('lasts while refusals make the seconds good, and lets half as many more in with each', () => {
    // 21, 31.5, 47.25, 70.9
    const inHand = (second: number) => (second < 8 ? 60 : 0)
    const found = observe([...times(5, slow), ...times(5, fine)], inHand)
    expect(found.slice(4).map(({ met }) => met)).to.deep.equal([
      ...times(3, 'strained'),
      ...times(3, 'none'),
    ])
    expect(found.slice(4).map(({ told }) => told)).to.deep.equal([
      ...times(4, 'strained'),
      ...times(2, 'none'),
    ])
  })

  it('begins anew at a bad second while it lasts', () => {
    const loads = [...times(5, slow), fine, fine, slow, fine]
    // 21, 31.5, 47.25, 21, 31.5
    const inHand = (second: number) => (second < 6 ? 60 : 45)
    expect(meet(loads, inHand).slice(4)).to.deep.equal([
      ...['strained', 'strained', 'none', 'strained', 'strained'],
    ])
  })

  it('ends with the first good second after refusals for short memory', () => {
    expect(meet([...times(5, full), fine], () => 60)).to.deep.equal([
      ...times(4, 'none'),
      ...['strained', 'none'],
    ])
  })

  it('reads the delay of the event loop in milliseconds, and the memory of this process', () => {
    let now = 0
    const loopDelay = new LoopDelay(() => now)
    const load = processLoad(loopDelay)
    now = 320
    loopDelay.tick()
    const { delay, memory } = load()
    expect(delay).to.be.closeTo(300, 3)
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
