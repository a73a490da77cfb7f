/** How open WebSockets end: with their credentials, their time, their route and the process; and how many there may be. */
import { expect } from 'chai'
import type { WebSocket } from 'ws'
import {
  logIn,
  passwords,
  revoke,
  shopDocument,
  shopRealm,
} from '#test/support/examples/example-api.ts'
import {
  asAda,
  bearer,
  issueKey,
  keyed,
  liveRealm,
  manage,
} from '#test/support/examples/live-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { echoingUpstream, type SocketUpstream } from '#test/support/peers/websocket-upstream.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { until } from '#test/support/running/until.ts'
import { closing, echoed, handshake, opened, RawSocket, socketsTo } from './clients.ts'

describe('an open WebSocket', () => {
  const clock = movedClock()
  let gateway: TestGateway
  let upstream: SocketUpstream
  const { log, lines } = keptLog()

  const realm = (changes?: Parameters<typeof liveRealm>[0]) =>
    manage(gateway.adminUrl, '/realms', liveRealm(changes))

  const basic = { path: { security: { type: 'basic' } } }
  const paths = {
    open: { path: { security: {} } },
    basic,
    token: {},
    key: { path: { security: { type: 'api_key', header_name: 'x-key' } } },
  }

  /** The API of the shop, with WebSockets. */
  const load = async (changed: Parameters<typeof socketsTo>[1] = {}, more: object = {}) => {
    const { '1.0.0': version } = shopDocument.versions
    const { versions } = socketsTo(upstream.host, { ...paths, ...changed })
    const document = {
      ...shopDocument,
      versions: {
        '1.0.0': { ...version, paths: { ...version.paths, ...versions['1'].paths, ...more } },
      },
    }
    const { status, body } = await gateway.load(document)
    expect(status, JSON.stringify(body)).to.be.within(200, 201)
  }

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true, clock, log })
    upstream = await echoingUpstream()
    await realm()
  })
  beforeEach(() => load())
  afterEach(() => realm())
  after(async () => {
    await gateway.stop()
    upstream.close()
  })

  const credentials = {
    open: {},
    basic: { authorization: asAda.authorization },
  }

  const open = async (name: string, headers: Record<string, string> = {}): Promise<WebSocket> => {
    const socket = await opened(gateway.url, `/shop/${name}`, { headers })
    expect((await echoed(socket, 'hello')).toString()).to.equal('hello')
    return socket
  }

  const unauthorized = [1008, 'the credentials have ended']

  it('ends with 1008 when its access token is revoked; another of the user goes on', async () => {
    const [one, other] = [await logIn(gateway.url), await logIn(gateway.url)]
    const socket = await open('token', bearer(one.access_token))
    const another = await open('token', bearer(other.access_token))
    const closed = closing(socket)
    expect(await revoke(gateway.url, one.access_token)).to.equal(200)
    expect(await closed).to.deep.equal(unauthorized)
    expect((await echoed(another, 'still')).toString()).to.equal('still')
    another.terminate()
  })

  it('ends with 1008 when its access token has expired', async () => {
    const { access_token, expires_in } = await logIn(gateway.url)
    const closed = closing(await open('token', bearer(access_token)))
    clock.aheadMs += expires_in * 1000 + 1_000
    expect(await closed).to.deep.equal(unauthorized)
  })

  it('ends with 1008 when its API key is revoked', async () => {
    const { id, api_key } = await issueKey(gateway.adminUrl)
    const closed = closing(await open('key', keyed(api_key)))
    await manage(gateway.adminUrl, `/api_keys/${id}`, undefined, 'DELETE')
    expect(await closed).to.deep.equal(unauthorized)
  })

  it('ends with 1008 when its user is disabled, gets another password or other roles', async () => {
    const changes = [
      { enabled: false },
      { password: 'another password' },
      { groups: ['customers'] },
    ]
    for (const ofAda of changes) {
      const closed = closing(await open('basic', credentials.basic))
      await realm({ ofAda })
      expect(await closed, JSON.stringify(ofAda)).to.deep.equal(unauthorized)
      await realm()
    }
  })

  it('that ends with 1008 has nothing of its client passed on any more', async () => {
    const socket = await open('basic', credentials.basic)
    const [peer] = [...upstream.open].slice(-1)
    const heard: string[] = []
    peer?.on('message', (data) => heard.push(String(data)))
    const closed = closing(socket)
    socket.on('close', () => undefined)
    await realm({ ofAda: { enabled: false } })
    await closed
    expect(heard).to.deep.equal([])
    await until('the upstream is left', () => peer !== undefined && !upstream.open.has(peer))
  })

  it('ends with 1001 when nothing was sent for idle_timeout, whichever side has sent before', async () => {
    await load({
      open: { path: { security: {} }, action: { websocket: { idle_timeout: 1_000 } } } as never,
    })
    const socket = await open('open')
    expect(await closing(socket)).to.deep.equal([1001, 'nothing was sent for too long'])
  })

  it('ends with 1001 when max_duration is over, however much is sent', async () => {
    await load({
      open: { path: { security: {} }, action: { websocket: { max_duration: 700 } } } as never,
    })
    const socket = await open('open')
    const closed = closing(socket)
    socket.on('message', (data) => socket.send(data))
    socket.send('on and on')
    expect(await closed).to.deep.equal([1001, 'the time of this connection is over'])
  })

  it('outlives loads of its document and of others', async () => {
    const sockets = [await open('open'), await open('basic', credentials.basic)]
    for (let round = 0; round < 20; round += 1) {
      await load({ [`other${round}`]: {} })
      await gateway.load({ ...socketsTo(upstream.host), id: 'com.example.another', versions: {} })
    }
    for (const [index, socket] of sockets.entries()) {
      expect((await echoed(socket, `still ${index}`)).toString()).to.equal(`still ${index}`)
    }
    const closed = closing(sockets[1] as WebSocket)
    await realm({ ofAda: { enabled: false } })
    expect(await closed).to.deep.equal(unauthorized)
    sockets[0]?.terminate()
  })

  it('outlives a load that gives its path a login which its credentials pass', async () => {
    const socket = await open('open', credentials.basic)
    const refused = closing(await open('open'))
    await load({ open: basic })
    // both are judged in one round
    expect(await refused).to.deep.equal(unauthorized)
    expect((await echoed(socket, 'still')).toString()).to.equal('still')
    socket.terminate()
  })

  const ended: readonly (readonly [
    what: string,
    name: 'open' | 'basic',
    changed: Parameters<typeof socketsTo>[1],
    expected: readonly unknown[],
  ])[] = [
    [
      'without websocket',
      'open',
      { open: { path: { security: {} }, action: { websocket: false } } as never },
      [1001, 'nothing is served at this path any more'],
    ],
    ['with a login that its credentials do not pass', 'open', { open: basic }, unauthorized],
    [
      'with another kind of login',
      'basic',
      { basic: { path: { security: { type: 'api_key' } } } },
      unauthorized,
    ],
    [
      'for another network',
      'open',
      { open: { path: { security: {}, allow_from: ['192.0.2.0/24'] } } },
      unauthorized,
    ],
    [
      'for https alone',
      'open',
      { open: { path: { security: {}, schemes: ['https'] } } },
      unauthorized,
    ],
  ]
  for (const [what, name, changed, expected] of ended) {
    it(`ends with a load of its path ${what}`, async () => {
      const closed = closing(await open(name, credentials[name]))
      await load(changed)
      expect(await closed).to.deep.equal(expected)
    })
  }

  it('ends with 1001 when its document is removed', async () => {
    const document = { ...socketsTo(upstream.host, paths), id: 'com.example.removed' }
    document.versions['1'].base_path = '/removed'
    await gateway.mustLoad(document)
    const closed = closing(await opened(gateway.url, '/removed/echo'.replace('echo', 'open')))
    await send(gateway.adminUrl, '/api_specs/com.example.removed', { method: 'DELETE' })
    expect(await closed).to.deep.equal([1001, 'nothing is served at this path any more'])
  })

  it('leaves one line in the access log, at its end, and is counted by reason', async () => {
    const socket = await open('open')
    const isOfSocket = ({ route, status }: (typeof lines)[number]) =>
      route === '/shop/open' && status === 101
    const before = lines.filter(isOfSocket).length
    socket.close(1000)
    await closing(socket)
    await until('the line', () => lines.filter(isOfSocket).length === before + 1)
    const line = lines.filter(isOfSocket).at(-1)
    expect(line).to.include({ method: 'get', msg: 'request' })
    expect(line?.reason).to.be.oneOf(['client', 'upstream'])
    expect(line?.bytes).to.be.greaterThan(100)
    const metrics = (await send(gateway.adminUrl, '/metrics')).text
    expect(metrics).to.match(/gateway_websockets_closed_total\{reason="unauthorized"\} [1-9]/)
    expect(metrics).to.match(/gateway_websockets_closed_total\{reason="gone"\} [1-9]/)
    expect(metrics).to.match(
      /gateway_websockets\{api="com.example.shop",version="1.0.0",route="\/shop\/open"\} \d/,
    )
    expect(metrics).to.match(
      /gateway_http_requests_total\{[^}]*route="\/shop\/open"[^}]*status="101"[^}]*\} [1-9]/,
    )
  })
})

