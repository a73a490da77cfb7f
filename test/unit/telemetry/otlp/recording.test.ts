import { expect } from 'chai'
import { noPath } from '#component/metrics/place.ts'
import type { Trust } from '#component/telemetry/origin.ts'
import type { RecordedSpan } from '#component/telemetry/otlp/recorded-span.ts'
import { recording } from '#component/telemetry/otlp/recording.ts'
import { SpanClock } from '#component/telemetry/otlp/span-clock.ts'
import { RandomIds } from '#component/telemetry/random-ids.ts'
import type { AttemptTarget, TracedRequest } from '#component/telemetry/telemetry.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const sampled = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'vendor=1' }
const unsampled = { traceparent: `00-${traceId}-${parentId}-00` }

const request = (changes: Partial<TracedRequest> = {}): TracedRequest => ({
  ...{
    method: 'get',
    path: '/v1/orders/7',
    scheme: 'https',
    version: '1.1',
    host: 'api.example',
    port: '443',
  },
  ...{ client: '192.0.2.1', headers: {}, isFromProxy: false, ...changes },
})

const target = (changes: Partial<AttemptTarget>): AttemptTarget => ({
  ...{ type: 'wamp_call', text: 'com.example.get', literal: 'com.example.get' },
  ...{ api: 'orders', version: '1', route: '/v1/orders/:id', ...changes },
})

const by = { realm_uri: 'com.example.realm' }

const answered = {
  served: { pattern: '/v1/orders/:id', version: { api: 'orders', label: '1' } },
  status: 200,
  error: undefined,
}

/** Recording on clocks that a test moves. */
function recorder(trust: Trust = 'all', isSampled = true, tellsUsers = false) {
  const spans: RecordedSpan[] = []
  const times = { wall: 1_700_000_000_000, monotonic: 10 }
  let draws = 0
  const telemetry = recording({
    ...{ trust, tellsUsers },
    ids: new RandomIds((bytes) => {
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = 1 + (draws++ % 255)
    }),
    isSampled: () => isSampled,
    clock: new SpanClock({ now: () => times.wall }, () => times.monotonic),
    origin: {
      resource: { attributes: {} },
      instrumentationScope: { name: 'wamp-gateway', version: '1' },
    },
    add: (span) => spans.push(span),
  })
  const pass = (ms: number) => {
    times.wall += ms
    times.monotonic += ms
  }
  return { telemetry, spans, times, pass }
}

/** The spans that one request without attempts leaves. */
function spanOf(asked: TracedRequest, end = {}, trust: Trust = 'all') {
  const { telemetry, spans } = recorder(trust)
  telemetry.begin(asked, 10).over({ ...answered, ...end })
  return spans[0] ?? expect.fail('no span')
}

/** The span of one attempt. */
function attemptOf(reached: Partial<AttemptTarget>, end = {}, tried = 0, method?: string) {
  const { telemetry, spans } = recorder()
  telemetry
    .begin(request(), 10)
    .attempt(target(reached), tried, { ...by, method })
    ?.over(end)
  return spans[0] ?? expect.fail('no span')
}

