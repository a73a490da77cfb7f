/** A gateway joins, is cut off, comes back and leaves: when it has caught up, when it refuses loads, and what it says of itself. */
import { expect } from 'chai'
import { Fleet, type SimulatedNode } from './fleet.ts'

const names = ({ sync }: SimulatedNode) => sync.status().nodes.map(({ node }) => node)

describe('a gateway that joins', () => {
  let fleet: Fleet
  beforeEach(() => {
    fleet = new Fleet()
  })

  it('has caught up at once when nobody else is there', async () => {
    const a = await fleet.open('a')
    await fleet.run(10)
    expect(a.sync.isCaughtUp).to.equal(true)
    expect(a.sync.status()).to.deep.include({ nodes: [], exchanged_ms_ago: null })
  })

  it('has not caught up before it has what the others have', async () => {
    const a = await fleet.open('a')
    await a.load('x')
    fleet.bus.delay = () => 200
    const b = await fleet.open('b')
    let answers = false
    // what a gateway answers only when it is ready waits for this
    void b.sync.caughtUp.then(() => {
      answers = true
    })
    await fleet.run(900)
    expect([b.sync.isCaughtUp, answers, b.textOf('x')]).to.deep.equal([false, false, undefined])
    await fleet.run(1000)
    expect([b.sync.isCaughtUp, answers, b.textOf('x')]).to.deep.equal([true, true, 'one'])
  })

  it('has not caught up while the router is away, and does when it is there', async () => {
    const a = await fleet.open('a', { isIdle: true })
    a.session.cut()
    await a.sync.start()
    await fleet.run(60_000)
    expect(a.sync.isCaughtUp).to.equal(false)
    a.session.join()
    await fleet.run(100)
    expect(a.sync.isCaughtUp).to.equal(true)
  })

  it('looks again when the session was lost while it looked', async () => {
    const b = await fleet.open('b')
    await b.load('x')
    const a = await fleet.open('a', { isIdle: true })
    a.sync.start().catch(() => undefined)
    await fleet.run(1)
    a.session.cut()
    await fleet.run(20_000)
    expect(a.sync.isCaughtUp).to.equal(false)
    a.session.join()
    await fleet.run(100)
    expect([a.sync.isCaughtUp, a.textOf('x')]).to.deep.equal([true, 'one'])
  })

  it('waits 15 seconds for a peer that neither answers nor heartbeats', async () => {
    const a = await fleet.open('a')
    a.session.isHeld = true
    const b = await fleet.open('b')
    await fleet.run(15_000)
    expect(b.sync.isCaughtUp).to.equal(false)
    await fleet.run(11_000)
    expect(b.sync.isCaughtUp).to.equal(true)
  })

  it('waits 15 seconds for gateways with another key, and says what is wrong', async () => {
    await fleet.open('a', { key: 'another key' })
    const b = await fleet.open('b')
    await fleet.run(14_000)
    expect(b.sync.isCaughtUp).to.equal(false)
    await fleet.run(6000)
    expect(b.sync.isCaughtUp).to.equal(true)
    expect(names(b)).to.deep.equal([])
    expect(b.sync.status().ignored_messages).to.be.greaterThan(3)
    expect(b.messages('warn')).to.include('the exchange with another gateway failed')
  })

  describe('where the router does not say who is there', () => {
    beforeEach(() => {
      fleet.bus.hasMeta = false
    })

    it('finds the others by their answers to its first heartbeat', async () => {
      const a = await fleet.open('a')
      await fleet.run(2000)
      await a.load('x')
      const b = await fleet.open('b')
      await fleet.run(50)
      expect([b.sync.isCaughtUp, b.textOf('x')]).to.deep.equal([true, 'one'])
      expect(names(b)).to.deep.equal(['a'])
      expect(names(a)).to.deep.equal(['b'])
    })

    it('has caught up after 1.5 seconds when nobody answers, and says once why it waits', async () => {
      const a = await fleet.open('a')
      await fleet.run(1400)
      expect(a.sync.isCaughtUp).to.equal(false)
      await fleet.run(150)
      expect(a.sync.isCaughtUp).to.equal(true)
      a.session.cut()
      a.session.join()
      await fleet.run(2000)
      expect(a.messages('warn')).to.deep.equal([
        'the router does not list its registrations: the gateways are found by their heartbeats',
      ])
    })
  })

  it('takes the place of its predecessor, which the router has not missed yet', async () => {
    const a = await fleet.open('a')
    const b = await fleet.open('b')
    await fleet.run(100)
    a.session.isHeld = true
    const heir = await fleet.open('a', { store: a.store })
    await heir.load('x')
    await fleet.run(6000)
    expect(b.textOf('x')).to.equal('one')
    expect(b.sync.status().nodes[0]).to.include({ node: 'a', is_equal: true })
  })
})

