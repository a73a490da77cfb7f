/** Watches of a session whose router goes away, comes back, and has come to another judgement. */
import { expect } from 'chai'
import type { RealmPolicy } from '#component/router/ports.ts'
import type { Watch } from '#component/wamp/session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { testRealms } from '#test/support/examples/realms.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { basics, clients, failureOf, freshUri, nothing } from './support.ts'
import { Watcher } from './watcher.ts'

for (const [name, open] of clients) {
  describe(`the watches of a session of ${name} whose router goes away`, () => {
    let router: TestRouter
    /** What the router refuses. */
    let refused: { topic?: string; login?: string }
    const opened: SupervisedSession[] = []

    const join = async (): Promise<SupervisedSession> => {
      const session = open({ ...basics, url: router.url })
      opened.push(session)
      expect(await session.joined(4000)).to.equal(true)
      return session
    }

    const policy: Partial<RealmPolicy> = {
      isAllowed: (_member, action, uri) => action !== 'subscribe' || uri !== refused.topic,
      authenticate: async () =>
        refused.login === undefined
          ? { kind: 'welcome', authid: 'someone', authroles: ['anonymous'] }
          : { kind: 'refuse', reason: refused.login, message: 'not now' },
    }

    const publish = async (topic: string, arg: unknown): Promise<void> => {
      const publisher = await join()
      await publisher.publish(topic, { args: [arg], kwargs: {} }, {}, 2000)
    }

    beforeEach(async () => {
      refused = {}
      router = await openEmbeddedRouter(testRealms, policy)
    })
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((session) => session.leave()))
      await router.stop()
    })

    for (const [how, end] of [
      ['is killed', () => router.kill()],
      ['says GOODBYE', () => router.stop()],
    ] as const) {
      it(`are back when it ${how} and is there again, twice`, async () => {
        const session = await join()
        const [topic, exact, prefix] = [freshUri(), new Watcher(), new Watcher()]
        const watched = await session.watch(topic, {}, 2000, exact)
        await session.watch(topic, { match: 'prefix' }, 2000, prefix)
        for (const round of [1, 2]) {
          await end()
          await untilHolds(() => exact.told.at(-1) === 'lost')
          expect((await failureOf(watched.again({}))).error_uri).to.equal('wamp.error.net_failure')
          const other = session.watch(freshUri(), {}, 2000, new Watcher())
          expect(await failureOf(other)).to.include({ wasSent: false })
          await router.restart()
          await untilHolds(() => [exact, prefix].every(({ told }) => told.at(-1) === 'back'))
          await publish(topic, round)
          await untilHolds(() => [exact, prefix].every(({ told }) => told.at(-1) === round))
        }
        const told = ['lost', 'back', 1, 'lost', 'back', 2]
        expect({ exact: exact.told, prefix: prefix.told }).to.deep.equal({
          exact: told,
          prefix: told,
        })
      })
    }

    it('that are ended while it is away stay ended', async () => {
      const session = await join()
      const [topic, ended, kept] = [freshUri(), new Watcher(), new Watcher()]
      const watched = await session.watch(topic, {}, 2000, ended)
      await session.watch(topic, {}, 2000, kept)
      await router.kill()
      await untilHolds(() => !session.isOpen)
      watched.end()
      await router.restart()
      await publish(topic, 'back already').then(() => untilHolds(() => kept.told.includes('back')))
      expect(ended.told).to.deep.equal(['lost'])
    })

    it('ask for no retained event when they are back', async () => {
      const session = await join()
      const [topic, watcher] = [freshUri(), new Watcher()]
      await session.watch(topic, { get_retained: true }, 2000, watcher)
      await router.kill()
      await router.restart()
      const publisher = await join()
      const payload = { args: ['kept'], kwargs: {} }
      await publisher.publish(topic, payload, { retain: true }, 2000)
      await untilHolds(() => watcher.told.includes('back'))
      await publish(topic, 'live')
      await untilHolds(() => watcher.told.includes('live'))
      expect(watcher.events.some(({ isRetained }) => isRetained)).to.equal(false)
    })

    it('that it then refuses are over; the others are back', async () => {
      const session = await join()
      const [topic, over, back] = [freshUri(), new Watcher(), new Watcher()]
      const watched = await session.watch(topic, {}, 2000, over)
      await session.watch(freshUri(), {}, 2000, back)
      await router.kill()
      refused = { topic }
      await router.restart()
      await Promise.all([over.until(2), back.until(2)])
      expect({ over: over.told, back: back.told }).to.deep.equal({
        over: ['lost', 'wamp.error.not_authorized'],
        back: ['lost', 'back'],
      })
      watched.end()
      expect((await failureOf(watched.again({}))).error_uri).to.equal('wamp.error.net_failure')
    })

    it('are over when it does not let the session join again', async () => {
      const session = await join()
      const watcher = new Watcher()
      await session.watch(freshUri(), {}, 2000, watcher)
      await router.kill()
      refused = { login: 'wamp.error.authentication_failed' }
      await router.restart()
      await watcher.until(2)
      expect(watcher.told).to.deep.equal(['lost', 'wamp.error.not_authorized'])
    })

    it('wait while it refuses for a reason that may pass', async () => {
      const session = await join()
      const watcher = new Watcher()
      await session.watch(freshUri(), {}, 2000, watcher)
      await router.kill()
      refused = { login: 'wamp.error.no_such_procedure' }
      await router.restart()
      await untilHolds(() => session.lastReason === 'wamp.error.no_such_procedure')
      refused = {}
      await watcher.until(2)
      expect(watcher.told).to.deep.equal(['lost', 'back'])
    })
  })

  describe(`the watches of a session of ${name} whose grant changes`, () => {
    let router: TestRouter
    let session: SupervisedSession
    let isAllowed: boolean
    let watched: Watch
    const topic = freshUri()
    const watcher = new Watcher()

    before(async () => {
      isAllowed = true
      const judge = (_member: unknown, action: string) => action !== 'subscribe' || isAllowed
      router = await openEmbeddedRouter(testRealms, { isAllowed: judge })
      session = open({ ...basics, url: router.url })
      expect(await session.joined(4000)).to.equal(true)
      watched = await session.watch(topic, {}, 2000, watcher)
    })
    after(async () => {
      await session.leave()
      await router.stop()
    })

    it('learn by SUBSCRIBE again that it is taken away, and go on until they end', async () => {
      isAllowed = false
      const error = await failureOf(watched.again({}))
      expect(error.error_uri).to.equal('wamp.error.not_authorized')
      await session.publish(topic, { args: [1], kwargs: {} }, { exclude_me: false }, 2000)
      await watcher.until(1)
      watched.end()
      await session.publish(topic, nothing, { exclude_me: false }, 2000)
      const other = session.watch(topic, {}, 2000, watcher)
      expect((await failureOf(other)).error_uri).to.equal('wamp.error.not_authorized')
      expect(watcher.told).to.deep.equal([1])
    })

    it('are there when it is given back', async () => {
      isAllowed = true
      const again = new Watcher()
      await session.watch(topic, {}, 2000, again)
      await session.publish(topic, { args: [2], kwargs: {} }, { exclude_me: false }, 2000)
      await again.until(1)
      expect(again.told).to.deep.equal([2])
    })
  })
}
