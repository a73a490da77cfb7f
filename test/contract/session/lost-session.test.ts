/** What a session does when its router goes away, and when it is back: nothing hangs, nothing is sent twice, all is registered again. */
import { createServer } from 'node:http'
import { expect } from 'chai'
import type { Payload } from '#component/wamp/session.ts'
import type { SessionOptions } from '#component/wamp/session-options.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import {
  basics,
  clients,
  failureOf,
  freshUri,
  nothing,
  openProxy,
  type TestProxy,
  untilTrue,
} from './support.ts'

for (const [name, open] of clients) {
  describe(`a session of ${name} whose router goes away`, () => {
    let router: TestRouter
    let proxy: TestProxy | undefined
    const opened: SupervisedSession[] = []

    const join = async (options: Partial<SessionOptions> = {}): Promise<SupervisedSession> => {
      const session = open({ ...basics, url: router.url, ...options })
      opened.push(session)
      expect(await session.joined(4000)).to.equal(true)
      return session
    }

    beforeEach(async () => {
      router = await openEmbeddedRouter()
    })
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((session) => session.leave()))
      proxy?.stop()
      proxy = undefined
      await router.stop()
    })

    for (const [how, end] of [
      ['is killed', (router: TestRouter) => router.kill()],
      ['says GOODBYE', (router: TestRouter) => router.stop()],
    ] as const) {
      for (const way of ['socket', 'link'] as const) {
        it(`settles 1,000 calls at once when it ${how} (${way})`, async () => {
          const { openLink } = router
          const options = way === 'link' && openLink ? { openLink } : {}
          const session = await join(options)
          const uri = freshUri()
          await session.register(uri, () => new Promise<Payload>(() => {}))
          const calls = Array.from({ length: 1000 }, () => session.call(uri, nothing, {}, 60_000))
          const publication = session.publish(uri, nothing, {}, 60_000)
          expect(session.pending).to.equal(1001)
          const ended = end(router)
          for (const { result } of calls) {
            const error = await failureOf(result)
            expect(error.error_uri).to.equal('wamp.error.net_failure')
            expect(error.wasSent).to.equal(true)
            expect(error.kwargs).to.deep.equal({
              code: 'wamp.error.net_failure',
              message: 'the session with the router was lost; the request may have been executed',
              description: 'The WAMP router cannot be reached.',
            })
          }
          await publication.catch(() => undefined)
          expect(session.pending).to.equal(0)
          await ended
        })
      }

      it(`joins, registers and subscribes again when it ${how} and is back, twice`, async () => {
        let joins = 0
        const session = await join({ onJoin: () => joins++ })
        const [procedure, topic] = [freshUri(), freshUri()]
        let events = 0
        await session.register(procedure, (payload) => payload)
        await session.subscribe(topic, () => events++)
        for (const round of [2, 3]) {
          await end(router)
          await untilHolds(() => !session.isOpen)
          await router.restart()
          await untilHolds(() => joins === round)
          const caller = await join()
          await caller.call(procedure, nothing, {}, 1000).result
          await caller.publish(topic, nothing, {}, 1000)
          await untilHolds(() => events === round - 1)
        }
      })
    }

    it('never executes a call that was made while it was away', async () => {
      const session = await join()
      const uri = freshUri()
      let invocations = 0
      await session.register(uri, (payload) => {
        invocations++
        return payload
      })
      await router.kill()
      await untilHolds(() => !session.isOpen)
      const error = await failureOf(session.call(uri, nothing, {}, 1000).result)
      expect(error.error_uri).to.equal('wamp.error.net_failure')
      expect(error.wasSent).to.equal(false)
      expect((await failureOf(session.publish(uri, nothing, {}, 1000))).wasSent).to.equal(false)
      await router.restart()
      const caller = await join()
      await untilTrue(() => caller.call(uri, nothing, {}, 1000).result.then(() => true))
      expect(invocations).to.equal(1)
    })

    it('keeps what was registered while it was away for the next join', async () => {
      const session = await join()
      await router.kill()
      await untilHolds(() => !session.isOpen)
      const uri = freshUri()
      await session.register(uri, (payload) => payload)
      await router.restart()
      const caller = await join()
      await untilTrue(() => caller.call(uri, nothing, {}, 1000).result.then(() => true))
    })

    it('registers as soon as the router has forgotten the former session', async () => {
      const uri = freshUri()
      const squatter = await join()
      proxy = await openProxy(router.url)
      const session = await join({ url: proxy.url })
      await session.register(uri, () => ({ args: ['mine'], kwargs: {} }))
      proxy.cut()
      await untilHolds(() => !session.isOpen)
      // until the router has noticed the cut
      await untilTrue(() => squatter.register(uri, () => nothing).then(() => true))
      expect(await session.joined(4000)).to.equal(true)
      await squatter.leave()
      const caller = await join()
      await untilTrue(async () => {
        const { args } = await caller.call(uri, nothing, {}, 1000).result
        return args[0] === 'mine'
      })
    })

    it('notices a link that is half open, and joins over another', async () => {
      proxy = await openProxy(router.url)
      const session = await join({ url: proxy.url, linkCheckMs: 100 })
      const call = session.call(freshUri(), nothing, {}, 60_000)
      await call.result.catch(() => undefined)
      proxy.freeze()
      const lost = session.call(freshUri(), nothing, {}, 60_000)
      expect((await failureOf(lost.result)).error_uri).to.equal('wamp.error.net_failure')
      expect(session.lastReason).to.equal('the link is silent')
    })

    it('keeps a quiet link that is alive', async () => {
      let joins = 0
      const pinged = await openProxy(router.url)
      proxy = pinged
      const session = await join({ url: pinged.url, linkCheckMs: 200, onJoin: () => joins++ })
      const before = pinged.chunks
      await untilHolds(() => pinged.chunks > before + 4)
      expect(session.isOpen).to.equal(true)
      expect(joins).to.equal(1)
    })

    it('gives a host that says nothing up at the deadline, and tries again', async () => {
      proxy = await openProxy(undefined)
      const session = open({ ...basics, url: proxy.url, joinTimeoutMs: 50 })
      opened.push(session)
      const { taken } = proxy
      await untilHolds(() => (proxy?.taken ?? 0) > taken + 1)
      expect(session.lastReason).to.equal('the router did not send WELCOME in time')
    })

    it('goes on trying after ABORT', async () => {
      const session = open({ ...basics, url: router.url, realm_uri: 'com.example.nowhere' })
      opened.push(session)
      let ends = 0
      const isFinal = () => ++ends > 3
      expect(await session.joined(4000, isFinal)).to.equal(false)
      expect(session.lastReason).to.equal('wamp.error.no_such_realm')
    })

    it('sends the header fields it was given', async () => {
      const server = createServer()
      const seen = new Promise<string | undefined>((resolve) => {
        server.on('upgrade', (request, socket) => {
          resolve(request.headers['x-gateway']?.toString())
          socket.destroy()
        })
      })
      server.listen(0, '127.0.0.1')
      await untilHolds(() => server.listening)
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : 0
      const url = `ws://127.0.0.1:${port}`
      opened.push(open({ ...basics, url, headers: { 'x-gateway': 'node-1' } }))
      expect(await seen).to.equal('node-1')
      server.close()
    })

    it('writes the calls of one turn in one piece', async () => {
      proxy = await openProxy(router.url)
      const session = await join({ url: proxy.url })
      const uri = freshUri()
      await session.register(uri, (payload) => payload)
      const before = proxy.chunks
      const calls = Array.from({ length: 50 }, () => session.call(uri, nothing, {}, 1000).result)
      await Promise.all(calls)
      // the calls, and what the session answers as callee
      expect(proxy.chunks - before).to.be.lessThan(10)
    })
  })
}
