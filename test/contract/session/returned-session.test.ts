/** Sessions on a later router of a list that go back to the first: nothing that is under way is lost, and nothing is answered wrongly. */
import { expect } from 'chai'
import { Routers } from '#component/wamp/routers/routers.ts'
import type { Payload } from '#component/wamp/session.ts'
import type { SessionOptions } from '#component/wamp/session-options.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { basics, clients, freshUri, nothing } from './support.ts'
import { Watcher } from './watcher.ts'

const text = (word: string): Payload => ({ args: [word], kwargs: {} })

for (const [name, open] of clients) {
  describe(`sessions of ${name} that go back to the first router`, () => {
    let first: TestRouter
    let second: TestRouter
    let routers: Routers
    const opened: SupervisedSession[] = []

    const session = (options: Partial<SessionOptions> = {}) => {
      const made = open({ ...basics, routers, ...options })
      opened.push(made)
      return made
    }
    const join = async (options: Partial<SessionOptions> = {}) => {
      const made = session(options)
      expect(await made.joined(10_000)).to.equal(true)
      return made
    }
    const at = ({ url }: TestRouter) => join({ routers: new Routers([url]) })
    const called = async (caller: SupervisedSession, uri: string) =>
      (await caller.call(uri, nothing, {}, 5000).result).args[0]
    /** The first is lost and there again, and the sessions are on the second. */
    const away = async (sessions: readonly SupervisedSession[]) => {
      await first.kill()
      await untilHolds(() => !routers.isFirst && sessions.every(({ isOpen }) => isOpen))
      await first.restart()
    }

    beforeEach(async () => {
      first = await openEmbeddedRouter()
      second = await openEmbeddedRouter()
      routers = new Routers([first.url, second.url])
    })
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((each) => each.leave()))
      await first.stop()
      await second.stop()
    })

    it('answer and end on the second what is under way there, and call on the first from then on', async () => {
      const each = await join()
      const [asked, asking, where] = [freshUri(), freshUri(), freshUri()]
      const answers: ((answer: Payload) => void)[] = []
      const wait = () => new Promise<Payload>((resolve) => answers.push(resolve))
      await each.register(asked, wait)
      await away([each])
      const [one, two] = [await at(first), await at(second)]
      for (const [peer, word] of [
        [one, 'one'],
        [two, 'two'],
      ] as const) {
        await peer.register(where, () => text(word))
      }
      await two.register(asking, wait)
      await untilHolds(() => called(each, where).then((word) => word === 'two'))
      const out = each.call(asking, nothing, {}, 60_000).result
      await untilHolds(() => answers.length === 1)
      const incoming = two.call(asked, nothing, {}, 60_000).result
      await untilHolds(() => answers.length === 2)
      await routers.return()
      expect(routers.isFirst).to.equal(true)
      expect(each.isOpen).to.equal(true)
      await untilHolds(() => called(each, where).then((word) => word === 'one'))
      const again = one.call(asked, nothing, {}, 60_000).result
      await untilHolds(() => answers.length === 3)
      expect(each.pending).to.equal(1)
      for (const [index, answer] of answers.entries()) answer(text(`answer ${index}`))
      const words = (await Promise.all([out, incoming, again])).map(({ args }) => args[0])
      expect(words).to.deep.equal(['answer 0', 'answer 1', 'answer 2'])
      expect(each.pending).to.equal(0)
    })

    it('never miss a call meanwhile', async () => {
      const [callee, caller] = [await join(), await join()]
      const own = freshUri()
      await callee.register(own, () => text('own'))
      await away([callee, caller])
      await untilHolds(() => called(callee, own).then((word) => word === 'own'))
      const [elsewhere, where] = [freshUri(), freshUri()]
      const peers = [await at(first), await at(second)]
      for (const peer of peers) await peer.register(elsewhere, () => text('elsewhere'))
      await callee.register(where, () => text('own'))
      const failures: unknown[] = []
      let calls = 0
      let isOver = false
      const load = (each: SupervisedSession, uri: string, word: string) =>
        (async () => {
          while (!isOver) {
            calls += 1
            const answer = await called(each, uri).catch((error: unknown) => error)
            if (answer !== word) failures.push(answer)
          }
        })()
      const loads = [load(callee, own, 'own'), load(caller, elsewhere, 'elsewhere')]
      await untilHolds(() => calls > 50)
      await routers.return()
      const before = calls
      await untilHolds(() => calls > before + 50)
      isOver = true
      await Promise.all(loads)
      expect(failures).to.deep.equal([])
      expect(await called(await at(first), where)).to.equal('own')
    })

    it('tell watches of the move, which have the events of the first then', async () => {
      const each = await join()
      const [topic, watcher] = [freshUri(), new Watcher()]
      await each.watch(topic, {}, 2000, watcher)
      await away([each])
      await untilHolds(() => watcher.told.length === 2)
      await routers.return()
      await untilHolds(() => watcher.told.length === 4)
      await (await at(first)).publish(topic, text('news'), {}, 2000)
      await untilHolds(() => watcher.told.length === 5)
      await (await at(second)).publish(topic, text('old news'), {}, 2000)
      await (await at(first)).publish(topic, text('more'), {}, 2000)
      await untilHolds(() => watcher.told.length === 6)
      expect(watcher.told.map(String).join()).to.not.contain('old news')
    })

    it('stay where they are when the first is lost again, and go on', async () => {
      const each = await join()
      const procedure = freshUri()
      await each.register(procedure, () => text('own'))
      await away([each])
      await untilHolds(() => called(each, procedure).then((word) => word === 'own'))
      await first.kill()
      await routers.return()
      expect([routers.isFirst, each.isOpen]).to.deep.equal([false, true])
      expect(await called(each, procedure)).to.equal('own')
      await first.restart()
    })

    it('stay where the first refuses them, while the others go back', async () => {
      const other = 'com.example.returned'
      await second.stop()
      second = await openEmbeddedRouter([basics.realm_uri, other])
      routers = new Routers([first.url, second.url])
      const each = await join()
      await away([each])
      const alone = await join({ realm_uri: other })
      await routers.return()
      expect([routers.isFirst, each.isOpen, alone.isOpen]).to.deep.equal([true, true, true])
      await alone.publish(freshUri(), nothing, {}, 2000)
    })
  })
}
