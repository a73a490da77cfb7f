/** How many connections a network holds. */
import { expect } from 'chai'
import { until } from '#test/support/running/until.ts'
import { type Fixture, open, options, RawClient } from './fixture.ts'

const get = 'GET /v1/x HTTP/1.1\r\nHost: localhost\r\n\r\n'

describe('connections of a network', () => {
  let fixture: Fixture
  const clients: RawClient[] = []

  const start = async (limits: object, trusted_proxies: readonly string[] = []) => {
    fixture = await open({
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
