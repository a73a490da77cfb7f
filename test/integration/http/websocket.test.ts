/** `/ws` of the gateway listener: handed to the embedded router, or piped to another one, byte by byte. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import type { HttpPorts } from '#http/server.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { exchangeRaw, type Fixture, open, options, RawClient } from './fixture.ts'

const handshake = (...more: string[]) =>
  [
    'GET /ws HTTP/1.1',
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
    ...more,
    '',
    '',
  ].join('\r\n')

/** A WebSocket server that echoes, and closes with 4321 when asked to. */
function echoServer(): WebSocketServer {
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols: (protocols) => [...protocols][0] ?? false,
  })
  server.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => {
      if (String(data) === 'close') socket.close(4321, 'as asked')
      else socket.send(data, { binary: isBinary })
    })
  })
  return server
}

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port

describe('/ws with the embedded router', () => {
  const router = echoServer()
  const peers: string[] = []
  let fixture: Fixture

  before(async () => {
    fixture = await open({
      webSocket: {
        kind: 'embedded',
        accept(request, socket, head, peer) {
          peers.push(peer)
          router.handleUpgrade(request, socket, head, (ws) =>
            router.emit('connection', ws, request),
          )
        },
      },
      gatewayOptions: { ws_allowed_origins: ['https://app.example'] },
    })
  })
  after(() => fixture.stop())

  it('hands the socket over with the address of the client', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.port}/ws`, ['wamp.2.json'])
    await once(socket, 'open')
    expect(socket.protocol).to.equal('wamp.2.json')
    expect(peers).to.deep.equal(['127.0.0.1'])
    socket.send('hi')
    const [data] = await once(socket, 'message')
    expect(String(data)).to.equal('hi')
    socket.close()
    await once(socket, 'close')
  })

  for (const [what, origin, status] of [
    ['a listed origin', 'https://app.example', 101],
    ['its own origin', 'http://localhost', 101],
    ['a foreign origin', 'https://evil.com', 403],
    ['the origin null', 'null', 403],
    ['an origin that begins like a listed one', 'https://app.example.evil.com', 403],
  ] as const) {
    it(`answers ${status} to ${what}`, async () => {
      const answer = await exchangeRaw(fixture.port, handshake(`Origin: ${origin}`))
      expect(answer.status).to.equal(status)
    })
  }

  for (const [what, field, peer] of [
    ['a plain client', 'X-A: b', '127.0.0.1'],
    ['a page of this machine', 'Origin: http://localhost', '127.0.0.1'],
    ['a client behind an unknown proxy', 'X-Forwarded-For: 127.0.0.1', '0.0.0.0'],
    ['a page that rebound its name', 'Origin: http://evil.com', '0.0.0.0'],
  ] as const) {
    it(`tells the router ${peer} for ${what}`, async () => {
      const bytes = handshake(field)
      const isRebound = field.includes('evil')
      await exchangeRaw(fixture.port, isRebound ? bytes.replace('localhost', 'evil.com') : bytes)
      expect(peers.at(-1)).to.equal(peer)
    })
  }

  for (const [host, proxies, status] of [
    ['shop.example', ['127.0.0.1'], 101],
    ['other.example', ['127.0.0.1'], 403],
    ['shop.example', [], 403],
  ] as const) {
    const proxy = proxies.length > 0 ? 'a trusted proxy' : 'an unknown proxy'
    it(`answers ${status} to a page of shop.example where ${proxy} reports ${host}`, async () => {
      const webSocket: HttpPorts['webSocket'] = {
        kind: 'embedded',
        accept: (request, socket, head) => router.handleUpgrade(request, socket, head, () => {}),
      }
      const behind = await open({ webSocket, gatewayOptions: { trusted_proxies: proxies } })
      const fields = ['Origin: https://shop.example', `X-Forwarded-Host: ${host}`]
      expect((await exchangeRaw(behind.port, handshake(...fields))).status).to.equal(status)
      await behind.stop()
    })
  }

  it('answers 400 to a malformed handshake', async () => {
    const answer = await exchangeRaw(
      fixture.port,
      handshake('Authorization: a', 'Authorization: b'),
    )
    expect(answer.status).to.equal(400)
  })

  it('upgrades nowhere else', async () => {
    const bytes = handshake().replace('/ws', '/v1/x')
    expect((await exchangeRaw(fixture.port, bytes)).status).to.equal(200)
    expect((await exchangeRaw(fixture.adminPort, handshake())).status).to.equal(404)
  })

  it('is 404 for a plain GET', async () => {
    const answer = await exchangeRaw(fixture.port, 'GET /ws HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(answer.status).to.equal(404)
  })
})

describe('a WebSocket for WAMP at a node that has not been ready', () => {
  const router = echoServer()
  const embedded: HttpPorts['webSocket'] = {
    kind: 'embedded',
    accept: (request, socket, head) => router.handleUpgrade(request, socket, head, () => {}),
  }
  const statuses = async (webSocket: HttpPorts['webSocket'], path: string, onRouter: boolean) => {
    let isReady = false
    const routerOptions = { listen: '127.0.0.1:0' }
    const fixture = await open({
      webSocket,
      isReady: () => isReady,
      options: { ...options, router: routerOptions },
    })
    const { gateway, router: ofRouter } = fixture.listeners.addresses
    const port = (onRouter ? ofRouter : gateway)[0]?.port ?? 0
    const ask = () => exchangeRaw(port, handshake().replace('/ws', path))
    const before = await ask()
    isReady = true
    const ready = await ask()
    isReady = false
    const later = await ask()
    fixture.listeners.begin()
    const stopping = await ask()
    await fixture.stop()
    return {
      before,
      statuses: [before, ready, later, stopping].map(({ status }) => status),
      fixture,
    }
  }

  for (const [what, path, onRouter] of [
    ['/ws', '/ws', false],
    ['/ws/', '/ws/', false],
    ['/ws with a query', '/ws?a=b', false],
    ['/ of the router listener', '/', true],
    ['/ws of the router listener', '/ws', true],
  ] as const) {
    it(`is refused at ${what} until the node is ready, and taken from then on until it stops`, async () => {
      const found = await statuses(embedded, path, onRouter)
      expect(found.statuses).to.deep.equal([503, 101, 101, 503])
      expect(found.before).to.deep.include({ isClosed: true })
      expect(found.before.headers).to.include({ 'retry-after': '1' })
      expect(JSON.parse(found.before.body)).to.include({
        code: 'service.error.unavailable',
        message: 'this node is not ready yet',
      })
      const told = found.fixture.logged.filter(({ level }) => level === 'error')
      expect(told.map(({ error, reason }) => [error, reason])).to.deep.equal([
        ['service.error.unavailable', 'this node is stopping'],
      ])
    })
  }

  it('is refused where the embedded router is in another process of the gateway', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-ws-'))
    const socketPath = join(folder, 'router')
    const http = createServer().listen(socketPath)
    http.on('upgrade', (request, socket, head) => {
      router.handleUpgrade(request, socket, head, () => {})
    })
    await once(http, 'listening')
    const found = await statuses({ kind: 'pipe', url: 'ws://router/ws', socketPath }, '/ws', false)
    expect(found.statuses).to.deep.equal([503, 101, 101, 503])
    http.closeAllConnections()
    http.close()
    rmSync(folder, { recursive: true })
  })

  it('is passed on to a router that is not of this gateway, which knows its realms itself', async () => {
    const http = createServer().listen(0, '127.0.0.1')
    http.on('upgrade', (request, socket, head) => {
      router.handleUpgrade(request, socket, head, () => {})
    })
    await once(http, 'listening')
    const found = await statuses(
      { kind: 'pipe', url: `ws://127.0.0.1:${portOf(http)}/` },
      '/ws',
      false,
    )
    expect(found.statuses).to.deep.equal([101, 101, 101, 503])
    http.close()
  })
})

