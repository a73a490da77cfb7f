/** Streams end with what they are served by: their document and their gateway; and come back behind the event that they had last. */
import { expect } from 'chai'
import type { EventStream } from '#test/support/event-stream.ts'
import { shopDocument } from '#test/support/examples/example-api.ts'
import {
  endOf,
  expectAlive,
  liveDocument,
  liveRealm,
  manage,
  publish,
  type Way,
  watch,
  within,
} from '#test/support/examples/live-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { heldTimer } from '#test/support/running/held-timer.ts'

/** A document of its own with one stream, of the topic of the shop's. */
const otherDocument = {
  ...liveDocument(),
  id: 'com.example.other',
  versions: {
    one: {
      base_path: '/other',
      paths: {
        '/news': {
          security: {},
          get: {
            action: { type: 'wamp_subscribe', topic: 'com.example.live.news' },
            response: { on_event: { body: '{{action.event.kwargs}}' }, on_error: {} },
          },
        },
      },
    },
  },
}

/** Milliseconds; in truth the delay ends when the test says so. */
const drainDelay = 3_600_000
const delayed = heldTimer(drainDelay)

describe('a stream', () => {
  let gateway: TestGateway
  let open: EventStream[]

  const load = async (document: unknown) => {
    const { status, body } = await gateway.load(document)
    expect(status, JSON.stringify(body)).to.be.within(200, 201)
  }

  beforeEach(async () => {
    open = []
    gateway = await startGateway({}, { clock: delayed.clock, isEmbedded: true })
    await manage(gateway.adminUrl, '/realms', liveRealm())
    await load(liveDocument())
  })
  afterEach(async () => {
    for (const stream of open) stream.close()
    await gateway.stop()
  })

  /** A stream that has shown an event. */
  async function watched(way: Way, headers?: Readonly<Record<string, string>>) {
    const stream = await watch(gateway.url, way, headers)
    open.push(stream)
    await expectAlive(gateway.url, stream)
    return stream
  }

  const ended = (stream: EventStream) => within('the end', endOf(stream))

  it('is told that its document was loaded again, and comes back to the same source without a loss', async () => {
    const stream = await watch(gateway.url, 'open')
    open.push(stream)
    await publish(gateway.url, { n: 1 })
    const { id = '' } = await stream.next()
    await load(liveDocument({}, { description: 'the next version' }))
    expect(await ended(stream)).to.equal('reloaded')
    await publish(gateway.url, { n: 2 })
    const next = await watch(gateway.url, 'open', { 'last-event-id': id })
    open.push(next)
    const event = await within('the event of meanwhile', next.next())
    expect([event.event, event.data]).to.deep.equal([undefined, '{"n":2}'])
    expect(event.id?.split('-')[1], 'the same source').to.equal(id.split('-')[1])
  })

  it('does not notice that other documents are loaded, or deleted', async () => {
    const stream = await watched('open')
    await load(otherDocument)
    await load({ ...otherDocument, name: 'the next version' })
    await manage(gateway.adminUrl, `/api_specs/${otherDocument.id}`, undefined, 'DELETE')
    await expectAlive(gateway.url, stream)
  })

  for (const [what, change] of [
    [
      'its document is deleted',
      () => manage(gateway.adminUrl, `/api_specs/${shopDocument.id}`, undefined, 'DELETE'),
    ],
    ['its version is deactivated', () => load(liveDocument({}, { is_active: false }))],
    ['its path is gone', () => load(liveDocument({ open: undefined }))],
  ] as const) {
    it(`is told gone when ${what}, and does not come back`, async () => {
      await load(otherDocument)
      const stream = await watched('open')
      await change()
      expect(await ended(stream)).to.equal('gone')
      expect((await send(gateway.url, '/shop/live/open')).status).to.equal(404)
    })
  }

  it('goes on during the drain delay, is then told draining, and no other one begins', async () => {
    const streams = [await watched('open'), await watched('open')]
    const stopped = gateway.component.stop(drainDelay)
    for (const stream of streams) await expectAlive(gateway.url, stream)
    delayed.end()
    for (const stream of streams) expect(await ended(stream)).to.equal('draining')
    await stopped
    const refused = await send(gateway.url, '/shop/live/open').catch((error: Error) => error)
    expect(refused).to.have.property('code', 'ECONNREFUSED')
  })
})
