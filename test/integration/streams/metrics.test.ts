/** What `/metrics` of a running gateway says of its streams. */
import { expect } from 'chai'
import { openEventStream } from '#test/support/event-stream.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.counted'
const route = '/s/counted/:id'
const place = 'api="com.example.streams",version="one"'

describe('/metrics', () => {
  let streams: StreamingGateway
  before(async () => {
    streams = await startStreams({
      '/counted/:id': subscribe({ topic: `${topic}.{{request.bindings.id}}`, max_streams: 2 }),
    })
  })
  after(() => streams.stop())

  const metrics = async () => {
    const answer = await fetch(`${streams.gateway.adminUrl}/metrics`)
    return (await answer.text()).split('\n')
  }

  it('tells of open streams, of their events, and of refused ones', async () => {
    const inFlight = (await metrics()).find((line) =>
      /^gateway_http_requests_in_flight /.test(line),
    )
    const url = `${streams.gateway.url}/s/counted/1`
    const [first, second] = await Promise.all([openEventStream(url), openEventStream(url)])
    expect((await openEventStream(url)).status).to.equal(429)
    await streams.publish(`${topic}.1`, { n: 1 })
    await Promise.all([first.next(), second.next()])
    expect(await metrics()).to.include.members([
      'gateway_streams{type="text/event-stream"} 2',
      inFlight,
      'gateway_stream_sources 1',
      `gateway_streams_opened_total{${place},route="${route}",kind="events"} 2`,
      'gateway_streams_refused_total{limit="max_streams"} 1',
      'gateway_stream_events_total 1',
      `gateway_stream_deliveries_total{${place},route="${route}"} 2`,
      'gateway_stream_buffered_bytes 0',
      'gateway_stream_fanout_duration_seconds_count 1',
      'gateway_http_first_byte_seconds_count 2',
      // from the head of the request to that of the answer, so an open stream is counted, too
      `gateway_http_requests_total{${place},route="${route}",method="get",status="200"} 2`,
    ])
    for (const stream of [first, second]) stream.close()
    await Promise.all([first.ended, second.ended])
  })

  it('tells of streams that are over, and of those that come back', async () => {
    const url = `${streams.gateway.url}/s/counted/2`
    const first = await openEventStream(url)
    await streams.publish(`${topic}.2`, { n: 1 })
    const { id = '' } = await first.next()
    await streams.publish(`${topic}.2`, { n: 2 })
    await first.next()
    first.close()
    await first.ended
    const second = await openEventStream(url, { headers: { 'last-event-id': id } })
    await second.next()
    const lines = await metrics()
    expect(lines).to.include('gateway_stream_replayed_total 1')
    expect(lines).to.include('gateway_streams{type="text/event-stream"} 1')
    expect(lines).to.include(
      `gateway_streams_ended_total{${place},route="${route}",reason="client",kind="events"} 3`,
    )
    expect(lines.find((line) => line.startsWith('gateway_stream_replay_bytes '))).to.not.equal(
      'gateway_stream_replay_bytes 0',
    )
    second.close()
    await second.ended
  })
})
