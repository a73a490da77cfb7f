/** How many requests may be in hand, by what was served lately. */
import { expect } from 'chai'
import { ConcurrencyLimit, type Done } from '#http/limits/concurrency-limit.ts'

/** A second in which so many requests took `ms` each. */
const second = (served: number, ms: number): Done => ({ served, spent: served * ms, seconds: 1 })

/** Measurements, whether the event loop was late in them, and the limits of a process of two cores for 200 ms and 1 s. */
type Row = readonly [string, readonly (readonly [Done, boolean])[], readonly [number, number]]

const rows: readonly Row[] = [
  ['nothing was served yet', [], [4, 4]],
  ['nothing is asked for', [[second(0, 0), false]], [4, 4]],
  ['a few requests are served', [[second(10, 5), false]], [4, 10.05]],
  ['many short requests are served', [[second(1000, 0), false]], [200, 1000]],
  ['a slow backend is behind them', [[second(100, 4000), false]], [420, 500]],
  [
    'the backend is slow for a late loop only, which is not usual',
    [
      [second(100, 0), false],
      [second(100, 4000), true],
    ],
    [20, 100],
  ],
  ['the loop was late from the start', [[second(500, 3000), true]], [100, 500]],
  [
    'the pace has doubled while the loop is late',
    [
      [second(100, 1000), false],
      [second(200, 1500), true],
    ],
    [240, 400],
  ],
  [
    'the pace is half of what it was half a minute ago',
    [
      [second(1000, 0), false],
      [{ served: 0, spent: 0, seconds: 30 }, true],
    ],
    [100, 500],
  ],
  [
    'the measurement itself came late',
    [[{ served: 3000, spent: 0, seconds: 3 }, true]],
    [200, 1000],
  ],
  [
    'nothing was served for an hour',
    [
      [second(1000, 1000), false],
      [{ served: 0, spent: 0, seconds: 3600 }, false],
    ],
    [4, 4],
  ],
]

describe('ConcurrencyLimit', () => {
  for (const [title, measured, [short, long]] of rows) {
    it(`is ${short} for 200 ms and ${long} for a second where ${title}`, () => {
      const limit = new ConcurrencyLimit(4)
      for (const [done, isLate] of measured) limit.add(done, isLate)
      expect(limit.within(200)).to.be.closeTo(short, 1e-6)
      expect(limit.within(1000)).to.be.closeTo(long, 1e-6)
    })
  }
})
