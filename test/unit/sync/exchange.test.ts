/** What an exchange does when documents are large, change under it, or its peer goes away; and what it costs. */
import { expect } from 'chai'
import { Fleet, type SimulatedNode } from './fleet.ts'

/** One heartbeat, and what an exchange may take. */
const healMs = 6000
const mebibyte = 1024 * 1024

describe('an exchange', () => {
  let fleet: Fleet
  let a: SimulatedNode
  let b: SimulatedNode

  beforeEach(async () => {
    fleet = new Fleet()
    ;[a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
    // only exchanges are left
    fleet.bus.copies = ({ uri }) => Number(uri === 'service.registry.beat')
  })

  /** Loads so many documents of so many characters. */
  async function fill(node: SimulatedNode, count: number, length: number, prefix: string) {
    const drafts = Array.from({ length: count }, (_, index) => {
      const id = `${prefix}-${index}`
      return { id, document: { id, text: 'ä'.repeat(length / 2) } }
    })
    await node.replica.change('api_spec', () => drafts)
  }

  it('brings documents of up to 4 MiB, in pages of 1 MB or one document', async () => {
    const sizes: number[] = []
    fleet.bus.onAnswer = ({ uri }, { kwargs }) => {
      if (uri.endsWith('.fetch')) sizes.push(String(kwargs.sealed).length)
    }
    await fill(a, 3, 4 * mebibyte, 'large')
    await fill(a, 7, 300_000, 'medium')
    await fill(a, 250, 100, 'small')
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    expect(b.replica.entries('api_spec')).to.have.length(260)
    const ofBase64 = 4 / 3
    expect(sizes.filter((size) => size > 1_001_000 * ofBase64)).to.have.length(3)
    expect(Math.max(...sizes)).to.be.below((4 * mebibyte + 1000) * ofBase64)
    // 3 large ones, 7 medium ones at 3 a page, 250 small ones at most 100 a page, in whatever order
    expect(sizes.length).to.be.at.most(3 + 7 + 3 + 3)
  })

  it('brings what a document has become since it was seen', async () => {
    await a.load('x', 'one')
    await a.load('y', 'one')
    fleet.bus.onCall = ({ uri }) => {
      if (!uri.endsWith('.a.fetch')) return
      fleet.bus.onCall = () => undefined
      a.load('x', 'two').catch(() => undefined)
      a.load('y', null).catch(() => undefined)
    }
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    expect(fleet.bus.countCalls('.a.fetch')).to.equal(1)
    expect(b.textOf('x')).to.equal('two')
    expect(b.textOf('y')).to.equal(null)
  })

  it('goes on with another peer where one has died, and asks for nothing twice', async () => {
    await fill(a, 6, 900_000, 'x')
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    let served = 0
    fleet.bus.onCall = ({ to, uri }) => {
      if (!uri.endsWith('.fetch') || ++served !== 3) return
      fleet.nodes.find(({ session }) => session === to)?.kill()
    }
    const c = await fleet.open('c')
    expect(await fleet.untilEqual(100)).to.be.at.most(100)
    expect(c.replica.entries('api_spec')).to.have.length(6)
    // two pages of one peer, one that is lost with it, four of the other peer
    expect(served).to.equal(7)
    expect(c.sync.isCaughtUp).to.equal(true)
  })

  it('fetches once what several peers have', async () => {
    await fill(a, 6, 900_000, 'x')
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    const before = fleet.bus.countCalls('.fetch')
    await fleet.open('c')
    expect(await fleet.untilEqual(100)).to.be.at.most(100)
    expect(fleet.bus.countCalls('.fetch') - before).to.equal(6)
  })

  it('is one with each peer, however often it is asked for', async () => {
    await a.load('x')
    const before = fleet.bus.countCalls('.a.digest')
    await Promise.all([b.sync.joined(), b.sync.joined(), fleet.run(50)])
    // one for the digests, one for what differs
    expect(fleet.bus.countCalls('.a.digest') - before).to.equal(2)
    expect(fleet.bus.countCalls('.a.fetch')).to.equal(1)
    expect(b.textOf('x')).to.equal('one')
  })

  it('is over when both held the same, though something was loaded meanwhile', async () => {
    fleet.bus.onAnswer = () => {
      b.load('x').catch(() => undefined)
    }
    b.sync.joined().catch(() => undefined)
    await fleet.run(50)
    expect(b.messages('warn')).to.deep.equal([])
    expect(fleet.bus.countCalls('.a.digest')).to.equal(2)
  })

  it('with a peer that is paused takes 5 seconds and keeps nobody else waiting', async () => {
    const c = await fleet.open('c')
    await fleet.run(100)
    await a.load('x')
    a.session.isHeld = true
    await c.load('y')
    const others = [b, c]
    const joined = b.sync.joined()
    await fleet.run(100)
    expect(others.map((node) => node.textOf('y'))).to.deep.equal(['one', 'one'])
    await Promise.all([joined, fleet.run(5000)])
    expect(b.messages('warn')).to.deep.equal(['the exchange with another gateway failed'])
    await c.load('z')
    await fleet.run(healMs)
    expect(b.textOf('z')).to.equal('one')
    a.session.release()
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    expect(b.textOf('x')).to.equal('one')
  })

  it('with a peer that was killed unnoticed is repeated at once with the next start of it', async () => {
    a.session.isHeld = true
    const joined = b.sync.joined()
    await fleet.run(100)
    const heir = await fleet.open('a', { store: a.store })
    await heir.load('x')
    await fleet.run(1500)
    heir.sync.joined().catch(() => undefined)
    fleet.bus.copies = () => 0
    await Promise.all([joined, fleet.run(3500)])
    expect(b.textOf('x')).to.equal('one')
  })

  it('does not go round with what is refused for ever, and tells of it once', async () => {
    a.clock.offset = 3_600_000
    await a.load('x', 'from the future')
    a.clock.offset = 0
    const calls = () => fleet.bus.countCalls('.fetch') + fleet.bus.countCalls('.digest')
    await fleet.run(60_000)
    const before = { fetches: fleet.bus.countCalls('.fetch'), calls: calls() }
    await fleet.run(600_000)
    expect(b.textOf('x')).to.equal(undefined)
    expect(b.messages('error')).to.deep.equal(['an entry of another gateway was refused'])
    // both compare once a minute, and the one that misses something asks for it
    expect(fleet.bus.countCalls('.fetch') - before.fetches).to.be.at.most(10)
    expect(calls() - before.calls).to.be.at.most(60)
    // an hour later it is no more ahead than clocks may be
    await fleet.run(3_600_000)
    expect(b.textOf('x')).to.equal('from the future')
  })

  it('is put off while the store of this node is away, and comes when it is back', async () => {
    b.store.isAway = true
    await fleet.run(healMs)
    await a.load('x')
    const before = fleet.bus.calls.length
    await fleet.run(60_000)
    expect(fleet.bus.calls.slice(before).filter((uri) => uri.includes('.a.'))).to.deep.equal([])
    b.store.isAway = false
    await fleet.run(5 * healMs)
    expect(b.textOf('x')).to.equal('one')
    expect(b.messages('error')).to.deep.equal(['the store is away'])
  })

  it('fails and is repeated when the store does not take what is sound', async () => {
    await a.load('x')
    b.store.before = (method) => {
      if (method === 'merge') throw new Error('the disk is full')
    }
    await fleet.run(10 * healMs)
    expect(b.textOf('x')).to.equal(undefined)
    expect(b.messages('error')).to.deep.equal([])
    b.store.before = () => undefined
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
  })
})

describe('the traffic between gateways', () => {
  it('that hold the same is small, whatever they hold', async () => {
    const fleet = new Fleet()
    const [a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
    const drafts = Array.from({ length: 3000 }, (_, index) => ({
      id: `x${index}`,
      document: { id: `x${index}` },
    }))
    await a.replica.change('api_spec', () => drafts)
    await fleet.untilEqual()
    await fleet.run(20_000)
    fleet.bus.traffic = 0
    const before = fleet.bus.calls.length
    const events = fleet.bus.events.length
    await fleet.run(40_000)
    expect(fleet.bus.calls.length).to.equal(before)
    const heartbeats = fleet.bus.events.length - events
    expect(heartbeats).to.be.within(16, 26)
    expect(fleet.bus.traffic / heartbeats).to.be.below(500)
    b.session.cut()
    b.session.join()
    fleet.bus.traffic = 0
    await fleet.run(100)
    expect(fleet.bus.traffic).to.be.below(5000)
  })

  /** Calls of procedures of gateways that are made while so many nodes join at once, each with something of its own. */
  async function callsOfJoin(count: number, hasOwn: boolean) {
    const fleet = new Fleet()
    fleet.bus.delay = () => 1 + Math.floor(fleet.time.random() * 20)
    for (let index = 0; index < count; index++) {
      const node = await fleet.open(`n${index}`, { isIdle: true })
      if (hasOwn) await node.load(`x${index}`)
    }
    for (const { sync } of fleet.nodes) sync.start().catch(() => undefined)
    const took = await fleet.untilEqual(healMs)
    await fleet.run(2 * healMs)
    expect(fleet.nodes.every(({ sync }) => sync.isCaughtUp)).to.equal(true)
    expect(new Set(fleet.nodes.map(({ sync }) => sync.status().nodes.length))).to.deep.equal(
      new Set([count - 1]),
    )
    const [digests, fetches] = [fleet.bus.countCalls('.digest'), fleet.bus.countCalls('.fetch')]
    return { took, digests, fetches }
  }

  it('of 20 that join at once with the same is one call from each to each', async () => {
    const { took, digests, fetches } = await callsOfJoin(20, false)
    expect(took).to.equal(0)
    expect(digests).to.be.at.most(20 * 19)
    expect(fetches).to.equal(0)
  })

  it('of 20 that join at once with different things is some calls from each to each', async () => {
    const { took, digests, fetches } = await callsOfJoin(20, true)
    expect(took).to.be.at.most(healMs)
    expect(digests).to.be.at.most(4 * 20 * 19)
    expect(fetches).to.be.at.most(2 * 20 * 19)
  })
})
