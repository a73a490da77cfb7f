/** A stream whose request brings a trace token: it is one of the streams of its topic, and its trace tells what was subscribed to. */
import { expect } from 'chai'
import type { ToldTrace } from '#component/tracing/told-trace.ts'
import { openEventStream } from '#test/support/event-stream.ts'
import { send } from '#test/support/http-request.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.traced'

describe('a traced stream', () => {
  let streams: StreamingGateway
  before(async () => {
    streams = await startStreams({ '/traced': subscribe({ topic }) })
  })
  after(() => streams.stop())

  it('shares its subscription with others, and ends as they do', async () => {
    const { gateway } = streams
    const path = '/api_specs/com.example.streams/trace_tokens'
    const issued = await send(gateway.adminUrl, path, { method: 'POST', body: {} })
    const { token } = issued.json() as { readonly token: string }
    const url = `${gateway.url}/s/traced`
    const plain = await openEventStream(url)
    const traced = await openEventStream(url, { headers: { 'x-gateway-trace': token } })
    expect(traced.status).to.equal(200)
    await streams.publish(topic, { n: 1 })
    expect((await traced.next()).id).to.equal((await plain.next()).id)

    const id = String(traced.headers['x-gateway-trace-id'])
    const trace = (await send(gateway.adminUrl, `/traces/${id}`)).json() as ToldTrace
    expect(trace.action).to.deep.include({
      ...{ type: 'wamp_subscribe', topic, session_of: null, would_be_refused: null },
      options: { match: 'exact' },
    })
    expect(trace.response).to.include({ status: 200, body: '(streamed)' })

    await send(gateway.adminUrl, '/api_specs/com.example.streams', { method: 'DELETE' })
    for (const stream of [plain, traced]) {
      const { event, data } = await stream.next()
      expect({ event, data }).to.deep.equal({ event: 'end', data: '{"code":"gone"}' })
    }
  })
})
