/** How many connections a network holds. */
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { Connections } from '#http/limits/connections.ts'
import { until, untilHolds } from '#test/support/running/until.ts'
import { type Fixture, open, options, post, RawClient } from './fixture.ts'

const get = 'GET /v1/x HTTP/1.1\r\nHost: localhost\r\n\r\n'

describe('connections of a network', () => {
  let fixture: Fixture
  let usage: LimitUsage
  const clients: RawClient[] = []

  const start = async (limits: object, trusted_proxies: readonly string[] = []) => {
    usage = new LimitUsage()
    fixture = await open({
      usage,
      options: { ...options, limits: { ...options.limits, ...limits } },
      gatewayOptions: { trusted_proxies },
    })
  }

  /** The status of a request on a new connection, which stays open; 0: it was closed. */
  const ask = async (address?: string): Promise<number> => {
    const client = new RawClient(fixture.port, address)
    clients.push(client)
    client.send(get)
    return (await client.read()).status
  }

  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    await fixture.stop()
  })

  it('are half of all: further ones are closed, and another network has the rest', async () => {
    await start({ max_connections: 4 })
    expect([await ask(), await ask(), await ask()]).to.deep.equal([200, 200, 0])
    expect([await ask('127.0.0.2'), await ask('127.0.0.2')]).to.deep.equal([200, 200])
  })

  it('are counted: how many one listener and one network hold, and how many were refused', async () => {
    await start({ max_connections: 2, connections_per_address: 1 })
    const asked = [await ask(), await ask(), await ask('127.0.0.2'), await ask('127.0.0.3')]
    expect(asked).to.deep.equal([200, 0, 200, 0])
    const ofConnections = ['limits.max_connections', 'limits.connections_per_address']
    const held = () => usage.all.filter(({ key }) => ofConnections.includes(key))
    await untilHolds(() => held().every(({ refused }) => refused > 0))
    expect(held()).to.deep.equal([
      { key: 'limits.max_connections', bound: 2, used: 2, refused: 1 },
      { key: 'limits.connections_per_address', bound: 1, used: 1, refused: 1 },
    ])
    for (const client of clients.splice(0)) client.close()
    await untilHolds(() => held().every(({ used }) => used === 0))
    expect(held().map(({ used }) => used)).to.deep.equal([0, 0])
  })

  for (const [limit, bytes] of [
    ['limits.headers_timeout', 'GET /v1/x HTTP/1.1\r\nHo'],
    ['limits.request_timeout', post('/v1/x', 'application/json', '"abc"').subarray(0, -1)],
  ] as const) {
    it(`that are too slow are counted under ${limit}`, async () => {
      await start({ headers_timeout: 50, request_timeout: 100 })
      const client = new RawClient(fixture.port)
      clients.push(client)
      client.send(Buffer.from(bytes))
      const refused = () => usage.all.filter((one) => one.refused > 0).map(({ key }) => key)
      await untilHolds(() => refused().length > 0)
      expect(refused()).to.deep.equal([limit])
    })
  }

  it('beyond limits.max_requests_per_socket their requests are counted', async () => {
    await start({ max_requests_per_socket: 1 })
    const client = new RawClient(fixture.port)
    clients.push(client)
    client.send(get + get)
    expect((await client.read()).status).to.equal(200)
    await untilHolds(() => usage.all.some(({ refused }) => refused > 0))
    const key = 'limits.max_requests_per_socket'
    expect(usage.all.find((one) => one.key === key)).to.include({ bound: 1, refused: 1 })
  })

  it('are as many as limits.connections_per_address says', async () => {
    await start({ connections_per_address: 1 })
    expect([await ask(), await ask()]).to.deep.equal([200, 0])
  })

  it('are free again when one has ended', async () => {
    await start({ connections_per_address: 1 })
    expect(await ask()).to.equal(200)
    clients[0]?.close()
    let status = 0
    await until('a connection is served', async () => {
      status = await ask()
      return status !== 0
    })
    expect(status).to.equal(200)
  })

  it('are not counted for a trusted proxy', async () => {
    await start({ connections_per_address: 1 }, ['127.0.0.1'])
    expect([await ask(), await ask(), await ask()]).to.deep.equal([200, 200, 200])
  })
})

/** Nothing that costs memory is made of them: one address may open and lose thousands a second. */
describe('connections that are refused', () => {
  const servers: readonly (readonly [string, () => Server])[] = [
    ['parser', createServer],
    ['handshake', createSecureServer],
  ]
  for (const [what, makeServer] of servers) {
    it(`get no ${what}`, async () => {
      const server = makeServer()
      let reached = 0
      let broken = 0
      server.on('connection', () => reached++)
      server.on('tlsClientError', () => broken++)
      const usage = new LimitUsage()
      const bounds = { max_connections: 10, connections_per_address: 1, max_requests_per_socket: 0 }
      new Connections(bounds, usage).limit(server, () => false)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const first = new RawClient(port)
      await untilHolds(() => reached === 1)
      const others = Array.from({ length: 5 }, () => new RawClient(port))
      const refused = () => usage.all.find(({ key }) => key.endsWith('per_address'))?.refused
      await untilHolds(() => refused() === others.length)
      for (const other of others) expect((await other.read()).status).to.equal(0)
      expect({ reached, broken }).to.deep.equal({ reached: 1, broken: 0 })
      for (const client of [first, ...others]) client.close()
      server.close()
    })
  }
})
