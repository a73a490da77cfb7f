/** Targets that operators drain, and the list of what has become of them. */
import { expect } from 'chai'
import { opened } from '#test/integration/websockets/clients.ts'
import { send } from '#test/support/http-request.ts'
import { plainClients } from '#test/support/peers/wamp-clients.ts'
import { echoingUpstream } from '#test/support/peers/websocket-upstream.ts'
import { until } from '#test/support/running/until.ts'
import { startTokenServer } from './token-server.ts'
import { closeAll, realm_uri, startTarget, startWith } from './upstreams.ts'

interface Listed {
  readonly upstreams: readonly {
    readonly name: string
    readonly auth: unknown
    readonly targets: readonly {
      readonly url: string
      readonly nodes: readonly Readonly<Record<string, unknown>>[]
    }[]
  }[]
  readonly unheard: readonly string[]
}

describe('the targets of an upstream', () => {
  afterEach(closeAll)

  async function start() {
    const [one, two] = [await startTarget(), await startTarget()]
    const targets = [{ url: one.url, weight: 3 }, { url: two.url }]
    const tls = { cert: 'C', private_key: 'K' }
    const gateway = await startWith({ it: { targets, tls } })
    const set = (url: string, body: unknown, upstream = 'it') =>
      send(
        gateway.adminUrl,
        `/realms/${realm_uri}/upstreams/${upstream}/targets?url=${encodeURIComponent(url)}`,
        { method: 'PUT', body },
      )
    const list = async () =>
      (await send(gateway.adminUrl, `/realms/${realm_uri}/upstreams`)).json() as Listed
    const statesOf = async () =>
      (await list()).upstreams[0]?.targets.map(({ nodes }) => nodes.map(({ state }) => state))
    return { one, two, gateway, set, list, statesOf }
  }

  it('are drained and given back by hand, which is an edit of the realm', async () => {
    const { one, two, gateway, set, statesOf } = await start()
    const answer = await set(one.url, { drain: true })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.json()).to.deep.include({ uri: realm_uri, upstream: 'it', url: one.url })
    expect(answer.headers.etag).to.be.a('string')
    for (let count = 0; count < 4; count += 1) await fetch(`${gateway.url}/v1/it`)
    expect([one.asked.length, two.asked.length]).to.deep.equal([0, 4])
    expect(await statesOf()).to.deep.equal([['draining'], ['up']])
    await set(one.url, { drain: null, weight: 1 })
    for (let count = 0; count < 4; count += 1) await fetch(`${gateway.url}/v1/it`)
    expect([one.asked.length, two.asked.length]).to.deep.equal([2, 6])
    const shown = await send(gateway.adminUrl, `/realms/${realm_uri}`)
    expect(shown.json())
      .to.have.nested.property('info.upstreams.it.targets')
      .that.deep.equals([{ url: one.url, weight: 1 }, { url: two.url }])
  })

  it('are set over WAMP, too', async () => {
    const { one, gateway, statesOf } = await start()
    const client = await plainClients.wampy(gateway.routerUrl, 'service.gateway')
    await client.call('service.set_upstream_target', [realm_uri, 'it', one.url, { drain: true }])
    expect(await statesOf()).to.deep.equal([['draining'], ['up']])
    await client.close()
  })

  for (const [what, url, body, upstream, status] of [
    ['an unknown upstream', '', { drain: true }, 'other', 404],
    ['an unknown target', 'http://10.9.9.9', { drain: true }, 'it', 404],
    ['an unknown key', '', { url: 'http://10.9.9.9' }, 'it', 400],
    ['a wrong value', '', { weight: 'much' }, 'it', 400],
  ] as const) {
    it(`are not changed: ${what}`, async () => {
      const { one, set, statesOf } = await start()
      expect((await set(url || one.url, body, upstream)).status).to.equal(status)
      expect(await statesOf()).to.deep.equal([['up'], ['up']])
    })
  }

  it('are listed with what has become of them', async () => {
    const bad = await startTarget((_request, response) => response.writeHead(503).end())
    const { one, gateway, list } = await start()
    await gateway.setUpstreams({
      it: { targets: [{ url: one.url }, { url: bad.url }], health: { failures: 1 } },
    })
    while (bad.asked.length === 0) await fetch(`${gateway.url}/v1/it`)
    const { upstreams, unheard } = await list()
    expect(unheard).to.deep.equal([])
    const [first, second] = upstreams[0]?.targets ?? []
    expect(first?.nodes[0]).to.deep.include({
      ...{ state: 'up', pending: 0, connections: 1, sockets: 0, failures: 0 },
      ...{ last_error: null, last_check: null },
    })
    expect(second?.nodes[0]).to.deep.include({
      ...{ state: 'out', failures: 1, attempts: { success: 0, failure: 1, unknown: 0 } },
      last_error: 'the upstream returned 503',
    })
    expect(upstreams[0]?.auth).to.equal(null)
    const registry = (await send(gateway.adminUrl, '/registry')).json()
    expect(registry).to.deep.include({
      upstreams: { count: 1, targets: { up: 1, unresolved: 0, draining: 0, out: 1, down: 0 } },
    })
    expect((await send(gateway.adminUrl, '/ready')).text).to.equal('ready')
    expect(second?.nodes[0]?.since).to.be.greaterThan(Date.now() - 60_000)
  })

  it('are listed with requests and WebSockets that are open, and with the last check', async () => {
    const sockets = await echoingUpstream()
    const waiting: (() => void)[] = []
    const slow = await startTarget(({ url }, response) => {
      if (url === '/up') response.end()
      else waiting.push(() => response.end())
    })
    const { gateway, list } = await start()
    const listed = async () => (await list()).upstreams[0]?.targets[0]?.nodes[0]
    await gateway.setUpstreams({ it: { targets: [{ url: `http://${sockets.host}` }] } })
    const get = { action: { type: 'forward', upstream: 'it', websocket: true }, response: {} }
    const versions = { '1': { base_path: '/s', paths: { '/it': { get } } } }
    await gateway.load({ id: 'y', realm_uri, host: '_', versions })
    const socket = await opened(gateway.url, '/s/it')
    expect(await listed()).to.include({ pending: 1, connections: 0, sockets: 1 })
    socket.terminate()
    await until('it has ended', async () => (await listed())?.sockets === 0)
    const health = { active: { path: '/up', interval: 1 } }
    await gateway.setUpstreams({ it: { targets: [{ url: slow.url }], health } })
    const answer = fetch(`${gateway.url}/v1/it`)
    await until('it is asked', () => waiting.length > 0)
    await until('it is checked', async () => Boolean((await listed())?.last_check))
    const told = await listed()
    expect(told).to.include({ pending: 1, sockets: 0 })
    expect(told?.connections).to.be.greaterThan(0)
    expect(told?.last_check).to.have.property('problem', null)
    for (const end of waiting) end()
    await answer
    slow.stop()
    await until('a check fails', async () =>
      /ECONNREFUSED/.test(JSON.stringify((await listed())?.last_check)),
    )
    sockets.close()
  })

  it('are listed with the kind of their credentials and the times of the token, never with a secret', async () => {
    const server = await startTokenServer()
    const { one, gateway, list } = await start()
    const auth = {
      ...{ type: 'client_credentials', token_url: `${server.url}/token`, client_id: 'gw' },
      client_secret: 'sssh-0123456789',
    }
    const targets = [{ url: one.url }]
    await gateway.setUpstreams({ it: { targets, auth } })
    const before = await list()
    expect(before.upstreams[0]?.auth).to.deep.equal({ type: 'client_credentials', tokens: [] })
    await fetch(`${gateway.url}/v1/it`)
    const { upstreams } = await list()
    const { tokens = [] } = (upstreams[0]?.auth ?? {}) as { tokens?: Record<string, number>[] }
    expect(Object.keys(tokens[0] ?? {})).to.have.members(['node', 'fetched_at', 'expires_at'])
    const { fetched_at = 0, expires_at = 0 } = tokens[0] ?? {}
    expect(expires_at - fetched_at).to.equal(server.lifetime * 1000)
    expect(JSON.stringify(upstreams)).to.not.match(/sssh|client-token/)
    const secret = { type: 'header', name: 'x-key', secret: 'sssh-0123456789' }
    await gateway.setUpstreams({ it: { targets, auth: secret } })
    await fetch(`${gateway.url}/v1/it`)
    expect((await list()).upstreams[0]?.auth).to.deep.equal({ type: 'header', tokens: [] })
    server.stop()
  })

  it('are listed for a realm that is there', async () => {
    const { gateway } = await start()
    expect((await send(gateway.adminUrl, '/realms/com.nowhere/upstreams')).status).to.equal(404)
  })
})
