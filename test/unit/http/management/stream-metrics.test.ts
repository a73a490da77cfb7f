/** What is counted of streams, as Prometheus reads it. */
import { expect } from 'chai'
import { Families } from '#component/metrics/families.ts'
import { Metrics } from '#http/management/metrics.ts'
import { StreamMetrics, streamSources } from '#http/management/stream-metrics.ts'

const stock = { sources: 2, bufferedBytes: 300, replayBytes: 4000, pieces: 50 }
const events = { kind: 'events', reason: 'client' } as const
const call = { kind: 'call', reason: 'slow' } as const

/** A path of the one document. */
const at = (pattern: string) => ({ version: { api: 'com.example.a', label: '1' }, pattern })
const place = 'api="com.example.a",version="1",'

/** Counts with a clock that the test moves, over routes that it removes. */
function start() {
  const state = { now: 0, routes: ['/v1/a', '/v1/b', '/v1/c'] }
  const families = new Families({ now: () => state.now })
  families.served = () => state.routes.map(at)
  const streams = new StreamMetrics(families)
  const metrics = new Metrics({ families, sources: streamSources(() => stock) })
  const samples = async (name: string): Promise<readonly string[]> => {
    let text = ''
    for await (const piece of metrics.render()) text += piece
    return text.split('\n').filter((line) => line.startsWith(name))
  }
  return { state, streams, samples, stop: () => metrics.close() }
}

describe('the metrics of streams', () => {
  let tested: ReturnType<typeof start>
  beforeEach(() => {
    tested = start()
  })
  afterEach(() => tested.stop())

  it('count answers that begin and end, by route, reason and kind', async () => {
    const { streams, samples } = tested
    streams.begun(events, at('/v1/a'), 'text/event-stream', 3)
    streams.begun(events, at('/v1/a'), 'application/x-ndjson', 4)
    streams.begun(call, at('/v1/b'), 'text/csv', 40)
    streams.over(events, at('/v1/a'), 'text/event-stream')
    streams.over(call, at('/v1/b'), 'text/csv')
    expect(await samples('gateway_streams{')).to.deep.equal([
      'gateway_streams{type="text/event-stream"} 0',
      'gateway_streams{type="application/x-ndjson"} 1',
    ])
    expect(await samples('gateway_streams_opened_total{')).to.deep.equal([
      `gateway_streams_opened_total{${place}route="/v1/a",kind="events"} 2`,
      `gateway_streams_opened_total{${place}route="/v1/b",kind="call"} 1`,
    ])
    expect(await samples('gateway_streams_ended_total{')).to.deep.equal([
      `gateway_streams_ended_total{${place}route="/v1/a",reason="client",kind="events"} 1`,
      `gateway_streams_ended_total{${place}route="/v1/b",reason="slow",kind="call"} 1`,
    ])
    expect(await samples('gateway_http_first_byte_seconds_count')).to.deep.equal([
      'gateway_http_first_byte_seconds_count 3',
    ])
    expect(await samples('gateway_http_first_byte_seconds_bucket{le="0.005"}')).to.deep.equal([
      'gateway_http_first_byte_seconds_bucket{le="0.005"} 2',
    ])
  })

  it('count events as they come and go, gaps and refusals', async () => {
    const { streams, samples } = tested
    streams.received()
    streams.sent(at('/v1/a'), 3, false)
    streams.sent(at('/v1/a'), 2, true)
    streams.dropped(7)
    streams.gap('slow')
    streams.gap('slow')
    streams.refused('streams_per_address')
    streams.delivered(2)
    const lines = await samples('gateway_stream')
    expect(lines).to.include.members([
      'gateway_stream_events_total 1',
      `gateway_stream_deliveries_total{${place}route="/v1/a"} 5`,
      'gateway_stream_replayed_total 2',
      'gateway_stream_dropped_total 7',
      'gateway_stream_gaps_total{code="slow"} 2',
      'gateway_streams_refused_total{limit="streams_per_address"} 1',
      'gateway_stream_fanout_duration_seconds_sum 0.002',
    ])
  })

  it('tell what there is now', async () => {
    const { samples } = tested
    const lines = [...(await samples('gateway_stream_')), ...(await samples('gateway_wamp_'))]
    expect(lines).to.include.members([
      'gateway_stream_sources 2',
      'gateway_stream_buffered_bytes 300',
      'gateway_stream_replay_bytes 4000',
      'gateway_wamp_progress_total 50',
    ])
  })

  it('end some minutes after the route', async () => {
    const { state, streams, samples } = tested
    streams.begun(events, at('/v1/a'), 'text/event-stream', 3)
    streams.sent(at('/v1/a'), 1, false)
    streams.begun(events, at('/v1/b'), 'text/event-stream', 3)
    state.routes = ['/v1/b']
    expect(await samples('gateway_stream_deliveries_total{')).to.have.length(1)
    state.now = 299_999
    expect(await samples('gateway_streams_opened_total{')).to.have.length(2)
    state.now = 300_000
    expect(await samples('gateway_streams_opened_total{')).to.deep.equal([
      `gateway_streams_opened_total{${place}route="/v1/b",kind="events"} 1`,
    ])
    expect(await samples('gateway_stream_deliveries_total{')).to.deep.equal([])
  })

  it('are the sums of all processes', async () => {
    const { streams, samples } = tested
    streams.begun(events, at('/v1/a'), 'text/event-stream', 3)
    streams.delivered(1)
    const [theirs, ours] = [new Families({ now: () => 0 }), new Families({ now: () => 0 })]
    const other = new StreamMetrics(theirs)
    const sources = streamSources(() => stock)
    const sibling = new Metrics({ families: theirs, sources })
    other.begun(events, at('/v1/a'), 'text/event-stream', 3)
    other.delivered(1)
    expect(await samples('gateway_stream_sources')).to.deep.equal(['gateway_stream_sources 2'])
    const siblings = { answerBy: () => undefined, gather: async () => [await sibling.own()] }
    const own = new StreamMetrics(ours)
    const summed = new Metrics({ families: ours, siblings, sources })
    own.begun(events, at('/v1/a'), 'text/event-stream', 3)
    own.delivered(1)
    let text = ''
    for await (const piece of summed.render()) text += piece
    for (const metrics of [sibling, summed]) metrics.close()
    expect(text).to.include('gateway_streams{type="text/event-stream"} 2')
    expect(text).to.include('gateway_stream_sources 4')
    expect(text).to.include('gateway_stream_fanout_duration_seconds_count 2')
  })
})
