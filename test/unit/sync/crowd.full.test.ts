/** A hundred gateways: how many messages they send, and that they know of each other and hold the same nevertheless. */
import { expect } from 'chai'
import { topics } from '#component/sync/topics.ts'
import { Fleet, type SimulatedNode } from './fleet.ts'

const many = 100
const name = (index: number) => `n${index}`

/** Gateways that join at once. */
async function crowdOf(count: number): Promise<Fleet> {
  const fleet = new Fleet()
  fleet.bus.delay = () => 1 + Math.floor(fleet.time.random() * 20)
  for (let index = 0; index < count; index++) await fleet.open(name(index), { isIdle: true })
  for (const { sync } of fleet.nodes) sync.start().catch(() => undefined)
  return fleet
}

/** What passes the router in so many seconds: heartbeats that arrive, calls from one gateway to another. */
async function trafficOf(fleet: Fleet, seconds: number) {
  const { bus } = fleet
  const [events, calls] = [bus.events.length, bus.calls.length]
  await fleet.run(seconds * 1000)
  const beats = bus.events.slice(events).filter(({ uri }) => uri === topics.beat)
  return { beats: beats.length, calls: bus.calls.slice(calls) }
}

const knownTo = ({ sync }: SimulatedNode) => sync.status().nodes.length

describe('a hundred gateways', () => {
  let fleet: Fleet
  before(async () => {
    fleet = await crowdOf(many)
  })
  after(async () => {
    for (const { sync } of fleet.nodes) await sync.leave()
  })

  it('know each other within a minute and a half; the most of them have not asked each other', async () => {
    await fleet.run(10_000)
    expect(fleet.bus.countCalls('.digest')).to.be.below((many * (many - 1)) / 2)
    await fleet.run(80_000)
    expect(new Set(fleet.nodes.map(knownTo))).to.deep.equal(new Set([many - 1]))
  })

  it('take in at most 200 heartbeats and requests a second, all together', async () => {
    const seconds = 120
    const { beats, calls } = await trafficOf(fleet, seconds)
    expect(beats / seconds).to.be.within(50, 175)
    expect((beats + calls.length) / seconds).to.be.at.most(200)
    expect(new Set(fleet.nodes.map(knownTo))).to.deep.equal(new Set([many - 1]))
  })

  it('hold the same within seconds after a change whose event was lost to half of them', async () => {
    const { bus, nodes } = fleet
    bus.copies = ({ uri, to }) => Number(uri === topics.beat || to.id % 2 === 0)
    await nodes[0]?.load('x')
    await fleet.run(100)
    bus.copies = () => 1
    expect(fleet.digests).to.equal(2)
    expect(await fleet.untilEqual(30_000)).to.be.below(20_000)
  })

  it('cost one that joins, and each other one, a few calls: it has all at once, and is known to all soon', async () => {
    const calls = fleet.bus.calls.length
    const late = await fleet.open('late')
    await fleet.run(1000)
    const made = fleet.bus.calls.slice(calls).filter((uri) => uri.startsWith('service.'))
    expect(made.length).to.be.below(100)
    for (let index = 0; index < many; index++) {
      expect(made.filter((uri) => uri.includes(`.${name(index)}.`)).length).to.be.below(10)
    }
    expect([late.sync.isCaughtUp, late.textOf('x'), knownTo(late)]).to.deep.equal([
      true,
      'one',
      many,
    ])
    await fleet.run(30_000)
    expect(new Set(fleet.nodes.map(knownTo))).to.deep.equal(new Set([many]))
  })

  it('take one that leaves, or is silent for three heartbeats, for gone', async () => {
    const gone = fleet.nodes.find(({ name }) => name === 'late')
    await gone?.sync.leave()
    await fleet.run(1000)
    expect(new Set(fleet.nodes.filter((one) => one !== gone).map(knownTo))).to.deep.equal(
      new Set([many - 1]),
    )
    gone?.kill()
    fleet.nodes[1]?.kill()
    await fleet.run(300_000)
    expect(new Set(fleet.nodes.map(knownTo))).to.deep.equal(new Set([many - 2]))
  })
})
