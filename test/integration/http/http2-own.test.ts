/** What HTTP/2 has and HTTP/1.1 has not: negotiation, one connection for several hosts, streams that end alone, GOAWAY, and what is told of it. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { block, flags, frame, frameTypes, get, openHttp2 } from '#test/support/http2-frames.ts'
import { keptLog, type LogLine } from '#test/support/log-lines.ts'
import { Authority } from '#test/support/tls/authority.ts'

const realm = 'com.example.test'
const topic = 'com.example.http2.tick'
const slow = 'com.example.http2.slow'

const document = {
  ...{ id: 'com.example.http2', host: '_', realm_uri: realm },
  versions: {
    '1': {
      base_path: '/v1',
      paths: {
        '/fixed': {
          get: {
            action: { type: 'static', body: { ok: true } },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/large': {
          get: {
            action: { type: 'static', body: 'x'.repeat(1_000_000) },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/events': {
          get: {
            action: { type: 'wamp_subscribe', topic },
            response: { on_event: { body: '{{action.event.args |> head}}' }, on_error: {} },
          },
        },
        '/slow': {
          get: {
            action: { type: 'wamp_call', procedure: slow },
            response: { on_result: { body: 'done' }, on_error: {} },
          },
        },
      },
    },
  },
}

/** What came on a stream, once it is over. */
async function wholeOf(stream: ClientHttp2Stream) {
  let status: number | undefined
  let text = ''
  stream.on('error', () => undefined)
  stream.on('response', (head) => {
    status = head[':status']
  })
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await once(stream, 'close')
  return { status, text, code: stream.rstCode }
}

