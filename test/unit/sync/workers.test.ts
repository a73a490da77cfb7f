/** The processes of one gateway: one of them sends heartbeats, and the others of the cluster know that one. */
import { expect } from 'chai'
import { topics } from '#component/sync/topics.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { Fleet, type SimulatedNode } from './fleet.ts'

const nodesOf = ({ sync }: SimulatedNode) => sync.status().nodes.map(({ node }) => node)

describe('three gateways of four workers each', () => {
  let fleet: Fleet
  const at = (name: string) => fleet.nodes.find((node) => node.name === name) as SimulatedNode

  beforeEach(async () => {
    fleet = new Fleet()
    for (const gateway of ['a', 'b', 'c']) {
      const store = new MemoryStore()
      const workers = [1, 2, 3, 4].map((number) => `${gateway}-${number}`)
      for (const name of workers) await fleet.open(name, { store, workers })
    }
    await fleet.run(10_000)
  })

  it('are three nodes: each process sees the other two', () => {
    expect(nodesOf(at('a-1'))).to.deep.equal(['b-1', 'c-1'])
    expect(nodesOf(at('a-3'))).to.deep.equal(['b-1', 'c-1'])
    const all = fleet.nodes.map(({ name }) => name)
    for (const { name, sync } of fleet.nodes) {
      expect([name, ...sync.processNames], name).to.have.members(all)
    }
  })

  it('send three heartbeats each 4 seconds', async () => {
    const before = fleet.bus.events.length
    await fleet.run(40_000)
    const beats = fleet.bus.events.slice(before).filter(({ uri }) => uri === topics.beat)
    expect(new Set(beats.map(({ from }) => from)).size).to.equal(3)
    // each of the ten in 40 seconds arrives at all the other processes
    expect(beats.length).to.be.within(3 * 8 * 11, 3 * 13 * 11)
  })

  it('tell of a change that any process has made, without being asked who it is', async () => {
    const calls = fleet.bus.calls.length
    await at('b-3').load('x')
    await fleet.run(50)
    for (const name of ['a-1', 'a-4', 'c-2']) expect(at(name).textOf('x'), name).to.equal('one')
    expect(fleet.bus.calls.slice(calls)).to.deep.equal([])
    expect(nodesOf(at('a-1'))).to.deep.equal(['b-1', 'c-1'])
  })

  it('hear all that a process tells of limits, which makes it no node; each asks at most once who it is', async () => {
    const heard: unknown[] = []
    at('a-1').sync.onUsage = (_boot, { tick }) => heard.push(tick) > 0
    const calls = fleet.bus.calls.length
    for (const tick of [1, 2, 3]) {
      await at('c-4').sync.tell('usage', { tick })
      await fleet.run(60_000)
    }
    expect(heard).to.deep.equal([1, 2, 3])
    expect(nodesOf(at('a-1'))).to.deep.equal(['b-1', 'c-1'])
    const asked = fleet.bus.calls.slice(calls).filter((uri) => uri.includes('c-4'))
    expect(asked.length).to.be.within(1, 11)
  })

  it('hear what is watched at a process that has said nothing before', async () => {
    const heard: unknown[] = []
    at('a-2').sync.onWatch = ({ requests }) => heard.push(requests)
    await at('b-2').sync.tell('watch', { requests: 60 })
    await fleet.run(100)
    expect(heard).to.deep.equal([60])
  })

  it('compare themselves with others while the process that sends their heartbeats is silent', async () => {
    // only what tells that a process is there arrives, and no digest is compared with it
    fleet.bus.copies = ({ uri }) => (uri === topics.usage ? 1 : 0)
    at('a-1').kill()
    await at('a-3').load('y')
    await at('c-3').load('z')
    for (let second = 0; second < 30; second += 2) {
      for (const name of ['b-1', 'c-1']) await at(name).sync.tell('usage', {})
      await fleet.run(2000)
      if (second === 10) expect(at('a-2').textOf('z')).to.equal(undefined)
    }
    expect(at('a-2').textOf('z')).to.equal('one')
    expect(at('c-1').textOf('y')).to.equal('one')
  })

  it('hold the same after events were lost', async () => {
    fleet.bus.copies = () => 0
    await at('b-3').load('y')
    await fleet.run(2000)
    fleet.bus.copies = () => 1
    expect(await fleet.untilEqual(20_000)).to.be.below(15_000)
  })
})

describe('two gateways of two workers each, whose clocks differ by a minute', () => {
  it('are of one mind: every process knows the clock of the other gateway, and refuses changes', async () => {
    const fleet = new Fleet()
    for (const [gateway, offset] of [['a', 0] as const, ['b', 60_000] as const]) {
      const store = new MemoryStore()
      const workers = [1, 2].map((number) => `${gateway}-${number}`)
      for (const name of workers) await fleet.open(name, { store, workers, offset })
    }
    await fleet.run(10_000)
    for (const { name, sync } of fleet.nodes) {
      expect(sync.status().clock, name).to.equal('skewed')
      expect(Math.abs(sync.clockOffsetMs ?? 0), name).to.be.within(59_000, 61_000)
    }
  })
})