describe('a gateway without its router, on a database that tells of changes', () => {
  const shared = { isStoreShared: true }

  it('takes loads, also where it has never had a router', async () => {
    const fleet = new Fleet()
    const a = await fleet.open('a', shared)
    await fleet.run(10)
    a.session.cut()
    expect(a.sync.refusal()).to.equal(undefined)
    const b = await fleet.open('b', { ...shared, isIdle: true })
    b.session.cut()
    await b.sync.start()
    expect(b.sync.refusal()).to.equal(undefined)
  })

  it('refuses them while its clock is off that of the database, while that is away, and when it stops', async () => {
    const fleet = new Fleet()
    const a = await fleet.open('a', { ...shared, storeClock: 31_000 })
    await fleet.run(10)
    expect(a.sync.refusal(), 'alone on its router').to.equal(undefined)
    a.session.cut()
    expect(a.sync.refusal()).to.have.property('uri', 'service.error.clock_skew')
    const b = await fleet.open('b', shared)
    b.session.cut()
    b.store.isAway = true
    await fleet.run(5000)
    expect(b.sync.refusal()).to.have.property('message', 'the store is away')
    await b.sync.leave()
    expect(b.sync.refusal()).to.have.property('message', 'this node is stopping')
  })
})

describe('a gateway without its router', () => {
  it('refuses loads at once, stays caught up, and goes on when the router is back', async () => {
    const fleet = new Fleet()
    const [a] = (await fleet.openAll('a', 'b')) as [SimulatedNode]
    expect(a.sync.refusal()).to.equal(undefined)
    a.session.cut()
    expect(a.sync.refusal()).to.deep.include({
      uri: 'service.error.unavailable',
      headers: { 'Retry-After': '5' },
    })
    expect(a.sync.status().router).to.equal('away')
    await fleet.run(60_000)
    expect(a.sync.isCaughtUp).to.equal(true)
    expect(a.messages('warn')).to.deep.equal([])
    a.session.join()
    await fleet.run(100)
    expect(a.sync.refusal()).to.equal(undefined)
    expect(names(a)).to.deep.equal(['b'])
  })

  it('refuses loads while its store is away, too', async () => {
    const fleet = new Fleet()
    const [a] = (await fleet.openAll('a')) as [SimulatedNode]
    a.store.isAway = true
    await fleet.run(6000)
    expect(a.sync.refusal()).to.include({ uri: 'service.error.unavailable' })
    expect(a.sync.status().store).to.equal('away')
    a.store.isAway = false
    await fleet.run(6000)
    expect(a.sync.refusal()).to.equal(undefined)
  })

  it('heartbeats on when its store answers nothing', async () => {
    const fleet = new Fleet()
    const [a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
    a.store.before = () => new Promise(() => undefined)
    await fleet.run(60_000)
    expect(names(b)).to.deep.equal(['a'])
  })

  it('says in its log that an event did not get out, and nothing fails', async () => {
    const fleet = new Fleet()
    const [a] = (await fleet.openAll('a', 'b')) as [SimulatedNode]
    a.session.publish = () => Promise.reject(new Error('no acknowledgement'))
    await a.load('x')
    await fleet.run(10)
    expect(a.messages('warn')).to.deep.equal(['an event was not published'])
  })
})

describe('a gateway that leaves', () => {
  it('is no more there for the others at once, stops its timers and gives up what it asked for', async () => {
    const fleet = new Fleet()
    const [a, b, c] = (await fleet.openAll('a', 'b', 'c')) as [
      ...[SimulatedNode, SimulatedNode, SimulatedNode],
    ]
    b.session.isHeld = true
    const joined = a.sync.joined()
    await fleet.run(100)
    const left = a.sync.leave()
    await Promise.all([joined, left, fleet.run(10)])
    expect(names(c)).to.deep.equal(['b'])
    expect(a.sync.refusal()).to.include({ uri: 'service.error.unavailable' })
    expect(a.messages('warn')).to.deep.equal([])
    const events = fleet.bus.events.length
    const calls = fleet.bus.calls.length
    await c.load('x')
    b.session.release()
    for (const node of [b, c]) {
      await node.sync.leave()
      node.session.cut()
    }
    await fleet.run(60_000)
    expect(fleet.time.pending, 'timers').to.equal(0)
    expect(a.textOf('x')).to.equal(undefined)
    expect(fleet.bus.events.slice(events).filter(({ from }) => from === a.session)).to.deep.equal(
      [],
    )
    expect(fleet.bus.calls.slice(calls).filter((uri) => uri.includes('.a.'))).to.deep.equal([])
    await a.sync.leave()
  })

  it('still answers who is asking, and is not taken for one who is there', async () => {
    const fleet = new Fleet()
    const [a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
    fleet.bus.copies = ({ uri }) => Number(uri === 'service.registry.beat')
    await a.load('x')
    const leaving = a.sync.leave()
    b.sync.joined().catch(() => undefined)
    await Promise.all([leaving, fleet.run(20)])
    expect(b.textOf('x')).to.equal('one')
    expect(names(b)).to.deep.equal([])
  })
})

describe('the status of a gateway', () => {
  it('tells what it holds and whom it hears', async () => {
    const fleet = new Fleet()
    const [a] = (await fleet.openAll('a', 'b')) as [SimulatedNode]
    await fleet.open('c', { offset: 5000 })
    await a.load('x')
    await a.load('y')
    await a.load('com.example', 'realm', 'realm')
    await a.load('x', null)
    await fleet.untilEqual(50)
    await fleet.run(10_000)
    const { nodes, digest, exchanged_ms_ago, clock_offset_ms, ...rest } = a.sync.status()
    expect(rest).to.deep.equal({
      ...{ node: 'a', entries: 2, tombstones: 1, ignored_messages: 0 },
      ...{ version: '1.0.0', name: 'own', router: 'joined', store: 'open', clock: 'agrees' },
    })
    expect(digest).to.match(/^[0-9a-f]{64}$/)
    expect(exchanged_ms_ago).to.be.within(10_000, 10_200)
    expect(clock_offset_ms).to.be.within(-2, 0)
    const [b, c] = nodes
    for (const node of [b, c]) {
      expect(node?.heard_ms_ago).to.be.within(0, 4802)
      expect(node?.is_equal).to.equal(true)
      expect(node?.exchanged_ms_ago).to.be.within(10_000, 10_200)
    }
    expect([b?.node, c?.node]).to.deep.equal(['b', 'c'])
    expect(c?.clock_offset_ms).to.be.within(4998, 5000)
  })

  it('says who holds something else', async () => {
    const fleet = new Fleet()
    const [a] = (await fleet.openAll('a', 'b')) as [SimulatedNode]
    fleet.bus.copies = () => 0
    await a.load('x')
    expect(a.sync.status().nodes[0]).to.include({ node: 'b', is_equal: false })
  })
})
