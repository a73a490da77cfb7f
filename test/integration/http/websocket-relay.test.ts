/** `/ws` in front of another router: nothing passes before its 101, and only fields of a list pass at all. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { type Clock, systemClock } from '#component/clock.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Fixture, open, RawClient } from './fixture.ts'

const key = 'dGhlIHNhbXBsZSBub25jZQ=='
/** RFC 6455 §1.3. */
const accept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='

const handshake = (...more: string[]) =>
  [
    'GET /ws?token=1 HTTP/1.1',
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Protocol: wamp.2.json, wamp.2.cbor',
    ...more,
    '',
    '',
  ].join('\r\n')

const answer = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

const good = (...more: string[]) =>
  answer(
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...more,
  )

/** A router that notes what it gets, and answers the first bytes with what it is told to. */
async function scriptedRouter() {
  const router = {
    received: '',
    answer: good(),
    sockets: 0,
    port: 0,
    last: undefined as Socket | undefined,
    server: undefined as unknown as Server,
  }
  router.server = createServer((socket) => {
    router.sockets += 1
    router.last = socket
    socket.on('error', () => undefined)
    socket.on('close', () => {
      router.sockets -= 1
    })
    socket.on('data', (bytes) => {
      const isFirst = router.received === ''
      router.received += bytes.toString('latin1')
      if (isFirst) socket.write(router.answer, 'latin1')
    })
  }).listen(0, '127.0.0.1')
  await once(router.server, 'listening')
  router.port = (router.server.address() as AddressInfo).port
  return router
}

