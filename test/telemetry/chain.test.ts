/** One trace over two gateways and a callee, as a real collector gets it. */
import { expect } from 'chai'
import { TracedPeer } from '#test/integration/telemetry/wamp-callee.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import type { ReceivedSpan } from '#test/support/telemetry/otlp.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'
import { Collector, collectorProgram } from './collector.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientSpan = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${clientSpan}-01`

/** Stands wherever a client or a callee may put a secret, and nowhere else. */
const secret = 'planted-4711'

const documentOf = (id: string, operation: object) => ({
  ...{ id, host: '_', realm_uri: 'com.example.test' },
  versions: {
    '1.0': {
      ...{ base_path: '/v1', schemes: ['http'], defaults: { trace: { kwargs: '_trace' } } },
      paths: { '/orders/:id': operation },
    },
  },
})

const answering = documentOf('backend', {
  get: {
    action: {
      ...{ type: 'wamp_call', procedure: 'com.example.traced' },
      kwargs: { query: '{{request.query_params}}', id: '{{request.bindings.id}}' },
    },
    response: {},
  },
  post: {
    action: [
      { type: 'wamp_publish', topic: 'com.example.traced.topic', args: ['{{request.body}}'] },
      { type: 'wamp_call', procedure: '{{request.body.procedure}}', args: ['{{request.body}}'] },
    ],
    response: {},
  },
})

describe('a real collector', () => {
  let receiver: Receiver
  let collector: Collector
  let front: TestGateway
  let backend: TestGateway
  let callee: TracedPeer

  before(async function () {
    this.timeout(900_000)
    collectorProgram()
    receiver = await startReceiver()
    collector = await Collector.start(receiver.url)
    const traces = {
      'telemetry.traces': 'otlp',
      'telemetry.endpoint': collector.url,
      'telemetry.trust': 'all',
      // the client decides
      'telemetry.sample': '0',
      'telemetry.headers': `x-api-key=${secret}`,
    }
    const start = (name: string) =>
      startGateway(
        { ...traces, 'telemetry.resource': `{service.name: ${name}}` },
        { isEmbedded: true },
      )
    front = await start('front')
    backend = await start('backend')
    callee = await TracedPeer.join(backend.routerUrl)
    const { host } = new URL(backend.url)
    const forward = { action: { type: 'forward', host }, response: { on_error: {} } }
    const forwarding = documentOf('front', { get: forward, post: forward })
    for (const loaded of [await front.load(forwarding), await backend.load(answering)]) {
      expect(loaded.status, JSON.stringify(loaded.body)).to.equal(201)
    }
  })

  after(async () => {
    await callee?.stop()
    await front?.stop()
    await backend?.stop()
    await collector?.stop()
    await receiver?.close()
  })

  /** The spans of one request to the first gateway, the parent first; their parents in `attributes` of the order. */
  async function spansOf(count: number, init: Parameters<typeof send>[2]) {
    const before = receiver.spans.length
    const headers = {
      ...{ traceparent, authorization: `Bearer ${secret}`, cookie: `session=${secret}` },
      ...{ 'x-secret': secret, 'content-type': 'application/json' },
    }
    const answer = await send(front.url, `/v1/orders/7?token=${secret}`, { ...init, headers })
    await until('all spans', () => receiver.spans.length >= before + count)
    const spans = receiver.spans.slice(before)
    return { status: answer.status, spans, chain: chainOf(spans) }
  }

  it('gets one trace from the client over both gateways to the callee', async () => {
    const { status, chain } = await spansOf(4, {})
    expect(status).to.equal(200)
    const told = chain.map(({ kind, name, resource, traceId: own }) => [
      ...[kind, name, resource['service.name'], own],
    ])
    expect(told).to.deep.equal([
      ['server', 'GET /v1/orders/:id', 'front', traceId],
      ['client', 'GET', 'front', traceId],
      ['server', 'GET /v1/orders/:id', 'backend', traceId],
      ['client', 'com.example.traced', 'backend', traceId],
    ])
    const last = chain.at(-1)?.spanId
    expect(callee.calls.at(-1)?.kwargs._trace).to.deep.equal({
      traceparent: `00-${traceId}-${last}-01`,
    })
  })

  it('gets the attributes of the semantic conventions', async () => {
    const { chain } = await spansOf(4, {})
    const [server, forward, inner, call] = chain.map(({ attributes }) => attributes)
    const { hostname, port } = new URL(backend.url)
    const ofRequest = {
      'http.request.method': 'GET',
      'http.route': '/v1/orders/:id',
      'url.path': '/v1/orders/7',
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'client.address': '127.0.0.1',
      'network.protocol.version': '1.1',
      'http.response.status_code': 200,
      'gateway.api_version': '1.0',
    }
    expect(server).to.deep.equal({
      ...{ ...ofRequest, 'gateway.api': 'front' },
      'server.port': Number(new URL(front.url).port),
    })
    expect(inner).to.deep.equal({
      ...{ ...ofRequest, 'gateway.api': 'backend', 'server.port': Number(port) },
    })
    expect(forward).to.deep.equal({
      'http.request.method': 'GET',
      'server.address': hostname,
      'server.port': Number(port),
      'http.response.status_code': 200,
      'gateway.api': 'front',
      'gateway.api_version': '1.0',
    })
    expect(call).to.deep.equal({
      'rpc.system.name': 'wamp',
      'rpc.method': 'com.example.traced',
      'wamp.realm': 'com.example.test',
      'gateway.attempt': 1,
      'gateway.api': 'backend',
      'gateway.api_version': '1.0',
    })
  })

  it('gets publications and failed calls, and their errors', async () => {
    const body = JSON.stringify({ procedure: `com.example.${secret}`, secret })
    const { status, spans } = await spansOf(5, { method: 'POST', body })
    expect(status).to.equal(501)
    const [publication] = spans.filter(({ kind }) => kind === 'producer')
    expect(publication?.name).to.equal('publish com.example.traced.topic')
    const [call] = spans.filter(({ attributes }) => attributes['rpc.method'] !== undefined)
    expect([call?.name, call?.isError]).to.deep.equal(['{{request.body.procedure}}', true])
    expect(call?.attributes).to.include({
      'rpc.method': '_OTHER',
      'error.type': 'wamp.error.no_such_procedure',
    })
    const servers = spans.filter(({ kind }) => kind === 'server')
    expect(servers.map(({ isError }) => isError)).to.deep.equal([true, true])
    const [forward] = spans.filter(({ name }) => name === 'POST')
    expect(forward?.attributes).to.include({
      'http.response.status_code': 501,
      'error.type': '501',
    })
  })

  it('has been sent nothing of queries, header fields, bodies and arguments', () => {
    expect(receiver.requests).to.not.have.length(0)
    for (const { text } of receiver.requests) expect(text).to.not.include(secret)
  })
})

/** Spans from the one below the client down, each with the one above as its parent. */
function chainOf(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const chain: ReceivedSpan[] = []
  for (let parent = clientSpan; ; ) {
    const next = spans.find(({ parentSpanId }) => parentSpanId === parent)
    if (next === undefined) return chain
    chain.push(next)
    parent = next.spanId
  }
}
