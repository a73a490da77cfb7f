/** What subscribers of the gateway's channels of node:diagnostics_channel are told; traces are off. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { until } from '#test/support/running/until.ts'
import { TracedPeer, tracedDocument } from './wamp-callee.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('the diagnostics channels', () => {
  let gateway: TestGateway
  let callee: TracedPeer
  let requests: unknown[]
  let calls: unknown[]

  const onRequest = (message: unknown) => requests.push(message)
  const onCall = (message: unknown) => calls.push(message)

  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    gateway = await startGateway({ 'log.access': 'false', ...settings }, { isEmbedded: true })
    callee = await TracedPeer.join(gateway.routerUrl)
    await gateway.mustLoad(tracedDocument)
    requests = []
    calls = []
    subscribe('wamp-gateway:request', onRequest)
    subscribe('wamp-gateway:call', onCall)
  }

  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`${gateway.url}${path}`, { method, headers: { traceparent } })
    await answer.text()
    await until('the request', () => requests.length > 0)
    return answer.status
  }

  afterEach(async () => {
    unsubscribe('wamp-gateway:request', onRequest)
    unsubscribe('wamp-gateway:call', onCall)
    await callee.stop()
    await gateway.stop()
  })

  it('tell of requests and of attempts, each once', async () => {
    await start()
    expect(await ask('/traced/call')).to.equal(200)
    const { request_id, duration, bytes, peer, ...request } = Object(requests[0])
    expect(request).to.deep.equal({
      ...{ method: 'get', route: '/traced/call', status: 200, error: undefined },
      ...{ api_spec: 'com.example.traced', version: '1.0' },
    })
    expect([request_id, duration, bytes, peer].map((value) => typeof value)).to.deep.equal([
      ...['string', 'number', 'number', 'string'],
    ])
    const { duration: time, ...call } = Object(calls[0])
    expect(call).to.deep.equal({
      ...{ type: 'wamp_call', target: 'com.example.traced', is_computed: false, attempt: 1 },
      ...{ api_spec: 'com.example.traced', version: '1.0', route: '/traced/call' },
      ...{ realm_uri: 'com.example.test', error: undefined },
    })
    expect(time).to.be.a('number')
    expect([requests.length, calls.length]).to.deep.equal([1, 1])
  })

  it('tell the trace, where there is one', async () => {
    await start({ 'telemetry.traces': 'propagate', 'telemetry.trust': 'all' })
    await ask('/traced/publish', 'POST')
    const context = { trace_id: traceparent.slice(3, 35), span_id: traceparent.slice(36, 52) }
    expect(requests[0]).to.include({ ...context, sampled: true })
    expect(calls[0]).to.include({ ...context, type: 'wamp_publish' })
  })

  it('tell nobody who has unsubscribed', async () => {
    await start()
    await ask('/traced/call')
    unsubscribe('wamp-gateway:call', onCall)
    await ask('/traced/call')
    expect(calls).to.have.length(1)
  })
})
