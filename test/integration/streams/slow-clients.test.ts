/** Clients that do not read their stream, over sockets whose buffers fill. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { openEventStream } from '#test/support/event-stream.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.slow'
const on_event = { body: '{{action.event.kwargs}}' }
const text = 'x'.repeat(100_000)
/** More than the kernel keeps for two sockets on one machine. */
const enough = 150

describe('a client that does not read', () => {
  let streams: StreamingGateway
  before(async () => {
    streams = await startStreams(
      {
        '/close': subscribe({ topic: `${topic}.close`, replay_events: 1000 }, { on_event }),
        '/drop': subscribe({ topic: `${topic}.drop`, overflow: 'drop' }, { on_event }),
      },
      { 'limits.stream_buffer': '65536' },
    )
  })
  after(() => streams.stop())

  /** Opens a stream and reads its head only. */
  async function openUnread(path: string): Promise<Socket> {
    const { hostname, port } = new URL(streams.gateway.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /s${path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`)
    await once(socket, 'readable')
    return socket
  }

  it('overflow close: the connection is destroyed, and the client resumes from the ring', async () => {
    const other = await openEventStream(`${streams.gateway.url}/s/close`)
    const socket = await openUnread('/close')
    socket.on('error', () => undefined) // a reset is how it ends
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const head = String(socket.read())
    for (let n = 0; n < enough; n++) await streams.publish(`${topic}.close`, { n, text })
    let received = head
    socket.on('data', (bytes) => {
      received += bytes
    })
    await closed
    const ids = [...received.matchAll(/^id: (\S+)\n(?=data: .*\n\n)/gm)].map(([, id]) => id ?? '')
    const lastId = ids.at(-1) ?? /^id: (\S+)/m.exec(received)?.[1] ?? ''
    expect(ids.length).to.be.below(enough)
    const again = await openEventStream(`${streams.gateway.url}/s/close`, {
      headers: { 'last-event-id': lastId },
    })
    const seen: number[] = []
    while (seen.at(-1) !== enough - 1) seen.push(JSON.parse((await again.next()).data).n)
    expect(seen).to.deep.equal(
      Array.from({ length: enough - ids.length }, (_, n) => ids.length + n),
    )
    for (let n = 0; n < enough; n++) expect(JSON.parse((await other.next()).data).n).to.equal(n)
    again.close()
    other.close()
  })

  it('overflow drop: events are passed over, then gap slow with their number', async () => {
    const socket = await openUnread('/drop')
    for (let n = 0; n < enough; n++) await streams.publish(`${topic}.drop`, { n, text })
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes
    })
    const has = (pattern: RegExp) => pattern.test(received.slice(-200_000))
    while (!has(/event: gap/)) {
      await streams.publish(`${topic}.drop`, { n: 'more' })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const dropped = Number(/"code":"slow","dropped":(\d+)/.exec(received)?.[1])
    const sent = [...received.matchAll(/^data: \{"n":/gm)].length
    expect(dropped).to.be.above(0)
    expect(sent).to.be.above(0)
    expect(socket.destroyed).to.equal(false)
    socket.destroy()
  })
})
