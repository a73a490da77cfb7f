/** Streams of events from the router to the client. */
import { expect } from 'chai'
import { openEventStream } from '#test/support/event-stream.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.slice'

describe('a stream of events', () => {
  let streams: StreamingGateway
  before(async () => {
    streams = await startStreams({
      '/all': subscribe({ topic: `${topic}.all` }),
      '/of/:id': subscribe(
        { topic: `${topic}.of.{{request.bindings.id}}`, retry: 1000 },
        {
          on_event: { event: 'change', body: '{{action.event.kwargs}}' },
          on_result: { headers: { 'x-stream': 'yes' } },
        },
      ),
    })
  })
  after(() => streams.stop())

  it('gives each event after the head, with its id, as the document says', async () => {
    const stream = await openEventStream(`${streams.gateway.url}/s/of/7`)
    expect(stream.status).to.equal(200)
    const { headers } = stream
    expect(headers['content-type']).to.equal('text/event-stream')
    expect(headers['cache-control']).to.equal('no-store, no-transform')
    expect(headers['x-accel-buffering']).to.equal('no')
    expect(headers.vary).to.equal('Accept')
    expect(headers['x-stream']).to.equal('yes')
    expect(headers['transfer-encoding']).to.equal('chunked')
    const id = await streams.publish(`${topic}.of.7`, { text: 'two\nlines', big: 2n ** 60n })
    await streams.publish(`${topic}.of.8`, {})
    const event = await stream.next()
    expect(event.event).to.equal('change')
    expect(event.id).to.match(new RegExp(`^${id}-[0-9a-f]{6}$`))
    expect(event.data).to.equal('{"text":"two\\nlines","big":1152921504606846976}')
    expect(stream.retry).to.be.within(1000, 2000)
    stream.close()
  })

  it('is sent to all clients of a topic', async () => {
    const url = `${streams.gateway.url}/s/all`
    const all = await Promise.all([1, 2, 3].map(() => openEventStream(url)))
    await streams.publish(`${topic}.all`, { n: 1 })
    const events = await Promise.all(all.map((stream) => stream.next()))
    expect(new Set(events.map(({ id }) => id)).size).to.equal(1)
    expect(events.map(({ data }) => data)).to.deep.equal(
      events.map(() => JSON.stringify({ topic: `${topic}.all`, args: [], kwargs: { n: 1 } })),
    )
    for (const stream of all) stream.close()
  })

  it('resumes behind the event that the client has seen last', async () => {
    const url = `${streams.gateway.url}/s/all`
    const first = await openEventStream(url)
    await streams.publish(`${topic}.all`, { n: 1 })
    const { id = '' } = await first.next()
    first.close()
    await first.ended
    await streams.publish(`${topic}.all`, { n: 2 })
    const second = await openEventStream(url, { headers: { 'last-event-id': id } })
    await streams.publish(`${topic}.all`, { n: 3 })
    const seen = [await second.next(), await second.next()]
    expect(seen.map(({ data }) => JSON.parse(data).kwargs.n)).to.deep.equal([2, 3])
    second.close()
  })

  for (const [what, query, headers] of [
    ['as EventSource polyfills do', (id: string) => `?lastEventId=${id}`, {}],
    ['as Mercure does', (id: string) => `?lastEventID=${id}`, {}],
    ['beside other parameters', (id: string) => `?a=1&lastEventId=${id}&b=2`, {}],
    ['with an empty header', (id: string) => `?lastEventId=${id}`, { 'last-event-id': '' }],
    [
      'with an empty parameter of the other name',
      (id: string) => `?lastEventId=&lastEventID=${id}`,
      {},
    ],
  ] as const) {
    it(`resumes by a query parameter, where the header is absent: ${what}`, async () => {
      const url = `${streams.gateway.url}/s/all`
      const first = await openEventStream(url)
      await streams.publish(`${topic}.all`, { n: 1 })
      const { id = '' } = await first.next()
      first.close()
      await first.ended
      await streams.publish(`${topic}.all`, { n: 2 })
      const second = await openEventStream(url + query(encodeURIComponent(id)), { headers })
      const { data } = await second.next()
      expect(JSON.parse(data).kwargs.n).to.equal(2)
      second.close()
    })
  }

  it('resumes by the header where both are there', async () => {
    const url = `${streams.gateway.url}/s/all`
    const first = await openEventStream(url)
    for (const n of [1, 2, 3]) await streams.publish(`${topic}.all`, { n })
    const ids = [(await first.next()).id ?? '', (await first.next()).id ?? '']
    first.close()
    await first.ended
    const [older = '', newer = ''] = ids
    const second = await openEventStream(`${url}?lastEventId=${encodeURIComponent(older)}`, {
      headers: { 'last-event-id': newer },
    })
    expect(JSON.parse((await second.next()).data).kwargs.n).to.equal(3)
    second.close()
  })
})
