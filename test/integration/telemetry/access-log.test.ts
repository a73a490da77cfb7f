/** Which requests have a trace context, whose is believed, and where the log shows it. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { keptLog, type LogLine } from '#test/support/log-lines.ts'
import { until } from '#test/support/running/until.ts'

const document = {
  ...{ id: 'com.example.traced', host: '_', realm_uri: 'com.example.realm' },
  versions: {
    '1.0': {
      base_path: '/v1',
      openapi: { path: '/openapi' },
      paths: {
        '/fixed': {
          schemes: ['http'],
          get: { action: { type: 'static', body: 'ok' }, response: {} },
        },
        '/failing': {
          schemes: ['http'],
          get: {
            action: { type: 'wamp_call', procedure: 'com.example.nobody' },
            response: {},
          },
        },
        '/unfit': {
          schemes: ['http'],
          validate_requests: 'log',
          get: {
            request: { query_params: { properties: { n: { type: 'integer' } } } },
            action: { type: 'static', body: 'ok' },
            response: {},
          },
        },
      },
    },
  },
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const sent = { trace_id: traceparent.slice(3, 35), span_id: traceparent.slice(36, 52) }

describe('the trace context of a request', () => {
  const { log, lines } = keptLog()
  const gateways: TestGateway[] = []

  const start = async (settings: Readonly<Record<string, string>>) => {
    const gateway = await startGateway(settings, { log })
    gateways.push(gateway)
    const loaded = await gateway.load(document)
    expect(loaded.status, JSON.stringify(loaded.body)).to.equal(201)
    return gateway
  }

  /** The line of the log about the next request to the URL. */
  const lineOf = async (url: string, msg = 'request', init: RequestInit = {}) => {
    lines.length = 0
    await (await fetch(url, init)).text()
    let found: LogLine | undefined
    await until(`a line "${msg}"`, () => {
      found = lines.find((line) => line.msg === msg)
      return found !== undefined
    })
    return found ?? {}
  }

  const asking = (value: string) => ({ headers: { traceparent: value } })

  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()))
  })

  it('is in no line while traces are off', async () => {
    const { url } = await start({ 'telemetry.trust': 'all' })
    const line = await lineOf(`${url}/v1/fixed`, 'request', asking(traceparent))
    expect(line).to.not.have.any.keys('trace_id', 'span_id', 'sampled')
  })

  it('is made where nobody is believed, with the share that is sampled', async () => {
    const settings = { 'telemetry.traces': 'propagate', 'telemetry.sample': '1' }
    const { url } = await start({ ...settings, 'telemetry.trust': 'none' })
    const first = await lineOf(`${url}/v1/fixed`, 'request', asking(traceparent))
    const second = await lineOf(`${url}/v1/fixed`)
    for (const line of [first, second]) {
      expect(line)
        .to.have.property('trace_id')
        .that.matches(/^[0-9a-f]{32}$/)
      expect(line)
        .to.have.property('span_id')
        .that.matches(/^[0-9a-f]{16}$/)
      expect(line).to.include({ sampled: true })
    }
    expect(new Set([sent.trace_id, first.trace_id, second.trace_id]).size).to.equal(3)
  })

  for (const [what, trust, settings, isBelieved] of [
    ['of a client', 'proxies', {}, false],
    ['of a trusted proxy', 'proxies', { 'gateway.trusted_proxies': '["127.0.0.1"]' }, true],
    ['of a client', 'all', {}, true],
  ] as const) {
    it(`${what} is ${isBelieved ? '' : 'not '}believed where trust is ${trust}`, async () => {
      const traces = { 'telemetry.traces': 'propagate', 'telemetry.sample': '0' }
      const { url } = await start({ ...traces, ...settings, 'telemetry.trust': trust })
      const line = await lineOf(`${url}/v1/fixed`, 'request', asking(traceparent))
      if (isBelieved) expect(line).to.include({ ...sent, sampled: true })
      else expect(line).to.include({ sampled: false }).and.not.include(sent)
    })
  }

  it('begins anew for a malformed field', async () => {
    const { url } = await start({ 'telemetry.traces': 'propagate', 'telemetry.trust': 'all' })
    const line = await lineOf(`${url}/v1/fixed`, 'request', asking(traceparent.toUpperCase()))
    expect(line).to.have.property('trace_id').that.does.not.equal(sent.trace_id)
  })

  it('is in the lines about failures and schemas', async () => {
    const { url } = await start({ 'telemetry.traces': 'propagate', 'telemetry.trust': 'all' })
    const { trace_id } = sent
    const asked = asking(traceparent)
    const failed = await lineOf(`${url}/v1/failing`, 'a request failed', asked)
    expect(failed).to.include({ trace_id, status: 501 }).and.not.have.property('span_id')
    const unfit = await lineOf(`${url}/v1/unfit?n=x`, 'a request does not fit its schema', asked)
    expect(unfit).to.include({ trace_id })
  })

  it('belongs to generated endpoints, to preflight and to other methods of a document', async () => {
    const { url } = await start({ 'telemetry.traces': 'propagate', 'telemetry.trust': 'all' })
    for (const [path, method] of [
      ['/v1/openapi.json', 'GET'],
      ['/v1/fixed', 'OPTIONS'],
      ['/v1/fixed', 'DELETE'],
    ] as const) {
      const line = await lineOf(`${url}${path}`, 'request', { ...asking(traceparent), method })
      expect(line, path).to.include(sent)
    }
  })

  it('belongs to no request that no document serves: other paths, management, health', async () => {
    const settings = { 'telemetry.traces': 'propagate', 'telemetry.trust': 'all' }
    const { url, adminUrl } = await start(settings)
    for (const address of [`${url}/nothing`, `${url}/api_specs`, `${adminUrl}/ready`]) {
      const line = await lineOf(address, 'request', asking(traceparent))
      expect(line, address).to.not.have.any.keys('trace_id', 'span_id', 'sampled')
    }
  })
})
