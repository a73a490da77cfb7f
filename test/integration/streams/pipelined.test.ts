/** Requests that a client sends behind a stream on the same connection. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.pipelined'

describe('a request behind a stream', function () {
  this.timeout(20_000)
  let streams: StreamingGateway
  let socket: Socket
  let text: string

  before(async () => {
    streams = await startStreams({
      '/one': subscribe({ topic, max_events: 1 }),
      '/all': subscribe({ topic }),
    })
  })
  after(() => streams.stop())

  beforeEach(async () => {
    const { hostname, port } = new URL(streams.gateway.url)
    socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  })
  afterEach(() => socket.destroy())

  const get = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`
  const heads = () => text.split('HTTP/1.1 ').length - 1

  /** How many streams are open, as /metrics tells. */
  async function openStreams(): Promise<number> {
    const { text: metrics } = await send(streams.gateway.adminUrl, '/metrics')
    const lines = metrics.matchAll(/^gateway_streams\{[^}]*\} (\d+)$/gm)
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
  }

  it('is answered when the stream has ended', async () => {
    socket.write(get('/s/one') + get('/s/nothing'))
    await until('the stream begins', async () => (await openStreams()) === 1)
    expect(heads()).to.equal(1)
    await streams.publish(topic, { n: 1 })
    await until('the other answer', () => heads() === 2)
    expect(text).to.include('event: end')
    expect(text.split('HTTP/1.1 ')[2]).to.match(/^404 /)
  })

  it('is over with its connection, and leaves no stream behind', async () => {
    socket.write(get('/s/all') + get('/s/all') + get('/s/all'))
    await until('the streams begin', async () => (await openStreams()) === 3)
    await streams.publish(topic, { n: 1 })
    await until('the first one is sent the event', () => text.includes('"n":1'))
    expect(heads()).to.equal(1)
    socket.destroy()
    await until('nothing is left', async () => (await openStreams()) === 0)
  })
})
