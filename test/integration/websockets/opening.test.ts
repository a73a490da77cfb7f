/** WebSockets through a forward: which handshakes open one, and what every other answer of the gateway and the upstream is. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { asAda, liveRealm, manage } from '#test/support/examples/live-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import {
  echoingUpstream,
  type ScriptedUpstream,
  type SocketUpstream,
  scriptedUpstream,
} from '#test/support/peers/websocket-upstream.ts'
import { until } from '#test/support/running/until.ts'
import { accept, closing, echoed, handshake, key, opened, RawSocket, socketsTo } from './clients.ts'

const shop = 'https://shop.example.com'

describe('a WebSocket through a forward', () => {
  let gateway: TestGateway
  let upstream: SocketUpstream

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    upstream = await echoingUpstream()
    await manage(gateway.adminUrl, '/realms', liveRealm())
    const document = socketsTo(
      upstream.host,
      {
        echo: {},
        plain: { action: { websocket: false } },
        shop: { action: { websocket: { origins: [shop] } } },
        spoken: { action: { websocket: { protocols: ['echo', 'other'] } } },
        private: { path: { security: { type: 'basic' } } },
        fields: {
          action: { headers: { 'x-own': 'yes', 'sec-websocket-key': 'mine' } },
          get: { response: { on_result: { headers: { 'x-answer': 'declared' } } } },
        },
      },
      { realm_uri: 'com.example.realm' },
    )
    await gateway.mustLoad(document)
  })
  after(async () => {
    await gateway.stop()
    upstream.close()
  })

  it('passes messages of 1 B to 1 MiB both ways, unchanged and in order', async () => {
    const socket = await opened(gateway.url, '/v1/echo')
    for (const size of [1, 125, 126, 127, 65_535, 65_536, 65_537, 1_048_576]) {
      const message = randomBytes(size)
      expect((await echoed(socket, message)).equals(message), `${size}`).to.equal(true)
    }
    socket.close(1000, 'done')
    expect(await closing(socket)).to.deep.equal([1000, 'done'])
  })

  it('has the fields of the upstream and the document in its 101, and none of a body', async () => {
    const client = new RawSocket(gateway.url)
    client.write(handshake('/v1/fields', { 'sec-websocket-protocol': 'none, echo' }))
    expect(await client.status()).to.equal(101)
    const [head = ''] = client.received.toLowerCase().split('\r\n\r\n')
    expect(head).to.include(`sec-websocket-accept: ${accept.toLowerCase()}`)
    for (const field of ['sec-websocket-protocol: echo', 'set-cookie: seen=1', 'x-upstream: yes'])
      expect(head).to.include(field)
    expect(head).to.include('x-answer: declared')
    expect(head).to.match(/\r\nconnection: upgrade\r\n/)
    expect(head).not.to.match(/\r\n(?:content-|transfer-encoding)/)
    client.socket.destroy()
  })

  it('asks the upstream with a handshake of the gateway: the fields of the action, and no cookie of the gateway', async () => {
    const cookie = 'theirs=1; __Host-service_ticket_x=secret'
    const socket = await opened(gateway.url, '/v1/echo?q=1', { headers: { cookie, via: '1.0 x' } })
    const { url, headers } = upstream.handshakes.at(-1) ?? {}
    expect(url).to.equal('/up?q=1')
    expect(headers).to.include({ host: upstream.host, cookie: 'theirs=1', upgrade: 'websocket' })
    expect(headers?.via).to.match(/^1\.0 x, 1\.1 /)
    expect(headers?.['x-forwarded-for']).to.equal('127.0.0.1')
    socket.terminate()
    const own = await opened(gateway.url, '/v1/fields', { headers: { cookie } })
    const told = upstream.handshakes.at(-1)?.headers
    expect(told).to.include({ 'x-own': 'yes', upgrade: 'websocket' })
    expect(told?.cookie).to.equal(undefined)
    expect(told?.['sec-websocket-key']).not.to.equal('mine')
    own.terminate()
  })

  it('is opened on a connection that has served requests, once these are answered', async () => {
    const client = new RawSocket(gateway.url)
    const get = 'GET /v1/echo HTTP/1.1\r\nHost: localhost\r\n\r\n'
    client.write(get + get + handshake('/v1/echo'))
    await until('the 101', () => client.received.includes('101 Switching'))
    const answers = client.received.split('HTTP/1.1 ').map((answer) => answer.slice(0, 3))
    expect(answers).to.deep.equal(['', '200', '200', '101'])
    client.socket.destroy()
  })

  it('leaves requests without Upgrade, with a body or of another method to the forward', async () => {
    expect((await send(gateway.url, '/v1/echo')).text).to.equal('plain')
    const client = new RawSocket(gateway.url)
    client.write(`${handshake('/v1/echo', { 'content-length': '5' })}hello`)
    expect(await client.status()).to.equal(200)
    const before = upstream.handshakes.length
    const other = new RawSocket(gateway.url)
    other.write(handshake('/v1/echo', {}, 'POST /v1/echo HTTP/1.1'))
    expect(await other.status()).to.equal(405)
    const plain = new RawSocket(gateway.url)
    plain.write(handshake('/v1/plain'))
    expect(await plain.status()).to.equal(200)
    expect(plain.isEnded).to.equal(false)
    const old = new RawSocket(gateway.url)
    old.write(handshake('/v1/echo', {}, 'GET /v1/echo HTTP/1.0'))
    expect(await old.status()).to.equal(200)
    expect(upstream.handshakes.length).to.equal(before)
    for (const { socket } of [client, other, plain, old]) socket.destroy()
  })

  type Fields = Readonly<Record<string, string | undefined>>
  const ada = { authorization: asAda.authorization }
  const refused: readonly (readonly [
    what: string,
    path: string,
    status: number,
    fields: Fields,
  ])[] = [
    ['a page of another origin', '/v1/echo', 403, { origin: shop }],
    ['an opaque origin', '/v1/echo', 403, { origin: 'null' }],
    [
      'another scheme than the one that is listed',
      '/v1/shop',
      403,
      { origin: 'http://shop.example.com' },
    ],
    ['a page of another origin with credentials', '/v1/private', 403, { origin: shop, ...ada }],
    ['a page of another origin without any', '/v1/private', 403, { origin: shop }],
    ['no credentials', '/v1/private', 401, {}],
    ['a wrong version', '/v1/echo', 426, { 'sec-websocket-version': '8' }],
    ['no version', '/v1/echo', 426, { 'sec-websocket-version': undefined }],
    ['no key', '/v1/echo', 400, { 'sec-websocket-key': undefined }],
    ['a short key', '/v1/echo', 400, { 'sec-websocket-key': 'c2hvcnQ=' }],
    ['a subprotocol twice', '/v1/echo', 400, { 'sec-websocket-protocol': 'a, a' }],
    ['a subprotocol that is no token', '/v1/echo', 400, { 'sec-websocket-protocol': 'a b' }],
    ['none of the subprotocols', '/v1/spoken', 400, { 'sec-websocket-protocol': 'x, y' }],
    ['no subprotocol where some are listed', '/v1/spoken', 400, {}],
  ]
  for (const [what, path, status, fields] of refused) {
    it(`is answered ${status} for ${what}: the upstream hears nothing, and bytes behind it are dropped`, async () => {
      const before = upstream.handshakes.length
      const client = new RawSocket(gateway.url)
      client.write(handshake(path, fields))
      client.write(`GET /v1/plain?smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect(await client.status()).to.equal(status)
      client.write(`GET /v1/plain?smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await client.ended()
      expect(client.received.split('HTTP/1.1 ').length, client.received).to.equal(2)
      expect(client.received.toLowerCase()).to.match(/\r\nconnection: close/)
      if (status === 426) expect(client.received).to.match(/sec-websocket-version: 13\r\n/i)
      expect(upstream.handshakes.length).to.equal(before)
      client.socket.destroy()
    })
  }

  const passed: readonly (readonly [what: string, path: string, fields: Fields])[] = [
    ['a page of the host itself', '/v1/echo', { origin: 'http://localhost' }],
    ['a page of a listed origin', '/v1/shop', { origin: shop }],
    ['a page of the host itself beside a list', '/v1/shop', { origin: 'https://localhost' }],
    ['credentials', '/v1/private', ada],
    ['a listed subprotocol among others', '/v1/spoken', { 'sec-websocket-protocol': 'x,echo' }],
    [
      'Upgrade in other letters',
      '/v1/echo',
      { upgrade: 'WebSocket', connection: 'keep-alive, upgrade' },
    ],
  ]
  for (const [what, path, fields] of passed) {
    it(`is opened for ${what}`, async () => {
      const client = new RawSocket(gateway.url)
      client.write(handshake(path, fields))
      expect(await client.status(), client.received).to.equal(101)
      client.socket.destroy()
    })
  }

  it('passes on only the subprotocols that are listed', async () => {
    const socket = await opened(gateway.url, '/v1/spoken', { protocols: ['x', 'other', 'echo'] })
    expect(socket.protocol).to.equal('echo')
    const offered = upstream.handshakes.at(-1)?.headers['sec-websocket-protocol']
    expect(offered).to.equal('other, echo')
    socket.terminate()
  })
})

describe('an upstream that answers a handshake', () => {
  let gateway: TestGateway
  let upstream: ScriptedUpstream
  let answer: string | Buffer | undefined

  before(async () => {
    gateway = await startGateway()
    upstream = await scriptedUpstream(() => answer)
  })
  beforeEach(async () => {
    const action = { timeout: 2_000 }
    const { status } = await gateway.load(
      socketsTo(upstream.host, {
        ws: { action },
        patient: { action: { timeout: 90_000 } },
        declared: {
          action,
          get: { response: { on_error: { status_code: 418, body: 'declared' } } },
        },
      }),
    )
    expect(status).to.be.within(200, 201)
  })
  after(async () => {
    await gateway.stop()
    upstream.close()
  })

  const switched = (...more: string[]) =>
    ['HTTP/1.1 101 Switching Protocols', ...more, '', ''].join('\r\n')
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade']
  const good = [...upgrade, `Sec-WebSocket-Accept: ${accept}`]

  const ordinary: readonly (readonly [what: string, status: number, answer: string | undefined])[] =
    [
      ['200', 200, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
      ['a redirect', 302, 'HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n'],
      ['403', 403, 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'],
      [
        '426 that upgrades',
        426,
        `HTTP/1.1 426 No\r\n${upgrade.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`,
      ],
      [
        'chunks without a length',
        200,
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      ],
      ['101 without Upgrade', 504, switched(`Sec-WebSocket-Accept: ${accept}`)],
      [
        '101 to another protocol',
        504,
        switched('Upgrade: h2c', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`),
      ],
      ['101 with a wrong key', 504, switched(...upgrade, `Sec-WebSocket-Accept: ${key}`)],
      ['101 without a key', 504, switched(...upgrade)],
      ['101 with two keys', 504, switched(...good, `Sec-WebSocket-Accept: ${accept}`)],
      [
        '101 with a subprotocol that nobody offered',
        504,
        switched(...good, 'Sec-WebSocket-Protocol: x'),
      ],
      [
        '101 with two subprotocols',
        504,
        switched(...good, 'Sec-WebSocket-Protocol: echo', 'Sec-WebSocket-Protocol: echo'),
      ],
      [
        '101 with an extension that nobody offered',
        504,
        switched(...good, 'Sec-WebSocket-Extensions: permessage-deflate'),
      ],
      ['what is not HTTP', 504, 'SSH-2.0-OpenSSH\r\n'],
      ['a status beyond 599', 504, 'HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n'],
      ['nothing', 504, undefined],
    ]
  for (const [what, status, told] of ordinary) {
    it(`by ${what} gives the client ${status}; what either has sent is dropped`, async () => {
      answer = told
      const client = new RawSocket(gateway.url)
      const at = upstream.received.length
      client.write(
        `${handshake('/v1/ws', { 'sec-websocket-protocol': 'echo' })}GET /v1/ws?smuggled HTTP/1.1\r\nHost: x\r\n\r\n`,
      )
      expect(await client.status(), client.received).to.equal(status)
      client.write('GET /v1/ws?smuggled HTTP/1.1\r\nHost: x\r\n\r\n')
      await client.ended()
      expect(client.received.split('HTTP/1.1 ').length, client.received).to.equal(2)
      expect(client.received.toLowerCase()).to.include('\r\nconnection: close')
      const heard = upstream.received.slice(at).join('')
      expect(heard).to.match(/^GET \/up HTTP\/1\.1\r\n/)
      expect(heard).not.to.include('smuggled')
      client.socket.destroy()
    })
  }

  it('by an error gives the client what on_error declares', async () => {
    answer = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'
    const client = new RawSocket(gateway.url)
    client.write(handshake('/v1/declared'))
    expect(await client.status()).to.equal(418)
    client.socket.destroy()
  })

  it('by a large answer gives the client all of it', async () => {
    const body = 'x'.repeat(3_000_000)
    answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const client = new RawSocket(gateway.url)
    client.write(handshake('/v1/ws'))
    await client.ended()
    expect(client.received.endsWith(`\r\n\r\n${body}`)).to.equal(true)
  })

  it('with frames in the segment of its 101 has them passed on, also those that look like an answer', async () => {
    const frames = Buffer.concat([
      Buffer.from('\x81\x02hi', 'latin1'),
      Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'),
    ])
    answer = Buffer.concat([Buffer.from(switched(...good)), frames])
    const client = new RawSocket(gateway.url)
    client.write(handshake('/v1/ws'))
    const text = frames.toString('latin1')
    await until('the frames', () => client.received.endsWith(`\r\n\r\n${text}`))
    client.socket.destroy()
  })

  it('has the bytes that the client sent before the 101, once it is open', async () => {
    answer = switched(...good)
    const client = new RawSocket(gateway.url)
    client.write(`${handshake('/v1/ws')}early`)
    expect(await client.status()).to.equal(101)
    await until('the bytes', () => upstream.received.at(-1)?.endsWith('\r\n\r\nearly') === true)
    client.write(', late')
    await until('more', () => upstream.received.at(-1)?.endsWith('early, late') === true)
    client.socket.destroy()
  })

  it('too late is left when its client goes', async () => {
    answer = undefined
    const client = new RawSocket(gateway.url)
    const at = upstream.sockets.length
    client.write(handshake('/v1/patient'))
    await until('the handshake', () => upstream.received.length > at)
    client.socket.end()
    await until('the end', () => upstream.sockets.at(-1)?.destroyed === true)
  })

  it('is held back while its client does not read, and goes on with it', async () => {
    answer = switched(...good)
    const client = new RawSocket(gateway.url)
    client.write(handshake('/v1/ws'))
    expect(await client.status()).to.equal(101)
    client.socket.pause()
    const peer = upstream.sockets.at(-1)
    const chunk = Buffer.alloc(65_536)
    const all = 64 * 1024 * 1024
    // more than the kernel takes for two connections
    for (let sent = 0; sent < all; sent += chunk.length) peer?.write(chunk)
    let seen = -1
    const isStill = (): boolean => {
      const now = peer?.writableLength ?? 0
      const isSame = now === seen
      seen = now
      return isSame
    }
    await until('it stands still', async () => isStill() && isStill())
    expect(peer?.writableLength).to.be.greaterThan(all / 2)
    client.received = ''
    client.socket.resume()
    await until('all of it', () => peer?.writableLength === 0)
    client.socket.destroy()
    await until('the upstream is left', () => peer?.destroyed === true)
  })
})
