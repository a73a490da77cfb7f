/** Several gateways come to hold the same, whatever the router loses, repeats or delays. */
import { expect } from 'chai'
import type { Passing } from './bus.ts'
import { Fleet, type SimulatedNode } from './fleet.ts'

const isHeartbeat = ({ uri }: Passing) => uri === 'service.registry.beat'

/** One heartbeat, and what an exchange may take. */
const healMs = 6000

describe('gateways on one router', () => {
  let fleet: Fleet
  let a: SimulatedNode
  let b: SimulatedNode
  let c: SimulatedNode

  beforeEach(async () => {
    fleet = new Fleet()
    ;[a, b, c] = (await fleet.openAll('a', 'b', 'c')) as [
      SimulatedNode,
      SimulatedNode,
      SimulatedNode,
    ]
  })

  it('tell each other what is loaded and deleted within the time of a message', async () => {
    const calls = fleet.bus.calls.length
    await a.load('x', 'by a')
    await b.load('y', 'by b')
    expect(await fleet.untilEqual(20)).to.be.at.most(20)
    expect(c.textOf('x')).to.equal('by a')
    expect(c.textOf('y')).to.equal('by b')
    await c.load('x', null)
    expect(await fleet.untilEqual(20)).to.be.at.most(20)
    expect(a.textOf('x')).to.equal(null)
    expect(b.textOf('x')).to.equal(null)
    await fleet.run(healMs)
    expect(fleet.bus.calls.slice(calls), 'exchanges').to.deep.equal([])
  })

  it('need no event: heartbeats alone make them equal within one heartbeat and an exchange', async () => {
    fleet.bus.copies = (passing) => Number(isHeartbeat(passing))
    for (const [index, node] of [a, b, c, a, b, c].entries()) {
      await node.load(`x${index}`, `by ${node.name}`)
      await node.load('of all', `by ${node.name}`)
    }
    await b.load('x0', null)
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    expect(a.replica.entries('api_spec')).to.have.length(7)
    expect(new Set([a, b, c].map((node) => node.textOf('of all')))).to.deep.equal(new Set(['by c']))
  })

  it('need no heartbeat: events alone make them equal', async () => {
    fleet.bus.copies = (passing) => Number(!isHeartbeat(passing))
    await a.load('x', 'by a')
    await b.load('y', 'by b')
    await c.load('x', 'by c')
    expect(await fleet.untilEqual(50)).to.be.at.most(50)
    expect(a.textOf('x')).to.equal('by c')
  })

  it('need no heartbeat when one of them has heard of a difference: who is asked asks back', async () => {
    fleet.bus.copies = (passing) => Number(isHeartbeat(passing) && passing.to === a.session)
    await a.load('x', 'by a')
    await b.load('y', 'by b')
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    expect([a, b, c].map((node) => [node.textOf('x'), node.textOf('y')])).to.deep.equal([
      ['by a', 'by b'],
      ['by a', 'by b'],
      ['by a', 'by b'],
    ])
  })

  it('agree when everything arrives twice, late and in another order', async () => {
    fleet.bus.copies = () => 2
    fleet.bus.delay = () => Math.round(fleet.time.random() * 500)
    for (let turn = 0; turn < 40; turn++) {
      const node = [a, b, c][turn % 3]
      await node?.load(`x${turn % 7}`, fleet.time.random() < 0.3 ? null : `text ${turn}`)
      await fleet.run(50)
    }
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    for (const { sync } of fleet.nodes) expect(sync.status().ignored_messages).to.be.greaterThan(0)
  })

  it('agree when a third of all messages is lost', async () => {
    fleet.bus.copies = () => Number(fleet.time.random() > 0.33)
    for (let turn = 0; turn < 40; turn++) {
      const node = [a, b, c][turn % 3]
      await node?.load(`x${turn % 7}`, `text ${turn}`)
      await fleet.run(100)
    }
    fleet.bus.copies = () => 1
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
  })

  it('catch up when they come back, before any heartbeat', async () => {
    await a.load('x', 'one')
    await a.load('y', 'one')
    await fleet.untilEqual(20)
    b.session.cut()
    await a.load('x', 'two')
    await a.load('y', null)
    await fleet.run(100_000)
    fleet.bus.copies = () => 0
    b.session.join()
    expect(await fleet.untilEqual(100)).to.be.at.most(100)
    expect(b.textOf('x')).to.equal('two')
    expect(b.textOf('y')).to.equal(null)
  })

  it('give what was changed in the absence of the others when they come back', async () => {
    b.session.cut()
    // its management would refuse that; a load that was under way is not
    await b.load('x', 'of the absent')
    await a.load('y', 'of those who stayed')
    await fleet.run(20_000)
    fleet.bus.copies = () => 0
    b.session.join()
    expect(await fleet.untilEqual(100)).to.be.at.most(100)
    expect(a.textOf('x')).to.equal('of the absent')
    expect(b.textOf('y')).to.equal('of those who stayed')
  })

  it('agree on one of two versions of a document, and each keeps what it had alone', async () => {
    b.session.cut()
    await a.load('x', 'by a')
    await fleet.run(1000)
    await b.load('x', 'by b')
    await b.load('only b')
    await a.load('only a')
    b.session.join()
    expect(await fleet.untilEqual(100)).to.be.at.most(100)
    expect([a, b, c].map((node) => node.textOf('x'))).to.deep.equal(['by b', 'by b', 'by b'])
    expect(c.textOf('only b')).to.equal('one')
    expect(b.textOf('only a')).to.equal('one')
  })

  it('keep realms equal, whose documents are never told to everybody', async () => {
    await a.load('com.example.test', 'a realm', 'realm')
    expect(await fleet.untilEqual(20)).to.be.at.most(20)
    expect(b.textOf('com.example.test', 'realm')).to.equal('a realm')
    const event = fleet.bus.events.find(({ uri }) => uri === 'service.realm.on_load')
    expect(event?.payload.kwargs).to.include({ id: 'com.example.test', node: 'a' })
    expect(fleet.bus.countCalls('.a.fetch')).to.equal(2)
    await b.load('com.example.test', null, 'realm')
    expect(await fleet.untilEqual(20)).to.be.at.most(20)
    expect(a.textOf('com.example.test', 'realm')).to.equal(null)
  })

  it('tell everybody who listens what was loaded, and nothing of the document', async () => {
    await a.load('x', 'do not tell')
    const entry = a.replica.get('api_spec', 'x')
    await a.load('x', null)
    const [loaded, , deleted] = fleet.bus.events
      .filter(({ uri }) => uri.startsWith('service.api_spec.'))
      .map(({ payload, uri }) => ({ uri, ...payload.kwargs }))
    expect(loaded).to.have.keys('uri', 'id', 'ts', 'hash', 'node', 'sealed')
    const { ms } = entry?.stamp ?? { ms: 0 }
    const clear = { id: 'x', ts: ms, hash: entry?.hash, node: 'a' }
    expect(loaded).to.include({ uri: 'service.api_spec.on_load', ...clear })
    expect(JSON.stringify(loaded)).to.not.include('do not tell')
    expect(deleted).to.include({
      uri: 'service.api_spec.on_delete',
      id: 'x',
      hash: null,
      node: 'a',
    })
  })

  it('see by heartbeats what another process wrote into the store of one of them', async () => {
    const sibling = new Fleet()
    const other = await sibling.open('a-2', { store: a.store })
    await other.load('x', 'by a sibling')
    await fleet.run(healMs)
    expect(c.textOf('x')).to.equal('by a sibling')
  })
})
