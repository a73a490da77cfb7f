/** `/metrics` of what actions reach: by document and procedure, topic or upstream, and never by what requests name. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { countsIn } from '#test/support/metric-lines.ts'
import { joinUser, type WampUser } from '#test/support/peers/wamp-user.ts'

const realm = 'com.example.test'
const response = { on_result: {}, on_error: {} }
const procedure = 'com.example.measured'

/** A document of one version. */
const documentOf = (id: string, paths: object, version: object = {}) => ({
  ...{ id, host: '_', realm_uri: realm },
  versions: { '1': { base_path: `/${id}`, ...version, paths } },
})

const call = (action: object = {}) => ({
  get: { action: { type: 'wamp_call', procedure, ...action }, response },
})

describe('the metrics of actions', () => {
  let gateway: TestGateway
  let callee: WampUser
  let upstream: Server
  let statuses: number[] = []
  /** Answers the requests for `/held`. */
  const release = Promise.withResolvers<void>()
  let port = 0

  before(async () => {
    upstream = createServer((request, answer) => {
      answer.statusCode = statuses.shift() ?? 200
      const until = request.url === '/held' ? release.promise : undefined
      request.resume().on('end', async () => {
        await until
        answer.end('done')
      })
    })
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    port = (upstream.address() as AddressInfo).port
    const settings = { 'forward.allowed_hosts': '["localhost","127.0.0.1"]' }
    gateway = await startGateway(settings, { isEmbedded: true })
    callee = await joinUser(gateway.routerUrl, realm, {})
    await callee.answer(procedure, () => 'done')
  })
  after(async () => {
    await callee?.leave()
    await gateway?.stop()
    upstream?.close()
  })

  const load = async (document: object): Promise<void> => {
    await gateway.mustLoad(document)
  }
  const ask = (path: string) => send(gateway.url, path)
  /** The text of `/metrics`. */
  const metrics = async () => (await send(gateway.adminUrl, '/metrics')).text
  /** The lines about a document, without buckets and sums. */
  const linesOf = async (api: string): Promise<string[]> => {
    const lines = countsIn((await metrics()).split('\n'))
    return lines.filter(
      (line) => line.includes(`api="${api}"`) && !line.startsWith('gateway_http_'),
    )
  }

  it('have a series for each of two documents that call one procedure', async () => {
    await load(documentOf('measured.a', { '/x': call() }))
    await load(documentOf('measured.b', { '/x': call() }))
    for (const id of ['measured.a', 'measured.b', 'measured.a']) await ask(`/${id}/x`)
    const series = (api: string, count: number) => [
      `gateway_wamp_call_duration_seconds_count{api="${api}",version="1",procedure="${procedure}",outcome="ok"} ${count}`,
    ]
    expect(await linesOf('measured.a')).to.deep.equal(series('measured.a', 2))
    expect(await linesOf('measured.b')).to.deep.equal(series('measured.b', 1))
  })

  it('have one series for a procedure that requests name, and nothing of what they name', async () => {
    const computed = 'com.{{request.bindings.id}}'
    await load(documentOf('measured.c', { '/x/:id': call({ procedure: computed }) }))
    for (let n = 0; n < 30; n += 1) await ask(`/measured.c/x/secret${n}`)
    expect(await linesOf('measured.c')).to.deep.equal([
      `gateway_wamp_call_duration_seconds_count{api="measured.c",version="1",procedure="${computed}",outcome="error"} 30`,
    ])
    expect(await metrics()).to.not.include('secret')
  })

  it('have one series for a host that requests name', async () => {
    const host = '{{request.query_params.host}}'
    const action = { type: 'forward', host, path: '/' }
    await load(documentOf('measured.d', { '/x': { get: { action, response } } }))
    await ask(`/measured.d/x?host=127.0.0.1:${port}`)
    await ask(`/measured.d/x?host=localhost:${port}`)
    expect(await linesOf('measured.d')).to.deep.equal([
      `gateway_upstream_request_duration_seconds_count{api="measured.d",version="1",upstream="${host}",outcome="2xx"} 2`,
    ])
  })

  it('count each attempt of a forward, and the retries', async () => {
    const host = `http://127.0.0.1:${port}`
    const action = { type: 'forward', host, path: '/', retries: 2 }
    await load(documentOf('measured.e', { '/x': { get: { action, response } } }))
    statuses = [503, 503, 404]
    expect((await ask('/measured.e/x')).status).to.equal(404)
    const labels = `api="measured.e",version="1"`
    const count = `gateway_upstream_request_duration_seconds_count{${labels},upstream="${host}"`
    expect((await linesOf('measured.e')).sort()).to.deep.equal([
      `gateway_action_retries_total{${labels},target="${host}",type="forward"} 2`,
      `${count},outcome="4xx"} 1`,
      `${count},outcome="5xx"} 2`,
    ])
  })

  it('count each action of a list, and publications', async () => {
    const topic = 'com.example.told'
    const publish = { type: 'wamp_publish', topic }
    const action = [{ type: 'wamp_call', procedure }, publish]
    await load(documentOf('measured.f', { '/x': { post: { action, response } } }))
    await send(gateway.url, '/measured.f/x', { method: 'POST', body: {} })
    const labels = `api="measured.f",version="1"`
    expect(await linesOf('measured.f')).to.deep.equal([
      `gateway_wamp_call_duration_seconds_count{${labels},procedure="${procedure}",outcome="ok"} 1`,
      `gateway_wamp_publish_duration_seconds_count{${labels},topic="${topic}",outcome="ok"} 1`,
    ])
  })

  it('tell that requests wait for a slot of their version', async () => {
    const action = { type: 'forward', host: `http://127.0.0.1:${port}`, path: '/held' }
    await load(documentOf('measured.g', { '/x': { get: { action, response } } }, { pool_size: 1 }))
    const asked = Array.from({ length: 12 }, () => ask('/measured.g/x'))
    const labels = `{api="measured.g",version="1"}`
    while (!(await metrics()).includes(`gateway_pool_refused_total${labels} 1`));
    expect(await metrics()).to.include(`gateway_pool_waiting${labels} 10`)
    release.resolve()
    await Promise.all(asked)
    const lines = await linesOf('measured.g')
    expect(lines).to.include(`gateway_pool_waiting${labels} 0`)
    expect(lines).to.include(`gateway_pool_wait_seconds_count${labels} 10`)
  })

  it('count a request that is traced by a token, and nothing that is only explained or tested', async () => {
    const examples = { one: { outcome: { result: { args: ['x'] } }, expect: { status: 200 } } }
    const document = documentOf('measured.h', { '/x': { get: { ...call().get, examples } } })
    await load(document)
    const post = (path: string, body: object) =>
      send(gateway.adminUrl, path, { method: 'POST', body })
    const explained = await post('/explain', { request: { path: '/measured.h/x' } })
    expect(explained.status, explained.text).to.equal(200)
    const tested = await post('/services/test_api_spec', document)
    expect(tested.json(), tested.text).to.include({ passed: 1 })
    expect(await linesOf('measured.h')).to.deep.equal([])
    const issued = await post('/api_specs/measured.h/trace_tokens', {})
    const { token } = issued.json() as { token: string }
    const answer = await send(gateway.url, '/measured.h/x', {
      headers: { 'x-gateway-trace': token },
    })
    expect(answer.headers).to.have.property('x-gateway-trace-id')
    expect(await linesOf('measured.h')).to.deep.equal([
      `gateway_wamp_call_duration_seconds_count{api="measured.h",version="1",procedure="${procedure}",outcome="ok"} 1`,
    ])
  })
})
