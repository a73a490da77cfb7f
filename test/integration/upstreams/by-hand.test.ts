/** Targets that operators drain, and the list of what has become of them. */
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { plainClients } from '#test/support/peers/wamp-clients.ts'
import { closeAll, realm_uri, startTarget, startWith } from './upstreams.ts'

interface Listed {
  readonly upstreams: readonly {
    readonly name: string
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
    expect(first?.nodes[0]).to.include({ state: 'up', pending: 0, last_error: null })
    expect(second?.nodes[0]).to.include({ state: 'out', last_error: 'the upstream answered 503' })
    expect(second?.nodes[0]?.since).to.be.greaterThan(Date.now() - 60_000)
  })

  it('are listed for a realm that is there', async () => {
    const { gateway } = await start()
    expect((await send(gateway.adminUrl, '/realms/com.nowhere/upstreams')).status).to.equal(404)
  })
})
