/** Traces of real requests: a token from any node, the answer unchanged, and what the trace tells. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { ToldTrace } from '#component/tracing/told-trace.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, type HttpRequest, send } from '#test/support/http-request.ts'
import { joinUser, type WampUser } from '#test/support/peers/wamp-user.ts'

const realm = 'com.example.explained'
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const at = '/versions/1/paths/~1call~1:id'

const documentOf = (upstream: string) => ({
  ...{ id: 'com.example.traced', host: '_', realm_uri: realm },
  versions: {
    '1': {
      base_path: '/traced',
      paths: {
        '/call/:id': {
          get: {
            action: {
              ...{ type: 'wamp_call', procedure: 'com.example.traced.get' },
              args: ['{{request.bindings.id |> integer}}'],
              kwargs: { password: '{{request.headers.x-password |> default(none)}}' },
            },
            response: {
              on_result: { body: '{{action.result.args |> head}}' },
              on_error: { body: '{{action.error}}' },
            },
          },
        },
        '/headers': {
          get: {
            action: { type: 'static', body: '{{request.headers}}' },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/limited': {
          ...{ rate_limit: { amount: 2, window: 3600 }, etag: true },
          get: {
            action: { type: 'static', body: { a: 1 } },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/forward': {
          post: {
            action: { type: 'forward', host: upstream },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
})

describe('a traced request', () => {
  let gateway: TestGateway
  let callee: WampUser
  let upstream: Server
  let received: IncomingHttpHeaders = {}

  const issue = async (body: object = {}): Promise<{ token: string; id: string }> => {
    const path = '/api_specs/com.example.traced/trace_tokens'
    const answer = await send(gateway.adminUrl, path, { method: 'POST', body })
    expect(answer.status, answer.text).to.equal(201)
    return answer.json() as { token: string; id: string }
  }
  const ask = (
    path: string,
    token: string,
    { headers, ...more }: HttpRequest = {},
  ): Promise<HttpAnswer> =>
    send(gateway.url, `/traced${path}`, {
      ...more,
      headers: { 'x-gateway-trace': token, ...headers },
    })
  const traceOf = async (answer: HttpAnswer): Promise<ToldTrace> => {
    const id = String(answer.headers['x-gateway-trace-id'])
    const found = await send(gateway.adminUrl, `/traces/${id}`)
    expect(found.status, found.text).to.equal(200)
    return found.json() as ToldTrace
  }

  before(async () => {
    upstream = createServer((request, answer) => {
      received = request.headers
      request.resume().on('end', () => answer.end('done'))
    })
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const traces = { 'telemetry.traces': 'propagate', 'telemetry.trust': 'all' }
    gateway = await startGateway(traces, { isEmbedded: true })
    const { port } = upstream.address() as AddressInfo
    await send(gateway.adminUrl, '/services/load_realm', {
      method: 'POST',
      body: { uri: realm, authmethods: ['anonymous'], security_enabled: false },
    })
    callee = await joinUser(gateway.routerUrl, realm, {})
    await callee.answer('com.example.traced.get', () => ({ token: 'a-secret-of-the-callee' }))
    await gateway.mustLoad(documentOf(`http://127.0.0.1:${port}`))
  })

  after(async () => {
    await callee?.leave()
    await gateway?.stop()
    upstream?.close()
  })

  it('is under the rate limits of its route, and has its ETag, as any other', async () => {
    const { token } = await issue()
    const ask = (headers: Readonly<Record<string, string>>) =>
      send(gateway.url, '/traced/limited', { headers })
    const first = await ask({ 'x-gateway-trace': token })
    expect(first.text).to.equal('{"a":1}')
    const second = await ask({ 'if-none-match': String(first.headers.etag) })
    const third = await ask({ 'x-gateway-trace': token })
    const statuses = [first.status, second.status, third.status]
    expect(statuses).to.deep.equal([200, 304, 429])
    const { checks } = (await traceOf(third)) as unknown as { readonly checks: readonly object[] }
    expect(checks.at(-1)).to.deep.include({
      ...{ step: 'rate_limit', name: 'default', passed: false, amount: 2, window: 3600 },
      ...{ shared_by: 'address 127.0.0.1', cost: 1, left: 0 },
    })
  })

  it('tells nothing unless a token is alive', async () => {
    const answer = await ask('/headers', 'gt_x')
    expect(answer.headers).to.not.have.property('x-gateway-trace-id')
    expect(answer.json()).to.not.have.property('x-gateway-trace')
  })

  it('is answered as ever, with the id of its trace', async () => {
    const { token } = await issue()
    const answer = await ask('/headers', token)
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.not.have.property('x-gateway-trace')
    const trace = await traceOf(answer)
    expect(trace.matched).to.include({ id: 'com.example.traced', pattern: '/traced/headers' })
    expect(trace.response).to.include({ status: 200, is_sample: false })
    expect(trace.us).to.be.greaterThan(0)
    expect(JSON.stringify(trace)).to.not.contain(token)
  })

  it('tells checks, expressions, the call and the outcome with their times, and no secret', async () => {
    const { token } = await issue({ route: '/traced/call/:id' })
    const headers = { 'x-password': 'a-secret-of-the-client' }
    const answer = await ask('/call/7', token, { headers })
    expect(answer.json()).to.deep.equal({ token: 'a-secret-of-the-callee' })
    const trace = await traceOf(answer)
    expect(trace.checks.map(({ step }) => step)).to.deep.equal(['scheme', 'accept'])
    expect(trace.action).to.deep.include({
      ...{ type: 'wamp_call', realm_uri: realm, session_of: null, args: [7] },
      procedure: 'com.example.traced.get',
    })
    expect(trace.action).to.have.property('took_us').that.is.greaterThan(0)
    const { result } = trace.outcome as { result: { request_id: number } }
    expect(result.request_id).to.be.greaterThan(0)
    expect(trace.expressions.map(({ at }) => at)).to.include(`${at}/get/action/args/0`)
    expect(JSON.stringify(trace)).to.not.contain('a-secret')
  })

  it('tells the expression that failed', async () => {
    const { token } = await issue()
    const answer = await ask('/call/x', token)
    expect(answer.status).to.equal(400)
    const { problem, expressions } = await traceOf(answer)
    expect(problem?.at).to.equal(`${at}/get/action/args/0`)
    expect(expressions.some(({ failure }) => failure?.includes('^^^'))).to.equal(true)
  })

  it('has the trace context of any request, which its trace shows', async () => {
    const { token } = await issue()
    const headers = { traceparent, tracestate: 'foo=1, ,' }
    const answer = await ask('/forward', token, { method: 'POST', headers })
    expect(received).to.include({ traceparent, tracestate: 'foo=1' })
    const { action } = await traceOf(answer)
    expect(action).to.have.property('headers').that.includes({ traceparent, tracestate: 'foo=1' })
    expect(action).to.have.property('dropped_headers').that.deep.includes({
      name: 'tracestate',
      why: 'the gateway sends the trace context of the request',
    })
  })

  it('passes the token on to no upstream', async () => {
    const { token } = await issue()
    const answer = await ask('/forward', token, { method: 'POST', body: { a: 1 } })
    expect(answer.text).to.equal('done')
    expect(received).to.not.have.property('x-gateway-trace')
    const { action } = await traceOf(answer)
    expect(action).to.include({ type: 'forward', http_method: 'post', path: '/traced/forward' })
  })

  for (const [title, token] of [
    ['wrong', 'gt_AAAAAAAAAAAA_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['malformed', 'x'],
  ] as const) {
    it(`is not traced with a ${title} token`, async () => {
      await issue()
      const answer = await ask('/headers', token)
      expect(answer.status).to.equal(200)
      expect(answer.headers).to.not.have.property('x-gateway-trace-id')
    })
  }

  it('is not traced with a token for another route or user', async () => {
    for (const grant of [{ route: '/traced/call/:id' }, { authid: 'ada' }]) {
      const { token } = await issue(grant)
      const answer = await ask('/headers', token)
      expect(answer.headers).to.not.have.property('x-gateway-trace-id')
    }
    const metrics = await send(gateway.adminUrl, '/metrics')
    expect(metrics.text).to.match(/gateway_traces_total\{result="refused"\} [1-9]/)
    expect(metrics.text).to.match(/gateway_traces_total\{result="traced"\} [1-9]/)
  })

  it('has no token for a route that the document lacks, or for more than an hour', async () => {
    for (const body of [{ route: '/other' }, { seconds: 3601 }, { seconds: 0 }]) {
      const path = '/api_specs/com.example.traced/trace_tokens'
      const answer = await send(gateway.adminUrl, path, { method: 'POST', body })
      expect(answer.status, answer.text).to.equal(400)
    }
    const path = '/api_specs/other/trace_tokens'
    const unknown = await send(gateway.adminUrl, path, { method: 'POST', body: {} })
    expect(unknown.status).to.equal(404)
  })

  it('has no trace of an unknown id', async () => {
    for (const id of ['x', 'nobody.x', 'NOBODY.x']) {
      expect((await send(gateway.adminUrl, `/traces/${id}`)).status).to.equal(404)
    }
  })
})
