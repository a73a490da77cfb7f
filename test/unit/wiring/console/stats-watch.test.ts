/** The numbers of a process, told while a console shows them. */
import { expect } from 'chai'
import { StatsWatch } from '#component/wiring/console/stats-watch.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

describe('the numbers of a process', () => {
  const clock = new ManualClock()
  const told: Readonly<Record<string, unknown>>[] = []
  let isForgotten = false
  const counts = { count: 3, errors: 0, buckets: [], seconds: 2, bounds: [], routes: [] }
  const watch = new StatsWatch({
    ...{ clock, node: 'a' },
    window: {
      read: async () => counts,
      forget() {
        isForgotten = true
      },
    },
    state: () => ({ inFlight: 7, isReady: true }),
    tell: (stats) => told.push(stats),
  })

  beforeEach(() => {
    told.length = 0
    isForgotten = false
  })

  it('are told at once, and every two seconds', async () => {
    watch.watch(10)
    await clock.advance(0)
    expect(told).to.have.length(1)
    expect(told[0]).to.include({ node: 'a', in_flight: 7, is_ready: true, count: 3, seconds: 2 })
    await clock.advance(4_000)
    expect(told).to.have.length(3)
  })

  it('end with the time that was asked for, and no timer is left', async () => {
    await clock.advance(20_000)
    const { length } = told
    expect(isForgotten).to.equal(true)
    expect(clock.pending).to.equal(0)
    await clock.advance(20_000)
    expect(told).to.have.length(length)
  })

  it('go on while the time is renewed', async () => {
    watch.watch(3)
    await clock.advance(2_000)
    watch.watch(10)
    await clock.advance(8_000)
    expect(told.length).to.be.at.least(5)
    watch.stop()
    expect(clock.pending).to.equal(0)
  })
})
