/** The pace of heartbeats: by how many gateways there are. */
import { expect } from 'chai'
import { Pace, sample } from '#component/sync/pace.ts'
import type { Peer } from '#component/sync/peers.ts'
import { seeded, start } from './time.ts'

const peer = (index: number, everyMs = 4800): Peer => ({
  ...{ node: `n${index}`, boot: '1', digest: 'd', version: '1.0.0', features: [], everyMs },
  ...{ workers: [`n${index}`], speaker: undefined },
  ...{ clockOffsetMs: 0, heardAt: 0, exchangedAt: undefined },
})

const peers = (count: number, everyMs: number) =>
  Array.from({ length: count }, (_, index) => peer(index, everyMs))

/** The heartbeats of an hour, by their times; milliseconds since its begin. */
function hourOf(others: readonly Peer[]) {
  const pace = new Pace(() => others, seeded(1))
  const beats: number[] = []
  for (let now = start; now < start + 3_600_000; now += pace.untilTick()) {
    if (!pace.look(now)) continue
    if (beats.length > 0) expect(now - start - (beats.at(-1) ?? 0)).to.be.at.most(pace.everyMs)
    pace.beat(now)
    beats.push(now - start)
  }
  return { pace, mean: 3_600_000 / beats.length }
}

describe('the pace of heartbeats', () => {
  for (const [others, seconds] of [
    [0, 4],
    [1, 4],
    [24, 4],
    [25, 4.33],
    [49, 16.3],
    [99, 66],
    [199, 265],
  ] as const) {
    it(`is one each ${seconds} s with ${others} others`, () => {
      const { mean, pace } = hourOf(peers(others, 4800))
      expect(mean / 1000).to.be.within(seconds * 0.9, seconds * 1.15)
      expect(pace.isCrowd).to.equal(others > 24)
    })
  }

  it('quickens at once when the clock is set back', () => {
    const others = peers(99, 80_000)
    const pace = new Pace(
      () => others,
      () => 0.5,
    )
    expect(pace.look(start)).to.equal(true)
    pace.beat(start)
    expect(pace.look(start + 8000)).to.equal(false)
    expect(pace.look(start - 3_600_000)).to.equal(true)
  })
})

describe('a sample', () => {
  it('has each at most once, any of them, and all where all are wanted', () => {
    const random = seeded(1)
    const list = [1, 2, 3, 4, 5]
    const seen = new Set<string>()
    for (let turn = 0; turn < 200; turn++) seen.add([...sample(list, 2, random)].sort().join())
    expect(seen.size).to.equal(10)
    expect([...sample(list, 9, random)].sort()).to.deep.equal(list)
    expect(sample([], 2, random)).to.deep.equal([])
    expect(list).to.deep.equal([1, 2, 3, 4, 5])
  })
})
