/** Sessions whose router is one of a list: the first that answers, and the next one once it is lost; all sessions on the same one. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import { Routers } from '#component/wamp/routers/routers.ts'
import type { Payload } from '#component/wamp/session.ts'
import type { SessionOptions } from '#component/wamp/session-options.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { freePort } from '#test/support/free-port.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { basics, clients, failureOf, freshUri, nothing } from './support.ts'
import { Watcher } from './watcher.ts'

for (const [name, open] of clients) {
  describe(`sessions of ${name} with a list of routers`, () => {
    let first: TestRouter
    let second: TestRouter
    const opened: SupervisedSession[] = []

    const session = (routers: Routers, options: Partial<SessionOptions> = {}) => {
      const made = open({ ...basics, routers, ...options })
      opened.push(made)
      return made
    }
    const join = async (routers: Routers, options: Partial<SessionOptions> = {}) => {
      const made = session(routers, options)
      expect(await made.joined(10_000)).to.equal(true)
      return made
    }
    /** Whether a session is on this router: only there its procedure is known. */
    const isOn = async (each: SupervisedSession, { url }: TestRouter) => {
      const uri = freshUri()
      await each.register(uri, (payload) => payload)
      const caller = await join(new Routers([url]))
      return await caller.call(uri, nothing, {}, 2000).result.then(
        () => true,
        () => false,
      )
    }
    const nowhere = async () => `ws://127.0.0.1:${await freePort()}/ws`

    beforeEach(async () => {
      first = await openEmbeddedRouter()
      second = await openEmbeddedRouter()
    })
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((each) => each.leave()))
      await first.stop()
      await second.stop()
    })

    it('are on the first that answers, which the first attempt to join waits for', async () => {
      const routers = new Routers([await nowhere(), await nowhere(), second.url])
      const each = session(routers)
      expect(await each.joined(10_000, (reason) => reason !== '')).to.equal(true)
      expect(await isOn(each, second)).to.equal(true)
    })

    it('fail to join once each router has been tried', async () => {
      const each = session(new Routers([await nowhere(), await nowhere()]))
      expect(await each.joined(10_000, (reason) => reason !== '')).to.equal(false)
      expect(each.lastReason).to.contain('ECONNREFUSED')
    })

    for (const [how, end] of [
      ['is killed', (router: TestRouter) => router.kill()],
      ['says GOODBYE', (router: TestRouter) => router.stop()],
    ] as const) {
      it(`go to the next one together when theirs ${how}, with what they have registered and watched`, async () => {
        const routers = new Routers([first.url, second.url])
        const sessions = await Promise.all([join(routers), join(routers), join(routers)])
        const [callee, caller, publisher] = sessions
        const [procedure, topic, watcher] = [freshUri(), freshUri(), new Watcher()]
        await callee.register(procedure, (payload: Payload) => payload)
        await caller.watch(topic, {}, 2000, watcher)
        await end(first)
        await untilHolds(() => sessions.every(({ isOpen }) => !isOpen))
        await untilHolds(() => sessions.every(({ isOpen }) => isOpen))
        expect(routers.url).to.equal(second.url)
        await untilHolds(() =>
          caller.call(procedure, nothing, {}, 2000).result.then(
            () => true,
            () => false,
          ),
        )
        await untilHolds(() => watcher.told.length >= 2)
        await publisher.publish(topic, nothing, {}, 2000)
        await untilHolds(() => watcher.told.length >= 3)
      })
    }

    it('come back to the first when the second is lost', async () => {
      const routers = new Routers([first.url, second.url])
      const each = await join(routers)
      await first.kill()
      await untilHolds(() => each.isOpen && routers.url === second.url)
      await first.restart()
      await second.kill()
      await untilHolds(() => each.isOpen && routers.url === first.url)
      expect(await isOn(each, first)).to.equal(true)
      await second.restart()
    })

    it('are not moved by a router that refuses them', async () => {
      const routers = new Routers([first.url, second.url])
      const refused = session(routers, { realm_uri: 'com.example.none' })
      expect(await refused.joined(4000, (reason) => reason !== '')).to.equal(false)
      expect(refused.lastReason).to.equal('wamp.error.no_such_realm')
      expect(routers.url).to.equal(first.url)
    })

    it('fail what is under way on a router that is lost, and never say it on the next one', async () => {
      const routers = new Routers([first.url, second.url])
      const each = await join(routers)
      const uri = freshUri()
      let calls = 0
      await each.register(uri, () => {
        calls += 1
        return new Promise<Payload>(() => {})
      })
      const { result } = each.call(uri, nothing, {}, 60_000)
      await untilHolds(() => calls === 1)
      await first.kill()
      expect((await failureOf(result)).error_uri).to.equal('wamp.error.net_failure')
      await untilHolds(() => each.isOpen)
      expect(calls).to.equal(1)
    })

    it('log each reason of each router once, without user names, passwords and queries', async () => {
      const lines: string[] = []
      const log = openLog('debug', { write: (line: string) => lines.push(line) })
      const [a, b] = [await freePort(), await freePort()]
      const routers = new Routers([
        `ws://joe:secret@127.0.0.1:${a}/ws?token=secret`,
        `ws://127.0.0.1:${b}/ws`,
      ])
      session(routers, { log })
      const seen = (level: string) =>
        lines.map((line) => JSON.parse(line)).filter((line) => line.level === level)
      await untilHolds(() => seen('debug').length >= 2)
      expect(seen('warn').map(({ router }) => router)).to.deep.equal([
        `ws://127.0.0.1:${a}/ws`,
        `ws://127.0.0.1:${b}/ws`,
      ])
      expect(lines.join('')).to.not.contain('secret').and.not.contain('joe')
    })
  })
}
