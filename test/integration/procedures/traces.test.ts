/** The spans of calls of procedures, as a receiver of OTLP gets them, and the lines of the access log. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { until } from '#test/support/running/until.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'
import { documentOf, openService, realm, type Service } from './procedures.setup.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${parentId}-01`
const child = { traceId, parentSpanId: parentId, links: [] }
const ownLinked = { parentSpanId: '', links: [{ traceId, spanId: parentId }] }

describe('the span of a call of a procedure', () => {
  const { log, lines } = keptLog()
  let receiver: Receiver
  let service: Service
  let gateway: TestGateway
  let peer: RouterPeer
  const asked: unknown[] = []

  const start = async (trust: string) => {
    receiver = await startReceiver()
    gateway = await startGateway(
      {
        ...{ 'telemetry.traces': 'otlp', 'telemetry.endpoint': receiver.url },
        ...{ 'telemetry.sample': '1', 'telemetry.trust': trust },
      },
      { log, isEmbedded: true },
    )
    const forward = {
      type: 'forward',
      ...{ host: service.origin, http_method: 'get', path: '/{{invocation.kwargs.id}}' },
    }
    await gateway.mustLoad(
      documentOf({
        'com.example.get': { action: forward },
        'com.example.named': { action: forward, trace: { kwargs: '_trace' } },
        'com.example.of.': { match: 'prefix', action: forward },
      }),
    )
    peer = await RouterPeer.join({ url: gateway.routerUrl, realm })
  }

  before(async () => {
    service = await openService(({ url, headers }, response) => {
      asked.push(headers.traceparent)
      response.writeHead(Number(url?.slice(1)), { 'content-type': 'application/json' }).end('{}')
    })
  })
  after(() => service?.close())
  afterEach(async () => {
    peer?.cut()
    await gateway?.stop()
    await receiver?.close()
  })

  const call = async (uri: string, options: object, kwargs: object) => {
    lines.length = 0
    receiver.spans.length = 0
    asked.length = 0
    await peer.ask(48, 1, options, uri, [], kwargs)
    await until('both spans are there', () => receiver.spans.length > 1)
    const found = receiver.spans.find(({ kind }) => kind === 'server') ?? expect.fail('no span')
    return { ...found, attempt: receiver.spans.find(({ kind }) => kind === 'client') }
  }

  it('has the parent that the details name, is the parent of the attempt, and is in the log', async () => {
    await start('all')
    const span = await call('com.example.get', { _traceparent: traceparent }, { id: '200' })
    expect(span).to.deep.include({ ...child, name: 'com.example.get', isError: false })
    expect(span.attributes).to.deep.equal({
      'rpc.system.name': 'wamp',
      'rpc.method': 'com.example.get',
      'wamp.realm': realm,
      'gateway.api': 'com.example.billing',
      'gateway.api_version': '',
    })
    expect(span.attempt).to.include({ traceId, parentSpanId: span.spanId, name: 'GET' })
    expect(asked).to.deep.equal([`00-${traceId}-${span.attempt?.spanId}-01`])
    await until('a line', () => lines.some(({ msg }) => msg === 'call'))
    expect(lines.find(({ msg }) => msg === 'call')).to.include({
      ...{ trace_id: traceId, span_id: span.spanId, sampled: true },
    })
  })

  for (const [title, trust, uri, options, kwargs, expected] of [
    [
      'of a pattern is named by it',
      'all',
      'com.example.of.ada',
      {},
      {},
      { name: 'com.example.of.' },
    ],
    [
      'has the parent of its argument',
      'all',
      'com.example.named',
      {},
      { _trace: { traceparent } },
      child,
    ],
    [
      'has a link where callers are not believed',
      'none',
      'com.example.named',
      {},
      { _trace: { traceparent } },
      ownLinked,
    ],
    [
      'has a link where proxies alone are believed',
      'proxies',
      'com.example.get',
      { _traceparent: traceparent },
      {},
      ownLinked,
    ],
    [
      'reads no argument that the document does not name',
      'all',
      'com.example.get',
      {},
      { _trace: { traceparent } },
      { parentSpanId: '', links: [] },
    ],
    [
      'of an error of a caller is none of the gateway',
      'all',
      'com.example.get',
      {},
      { id: '404' },
      { isError: false },
    ],
    [
      'of an error of the upstream is one',
      'all',
      'com.example.get',
      {},
      { id: '502' },
      { isError: true },
    ],
  ] as const) {
    it(title, async () => {
      await start(trust)
      expect(await call(uri, options, { id: '200', ...kwargs })).to.deep.include(expected)
    })
  }

  it('tells the URI of an error', async () => {
    await start('all')
    const { attributes } = await call('com.example.get', {}, { id: '404' })
    const error = 'service.error.not_found'
    expect(attributes).to.include({ 'rpc.status_code': error, 'error.type': error })
  })
})
