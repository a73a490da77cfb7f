/** Watches of a session, message by message: late answers, answers that cross requests, and doubtful refusals. */
import { expect } from 'chai'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { clients, failureOf } from '#test/contract/session/support.ts'
import { Watcher } from '#test/contract/session/watcher.ts'
import { settled } from '#test/unit/action/doubles.ts'
import { ToldRouter } from './told-router.ts'

const topic = 'com.example.topic'
const [subscribe, subscribed, unsubscribe, unsubscribed, event] = [32, 33, 34, 35, 36]

for (const [name, open] of clients) {
  describe(`the watches of a session of ${name}`, () => {
    let router: ToldRouter
    let session: SupervisedSession
    let watcher: Watcher

    const watch = (other = watcher, options: object = {}) =>
      session.watch(topic, { ...options }, 1000, other)
    /** SUBSCRIBED for the last SUBSCRIBE. */
    const confirm = (id: number) => router.say(subscribed, router.request(subscribe), id)
    /** ERROR for the last SUBSCRIBE. */
    const refuse = (uri: string) => router.say(8, subscribe, router.request(subscribe), {}, uri)
    const publish = (id: number, arg: unknown) => router.say(event, id, 1, {}, [arg])

    /** A watch of its own that the router has confirmed. */
    const watched = async (id: number, options: object = {}) => {
      const asked = watch(watcher, options)
      confirm(id)
      return await asked
    }

    beforeEach(async () => {
      router = new ToldRouter()
      session = open(router.options)
      watcher = new Watcher()
      await router.welcome()
    })
    afterEach(async () => {
      const left = session.leave()
      await router.clock.advance(2000)
      await left
    })

    it('send SUBSCRIBE with their options, and take the events right behind SUBSCRIBED', async () => {
      const asked = watch(watcher, { get_retained: true, _x: 1 })
      expect(router.received(subscribe)).to.deep.equal([
        [subscribe, router.request(subscribe), { get_retained: true, _x: 1 }, topic],
      ])
      confirm(7)
      publish(7, 'at once')
      expect(watcher.told).to.deep.equal(['at once'])
      await asked
    })

    it('take no event before SUBSCRIBED, and none of another subscription', async () => {
      const asked = watch()
      publish(7, 'early')
      confirm(7)
      publish(8, 'of another')
      await asked
      expect(watcher.told).to.deep.equal([])
    })

    it('that are confirmed too late are undone', async () => {
      const failed = failureOf(watch())
      await router.clock.advance(1000)
      expect((await failed).error_uri).to.equal('service.error.timeout')
      confirm(7)
      publish(7, 'for nobody')
      expect(router.received(unsubscribe)).to.deep.equal([
        [unsubscribe, router.request(unsubscribe), 7],
      ])
      expect(watcher.told).to.deep.equal([])
    })

    it('that are confirmed too late leave the others of the topic alone', async () => {
      await watched(7)
      const late = new Watcher()
      const failed = failureOf(watch(late))
      await router.clock.advance(1000)
      await failed
      confirm(7)
      publish(7, 1)
      expect(router.received(unsubscribe)).to.deep.equal([])
      expect({ told: watcher.told, late: late.told }).to.deep.equal({ told: [1], late: [] })
    })

    for (const [how, answer, unsubscribes] of [
      ['is confirmed', () => confirm(7), 0],
      ['is refused', () => refuse('wamp.error.not_authorized'), 1],
    ] as const) {
      it(`end without taking the topic from one that is asked for and ${how}`, async () => {
        const first = await watched(7)
        const other = new Watcher()
        const asked = watch(other).catch(() => undefined)
        first.end()
        expect(router.received(unsubscribe)).to.have.length(0)
        answer()
        await asked
        expect(router.received(unsubscribe)).to.have.length(unsubscribes)
        publish(7, 1)
        expect(watcher.told).to.deep.equal([])
        expect(other.told).to.have.length(1 - unsubscribes)
      })
    }

    it('end while they ask again', async () => {
      const one = await watched(7)
      const asked = one.again({})
      one.end()
      confirm(7)
      await asked
      publish(7, 1)
      expect(router.received(unsubscribe)).to.have.length(1)
      expect(watcher.told).to.deep.equal([])
    })

    it('ask again with their standing options, and those that are given', async () => {
      const one = await watched(7, { match: 'prefix', get_retained: true, _x: 1 })
      const asked = one.again({ get_retained: false })
      confirm(7)
      await asked
      expect(router.received(subscribe).at(-1)?.slice(2)).to.deep.equal([
        { match: 'prefix', get_retained: false, _x: 1 },
        topic,
      ])
    })

    it('follow the router to another id of the subscription', async () => {
      const one = await watched(7)
      const asked = one.again({})
      confirm(8)
      await asked
      publish(7, 'old')
      publish(8, 'new')
      expect(watcher.told).to.deep.equal(['new'])
    })

    it('ask again in vain when the router does not respond in time, and go on', async () => {
      const one = await watched(7)
      const failed = failureOf(one.again({}, 500))
      await router.clock.advance(500)
      expect((await failed).error_uri).to.equal('service.error.timeout')
      publish(7, 1)
      expect(watcher.told).to.deep.equal([1])
    })

    it('subscribe again after a revocation', async () => {
      await watched(7)
      router.say(unsubscribed, 0, { subscription: 7, reason: 'wamp.subscription.revoked' })
      publish(7, 'lost')
      expect(router.received(subscribe)).to.have.length(2)
      confirm(8)
      publish(8, 1)
      expect(watcher.told).to.deep.equal(['lost', 'back', 1])
    })

    it('subscribe again after a rejoin, without get_retained, and are back before events', async () => {
      await watched(7, { get_retained: true })
      await router.drop()
      await router.welcome()
      expect(router.received(subscribe)[0]?.[2]).to.deep.equal({})
      publish(7, 'of an id of old')
      confirm(9)
      publish(9, 1)
      expect(watcher.told).to.deep.equal(['lost', 'back', 1])
    })

    it('subscribe again until the router answers', async () => {
      await watched(7)
      await router.drop()
      await router.welcome()
      await router.clock.advance(59_000)
      expect(router.received(subscribe)).to.have.length(1)
      await router.clock.advance(121_000)
      expect(router.received(subscribe).length).to.be.greaterThan(2)
      confirm(9)
      publish(9, 1)
      expect(watcher.told).to.deep.equal(['lost', 'back', 1])
    })

    it('are over at once when the router says no after a rejoin', async () => {
      await watched(7)
      await router.drop()
      await router.welcome()
      refuse('wamp.error.not_authorized')
      await settled()
      expect(watcher.told).to.deep.equal(['lost', 'wamp.error.not_authorized'])
      await router.clock.advance(30_000)
      expect(router.received(subscribe)).to.have.length(1)
    })

    /** The router has been away for long. */
    const dropForLong = async () => {
      await router.drop()
      await router.clock.advance(60_000)
    }

    it('do not believe for 10 s that the authorization fails: the authorizer may join yet', async () => {
      await watched(7)
      await dropForLong()
      await router.welcome()
      for (let round = 0; round < 6; round++) {
        refuse('wamp.error.authorization_failed')
        await router.clock.advance(1500)
      }
      expect(watcher.told).to.deep.equal(['lost'])
      confirm(9)
      publish(9, 1)
      expect(watcher.told).to.deep.equal(['lost', 'back', 1])
    })

    it('believe it after 10 s', async () => {
      await watched(7)
      await dropForLong()
      await router.welcome()
      for (let round = 0; round < 8; round++) {
        refuse('wamp.error.authorization_failed')
        await router.clock.advance(1500)
      }
      expect(watcher.told).to.deep.equal(['lost', 'wamp.error.authorization_failed'])
    })

    it('wait for a session that is not let in for 10 s at most, if the reason may pass', async () => {
      await watched(7)
      await dropForLong()
      for (let round = 0; round < 6; round++) {
        router.say(3, {}, 'wamp.error.no_such_realm')
        await router.clock.advance(1500)
      }
      expect(watcher.told).to.deep.equal(['lost'])
      for (let round = 0; round < 2; round++) {
        router.say(3, {}, 'wamp.error.no_such_realm')
        await router.clock.advance(1500)
      }
      expect(watcher.told).to.deep.equal(['lost', 'wamp.error.no_such_realm'])
    })

    it('leave no timer behind', async () => {
      const one = await watched(7)
      one.end()
      expect(router.clock.pending).to.equal(0)
    })
  })
}