/** Waits until what is polled holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('a gateway that offers HTTP/2', () => {
  const root = new Authority('Root')
  const log = keptLog()
  let folder: string
  let gateway: TestGateway
  let peer: RouterPeer
  let port: number
  const open: ClientHttp2Session[] = []

  const settings = (more: Readonly<Record<string, string>> = {}) => ({
    'gateway.tls': JSON.stringify([
      { cert: join(folder, 'one.pem'), key: join(folder, 'one.key') },
      { cert: join(folder, 'two.pem'), key: join(folder, 'two.key') },
    ]),
    ...more,
  })

  async function sessionTo(at = port, servername = 'localhost'): Promise<ClientHttp2Session> {
    const session = connect(`https://127.0.0.1:${at}`, { servername, rejectUnauthorized: false })
    session.on('error', () => undefined)
    open.push(session)
    await once(session, 'connect')
    return session
  }

  const lines = (): LogLine[] => log.lines.filter(({ msg }) => msg === 'request')

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-http2-'))
    for (const [name, dns] of [
      ['one', ['localhost', 'a.example', '*.c.example']],
      ['two', ['b.example']],
    ] as const) {
      const { cert, key } = root.issue({ name, dns })
      writeFileSync(join(folder, `${name}.pem`), cert)
      writeFileSync(join(folder, `${name}.key`), key)
    }
    gateway = await startGateway(
      settings({ 'log.access': 'true', 'router.listen': '127.0.0.1:0' }),
      // `router.listen` is that of its own router
      { ...log, isEmbedded: true },
    )
    port = Number(new URL(gateway.url).port)
    await gateway.mustLoad(document)
    peer = await RouterPeer.join({ url: gateway.routerUrl, realm })
  })

  after(async () => {
    for (const session of open) session.destroy()
    peer?.cut()
    await gateway?.stop()
    rmSync(folder, { recursive: true })
  })

  for (const [offered, chosen] of [
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1', 'h2'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [['h2'], 'h2'],
    [undefined, false],
  ] as const) {
    it(`chooses ${chosen || 'HTTP/1.1'} for a client that offers ${offered?.join(', ') ?? 'nothing'}`, async () => {
      const socket = connectTls({
        ...{ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false },
        ...(offered && { ALPNProtocols: [...offered] }),
      })
      await once(socket, 'secureConnect')
      expect(socket.alpnProtocol).to.equal(chosen)
      socket.destroy()
    })
  }

  it('takes no preface without ALPN', async () => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
    socket.end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).to.match(/^HTTP\/1\.1 (400|505) /)
  })

  it('takes no preface without TLS', async () => {
    const { port: admin } = new URL(gateway.adminUrl)
    const socket = connectTcp(Number(admin), '127.0.0.1')
    socket.end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).to.match(/^HTTP\/1\.1 (400|505) /)
  })

  for (const [connected, asked, status] of [
    ['localhost', 'localhost', 200],
    ['localhost', 'a.example', 200],
    ['localhost', 'x.c.example', 200],
    ['localhost', 'A.EXAMPLE', 200],
    ['localhost', 'b.example', 421],
    ['b.example', 'b.example', 200],
    ['b.example', 'a.example', 421],
    ['b.example', 'x.c.example', 421],
    // a host of no certificate has the first one
    ['localhost', 'unknown.example', 200],
    ['b.example', 'unknown.example', 421],
    ['', '127.0.0.1', 200],
  ] as const) {
    it(`answers ${status} to ${asked} on a connection for ${connected || 'no host'}`, async () => {
      const session = await sessionTo(port, connected)
      const stream = session.request({ ':path': '/v1/fixed', ':authority': asked })
      const { status: told, text } = await wholeOf(stream)
      expect(told).to.equal(status)
      if (status === 421) expect(text).to.include('service.error.misdirected_request')
    })
  }

  for (const [what, fields, expected] of [
    ['another Host', [['host', 'other.example']], 'name different hosts'],
    ['another scheme', [[':scheme', 'http']], 'the scheme is not https'],
    ['a malformed host', [[':authority', 'a b']], undefined],
    ['CONNECT', [[':method', 'CONNECT']], 'CONNECT is not supported'],
    ['no host', [[':authority', '']], undefined],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const all = new Map<string, string>([
        ...(what === 'CONNECT'
          ? []
          : ([
              [':method', 'GET'],
              [':scheme', 'https'],
              [':path', '/v1/fixed'],
            ] as const)),
        [':authority', 'localhost'],
        ...fields,
      ])
      const raw = await openHttp2({ host: '127.0.0.1', port })
      raw.write(frame(frameTypes.headers, flags.endHeaders | flags.endStream, 1, block([...all])))
      const { payload, type } = await raw.until(
        ({ stream, type: one }) => stream === 1 && one !== frameTypes.headers,
      )
      if (expected === undefined) expect(type).to.be.oneOf([frameTypes.reset, frameTypes.data])
      else expect(payload.toString()).to.include(expected)
      raw.socket.destroy()
    })
  }

  it('answers 431 to fields of more than 16 kB', async () => {
    const session = await sessionTo()
    const many = Object.fromEntries(
      Array.from({ length: 17 }, (_, at) => [`x-${at}`, 'a'.repeat(1000)]),
    )
    const answer = await wholeOf(session.request({ ':path': '/v1/fixed', ...many }))
    expect(answer.status).to.equal(431)
    expect(answer.text).to.include('service.error.header_fields_too_large')
  })

  it('joins a cookie that comes in 150 pieces', async () => {
    const raw = await openHttp2({ host: '127.0.0.1', port })
    const crumbs = Array.from({ length: 150 }, (_, at) => ['cookie', `c${at}=1`] as const)
    const fields = Buffer.concat([get('/v1/fixed'), block(crumbs)])
    raw.write(frame(frameTypes.headers, flags.endHeaders | flags.endStream, 1, fields))
    const { payload } = await raw.until(({ type }) => type === frameTypes.data)
    expect(payload.toString()).to.equal('{"ok":true}')
    raw.socket.destroy()
  })

  it('sends the events of twelve streams on one connection, beside requests', async () => {
    const session = await sessionTo()
    const texts = Array.from({ length: 12 }, () => '')
    const streams = texts.map((_, at) => {
      const stream = session.request({ ':path': '/v1/events', accept: 'text/event-stream' })
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        texts[at] += chunk
      })
      return stream
    })
    await Promise.all(streams.map((stream) => once(stream, 'response')))
    for (const number of [1, 2, 3]) peer.send(16, number, {}, topic, [number])
    await until(() => texts.every((text) => text.includes('data: 3')))
    for (const text of texts)
      expect(text.match(/data: \d/g)).to.deep.equal(['data: 1', 'data: 2', 'data: 3'])
    const beside = await wholeOf(session.request({ ':path': '/v1/fixed' }))
    expect([beside.status, session.closed]).to.deep.equal([200, false])
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
  })

  it('cancels the call of a stream that is reset, and tells 499', async () => {
    await peer.register(slow)
    const session = await sessionTo()
    const stream = session.request({ ':path': '/v1/slow' })
    stream.on('error', () => undefined)
    // INVOCATION, then INTERRUPT
    expect((await peer.next())[0]).to.equal(68)
    stream.close(constants.NGHTTP2_CANCEL)
    expect((await peer.next())[0]).to.equal(69)
    await until(() => lines().some(({ route }) => route === '/v1/slow'))
    const line = lines().findLast(({ route }) => route === '/v1/slow')
    expect(line).to.include({ status: 499, protocol: 'HTTP/2', bytes: 0 })
    const beside = await wholeOf(session.request({ ':path': '/v1/fixed' }))
    expect(beside.status).to.equal(200)
  })

  it('tells the protocol and the bytes of the content', async () => {
    const session = await sessionTo()
    await wholeOf(session.request({ ':path': '/v1/large' }))
    await until(() => lines().some(({ route }) => route === '/v1/large'))
    const line = lines().findLast(({ route }) => route === '/v1/large')
    expect(line).to.include({ status: 200, protocol: 'HTTP/2', bytes: 1_000_002 })
    await fetch(`${gateway.adminUrl}/ping`)
    await until(() => lines().some(({ route }) => route === '/ping'))
    expect(lines().findLast(({ route }) => route === '/ping')).not.to.have.property('protocol')
  })

  it('counts its connections by protocol', async () => {
    await sessionTo()
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    const of = (line: string) => Number(new RegExp(`^${line} (\\d+)$`, 'm').exec(metrics)?.[1])
    expect(of('gateway_http_connections\\{protocol="2"\\}')).to.be.at.least(1)
    expect(of('gateway_http_connections\\{protocol="1.1"\\}')).to.be.at.least(1)
    expect(of('gateway_http2_closed_total\\{reason="client"\\}')).to.be.at.least(1)
  })

  it('offers HTTP/1.1 alone with http2: false', async () => {
    const other = await startGateway(settings({ 'gateway.http2': 'false' }))
    try {
      const socket = connectTls({
        ...{ host: '127.0.0.1', port: Number(new URL(other.url).port) },
        ...{ rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] },
      })
      await once(socket, 'secureConnect')
      expect(socket.alpnProtocol).to.equal('http/1.1')
      socket.destroy()
      const metrics = await (await fetch(`${other.adminUrl}/metrics`)).text()
      expect(metrics).not.to.include('gateway_http_connections')
    } finally {
      await other.stop()
    }
  })

  it('ends a connection after max_requests_per_socket, each of them answered', async () => {
    const other = await startGateway(settings({ 'limits.max_requests_per_socket': '3' }))
    try {
      await other.mustLoad(document)
      const session = await sessionTo(Number(new URL(other.url).port))
      const away = once(session, 'goaway')
      const closed = once(session, 'close')
      const answers = await Promise.all(
        Array.from({ length: 3 }, () => wholeOf(session.request({ ':path': '/v1/fixed' }))),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
      const [code, last] = await away
      expect([code, last]).to.deep.equal([0, 5])
      await closed
    } finally {
      await other.stop()
    }
  })
})
