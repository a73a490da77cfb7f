/** The events of the console: each operator gets those of what it manages, from all nodes. */
import { expect } from 'chai'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'

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
    expect(Object.keys(realm).sort()).to.deep.equal(['by', 'hash', 'id', 'node', 'ts'])
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

  const watch = (headers: Readonly<Record<string, string>>, body: object) =>
    send(first.adminUrl, '/services/watch_requests', { method: 'POST', headers, body })

  it('tell of requests at any node while they are watched: neither query nor headers nor body', async () => {
    const { stream } = await open()
    expect((await watch({}, { seconds: 60, filter: { status: '2xx' } })).json()).to.deep.equal({
      seconds: 60,
    })
    const headers = { 'user-agent': 'probe-agent', 'x-probe': 'probe-header' }
    const seen: Data[] = []
    await until(
      'both nodes have told',
      async () => {
        for (const { url } of [first, second]) {
          await send(url, '/com.example.ours/a?probe-query=1', { headers })
          await send(url, '/com.example.ours/nothing')
        }
        seen.push(await nextOf(stream, 'request'))
        return new Set(seen.map(({ node }) => node)).size === 2
      },
      10_000,
    )
    expect(seen[0]).to.include({
      api_spec: 'com.example.ours',
      route: '/com.example.ours/a',
      status: 200,
    })
    expect(JSON.stringify(seen)).to.not.include('probe-').and.not.include('nothing')
  })

  it('tell operators of one realm of requests for its documents alone', async () => {
    const { stream } = await open(as(one))
    const { stream: foreign } = await open(as(other))
    expect((await watch(as(one), {})).status).to.equal(200)
    await send(first.url, '/com.example.theirs/a')
    await send(first.url, '/com.example.ours/a')
    expect(await nextOf(stream, 'request')).to.include({ api_spec: 'com.example.ours' })
    await send(first.url, '/com.example.theirs/a')
    expect(await nextOf(foreign, 'request')).to.include({ api_spec: 'com.example.theirs' })
  })

  for (const [what, body] of [
    ['a time that is too long', { seconds: 61 }],
    ['a time that is none', { seconds: 0 }],
    ['a filter by headers', { filter: { headers: 'x' } }],
    ['a filter that is no text', { filter: { status: 200 } }],
  ] as const) {
    it(`are not told for ${what}`, async () => {
      const { status, text } = await watch({}, body)
      expect(status).to.equal(400)
      expect(text).to.include('expected')
    })
  }

  it('are joined by the sessions of a realm, which its operators may list', async () => {
    const { status, text, json } = await send(first.adminUrl, '/realms/com.example.test/sessions')
    expect(status, text).to.equal(200)
    const sessions = json() as { authid: string; session: number }[]
    expect(sessions.length).to.be.at.least(1)
    expect(sessions[0]).to.include.keys('session', 'authid', 'authrole', 'authmethod', 'transport')
    const foreign = await send(first.adminUrl, `/realms/${one}/sessions`, { headers: as(other) })
    expect(foreign.status).to.equal(403)
    const unknown = await send(first.adminUrl, '/realms/com.example.unknown/sessions')
    expect(unknown.status).to.equal(404)
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
