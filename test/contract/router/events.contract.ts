/** The part of the router's suite on subscriptions and events. */
import { expect } from 'chai'
import type { RouterPeer } from './peer.ts'

type Join = (
  subprotocol?: string,
  details?: object,
) => Promise<RouterPeer & { readonly id: number }>

/** Runs it with peers of one router. */
export function describeEvents(join: Join): void {
  describe('a publication', () => {
    it('is acknowledged when it asks for that', async () => {
      const publisher = await join()
      const answer = await publisher.ask(16, 3, { acknowledge: true }, 'com.test.ack')
      expect(answer.slice(0, 2)).to.deep.equal([17, 3])
      expect(answer[2])
        .to.be.a('number')
        .within(1, 2 ** 53)
    })

    it('does not come back to its publisher unless it wants that', async () => {
      const peer = await join()
      const id = await peer.subscribe('com.test.self')
      peer.send(16, 1, {}, 'com.test.self')
      expect(await peer.drain()).to.deep.equal([])
      const event = await peer.ask(16, 2, { exclude_me: false }, 'com.test.self')
      expect(event.slice(0, 2)).to.deep.equal([36, id])
    })

    for (const [option, included] of [
      ['exclude', false],
      ['eligible', true],
    ] as const) {
      it(`reaches ${included ? 'only those' : 'none of those'} that ${option} lists`, async () => {
        const [publisher, listed, other] = [await join(), await join(), await join()]
        const topic = `com.test.${option}`
        await listed.subscribe(topic)
        await other.subscribe(topic)
        const options = { [option]: [listed.id], acknowledge: true }
        await publisher.ask(16, 1, options, topic, ['e'])
        const counts = [(await listed.drain()).length, (await other.drain()).length]
        expect(counts).to.deep.equal(included ? [1, 0] : [0, 1])
      })
    }

    it('reaches nobody when nobody is eligible', async () => {
      const [publisher, subscriber] = [await join(), await join()]
      await subscriber.subscribe('com.test.nobody')
      await publisher.ask(16, 1, { eligible_authrole: ['x'], acknowledge: true }, 'com.test.nobody')
      expect(await subscriber.drain()).to.deep.equal([])
    })

    it('of wamp.* is refused', async () => {
      const publisher = await join()
      const answer = await publisher.ask(16, 1, { acknowledge: true }, 'wamp.session.on_join')
      expect(answer[0]).to.equal(8)
    })

    it('is kept for later subscribers with retain', async () => {
      const [publisher, subscriber] = [await join(), await join()]
      const options = { retain: true, acknowledge: true }
      await publisher.ask(16, 1, options, 'com.test.retained', ['old'])
      await publisher.ask(16, 2, options, 'com.test.retained', ['new'])
      const id = await subscriber.subscribe('com.test.retained', { get_retained: true })
      const event = await subscriber.next()
      expect(event.slice(0, 2)).to.deep.equal([36, id])
      expect(event[3]).to.include({ retained: true })
      expect(event[4]).to.deep.equal(['new'])
      expect(await subscriber.drain()).to.deep.equal([])
    })
  })

  describe('a subscription', () => {
    it('is one for all who subscribe to the same', async () => {
      const [one, two] = [await join(), await join()]
      expect(await one.subscribe('com.test.shared')).to.equal(
        await two.subscribe('com.test.shared'),
      )
    })

    it('ends with UNSUBSCRIBE, once', async () => {
      const [peer, publisher] = [await join(), await join()]
      const id = await peer.subscribe('com.test.ends')
      expect(await peer.ask(34, 2, id)).to.deep.equal([35, 2])
      await publisher.ask(16, 1, { acknowledge: true }, 'com.test.ends')
      expect(await peer.drain()).to.deep.equal([])
      expect((await peer.ask(34, 3, id))[4]).to.equal('wamp.error.no_such_subscription')
    })

    for (const [match, pattern, topic, isReached] of [
      ['prefix', 'com.test.p', 'com.test.p.x', true],
      ['prefix', 'com.test.p', 'com.test.pq', true],
      ['prefix', 'com.test.p.', 'com.test.p', false],
      ['wildcard', 'com..w', 'com.test.w', true],
      ['wildcard', 'com..w', 'com.test.test.w', false],
      ['wildcard', 'com..w.', 'com.test.w.z', true],
      ['exact', 'com.test.e', 'com.test.e.f', false],
    ] as const) {
      it(`${pattern} (${match}) ${isReached ? 'is' : 'is not'} reached by ${topic}`, async () => {
        const [subscriber, publisher] = [await join(), await join()]
        await subscriber.subscribe(pattern, { match })
        await publisher.ask(16, 1, { acknowledge: true }, topic)
        const events = await subscriber.drain()
        const topics = events.map((event) => (event[3] as { topic: string }).topic)
        expect(topics).to.deep.equal(isReached ? [topic] : [])
      })
    }
  })
}
