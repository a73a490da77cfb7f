/** Explanations by a running gateway, over HTTP and WAMP: real users, credentials and registrations, and nothing is performed. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Explanation } from '#component/explain/explanation/explanation.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { callFailure, plainClients } from '#test/support/peers/wamp-clients.ts'
import { joinUser, type WampUser } from '#test/support/peers/wamp-user.ts'

const realm = 'com.example.explained'
const response = {
  on_result: { body: '{{action.result.args}}' },
  on_error: { body: '{{action.error}}' },
}
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`,
})

const documentOf = (upstream: string) => ({
  ...{ id: 'com.example.explained', host: '_', realm_uri: realm },
  procedures: {
    'com.example.explained.things': {
      callers: { roles: ['staff'] },
      action: {
        ...{ type: 'forward', host: upstream, http_method: 'get' },
        path: '/things/{{invocation.kwargs.id}}',
      },
    },
  },
  versions: {
    '1': {
      base_path: '/explained',
      paths: {
        '/call/:id': {
          get: {
            action: {
              ...{ type: 'wamp_call', procedure: 'com.example.explained.get' },
              args: ['{{request.bindings.id |> integer}}'],
            },
            response,
          },
        },
        '/publish': {
          post: {
            action: { type: 'wamp_publish', topic: 'com.example.explained.topic' },
            response,
          },
        },
        '/forward': {
          get: { action: { type: 'forward', host: upstream, path: '/things' }, response },
        },
        '/mine': {
          get: {
            security: { type: 'basic' },
            action: { type: 'wamp_call', procedure: 'com.example.explained.get' },
            response,
          },
        },
      },
    },
  },
})

describe('an explanation by a running gateway', () => {
  let gateway: TestGateway
  let callee: WampUser
  let upstream: Server
  const invocations: unknown[] = []
  let connections = 0

  const explain = (body: unknown, path = '/explain'): Promise<HttpAnswer> =>
    send(gateway.adminUrl, path, { method: 'POST', body })
  const explained = async (body: unknown): Promise<Explanation> => {
    const answer = await explain(body)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json() as Explanation
  }

  before(async () => {
    upstream = createServer((_, answer) => answer.end('ok'))
    upstream.on('connection', () => {
      connections += 1
    })
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    gateway = await startGateway(
      { 'rate_limits.user_failures': '3', 'explain.redact': '["iban"]' },
      { isEmbedded: true },
    )
    const users = [{ username: 'ada', password: 'wonderland', groups: ['staff'] }]
    const document = {
      uri: realm,
      authmethods: ['anonymous', 'wampcra', 'password'],
      users,
      security_enabled: false,
    }
    const loaded = await send(gateway.adminUrl, '/realms', { method: 'POST', body: document })
    expect(loaded.status, loaded.text).to.be.lessThan(300)
    callee = await joinUser(gateway.routerUrl, realm, {})
    await callee.answer('com.example.explained.get', (details) => invocations.push(details))
    const { port } = upstream.address() as AddressInfo
    await gateway.mustLoad(documentOf(`http://127.0.0.1:${port}`))
  })
  after(async () => {
    await callee.leave()
    await gateway.stop()
    upstream.closeAllConnections()
    upstream.close()
    await once(upstream, 'close')
  })

  it('tells what would be called, and how many callees there are', async () => {
    const { action } = await explained({ request: { path: '/explained/call/7' } })
    expect(action).to.deep.include({
      ...{ type: 'wamp_call', realm_uri: realm, session_of: null },
      ...{ procedure: 'com.example.explained.get', args: [7], callees: 1 },
    })
  })

  it('performs nothing', async () => {
    await explained({ request: { path: '/explained/call/7' } })
    await explained({ request: { path: '/explained/publish', method: 'post' } })
    const { action } = await explained({ request: { path: '/explained/forward' } })
    expect(action).to.deep.include({ type: 'forward', path: '/things', http_method: 'get' })
    expect([invocations.length, connections]).to.deep.equal([0, 0])
  })

  it('of a call has the roles that the realm gives its caller, and performs nothing', async () => {
    const procedure = 'com.example.explained.things'
    const call = { procedure, kwargs: { id: 7 }, caller: { authid: 'ada', authrole: 'staff' } }
    const { action, answer } = await explained({ invocation: call })
    expect(action).to.deep.include({ type: 'forward', path: '/things/7', http_method: 'get' })
    expect(answer?.result).not.to.equal(undefined)
    const { authrole: _, ...other } = call.caller
    const refused = await explained({ invocation: { ...call, caller: other } })
    expect(refused.answer?.error?.error_uri).to.equal('wamp.error.not_authorized')
    expect(connections).to.equal(0)
  })

  it('is served over WAMP and as a service, with the same answer', async () => {
    const asked = { request: { path: '/explained/call/7' } }
    const client = await plainClients.wampy(gateway.routerUrl, 'service.gateway')
    const { args } = await client.call('service.explain_request', [asked.request, null, null])
    await client.close()
    const mirror = (await explain(asked)).json()
    expect(args[0]).to.deep.equal(mirror)
    expect((await explain(asked, '/services/explain_request')).json()).to.deep.equal(mirror)
  })

  it('refuses what it cannot read, and names every place', async () => {
    const client = await plainClients.wampy(gateway.routerUrl, 'service.gateway')
    const refused = await callFailure(client.call('service.explain_request', [{ method: 1 }, 'x']))
    await client.close()
    expect(refused.error).to.equal('wamp.error.invalid_argument')
    const answer = await explain({ request: { method: 1 }, as: 'x' })
    const { details } = answer.json() as { details: { path: string }[] }
    expect(details.map(({ path }) => path)).to.deep.equal(['/request/method', '/as'])
  })

  it('takes users of the realm with their roles', async () => {
    const { checks, action } = await explained({
      request: { path: '/explained/mine' },
      as: { authid: 'ada' },
    })
    expect(checks[1]).to.deep.include({ passed: true, authid: 'ada', authroles: ['staff'] })
    expect(action).to.deep.include({ session_of: 'ada' })
  })

  it('judges credentials without counting their failures for the user, and limits guessing', async () => {
    const request = { path: '/explained/mine', headers: basic('wonderland') }
    const right = await explained({ request })
    expect(right.checks[1]).to.deep.include({ passed: true, authid: 'ada' })
    expect(JSON.stringify(right)).to.not.contain('wonderland')
    const wrong = { request: { ...request, headers: basic('a wrong one') } }
    const codes: unknown[] = []
    for (let count = 0; count < 5; count += 1) codes.push((await explained(wrong)).problem?.status)
    expect(codes).to.deep.equal([401, 401, 401, 429, 429])
    const served = await send(gateway.url, '/explained/mine', { headers: basic('wonderland') })
    expect(served.status).to.equal(200)
  })

  it('judges a document that is not loaded as a load would', async () => {
    const draft = documentOf('http://127.0.0.1:1')
    const answer = await explain({ request: {}, api_spec: { ...draft, realm_uri: 'com.nowhere' } })
    expect([answer.status, answer.text]).to.satisfy(
      ([status, text]: [number, string]) => status === 400 && text.includes('/realm_uri'),
    )
    const moved = { ...draft, host: 'moved.example.com' }
    const request = { path: '/explained/call/7', host: 'moved.example.com' }
    const { matched } = await explained({ request, api_spec: moved })
    expect(matched?.host).to.equal('moved.example.com')
    expect((await explained({ request })).matched?.host).to.equal('_')
  })

  it('hides the names of the configuration', async () => {
    const request = { path: '/explained/call/7', query_string: 'iban=DE1234567', method: 'get' }
    expect((await explain({ request })).text).to.not.contain('DE1234567')
  })
})
