/** How processes tell each other of the use of rate limits: sealed, over the session of the component. */
import { expect } from 'chai'
import { type Charge, RateLimits } from '#component/policies/limits/rate-limits.ts'
import { UsageExchange } from '#component/policies/limits/usage-exchange.ts'
import { UsageSharing } from '#component/policies/limits/usage-sharing.ts'
import { Fleet, type SimulatedNode } from '#test/unit/sync/fleet.ts'

const topic = 'service.limits.usage'
const charge: Charge = {
  key: 'a',
  rate: { amount: 10, windowMs: 3_600_000, burst: 10 },
  cost: 1,
  isShared: true,
}

function share(node: SimulatedNode) {
  const usage = new UsageExchange()
  const limits = new RateLimits(100, usage)
  const { clock, session, sync } = node
  const sharing = new UsageSharing({ usage, sync, session, clock })
  sharing.start()
  return {
    sharing,
    alone: () => sharing.sources.gateway_rate_limit_alone?.read(),
    /** As many of `count` requests as are served. */
    ask(count: number): number {
      let served = 0
      for (let index = 0; index < count; index += 1) {
        const decision = limits.decide(charge, clock.now())
        if (!decision.isAllowed) continue
        limits.take(charge, decision, clock.now())
        served += 1
      }
      return served
    },
  }
}

describe('processes that share rate limits', () => {
  let fleet: Fleet
  let a: SimulatedNode
  let b: SimulatedNode
  beforeEach(async () => {
    fleet = new Fleet()
    ;[a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
  })

  it('tell each other within half a second what they have used, however their clocks differ', async () => {
    a.clock.offset = 20_000
    const [one, other] = [share(a), share(b)]
    await fleet.run(10_000)
    expect(one.ask(7)).to.equal(7)
    await fleet.run(600)
    expect(other.ask(10)).to.equal(3)
    expect([...a.lines, ...b.lines]).to.deep.equal([])
  })

  it('send nothing while nothing is used, and no key in clear', async () => {
    const one = share(a)
    share(b)
    await fleet.run(5000)
    const sent = () => fleet.bus.events.filter(({ uri }) => uri === topic)
    expect(sent()).to.have.length(0)
    one.ask(2)
    await fleet.run(600)
    const [{ payload } = { payload: undefined }] = sent()
    expect(payload?.args).to.deep.equal([])
    expect(Object.keys(payload?.kwargs ?? {})).to.deep.equal(['node', 'sealed'])
  })

  it('count each for itself without a router, which a metric tells, and together again with it', async () => {
    const [one, other] = [share(a), share(b)]
    await fleet.run(1000)
    expect([one.alone(), other.alone()]).to.deep.equal([0, 0])
    a.session.cut()
    b.session.cut()
    await fleet.run(1000)
    expect([one.alone(), other.alone()]).to.deep.equal([1, 1])
    expect([one.ask(20), other.ask(4)]).to.deep.equal([10, 4])
    await fleet.run(5000)
    a.session.join()
    b.session.join()
    await fleet.run(1000)
    expect([one.alone(), other.alone()]).to.deep.equal([0, 0])
    expect(other.ask(3)).to.equal(3)
    await fleet.run(600)
    // what one has used meanwhile is not told; what the other has used since then is
    expect(one.ask(1)).to.equal(0)
    expect(other.ask(20)).to.equal(3)
  })

  it('are alone while the router refuses what they tell', async () => {
    const one = share(a)
    await fleet.run(1000)
    const publish = a.session.publish.bind(a.session)
    a.session.publish = (uri, payload) =>
      uri === topic ? Promise.reject(new Error('not authorized')) : publish(uri, payload)
    one.ask(2)
    await fleet.run(600)
    expect(one.alone()).to.equal(1)
    a.session.publish = publish
    one.ask(2)
    await fleet.run(600)
    expect(one.alone()).to.equal(0)
  })

  it('tell when they stop what they have not told yet', async () => {
    const [one, other] = [share(a), share(b)]
    await fleet.run(1000)
    one.ask(6)
    await one.sharing.stop()
    await a.sync.leave()
    await fleet.run(10)
    expect(other.ask(10)).to.equal(4)
  })

  it('take nothing from a stranger, from an earlier start, or that is malformed', async () => {
    const [one, other] = [share(a), share(b)]
    await fleet.run(1000)
    one.ask(5)
    await fleet.run(600)
    const [message] = fleet.bus.events.filter(({ uri }) => uri === topic)
    if (message === undefined) throw new Error('nothing was told')
    const before = b.sync.status().ignored_messages
    const stranger = fleet.bus.connect()
    await stranger.publish(topic, message.payload)
    await stranger.publish(topic, { args: [], kwargs: { node: 'a', sealed: 'v1.none' } })
    await a.sync.tell('usage', { tick: 1, used: 'all' })
    await fleet.run(100)
    expect(b.sync.status().ignored_messages - before).to.equal(3)
    expect(other.ask(10)).to.equal(5)
  })
})
