/** What clients publish through the gateway reaches the streams that share its session. */
import { expect } from 'chai'
import { openEventStream } from '#test/support/event-stream.ts'
import { send } from '#test/support/http-request.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.said'

const publish = (options: object) => ({
  post: {
    action: { type: 'wamp_publish', topic, args: ['{{request.body}}'], options },
    response: { on_error: {} },
  },
})

describe('a publication over HTTP', () => {
  let streams: StreamingGateway
  before(async () => {
    streams = await startStreams({
      '/messages': { ...subscribe({ topic }), ...publish({}) },
      '/excluded': publish({ exclude_me: true }),
    })
  })
  after(() => streams.stop())

  it('reaches the streams of the same session, unless exclude_me says otherwise', async () => {
    const { url } = streams.gateway
    const stream = await openEventStream(`${url}/s/messages`)
    for (const [path, body] of [
      ['/s/excluded', { text: 'excluded' }],
      ['/s/messages', { text: 'said' }],
    ] as const) {
      expect((await send(url, path, { method: 'POST', body })).status).to.equal(204)
    }
    const { data } = await stream.next()
    expect(JSON.parse(data)).to.deep.include({ args: [{ text: 'said' }] })
    stream.close()
  })
})
