/** What a node counts of its peers, for metrics. */
import { expect } from 'chai'
import { WampError } from '#component/wamp/session.ts'
import { Fleet, type SimulatedNode } from './fleet.ts'

/** One heartbeat, and what an exchange may take. */
const healMs = 6000

describe('what a node counts of the others', () => {
  let fleet: Fleet
  let a: SimulatedNode
  let b: SimulatedNode
  let lags: number[]

  const listen = (node: SimulatedNode) => {
    const heard: number[] = []
    node.sync.onLag = (ms) => heard.push(ms)
    return heard
  }

  beforeEach(async () => {
    fleet = new Fleet()
    ;[a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
    lags = listen(b)
  })

  it('is how many are there', async () => {
    expect(b.sync.peerNames.length).to.equal(1)
    await fleet.open('c')
    await fleet.run(healMs)
    expect(b.sync.peerNames.length).to.equal(2)
    a.kill()
    await fleet.run(3 * healMs)
    expect(b.sync.peerNames.length).to.equal(1)
  })

  it('is how long a change of another node took until it was live here', async () => {
    const own = listen(a)
    await a.load('x')
    await fleet.untilEqual()
    expect(lags).to.have.lengthOf(1)
    expect(lags[0]).to.be.within(0, 100)
    expect(own).to.deep.equal([])
  })

  it('is how long a node was behind that had missed the change', async () => {
    b.session.cut()
    await a.load('x')
    await fleet.run(2000)
    b.session.join()
    await fleet.untilEqual()
    expect(lags).to.have.lengthOf(1)
    expect(lags[0]).to.be.within(2000, 2000 + healMs)
  })

  it('is as well how long a change took that the store has brought, as of another worker', async () => {
    const worker = await fleet.open('c', { store: a.store })
    await fleet.run(healMs)
    const heard = listen(worker)
    fleet.bus.copies = () => 0
    fleet.bus.onCall = () => {
      throw new WampError('wamp.error.canceled')
    }
    await a.load('x')
    await fleet.run(healMs)
    expect(worker.textOf('x')).to.equal('one')
    expect(heard).to.have.lengthOf(1)
    expect(heard[0]).to.be.within(1, healMs)
  })

  it('does not hold changes that were made before the node was started', async () => {
    await a.load('x')
    await fleet.run(60_000)
    const late = await fleet.open('c', { isIdle: true })
    const heard = listen(late)
    late.sync.start().catch(() => undefined)
    await fleet.untilEqual()
    expect(late.textOf('x')).to.equal('one')
    expect(heard).to.deep.equal([])
  })

  it('is never less than nothing where the clock of the other node is ahead', async () => {
    const ahead = await fleet.open('c', { offset: 5000 })
    await fleet.run(healMs)
    await ahead.load('x')
    await fleet.untilEqual()
    expect(lags).to.deep.equal([0])
  })

  it('holds the heartbeats of peers that hold something else, until both hold the same', async () => {
    const mismatches = () => a.sync.counts.digestMismatches + b.sync.counts.digestMismatches
    expect(mismatches()).to.equal(0)
    fleet.bus.copies = ({ uri }) => Number(uri === 'service.registry.beat')
    await a.load('x')
    await fleet.untilEqual()
    await fleet.run(healMs)
    const found = mismatches()
    expect(found).to.be.at.least(1)
    await fleet.run(3 * healMs)
    expect(mismatches()).to.equal(found)
  })

  it('holds exchanges that were done, and those that have failed, logged or not', async () => {
    const { exchanges } = b.sync.counts
    expect(exchanges).to.deep.equal({ ok: 1, failed: 0 })
    fleet.bus.copies = ({ uri }) => Number(uri === 'service.registry.beat')
    fleet.bus.onCall = () => {
      throw new WampError('wamp.error.canceled')
    }
    await a.load('x')
    await fleet.run(3 * healMs)
    expect(exchanges.ok).to.equal(1)
    expect(exchanges.failed).to.be.at.least(2)
    expect(b.messages('warn')).to.have.lengthOf(1)
  })
})
