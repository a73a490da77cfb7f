/** What a client sends behind a stream on the same connection: requests, other bytes, and its end. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { expect } from 'chai'
import { writeCertificate } from '#test/support/certificate.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.pipelined'
const all = subscribe({ topic })
const paths = {
  '/one': subscribe({ topic, max_events: 1 }),
  '/all': { ...all, post: all.get },
  '/unread': subscribe({ topic: `${topic}.unread`, overflow: 'drop' }),
}

/** How many streams are open, as /metrics tells. */
async function openStreams({ gateway }: StreamingGateway): Promise<number> {
  const { text } = await send(gateway.adminUrl, '/metrics')
  const lines = text.matchAll(/^gateway_streams\{[^}]*\} (\d+)$/gm)
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`

/** A connection, and what has come over it. */
class Client {
  readonly socket: Socket
  text = ''

  constructor(url: string) {
    const { hostname: host, port, protocol } = new URL(url)
    const target = { host, port: Number(port) }
    const isSecure = protocol === 'https:'
    this.socket = isSecure
      ? connectSecurely({ ...target, rejectUnauthorized: false })
      : connect(target)
    this.socket.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk
    })
  }

  get heads(): number {
    return this.text.split('HTTP/1.1 ').length - 1
  }

  write(text: string): void {
    this.socket.write(text)
  }

  close(): void {
    this.socket.destroy()
  }
}

describe('a request behind a stream', () => {
  let streams: StreamingGateway
  let client: Client

  before(async () => {
    streams = await startStreams(paths)
  })
  after(() => streams.stop())

  beforeEach(() => {
    client = new Client(streams.gateway.url)
  })
  afterEach(() => client.close())

  for (const [when, isLater] of [
    ['with it', false],
    ['later', true],
  ] as const) {
    it(`that comes ${when} is answered when the stream has ended`, async () => {
      client.write(isLater ? get('/s/one') : get('/s/one') + get('/s/nothing'))
      await until('the stream begins', async () => (await openStreams(streams)) === 1)
      if (isLater) client.write(get('/s/nothing'))
      expect(client.heads).to.equal(1)
      await streams.publish(topic, { n: 1 })
      await until('the other answer', () => client.heads === 2)
      expect(client.text).to.include('event: end')
      expect(client.text.split('HTTP/1.1 ')[2]).to.match(/^404 /)
    })
  }

  it('is over with its connection, and leaves no stream behind', async () => {
    client.write(get('/s/all') + get('/s/all') + get('/s/all'))
    await until('the streams begin', async () => (await openStreams(streams)) === 3)
    await streams.publish(topic, { n: 1 })
    await until('the first one is sent the event', () => client.text.includes('"n":1'))
    expect(client.heads).to.equal(1)
    client.close()
    await until('nothing is left', async () => (await openStreams(streams)) === 0)
  })
})

for (const isSecure of [false, true]) {
  describe(`a stream without an end, by ${isSecure ? 'HTTPS' : 'HTTP'}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-test-'))
    let streams: StreamingGateway
    let clients: Client[]

    before(async () => {
      const { cert, key } = writeCertificate(folder)
      const tls = isSecure ? { 'gateway.tls': `{cert: ${cert}, key: ${key}}` } : {}
      streams = await startStreams(paths, { ...tls, 'router.listen': '127.0.0.1:0' })
    })
    after(async () => {
      await streams.stop()
      rmSync(folder, { recursive: true })
    })

    beforeEach(() => {
      clients = []
    })
    afterEach(async () => {
      for (const client of clients) client.close()
      await until('nothing is left', async () => (await openStreams(streams)) === 0)
    })

    const connected = () => {
      const client = new Client(streams.gateway.url)
      clients.push(client)
      return client
    }

    /** A connection whose stream has begun. */
    async function begun(request = get('/s/all')): Promise<Client> {
      const client = connected()
      client.write(request)
      await until('the stream begins', () => client.text.includes('retry:'))
      return client
    }

    let number = 0
    async function expectAlive({ client }: { readonly client: Client }) {
      const event = `"n":${++number}`
      await streams.publish(topic, { n: number })
      await until('the event', () => client.text.includes(event))
    }

    it('is the last answer of its connection: requests behind it are dropped', async () => {
      const client = await begun()
      expect(client.text).to.match(/^connection: close\r$/im)
      client.write(get('/s/nothing'))
      await expectAlive({ client })
      client.write(get('/s/nothing'))
      await expectAlive({ client })
      expect(client.heads).to.equal(1)
    })

    it('begins behind the body of its request', async () => {
      const fields = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 2'
      const client = await begun(`POST /s/all HTTP/1.1\r\n${fields}\r\n\r\n{}`)
      await expectAlive({ client })
    })

    it('has no part in the requests of others, whatever its client sends', async () => {
      const client = await begun()
      const others = Array.from({ length: 20 }, connected)
      for (const other of others) other.write('GET /s/nothing HTTP/1.1\r\nHo')
      client.write('\0: no HTTP\r\n\r\n')
      await expectAlive({ client })
      client.socket.end('GET')
      await once(client.socket, 'close')
      for (const other of others) other.write('st: x\r\n\r\n')
      for (const other of others) {
        await until('the answer', () => other.heads === 1)
        expect(other.text).to.match(/^HTTP\/1\.1 404 /)
      }
    })

    it('ends when its client ends the connection', async () => {
      const client = await begun()
      client.socket.end()
      await once(client.socket, 'close')
      await until('nothing is left', async () => (await openStreams(streams)) === 0)
    })

    it('goes on while the connections of its network are parsed request by request', async () => {
      const client = await begun()
      const other = connected()
      other.write(get('/s/nothing').repeat(200))
      await until('the answers', () => other.heads === 200)
      client.write(get('/s/nothing'))
      await expectAlive({ client })
      // and one that is opened meanwhile
      await expectAlive({ client: await begun() })
    })
  })
}

describe('a stream that its client does not read', () => {
  it('is cut when the gateway stops', async () => {
    const streams = await startStreams(paths, { 'gateway.drain_timeout': '100' })
    const client = new Client(streams.gateway.url)
    client.write(get('/s/unread'))
    await until('the stream begins', () => client.text.includes('retry:'))
    client.socket.pause().on('error', () => undefined)
    const text = 'a'.repeat(200_000)
    const isDropping = async () => {
      await streams.publish(`${topic}.unread`, { text })
      const { text: metrics } = await send(streams.gateway.adminUrl, '/metrics')
      return /^gateway_stream_dropped_total [1-9]/m.test(metrics)
    }
    await until('the client has enough', isDropping, 20_000)
    const closed = new Promise((resolve) => client.socket.once('close', resolve))
    await streams.stop()
    client.socket.resume()
    await closed
    expect(client.text).not.to.match(/\r\n0\r\n\r\n$/)
  })
})