describe('/ws with another router', () => {
  const router = echoServer()
  let http: Server
  let fixture: Fixture
  const seen: NodeJS.Dict<string | string[]>[] = []

  before(async () => {
    http = createServer().listen(0, '127.0.0.1')
    http.on('upgrade', (request, socket, head) => {
      seen.push(request.headers)
      router.handleUpgrade(request, socket, head, (ws) => router.emit('connection', ws, request))
    })
    await once(http, 'listening')
    fixture = await open({ webSocket: { kind: 'pipe', url: `ws://127.0.0.1:${portOf(http)}/bus` } })
  })
  after(async () => {
    await fixture.stop()
    http.close()
  })

  it('keeps subprotocol, bytes, close code and reason', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.port}/ws`, ['wamp.2.cbor', 'x'], {
      headers: { 'x-forwarded-for': '6.6.6.6' },
    })
    await once(socket, 'open')
    expect(socket.protocol).to.equal('wamp.2.cbor')
    const bytes = Buffer.alloc(300_000, 7)
    socket.send(bytes)
    const [data] = (await once(socket, 'message')) as [Buffer]
    expect(data.equals(bytes)).to.equal(true)
    socket.send('close')
    const [code, reason] = await once(socket, 'close')
    expect([code, String(reason)]).to.deep.equal([4321, 'as asked'])
    expect(seen[0]).to.include({ 'x-forwarded-for': '0.0.0.0' })
  })

  it('ends the session at the router when the client goes away', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.port}/ws`)
    const [, [session]] = await Promise.all([once(socket, 'open'), once(router, 'connection')])
    socket.terminate()
    await once(session, 'close')
  })

  it('keeps a session open that is idle for longer than the HTTP limits', async () => {
    const client = new RawClient(fixture.port)
    client.send(handshake())
    expect((await client.read(false)).status).to.equal(101)
    const slow = new RawClient(fixture.port)
    slow.send('GET')
    expect((await slow.read()).status).to.equal(408)
    expect(client.socket.destroyed).to.equal(false)
    client.close()
  })

  it('is 502 when the router is down', async () => {
    const free = createTcpServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const port = portOf(free)
    free.close()
    const down = await open({ webSocket: { kind: 'pipe', url: `ws://127.0.0.1:${port}` } })
    const answer = await exchangeRaw(down.port, handshake())
    expect(answer.status).to.equal(502)
    expect(JSON.parse(answer.body)).to.have.property('code', 'wamp.error.net_failure')
    await down.stop()
  })

  it('ends with the gateway', async () => {
    const short = await open({ webSocket: { kind: 'pipe', url: `ws://127.0.0.1:${portOf(http)}` } })
    const socket = new WebSocket(`ws://127.0.0.1:${short.port}/ws`)
    await once(socket, 'open')
    socket.on('error', () => undefined)
    await short.stop()
    await untilHolds(() => socket.readyState === WebSocket.CLOSED)
  })
})
