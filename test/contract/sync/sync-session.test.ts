/** Gateways keep their registries equal over real sessions: on the embedded router, in process and over sockets, or on the router of the run. */
import { expect } from 'chai'
import type { OpenLink } from '#component/wamp/link.ts'
import { openProxy, type TestProxy } from '#test/contract/session/support.ts'
import { openEmbeddedRouter, openRouter } from '#test/support/peers/router.ts'
import { type RealNode, RealNodes } from './nodes.ts'

interface Way {
  readonly reach: { readonly url?: string; readonly openLink?: OpenLink }
  /** For proxies in front of it. */
  readonly url: string
  stop(): Promise<void>
}

const ways: readonly (readonly [string, () => Promise<Way>])[] = [
  [
    'over sockets',
    async () => {
      const router = await openRouter()
      return { reach: { url: router.url }, url: router.url, stop: () => router.stop() }
    },
  ],
  [
    'in process',
    async () => {
      const router = await openEmbeddedRouter()
      const { openLink, url } = router
      return { reach: { openLink }, url, stop: () => router.stop() }
    },
  ],
]

for (const [name, openWay] of ways) {
  describe(`the registries of gateways, ${name}`, () => {
    let way: Way
    let nodes: RealNodes
    let proxy: TestProxy | undefined

    beforeEach(async () => {
      way = await openWay()
      nodes = new RealNodes()
    })
    afterEach(async () => {
      await nodes.stop()
      proxy?.stop()
      proxy = undefined
      await way.stop()
    })

    const open = (node: string, reach = way.reach): Promise<RealNode> => nodes.open(node, reach)
    const textsOf = (id: string) => nodes.nodes.map((node) => node.textOf(id))

    it('tell each other what is loaded and deleted', async () => {
      const [a, b, c] = [await open('a'), await open('b'), await open('c')]
      await a.load('x', 'by a')
      await b.load('y', 'ä€😀')
      await nodes.untilEqual()
      expect(textsOf('x')).to.deep.equal(['by a', 'by a', 'by a'])
      expect(textsOf('y')).to.deep.equal(['ä€😀', 'ä€😀', 'ä€😀'])
      await c.load('x', null)
      await nodes.untilEqual()
      expect(textsOf('x')).to.deep.equal([null, null, null])
      const { ignored_messages, nodes: others, router } = a.sync.status()
      expect({ ignored_messages, router }).to.deep.equal({ ignored_messages: 0, router: 'joined' })
      expect(others.map(({ node }) => node)).to.deep.equal(['b', 'c'])
    })

    it('know at once who is there, and have all of it when they have caught up', async () => {
      const a = await open('a')
      expect(a.sync.isCaughtUp).to.equal(true)
      const large = 'ä'.repeat(2 * 1024 * 1024)
      await a.load('large', large)
      for (let count = 0; count < 150; count++) await a.load(`x${count}`, 'x'.repeat(10_000))
      await a.load('gone')
      await a.load('gone', null)
      const b = await open('b')
      expect(b.sync.isCaughtUp).to.equal(true)
      expect(b.replica.digest()).to.equal(a.replica.digest())
      expect(b.textOf('large') === large).to.equal(true)
      expect(b.textOf('gone')).to.equal(null)
      // the router has told them: none had to wait for beats
      expect([...a.complaints, ...b.complaints]).to.deep.equal([])
    })

    it('need no events: beats alone make them equal', async () => {
      const a = await nodes.open('a', way.reach, { losesEvents: true })
      const b = await nodes.open('b', way.reach, { losesEvents: true })
      await a.load('x', 'by a')
      await b.load('y', 'by b')
      await nodes.untilEqual()
      expect(textsOf('y')).to.deep.equal(['by b', 'by b'])
    })

    it('are equal again when one was cut off', async () => {
      const a = await open('a')
      proxy = await openProxy(way.url)
      const b = await open('b', { url: proxy.url })
      await a.load('x', 'one')
      await nodes.untilEqual()
      proxy.cut()
      await a.load('x', 'two')
      await b.load('y', 'of one who is away')
      await nodes.untilEqual()
      expect(textsOf('x')).to.deep.equal(['two', 'two'])
      expect(textsOf('y')).to.deep.equal(['of one who is away', 'of one who is away'])
    })

    it('are those of the last who came by a name, though the router has not missed the one before', async () => {
      proxy = await openProxy(way.url)
      const before = await open('a', { url: proxy.url })
      proxy.freeze()
      const heir = await open('a')
      await heir.load('x', 'by the heir')
      const b = await open('b')
      expect(b.sync.isCaughtUp).to.equal(true)
      expect(b.textOf('x')).to.equal('by the heir')
      expect(before.textOf('x')).to.equal(undefined)
    })
  })
}