describe('a gateway with limits on WebSockets', () => {
  let upstream: SocketUpstream
  before(async () => {
    upstream = await echoingUpstream()
  })
  after(() => upstream.close())

  const cases: readonly (readonly [
    what: string,
    settings: Readonly<Record<string, string>>,
    action: object,
    most: number,
    status: number,
  ])[] = [
    ['in the process', { 'limits.websockets': '2' }, {}, 2, 503],
    ['of an address', { 'limits.websockets_per_address': '3' }, {}, 3, 429],
    ['of an operation', {}, { websocket: { max_sockets: 2 } }, 2, 429],
  ]
  for (const [what, settings, action, most, status] of cases) {
    it(`opens at most as many as it may have ${what}, and others once these have ended`, async () => {
      const gateway = await startGateway(settings)
      try {
        await gateway.load(socketsTo(upstream.host, { echo: { action } }))
        const sockets: WebSocket[] = []
        for (let index = 0; index < most; index += 1) {
          sockets.push(await opened(gateway.url, '/v1/echo'))
        }
        const before = upstream.handshakes.length
        const client = new RawSocket(gateway.url)
        client.write(handshake('/v1/echo'))
        expect(await client.status()).to.equal(status)
        expect(client.received).to.match(/\r\nretry-after: \d+\r\n/i)
        expect(upstream.handshakes.length).to.equal(before)
        // a load makes no room
        await gateway.load(socketsTo(upstream.host, { echo: { action }, more: {} }))
        await opened(gateway.url, '/v1/echo').then(
          () => expect.fail('it was opened'),
          (error: Error) => expect(error.message).to.equal(`answered ${status}`),
        )
        sockets.pop()?.close()
        await until('there is room', async () => {
          const next = await opened(gateway.url, '/v1/echo').catch(() => undefined)
          if (next) sockets.push(next)
          return next !== undefined
        })
        for (const socket of sockets) socket.terminate()
      } finally {
        await gateway.stop()
      }
    })
  }

  it('opens at most as many of one user as it may have', async () => {
    const gateway = await startGateway(
      { 'limits.websockets_per_identity': '1' },
      { isEmbedded: true },
    )
    try {
      await manage(gateway.adminUrl, '/realms', liveRealm())
      await gateway.load(
        socketsTo(
          upstream.host,
          { echo: { path: { security: { type: 'basic' } } } },
          { realm_uri: shopRealm },
        ),
      )
      const headers = { authorization: asAda.authorization }
      const socket = await opened(gateway.url, '/v1/echo', { headers })
      await opened(gateway.url, '/v1/echo', { headers }).then(
        () => expect.fail('it was opened'),
        (error: Error) => expect(error.message).to.equal('answered 429'),
      )
      const bob = `Basic ${Buffer.from(`bob:${passwords.bob}`).toString('base64')}`
      const other = await opened(gateway.url, '/v1/echo', { headers: { authorization: bob } })
      for (const each of [socket, other]) each.terminate()
    } finally {
      await gateway.stop()
    }
  })

  it('gives the slot of pool_size back with the 101, and keeps none for handshakes that failed', async () => {
    const gateway = await startGateway({ 'limits.websockets': '4' })
    try {
      const document = socketsTo(upstream.host)
      await gateway.load({
        ...document,
        versions: { '1': { ...document.versions['1'], pool_size: 1 } },
      })
      const sockets = [await opened(gateway.url, '/v1/echo'), await opened(gateway.url, '/v1/echo')]
      expect((await send(gateway.url, '/v1/echo')).status).to.equal(200)
      for (let index = 0; index < 10; index += 1) {
        const client = new RawSocket(gateway.url)
        client.write(handshake('/v1/echo', { 'sec-websocket-version': '7' }))
        expect(await client.status()).to.equal(426)
        client.socket.destroy()
      }
      sockets.push(await opened(gateway.url, '/v1/echo'))
      for (const socket of sockets) socket.terminate()
    } finally {
      await gateway.stop()
    }
  })

  it('ends them with 1001 when it stops', async () => {
    const gateway = await startGateway()
    await gateway.load(socketsTo(upstream.host))
    const sockets = await Promise.all(
      Array.from({ length: 10 }, () => opened(gateway.url, '/v1/echo')),
    )
    const closed = Promise.all(sockets.map(closing))
    await gateway.stop()
    expect(await closed).to.deep.equal(sockets.map(() => [1001, 'this node is stopping']))
  })
})
