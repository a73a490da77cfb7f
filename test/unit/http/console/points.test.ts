/** The numbers of the charts: how long points are kept, and which ones are drawn. */
import { expect } from 'chai'
import { peaks, withPoint } from '#http/console/page/lib/points.js'

const hour = 3_600_000

/** What is kept after these times. */
const keptOf = (...times: readonly number[]) =>
  times
    .reduce<readonly { at: number }[]>((points, at) => withPoint(points, { at }), [])
    .map(({ at }) => at)

describe('points of the charts', () => {
  for (const [what, times, kept] of [
    ['the first one', [5], [5]],
    [
      'one a second: the newest takes the place of one that is younger',
      [0, 2_000, 2_999],
      [0, 2_999],
    ],
    ['each that is a second apart', [0, 1_000, 2_000], [0, 1_000, 2_000]],
    ['an hour', [0, 1_001, hour, hour + 1_000], [1_001, hour, hour + 1_000]],
    ['the newest alone after a longer pause', [0, 1_000, 2 * hour + 1_001], [2 * hour + 1_001]],
  ] as const) {
    it(`keep ${what}`, () => expect(keptOf(...times)).to.deep.equal(kept))
  }

  it('are drawn by the highest of each column, in their order', () => {
    const points = [3, 9, 4, 1, 2].map((value, at) => ({ at, value }))
    expect(peaks(points, (at) => Math.floor(at / 3)).map(({ at }) => at)).to.deep.equal([1, 4])
    expect(peaks([], () => 0)).to.deep.equal([])
  })
})
