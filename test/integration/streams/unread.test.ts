/** Clients that do not read what they are sent. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.unread'

describe('a client that reads nothing', () => {
  let streams: StreamingGateway
  before(async () => {
    streams = await startStreams({ '/events': subscribe({ topic }) })
  })
  after(() => streams.stop())

  it('is cut by a reset once too much waits for it, so that the kernel keeps nothing for it either', async () => {
    const { hostname, port } = new URL(streams.gateway.url)
    const socket = connect({ host: hostname, port: Number(port) })
    const failed = once(socket, 'error').catch((error: unknown) => [error])
    socket.pause().write('GET /s/events HTTP/1.1\r\nHost: x\r\n\r\n')
    const text = 'a'.repeat(500_000)
    await until(
      'it is cut',
      async () => {
        await streams.publish(topic, { text })
        const { text: metrics } = await send(streams.gateway.adminUrl, '/metrics')
        return /^gateway_streams_ended_total\{[^}]*reason="slow"[^}]*\} 1$/m.test(metrics)
      },
      20_000,
    )
    socket.resume()
    const [error] = await failed
    expect(error).to.have.property('code', 'ECONNRESET')
  })
})