describe('a recorded request', () => {
  it('is a server span of the route, with the attributes of the semantic conventions', () => {
    const { name, kind, attributes, status } = spanOf(request())
    expect({ name, kind, status }).to.deep.equal({
      ...{ name: 'GET /v1/orders/:id', kind: 1, status: { code: 0 } },
    })
    expect(attributes).to.deep.equal({
      'http.request.method': 'GET',
      'http.route': '/v1/orders/:id',
      'url.path': '/v1/orders/7',
      'url.scheme': 'https',
      'server.address': 'api.example',
      'server.port': 443,
      'client.address': '192.0.2.1',
      'network.protocol.version': '1.1',
      'http.response.status_code': 200,
      'gateway.api': 'orders',
      'gateway.api_version': '1',
    })
  })

  it('lasts from its head to the end of its answer', () => {
    const { telemetry, spans, pass } = recorder()
    pass(2)
    const trace = telemetry.begin(request(), 11)
    pass(40)
    trace.over(answered)
    expect([spans[0]?.startTime, spans[0]?.endTime]).to.deep.equal([
      [1_700_000_000, 1_000_000],
      [1_700_000_000, 42_000_000],
    ])
  })

  for (const [status, error, type, code] of [
    [404, 'service.error.not_found', 'service.error.not_found', 0],
    [400, undefined, undefined, 0],
    [499, undefined, undefined, 0],
    [502, undefined, '502', 2],
    [503, 'service.error.unavailable', 'service.error.unavailable', 2],
  ] as const) {
    it(`with ${status} and ${error ?? 'no error'} has the error type ${type} and the status ${code}`, () => {
      const span = spanOf(request(), { status, error })
      expect([span.attributes['error.type'], span.status.code]).to.deep.equal([type, code])
    })
  }

  it('is named by its method where it has no route', () => {
    const { name, attributes } = spanOf(request(), { served: noPath, status: 503 })
    expect(name).to.equal('GET')
    expect(attributes).to.not.have.any.keys('http.route', 'gateway.api')
  })

  for (const [tellsUsers, found] of [
    [false, undefined],
    [true, 'ada'],
  ] as const) {
    it(`names ${found ? 'its user where users are told' : 'no user'}`, () => {
      const { telemetry, spans } = recorder('all', true, tellsUsers)
      const trace = telemetry.begin(request(), 10)
      trace.tellUser?.('ada')
      trace.over(answered)
      expect(spans[0]?.attributes['enduser.id']).to.equal(found)
    })
  }

  it('tells 1,024 characters of a path', () => {
    const { attributes } = spanOf(request({ path: `/${'a'.repeat(5000)}` }))
    expect(attributes['url.path']).to.have.length(1024)
  })

  it('has the parent that it believes, and its tracestate', () => {
    const span = spanOf(request({ headers: sampled }))
    const { traceId: own, spanId, traceState } = span.spanContext()
    expect([own, traceState.serialize()]).to.deep.equal([traceId, 'vendor=1'])
    expect(spanId).to.not.equal(parentId)
    expect(span.parentSpanContext).to.include({ spanId: parentId, isRemote: true })
    expect(span.links).to.deep.equal([])
  })

  it('has a link to the span that it does not believe', () => {
    const span = spanOf(request({ headers: sampled }), {}, 'none')
    expect(span.parentSpanContext).to.equal(undefined)
    expect(span.spanContext().traceId).to.not.equal(traceId)
    expect(span.links[0]?.context).to.include({ traceId, spanId: parentId })
  })
})

describe('a request that is not sampled', () => {
  it('leaves no spans, and passes the context of its parent on', () => {
    const { telemetry, spans } = recorder()
    const trace = telemetry.begin(request({ headers: unsampled }), 10)
    expect(trace.attempt(target({}), 0, by)).to.equal(undefined)
    trace.over(answered)
    expect(spans).to.deep.equal([])
    expect(trace.context).to.include({ traceId, spanId: parentId, isSampled: false })
  })

  it('has a context of its own without a parent', () => {
    const { telemetry } = recorder('all', false)
    const { traceId: own, isSampled } = telemetry.begin(request(), 10).context
    expect(own).to.match(/^[0-9a-f]{32}$/)
    expect(isSampled).to.equal(false)
  })
})

