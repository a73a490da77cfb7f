/** Streams whose router comes back with another mind: it refuses the session, or the topic. */
import { expect } from 'chai'
import { realm_uri } from '#test/contract/session/support.ts'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { testRealms } from '#test/support/examples/realms.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const refusedTopic = 'com.example.test.refused'
const otherTopic = 'com.example.test.other'
const refusal = 'wamp.error.not_authorized'

describe('a stream whose router was away', () => {
  let router: TestRouter
  let streams: StreamingGateway
  /** What the router refuses. */
  let refused: { topic?: string; login?: string }
  const opened: EventStream[] = []

  const open = async (path: string): Promise<EventStream> => {
    const events = await openEventStream(`${streams.gateway.url}/s${path}`)
    expect(events.status).to.equal(200)
    opened.push(events)
    return events
  }

  /** The router ends, and begins again when all streams know it. */
  const restart = async (changes: typeof refused) => {
    await router.kill()
    await untilHolds(() => opened.every(({ comments }) => comments.length > 0))
    refused = changes
    await router.restart()
  }

  const publish = async () => {
    expect(await streams.backend.joined(10_000)).to.equal(true)
    await streams.publish(otherTopic, { when: 'after' })
  }

  const endOf = async (events: EventStream): Promise<string> => {
    const { event, data } = await events.next()
    expect(event).to.equal('end')
    expect(await events.ended).to.equal(true)
    return JSON.parse(data).code
  }

  before(async () => {
    refused = {}
    router = await openEmbeddedRouter(testRealms, {
      isAllowed: (_member, action, uri) => action !== 'subscribe' || uri !== refused.topic,
      authenticate: async ({ realm }) =>
        refused.login === undefined || realm !== realm_uri
          ? { kind: 'welcome', authid: 'someone', authroles: ['anonymous'] }
          : { kind: 'refuse', reason: refused.login, message: 'not now' },
    })
    streams = await startStreams(
      {
        '/refused': subscribe({ topic: refusedTopic }),
        '/other': subscribe({ topic: otherTopic }),
      },
      { 'wamp.url': router.url },
    )
  })
  afterEach(async () => {
    for (const events of opened.splice(0)) events.close()
    refused = {}
    await untilHolds(async () => {
      const events = await openEventStream(`${streams.gateway.url}/s/other`)
      events.close()
      return events.status === 200
    })
  })
  after(async () => {
    await streams.stop()
    await router.stop()
  })

  it('ends when the topic is refused; those of other topics go on', async () => {
    const [gone, other] = [await open('/refused'), await open('/other')]
    await restart({ topic: refusedTopic })
    expect(await endOf(gone)).to.equal(refusal)
    expect((await other.next()).event).to.equal('gap')
    await publish()
    expect(JSON.parse((await other.next()).data)).to.deep.include({ kwargs: { when: 'after' } })
    const again = await openEventStream(`${streams.gateway.url}/s/refused`)
    expect(again.status).to.equal(403)
    again.close()
  })

  it('ends when the session is refused', async () => {
    const all = [await open('/refused'), await open('/other')]
    await restart({ login: 'wamp.error.authentication_failed' })
    expect(await Promise.all(all.map(endOf))).to.deep.equal([refusal, refusal])
  })

  it('waits while the router refuses the session for a reason that may pass', async () => {
    const events = await open('/other')
    await restart({ login: 'wamp.error.no_such_realm' })
    const asked = async () => (await fetch(`${streams.gateway.url}/s/refused`)).status
    expect(await asked()).to.equal(502)
    refused = {}
    expect((await events.next()).event).to.equal('gap')
    await publish()
    expect(JSON.parse((await events.next()).data)).to.deep.include({ kwargs: { when: 'after' } })
  })
})
