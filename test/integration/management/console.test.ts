/** The console of the admin listener: its files, and its events, which each operator gets of what it manages. */
import { expect } from 'chai'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const specOf = (id: string, realm_uri: string, text = 'x') => ({
  ...{ id, host: '_', realm_uri },
  versions: {
    '1': {
      base_path: `/${id}`,
      paths: {
        '/a': {
          get: {
            action: { type: 'static', body: text },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
})

type Data = Readonly<Record<string, unknown>>

/** The data of the next event of a name. */
async function nextOf(stream: EventStream, name: string): Promise<Data> {
  for (;;) {
    const { event, data } = await stream.next()
    if (event === name) return JSON.parse(data) as Data
  }
}

describe('the console', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  it('leads browsers that ask for / to its page', async () => {
    const { status, headers } = await send(gateway.adminUrl, '/', { headers: browser })
    expect([status, headers.location]).to.deep.equal([302, 'console/'])
    expect((await send(gateway.adminUrl, '/console')).headers.location).to.equal('console/')
    expect((await send(gateway.adminUrl, '/')).status).to.equal(404)
  })

  it('is a page that runs and loads nothing but its own files', async () => {
    const { status, headers, text } = await send(gateway.adminUrl, '/console/')
    const host = new URL(gateway.adminUrl).hostname
    expect(status).to.equal(200)
    expect(headers['content-security-policy']).to.equal(
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' http://${host}:${new URL(gateway.url).port}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(headers).to.include({ 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' })
    expect(headers['x-content-type-options']).to.equal('nosniff')
    const names = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name)
    expect(names).to.include.members(['main.js', 'preact.js', 'theme.css'])
    for (const name of names) {
      const file = await send(gateway.adminUrl, `/console/${name}`)
      expect([name, file.status]).to.deep.equal([name, 200])
    }
  })

  it('is not sent again to a browser that has it', async () => {
    const { etag = '' } = (await send(gateway.adminUrl, '/console/main.js')).headers
    const again = await send(gateway.adminUrl, '/console/main.js', {
      headers: { 'if-none-match': etag },
    })
    expect([again.status, again.text]).to.deep.equal([304, ''])
  })

  for (const path of [
    '/console/../package.json',
    '/console/%2e%2e/console.ts',
    '/console/tsconfig.json',
    '/console/preact.d.ts',
    '/console/lib',
    '/console/nothing.js',
  ]) {
    it(`has no file ${path}`, async () => {
      expect((await send(gateway.adminUrl, path)).status).to.be.oneOf([400, 404])
    })
  }

  it('is not on the gateway listener', async () => {
    for (const path of ['/console/', '/events']) {
      expect((await send(gateway.url, path)).status).to.equal(404)
    }
  })

  it('is not there with admin.console: false', async () => {
    const other = await startGateway({ 'admin.console': 'false' })
    try {
      for (const path of ['/console/', '/events']) {
        expect((await send(other.adminUrl, path)).status).to.equal(404)
      }
      const page = await send(other.adminUrl, '/', { headers: browser })
      expect([page.status, page.text.includes('This is its admin listener')]).to.deep.equal([
        200,
        true,
      ])
    } finally {
      await other.stop()
    }
  })

  for (const [who, headers, status] of [
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['those who come through a proxy', { 'x-forwarded-for': '9.9.9.9' }, 401],
    ['bad credentials', { authorization: 'Bearer nonsense' }, 401],
  ] as const) {
    it(`tells ${who} no events`, async () => {
      expect((await send(gateway.adminUrl, '/events', { headers })).status).to.equal(status)
    })
  }

  it('answers HEAD for events, and lets at most 20 be read at once', async () => {
    expect((await send(gateway.adminUrl, '/events', { method: 'HEAD' })).status).to.equal(200)
    const open = await Promise.all(
      Array.from({ length: 20 }, () => openEventStream(`${gateway.adminUrl}/events`)),
    )
    await Promise.all(open.map((stream) => nextOf(stream, 'hello')))
    const refused = await send(gateway.adminUrl, '/events')
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([503, '5'])
    for (const stream of open) stream.close()
    await until('there is room again', async () => {
      const stream = await openEventStream(`${gateway.adminUrl}/events`)
      stream.close()
      return stream.status === 200
    })
  })

  it('ends when the gateway stops', async () => {
    const other = await startGateway()
    const stream = await openEventStream(`${other.adminUrl}/events`)
    await nextOf(stream, 'hello')
    await other.stop()
    expect(await stream.ended).to.equal(true)
  })
})

describe('the events of the console', () => {
  let router: TestRouter
  let first: TestGateway
  let second: TestGateway
  const streams: EventStream[] = []
  const open = async (headers = {}) => {
    const stream = await openEventStream(`${first.adminUrl}/events`, { headers })
    streams.push(stream)
    return { stream, hello: await nextOf(stream, 'hello') }
  }

  const [admin, one, other] = ['com.example.admin', 'com.example.one', 'com.example.other'] as const
  const keys = new Map<string, string>()
  const as = (realm: string) => ({ authorization: `Bearer ${keys.get(realm)}` })

  before(async () => {
    router = await openEmbeddedRouter()
    const start = (node: string) =>
      startGateway({ 'wamp.url': router.url, node, 'admin.realm': admin })
    first = await start('first')
    second = await start('second')
    for (const uri of [admin, one, other]) {
      const users = [{ username: 'ops', groups: [uri === other ? 'spec_reader' : 'spec_loader'] }]
      const realm = { uri, authmethods: ['anonymous', 'oauth2'], users }
      await send(first.adminUrl, '/realms', { method: 'POST', body: realm })
      const path = `/realms/${uri}/users/ops/api_keys`
      const issued = await send(first.adminUrl, path, { method: 'POST', body: {} })
      keys.set(uri, (issued.json() as { api_key: string }).api_key)
    }
    await until('the nodes have met', async () => {
      const { nodes } = (await send(first.adminUrl, '/registry')).json() as { nodes: unknown[] }
      return nodes.length === 1
    })
  })
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close()
  })
  after(async () => {
    await second?.stop()
    await first?.stop()
    await router?.stop()
  })

  it('begin with the node and the rights of the operator', async () => {
    const { hello } = await open(as(other))
    expect(hello).to.include({ node: 'first', access: 'read', within: other, by: 'ops' })
    expect((await open()).hello).to.include({ access: 'load', within: null, by: 'local' })
  })

  it('tell of loads and deletions of another node, once they are live here', async () => {
    const { stream } = await open()
    await send(second.adminUrl, '/api_specs', {
      method: 'POST',
      body: specOf('com.example.b', one),
    })
    const loaded = await nextOf(stream, 'on_load')
    expect(loaded).to.include({ id: 'com.example.b', node: 'second' })
    const { headers } = await send(first.adminUrl, '/api_specs/com.example.b')
    expect(headers.etag).to.equal(`"${loaded.hash}"`)
    await send(second.adminUrl, '/api_specs/com.example.b', { method: 'DELETE' })
    expect(await nextOf(stream, 'on_delete')).to.include({ id: 'com.example.b', hash: null })
  })

  it('tell of realms and conflicts, without what gateways seal for each other', async () => {
    const { stream } = await open()
    await send(second.adminUrl, '/realms', { method: 'POST', body: { uri: 'com.example.new' } })
    const realm = await nextOf(stream, 'on_realm_load')
    expect(Object.keys(realm).sort()).to.deep.equal(['hash', 'id', 'node', 'ts'])
    await send(first.adminUrl, '/api_specs', { method: 'POST', body: specOf('com.example.c', one) })
    const taking = { ...specOf('com.example.c', one), id: 'com.example.d' }
    const refused = await send(second.adminUrl, '/api_specs', { method: 'POST', body: taking })
    expect(refused.json()).to.include({ code: 'service.error.already_exists' })
    expect(await nextOf(stream, 'on_conflict')).to.include({
      id: 'com.example.d',
      other: 'com.example.c',
    })
  })

  it('tell operators of one realm of its documents alone', async () => {
    const { stream } = await open(as(one))
    for (const [id, realm] of [
      ['com.example.theirs', other],
      ['com.example.ours', one],
    ] as const) {
      await send(second.adminUrl, '/api_specs', { method: 'POST', body: specOf(id, realm) })
    }
    expect(await nextOf(stream, 'on_load')).to.include({ id: 'com.example.ours' })
  })

  it('tell the numbers of all nodes; operators of one realm those of its routes', async () => {
    const [all, few] = [await open(), await open(as(other))]
    const seen = new Set<unknown>()
    const ask = () =>
      Promise.all([first, second].map(({ url }) => send(url, '/com.example.ours/a')))
    await ask()
    await until(
      'both nodes have told their numbers',
      async () => {
        await ask()
        const { node, count, routes } = (await nextOf(all.stream, 'stats')) as {
          node: string
          count: number
          routes: { api: string; route: string; count: number }[]
        }
        if (routes.some(({ api }) => api === 'com.example.ours') && count > 0) seen.add(node)
        return seen.size === 2
      },
      10_000,
    )
    const stats = await nextOf(few.stream, 'stats')
    expect(stats.routes).to.deep.equal([])
    expect(stats).to.not.have.any.keys('count', 'in_flight', 'buckets')
  })

  it('tell of nodes that come and go', async () => {
    const { stream } = await open()
    const third = await startGateway({
      'wamp.url': router.url,
      node: 'third',
      'admin.realm': admin,
    })
    expect(await nextOf(stream, 'on_node_join')).to.include({ node: 'third' })
    await third.stop()
    expect(await nextOf(stream, 'on_node_leave')).to.include({ node: 'third' })
  })
})