describe('/ws in front of another router', () => {
  let router: Awaited<ReturnType<typeof scriptedRouter>>
  let fixture: Fixture
  /** What waits for the 10 seconds that a router has to answer. */
  const deadlines: (() => void)[] = []
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      if (ms !== 10_000) return systemClock.after(ms, callback)
      deadlines.push(callback)
      return () => deadlines.splice(deadlines.indexOf(callback) >>> 0, 1)
    },
  }

  before(async () => {
    router = await scriptedRouter()
    fixture = await open({
      clock,
      webSocket: { kind: 'pipe', url: `ws://127.0.0.1:${router.port}/bus?a=b` },
    })
  })
  after(async () => {
    await fixture.stop()
    router.server.close()
  })

  const connect = (bytes: string): RawClient => {
    router.received = ''
    const client = new RawClient(fixture.port)
    client.send(bytes)
    return client
  }

  it('answers 502 when the router closes without an answer, and has one line in the log', async () => {
    router.answer = ''
    fixture.logged.length = 0
    const client = connect(handshake())
    await untilHolds(() => router.sockets === 1)
    router.last?.destroy()
    expect((await client.read()).status).to.equal(502)
    client.close()
    expect(fixture.logged).to.have.length(1)
    expect(fixture.logged[0]).to.include({
      ...{ level: 'error', msg: 'a request failed', route: '/ws', status: 502 },
      ...{ error: 'wamp.error.net_failure' },
      reason: 'the WAMP router cannot be reached, or its response is not HTTP',
    })
  })

  it('sends a handshake of its own, with the fields that pass', async () => {
    router.answer = good('Sec-WebSocket-Protocol: wamp.2.cbor')
    const client = connect(
      handshake(
        'Origin: http://localhost',
        'Sec-WebSocket-Extensions: permessage-deflate',
        'Cookie: a=b; service_ticket_r=x',
        'Authorization: Basic eA==',
        'X-Forwarded-For: 6.6.6.6',
        'X-Real-IP: 6.6.6.6',
        'X_Forwarded_For: 6.6.6.6',
        'X-Anything: y',
        'Content-Length: 0',
      ),
    )
    expect((await client.read(false)).status).to.equal(101)
    const [line, ...fields] = router.received.trimEnd().split('\r\n')
    expect(line).to.equal('GET /bus?a=b HTTP/1.1')
    expect(fields.map((field) => field.toLowerCase()).sort()).to.deep.equal(
      [
        'connection: upgrade',
        'cookie: a=b',
        `host: 127.0.0.1:${router.port}`,
        'origin: http://localhost',
        'sec-websocket-extensions: permessage-deflate',
        `sec-websocket-key: ${key.toLowerCase()}`,
        'sec-websocket-protocol: wamp.2.json, wamp.2.cbor',
        'sec-websocket-version: 13',
        'upgrade: websocket',
        'x-forwarded-for: 0.0.0.0',
      ].sort(),
    )
    client.close()
  })

  it('answers with the 101 of the router, without fields that do not pass', async () => {
    router.answer = `${good(
      'Sec-WebSocket-Protocol: wamp.2.json',
      'Sec-WebSocket-Extensions: permessage-deflate',
      'Set-Cookie: cbtid=1',
      'Set-Cookie: service_ticket_r=forged',
      'Server: Crossbar',
    )}first`
    const client = connect(handshake())
    const { status, headers } = await client.read(false)
    expect(status).to.equal(101)
    expect(headers).to.deep.equal({
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-accept': accept,
      'sec-websocket-protocol': 'wamp.2.json',
      'sec-websocket-extensions': 'permessage-deflate',
      'set-cookie': 'cbtid=1',
    })
    client.close()
  })

  const tunnelled = 'GET /admin HTTP/1.1\r\nHost: internal\r\nAuthorization: Basic eA==\r\n\r\n'

  for (const [what, bytes] of [
    ['200', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n'],
    ['400', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'],
    ['426 that upgrades', answer('HTTP/1.1 426 X', 'Connection: Upgrade', 'Upgrade: websocket')],
    ['101 without Upgrade', answer('HTTP/1.1 101 X', `Sec-WebSocket-Accept: ${accept}`)],
    ['another protocol', good().replace('Upgrade: websocket', 'Upgrade: h2c')],
    ['a wrong key', good().replace(accept, 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=')],
    ['no key', good().replace(/Sec-WebSocket-Accept.*\r\n/, '')],
    ['a subprotocol nobody offered', good('Sec-WebSocket-Protocol: chat')],
    ['what is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['a head of more than 16 kB', good(`X: ${'x'.repeat(17_000)}`)],
  ] as const) {
    it(`answers 502 and passes nothing on when the router answers ${what}`, async () => {
      router.answer = bytes
      const client = connect(handshake() + tunnelled)
      const { status, body, isClosed } = await client.read()
      expect([status, isClosed]).to.deep.equal([502, true])
      expect(JSON.parse(body)).to.have.property('code', 'wamp.error.net_failure')
      client.send(tunnelled)
      await untilHolds(() => router.sockets === 0)
      expect(router.received)
        .to.match(/^GET \/bus/)
        .and.not.include('/admin')
      client.close()
    })
  }

  it('answers 502 when the answer is not whole after 10 seconds', async () => {
    router.answer = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching'
    const client = connect(handshake() + tunnelled)
    await untilHolds(() => router.sockets === 1 && router.received !== '' && deadlines.length > 0)
    for (const deadline of deadlines.splice(0)) deadline()
    expect((await client.read()).status).to.equal(502)
    await untilHolds(() => router.sockets === 0)
    expect(router.received).not.to.include('/admin')
    client.close()
  })

  it('holds what the client sends before the 101, and gives it to the router after it', async () => {
    router.answer = ''
    const client = connect(`${handshake()}early`)
    await untilHolds(() => router.received.endsWith('\r\n\r\n'))
    client.send(', too')
    router.last?.write(good())
    expect((await client.read(false)).status).to.equal(101)
    await untilHolds(() => router.received.endsWith('early, too'))
    client.close()
    await untilHolds(() => router.sockets === 0)
  })

  it('lets the router go when the client goes before the 101', async () => {
    router.answer = ''
    const client = connect(handshake())
    await untilHolds(() => router.received !== '')
    client.socket.resetAndDestroy()
    await untilHolds(() => router.sockets === 0)
    expect(deadlines).to.have.length(0)
  })

  for (const [what, bytes] of [
    ['no key', handshake().replace(/Sec-WebSocket-Key.*\r\n/, '')],
    ['a short key', handshake().replace(key, 'YWJj')],
    ['two keys', handshake(`Sec-WebSocket-Key: ${key}`)],
    ['another version', handshake().replace('Version: 13', 'Version: 8')],
    ['another method', handshake('Content-Length: 0').replace('GET', 'POST')],
  ] as const) {
    it(`answers 400 to a handshake with ${what}, and asks no router`, async () => {
      const client = connect(bytes)
      expect((await client.read()).status).to.equal(400)
      expect(router.received).to.equal('')
      client.close()
    })
  }
})
