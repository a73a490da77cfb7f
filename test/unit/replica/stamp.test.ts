/** The hybrid clock: its stamps only grow, whatever the clock of the machine does and however often it starts anew. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  compareStamps,
  formatStamp,
  HybridClock,
  maxCounter,
  type Stamp,
} from '#component/replica/stamp.ts'
import { SetClock } from './doubles.ts'

type Step =
  | { readonly do: 'set' | 'tick' | 'restart'; readonly ms: number }
  | { readonly do: 'observe'; readonly stamp: Stamp }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('set' as const), ms: fc.nat(1_000) }),
  fc.record({ do: fc.constant('tick' as const), ms: fc.constant(0) }),
  fc.record({ do: fc.constant('restart' as const), ms: fc.nat(1_000) }),
  fc.record({
    do: fc.constant('observe' as const),
    stamp: fc.record({
      ms: fc.nat(1_000),
      counter: fc.oneof(fc.nat(3), fc.integer({ min: maxCounter - 2, max: maxCounter })),
      node: fc.constantFrom('a', 'b'),
    }),
  }),
)

describe('HybridClock', () => {
  it('gives stamps greater than all given and seen, over clocks set back and restarts', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = new SetClock(500)
        let hybrid = new HybridClock(clock, 'a')
        const known: Stamp[] = [] // what the store keeps
        for (const next of steps) {
          if (next.do === 'observe') {
            hybrid.observe(next.stamp)
            known.push(next.stamp)
            continue
          }
          if (next.do !== 'tick') clock.ms = next.ms
          if (next.do === 'restart') {
            hybrid = new HybridClock(clock, 'a')
            for (const stamp of known) hybrid.observe(stamp)
          }
          if (next.do !== 'tick') continue
          const stamp = hybrid.tick()
          for (const other of known) expect(compareStamps(stamp, other)).to.be.above(0)
          expect(stamp.ms).to.be.at.least(clock.ms)
          expect(stamp.counter).to.be.at.most(maxCounter)
          known.push(stamp)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('follows the clock of the machine while that goes on', () => {
    const clock = new SetClock(100)
    const hybrid = new HybridClock(clock, 'a')
    const stamps = [100, 100, 101, 99, 102].map((ms) => {
      clock.ms = ms
      return formatStamp(hybrid.tick())
    })
    expect(stamps).to.deep.equal(['100.0.a', '100.1.a', '101.0.a', '101.1.a', '102.0.a'])
  })

  it('goes on to the next millisecond when the counter is full', () => {
    const hybrid = new HybridClock(new SetClock(100), 'a')
    hybrid.observe({ ms: 200, counter: maxCounter, node: 'b' })
    expect(hybrid.tick()).to.deep.equal({ ms: 201, counter: 0, node: 'a' })
  })
})
