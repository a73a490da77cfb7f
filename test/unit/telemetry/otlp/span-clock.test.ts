import { expect } from 'chai'
import { SpanClock } from '#component/telemetry/otlp/span-clock.ts'

/** A wall clock and a monotonic clock that a test moves. */
function clocks() {
  const times = { wall: 1_700_000_000_000, monotonic: 500.25 }
  const clock = new SpanClock({ now: () => times.wall }, () => times.monotonic)
  return { times, clock }
}

describe('the clock of spans', () => {
  it('turns the monotonic clock into time since the epoch', () => {
    const { clock } = clocks()
    expect(clock.offset() + clock.monotonic()).to.equal(1_700_000_000_000)
  })

  it('has the resolution of the monotonic clock', () => {
    const { times, clock } = clocks()
    const first = clock.offset()
    times.monotonic += 0.75
    expect(clock.offset()).to.equal(first)
  })

  it('follows a wall clock that was set', () => {
    const { times, clock } = clocks()
    clock.offset()
    times.wall -= 60_000
    expect(clock.offset() + clock.monotonic()).to.equal(times.wall)
  })
})
