/** Sessions and trace contexts: a session knows whether its router passes one on, and its watches, whose events clients see, show none. */
import { expect } from 'chai'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { basics, clients, freshUri, nothing } from './support.ts'
import { Watcher } from './watcher.ts'

const _traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const context = { _traceparent, _tracestate: 'vendor=1' }

for (const [name, open] of clients) {
  describe(`${name} on the embedded router`, () => {
    let router: TestRouter
    before(async () => {
      router = await openEmbeddedRouter()
    })
    after(() => router.stop())

    for (const [way, to] of [
      ['over a socket', () => ({ url: router.url })],
      ['in process', () => ({ openLink: router.openLink })],
    ] as const) {
      it(`passes a trace context on to callees ${way}`, async () => {
        const session = open({ ...basics, ...to() })
        expect(session.passesTraceContext).to.equal(false)
        expect(await session.joined(4000)).to.equal(true)
        expect(session.passesTraceContext).to.equal(true)
        const uri = freshUri()
        await session.register(uri, (_payload, { details }) => ({ args: [details], kwargs: {} }))
        const { args } = await session.call(uri, nothing, context, 4000).result
        expect(args[0]).to.include(context)
        await session.leave()
      })
    }

    it('tells subscribers of its own of the context of a publication, and watches not', async () => {
      const session = open({ ...basics, url: router.url })
      expect(await session.joined(4000)).to.equal(true)
      const [topic, watcher] = [freshUri(), new Watcher()]
      const told = Promise.withResolvers<unknown>()
      await session.subscribe(topic, (_payload, { details }) => told.resolve(details))
      const watch = await session.watch(topic, {}, 4000, watcher)
      await session.publish(topic, nothing, { ...context, exclude_me: false }, 4000)
      expect(await told.promise).to.include(context)
      await watcher.until(1)
      expect(watcher.events[0]?.details).to.deep.equal({})
      watch.end()
      await session.leave()
    })
  })
}