describe('a recorded attempt', () => {
  it('is a span below the request, in the context that is passed on', () => {
    const { telemetry, spans } = recorder()
    const trace = telemetry.begin(request({ headers: sampled }), 10)
    const attempt = trace.attempt(target({}), 0, by)
    attempt?.over({})
    expect(attempt?.context).to.include({ traceId, isSampled: true, tracestate: 'vendor=1' })
    expect(spans[0]?.spanContext().spanId).to.equal(attempt?.context.spanId)
    expect(spans[0]?.parentSpanContext).to.include({
      spanId: trace.context.spanId,
      isRemote: false,
    })
  })

  it('of a call is a client span of the procedure', () => {
    const { name, kind, attributes } = attemptOf({}, {}, 1)
    expect([name, kind]).to.deep.equal(['com.example.get', 2])
    expect(attributes).to.deep.equal({
      'rpc.system.name': 'wamp',
      'rpc.method': 'com.example.get',
      'wamp.realm': 'com.example.realm',
      'gateway.attempt': 2,
      'gateway.api': 'orders',
      'gateway.api_version': '1',
    })
  })

  it('of a computed procedure has the text of the document, and no method', () => {
    const text = 'com.example.{{request.bindings.name}}'
    const { name, attributes } = attemptOf({ text, literal: undefined })
    expect([name, attributes['rpc.method']]).to.deep.equal([text, '_OTHER'])
  })

  it('of a failed call has the URI of the error', () => {
    const { attributes, status } = attemptOf({}, { error: 'com.example.error.none' })
    expect(attributes).to.include({
      'rpc.status_code': 'com.example.error.none',
      'error.type': 'com.example.error.none',
    })
    expect(status.code).to.equal(2)
  })

  it('tells 200 characters of the URI of an error, which a callee may choose', () => {
    const { attributes } = attemptOf({}, { error: `com.${'a'.repeat(5000)}` })
    expect(attributes['error.type']).to.have.length(200)
    expect(attributes['rpc.status_code']).to.have.length(200)
    const ofRequest = spanOf(request(), { error: `com.${'a'.repeat(5000)}` })
    expect(ofRequest.attributes['error.type']).to.have.length(200)
  })

  it('of a publication is a producer span of the topic', () => {
    const literal = 'com.example.topic'
    const known = attemptOf({ type: 'wamp_publish', text: literal, literal })
    expect([known.name, known.kind]).to.deep.equal(['publish com.example.topic', 3])
    expect(known.attributes).to.include({
      'messaging.system': 'wamp',
      'messaging.operation.name': 'publish',
      'messaging.destination.name': literal,
    })
    const text = 'com.example.{{request.bindings.name}}'
    const computed = attemptOf({ type: 'wamp_publish', text, literal: undefined })
    expect(computed.attributes).to.include({ 'messaging.destination.template': text })
    expect(computed.attributes).to.not.have.property('messaging.destination.name')
  })

  it('of a forward is a client span of the method, with the address that the document names', () => {
    const literal = 'https://orders.example:8443'
    const { name, kind, attributes, status } = attemptOf(
      { type: 'forward', text: literal, literal },
      { status: 404, error: 'service.error.http_gateway.upstream_status' },
      1,
      'post',
    )
    expect([name, kind, status.code]).to.deep.equal(['POST', 2, 2])
    expect(attributes).to.include({
      'http.request.method': 'POST',
      'server.address': 'orders.example',
      'server.port': 8443,
      'http.response.status_code': 404,
      'error.type': '404',
      'http.request.resend_count': 1,
    })
  })

  it('of a forward to a computed host has no address', () => {
    const { attributes } = attemptOf({
      type: 'forward',
      text: '{{request.host}}',
      literal: undefined,
    })
    expect(attributes).to.not.have.any.keys('server.address', 'server.port')
  })

  for (const type of ['static', 'wamp_subscribe'] as const) {
    it(`of ${type} is no span`, () => {
      const { telemetry } = recorder()
      expect(telemetry.begin(request(), 10).attempt(target({ type }), 0, by)).to.equal(undefined)
    })
  }

  it('tells that it waited for its session', () => {
    const { telemetry, spans, pass } = recorder()
    const attempt = telemetry.begin(request(), 10).attempt(target({}), 0, by)
    pass(25)
    attempt?.ready()
    attempt?.over({})
    expect(spans[0]?.events).to.deep.equal([
      { name: 'session joined', time: [1_700_000_000, 25_000_000] },
    ])
    const ready = telemetry.begin(request(), 10).attempt(target({}), 0, by)
    ready?.ready()
    ready?.over({})
    expect(spans[1]?.events).to.deep.equal([])
  })
})
