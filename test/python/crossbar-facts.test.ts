/** What streams rely on in Crossbar.io, and why they do not use its event history: a version that changes one of these fails here. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { type Crossbar, openConfiguration, startCrossbar } from '#test/support/peers/crossbar.ts'

const realm = 'com.example.test'
const limit = 5

/** Keeps the events of `com.example.kept.…`. */
const store = {
  type: 'memory',
  'event-history': ['none', 'one', 'two'].map((kept) => ({
    ...{ uri: `com.example.kept.${kept}`, match: 'exact', limit },
  })),
}

const realms = [{ name: realm, store }]

describe('Crossbar.io', () => {
  let crossbar: Crossbar
  let publisher: RouterPeer
  const peers: RouterPeer[] = []
  let request = 0

  const join = async (): Promise<RouterPeer> => {
    const peer = await RouterPeer.join({ url: crossbar.url, realm })
    peers.push(peer)
    return peer
  }

  const publish = async (topic: string, arg: unknown, options: object = {}): Promise<unknown> => {
    request += 1
    const asked = { acknowledge: true, ...options }
    const answer = await publisher.ask(16, request, asked, topic, [arg])
    expect(answer[0]).to.equal(17)
    return answer[2]
  }

  /** The first arguments of the events that have come. */
  const received = async (peer: RouterPeer): Promise<unknown[]> => {
    const messages = await peer.drain()
    return messages.filter(([type]) => type === 36).map(([, , , , args]) => (args as unknown[])[0])
  }

  before(async () => {
    crossbar = await startCrossbar((port) => openConfiguration(port, realms))
    publisher = await join()
  })
  after(async () => {
    for (const peer of peers) peer.cut()
    await crossbar?.stop()
  })

  it('sends the retained event at each SUBSCRIBE, under another publication id each time', async () => {
    const topic = 'com.example.retained'
    const publications = [await publish(topic, 'kept', { retain: true })]
    const subscriber = await join()
    const subscriptions: unknown[] = []
    for (const number of [1, 2]) {
      subscriptions.push((await subscriber.ask(32, number, { get_retained: true }, topic))[2])
      const [type, subscription, publication, details, args] = await subscriber.next()
      expect([type, subscription, args]).to.deep.equal([36, subscriptions[0], ['kept']])
      expect(details).to.include({ retained: true })
      publications.push(publication)
    }
    expect(new Set(subscriptions).size).to.equal(1)
    expect(new Set(publications).size).to.equal(3)
  })

  for (const match of ['prefix', 'wildcard']) {
    it(`sends no retained event to a subscription by ${match}`, async () => {
      const topic = `com.example.retained.${match}`
      await publish(topic, 'kept', { retain: true })
      const subscriber = await join()
      await subscriber.subscribe(topic, { match, get_retained: true })
      expect(await received(subscriber)).to.deep.equal([])
    })
  }

  it('passes nothing of a callee on after CANCEL in the mode killnowait', async () => {
    const uri = 'com.example.slow'
    const [callee, caller] = [await join(), await join()]
    await callee.register(uri)
    caller.send(48, 1, { receive_progress: true }, uri)
    const [, invocation] = await callee.next()
    callee.send(70, invocation, { progress: true }, ['in time'])
    expect((await caller.next()).slice(0, 2)).to.deep.equal([50, 1])
    const canceled = await caller.ask(49, 1, { mode: 'killnowait' })
    expect(canceled.slice(0, 5)).to.deep.equal([8, 48, 1, {}, 'wamp.error.canceled'])
    expect((await callee.next()).slice(0, 2)).to.deep.equal([69, invocation])
    callee.send(70, invocation, { progress: true }, ['late'])
    callee.send(70, invocation, {}, ['late'])
    await callee.drain()
    expect(await caller.drain()).to.deep.equal([])
  })

  describe('with an event history', () => {
    const history = async (topic: string): Promise<unknown> => {
      request += 1
      const found = await publisher.ask(48, request, {}, 'wamp.subscription.lookup', [topic])
      request += 1
      const ids = found[3] as unknown[]
      const procedure = 'wamp.subscription.get_events'
      const answer = await publisher.ask(48, request, {}, procedure, [ids[0], 100])
      if (answer[0] === 8) return answer[4]
      const [events] = answer[3] as [{ args: unknown[] }[]]
      return events.map(({ args }) => args[0])
    }

    it('keeps nothing while nobody is subscribed', async () => {
      const topic = 'com.example.kept.none'
      for (const number of [1, 2, 3]) await publish(topic, number)
      expect(await history(topic)).to.deep.equal([])
    })

    it('keeps an event once for each subscriber', async () => {
      const topic = 'com.example.kept.one'
      for (const subscriber of [await join(), await join()]) await subscriber.subscribe(topic)
      for (const number of [1, 2]) await publish(topic, number)
      expect(await history(topic)).to.deep.equal([2, 2, 1, 1])
    })

    it('loses events of its subscribers as soon as there are more than it keeps', async () => {
      const topic = 'com.example.kept.two'
      const subscribers = [await join(), await join()]
      for (const subscriber of subscribers) await subscriber.subscribe(topic)
      const count = 4 * limit
      for (let number = 0; number < count; number++) await publish(topic, number)
      const counts = await Promise.all(
        subscribers.map(async (subscriber) => (await received(subscriber)).length),
      )
      expect(Math.max(...counts)).to.equal(count)
      expect(Math.min(...counts)).to.be.lessThan(count)
    })
  })
})
