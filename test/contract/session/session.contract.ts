/** What every Session promises, whichever client, serializer and way to the router it has. */
import { expect } from 'chai'
import type { SerializerName } from '#component/codec/serializers.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { OpenLink } from '#component/wamp/link.ts'
import type { Payload } from '#component/wamp/session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { openRawSocketRouter } from '#test/support/peers/rawsocket-router.ts'
import { openEmbeddedRouter, openRouter } from '#test/support/peers/router.ts'
import { describeCalls } from './calls.contract.ts'
import { describeEvents } from './events.contract.ts'
import { describePayloads } from './payloads.contract.ts'
import { describeProgress } from './progress.contract.ts'
import { basics, failureOf, freshUri, nothing, type OpenSession } from './support.ts'
import { describeWatches } from './watch.contract.ts'
import { Watcher } from './watcher.ts'

/** A router, and how sessions get there. */
interface Way {
  readonly url: string
  /** The URL for raw peers, where it is another one. */
  readonly rawUrl?: string
  readonly openLink?: OpenLink
  stop(): Promise<void>
}

const overSocket = async (): Promise<Way> => {
  const router = await openRouter()
  return { url: router.url, stop: () => router.stop() }
}

const overRawSocket = async (): Promise<Way> => {
  const router = await openEmbeddedRouter()
  const front = await openRawSocketRouter(router.openLink)
  return {
    ...{ url: front.url, rawUrl: router.url },
    async stop() {
      await front.stop()
      await router.stop()
    },
  }
}

/** @param open makes the session under test; the other side is the other client on the same router */
function describeWay(
  name: string,
  open: OpenSession,
  serializer: SerializerName,
  openWay: () => Promise<Way>,
): void {
  describe(name, () => {
    let way: Way
    let session: SupervisedSession
    let other: SupervisedSession
    const pair = {
      get session() {
        return session
      },
      get other() {
        return other
      },
      get url() {
        return way.rawUrl ?? way.url
      },
    }

    before(async () => {
      way = await openWay()
      session = open({ ...basics, ...way, serializer })
      const openOther = open === requestSession ? componentSession : requestSession
      other = openOther({ ...basics, ...way, serializer })
      expect(await session.joined(4000)).to.equal(true)
      expect(await other.joined(4000)).to.equal(true)
    })
    after(async () => {
      await session.leave()
      await other.leave()
      await way.stop()
    })

    describePayloads(pair)
    describeCalls(pair)
    describeEvents(pair)
    describe('with watches', () => describeWatches(pair))
    describe('with progressive results', () => describeProgress(pair))

    it('fails at once after leaving', async () => {
      const brief = open({ ...basics, serializer, ...way })
      expect(await brief.joined(2000)).to.equal(true)
      const uri = freshUri()
      await other.register(uri, () => new Promise<Payload>(() => {}))
      const call = brief.call(uri, nothing, {}, 2000)
      const left = brief.leave()
      expect((await failureOf(call.result)).error_uri).to.equal('wamp.error.net_failure')
      await left
      const error = await failureOf(brief.call(uri, nothing, {}, 2000).result)
      expect(error.error_uri).to.equal('wamp.error.net_failure')
      expect(error.wasSent).to.equal(false)
    })

    it('ends its watches by leaving', async () => {
      const brief = open({ ...basics, serializer, ...way })
      expect(await brief.joined(2000)).to.equal(true)
      const [topic, watcher, pending] = [freshUri(), new Watcher(), new Watcher()]
      const watched = await brief.watch(topic, {}, 2000, watcher)
      const asked = brief.watch(freshUri(), {}, 2000, pending)
      const left = brief.leave()
      expect(watcher.told).to.deep.equal(['wamp.error.net_failure'])
      for (const refused of [asked, brief.watch(topic, {}, 2000, pending), watched.again({})]) {
        expect((await failureOf(refused)).error_uri).to.equal('wamp.error.net_failure')
      }
      watched.end()
      await left
      expect({ watcher: watcher.told, pending: pending.told }).to.deep.equal({
        watcher: ['wamp.error.net_failure'],
        pending: [],
      })
    })
  })
}

/** Over WebSockets with each serializer, over RawSocket, and over a link into the embedded router. */
export function describeSession(name: string, open: OpenSession): void {
  for (const serializer of ['json', 'msgpack', 'cbor'] as const) {
    describeWay(`${name}, ${serializer}, as a Session`, open, serializer, overSocket)
  }
  describeWay(`${name}, over RawSocket, as a Session`, open, 'msgpack', overRawSocket)
  describeWay(`${name}, in process, as a Session`, open, 'json', openEmbeddedRouter)
}
