/** A gateway that forwards to another: both log the same trace, whatever the answer is. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type ProgressCallee, progressCallees } from '#test/integration/streams/progress-callees.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { keptLog, type LogLine } from '#test/support/log-lines.ts'
import { until } from '#test/support/running/until.ts'

const realm = 'com.example.test'
const documentOf = (paths: object) => ({
  ...{ id: 'com.example.traced', host: '_', realm_uri: realm },
  versions: { '1': { base_path: '/v1', schemes: ['http'], paths } },
})

const served = documentOf({
  '/fixed': { get: { action: { type: 'static', body: 'ok' }, response: {} } },
  '/events': {
    get: {
      action: { type: 'wamp_subscribe', topic: 'com.example.none', max_duration: 100 },
      response: { on_error: {} },
    },
  },
  '/pieces': {
    get: {
      action: { type: 'wamp_call', procedure: 'com.example.pieces.count', args: [3] },
      response: { on_progress: {}, on_result: {}, on_error: {} },
    },
  },
})

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('two gateways, one of which forwards to the other', () => {
  const inner = keptLog()
  const outer = keptLog()
  let backend: TestGateway
  let front: TestGateway
  let callee: ProgressCallee

  before(async () => {
    const traces = { 'telemetry.traces': 'propagate', 'telemetry.sample': '1' }
    const trusting = { ...traces, 'gateway.trusted_proxies': '["127.0.0.1"]' }
    backend = await startGateway(trusting, { log: inner.log, isEmbedded: true })
    front = await startGateway(traces, { log: outer.log, isEmbedded: true })
    const { host } = new URL(backend.url)
    const forward = (path: string) => ({ type: 'forward', host, path })
    const passing = { get: { action: forward('{{request.path}}'), response: {} } }
    const twice = [forward('/v1/fixed'), forward('/v1/fixed')]
    const paths = {
      ...{ '/fixed': passing, '/events': passing, '/pieces': passing },
      '/twice': { get: { action: twice, response: {} } },
    }
    for (const loaded of [await backend.load(served), await front.load(documentOf(paths))]) {
      expect(loaded.status, JSON.stringify(loaded.body)).to.equal(201)
    }
    callee = await progressCallees['autobahn-js'](backend.routerUrl, realm)
  })

  after(async () => {
    await callee?.close()
    await front?.stop()
    await backend?.stop()
  })

  /** The access lines of both after one request to the first: one of the first, some of the second. */
  const linesOf = async (path: string, headers: Record<string, string>, count: number) => {
    outer.lines.length = 0
    inner.lines.length = 0
    const answer = await fetch(`${front.url}${path}`, { headers })
    await answer.text()
    expect(answer.status).to.equal(200)
    const requests = (lines: readonly LogLine[]) => lines.filter(({ msg }) => msg === 'request')
    await until('all lines', () => requests(inner.lines).length === count)
    await until('the line of the first', () => requests(outer.lines).length === 1)
    return [...requests(outer.lines), ...requests(inner.lines)]
  }

  for (const [what, path, accept, count] of [
    ['a fixed answer', '/v1/fixed', '*/*', 1],
    ['a stream of events', '/v1/events', 'text/event-stream', 1],
    ['a call in pieces', '/v1/pieces', 'text/event-stream', 1],
    ['a list of two forwards', '/v1/twice', '*/*', 2],
  ] as const) {
    it(`log one trace for ${what}, which begins at the first`, async () => {
      const lines = await linesOf(path, { accept, traceparent }, count)
      expect(lines).to.have.length(count + 1)
      const { trace_id, span_id } = lines[0] ?? {}
      expect(trace_id)
        .to.match(/^[0-9a-f]{32}$/)
        .and.not.equal(traceparent.slice(3, 35))
      for (const line of lines) expect(line).to.include({ trace_id, span_id, sampled: true })
    })
  }
})

describe('a request that is tried again', () => {
  it('has the same trace context each time', async () => {
    const seen: (string | undefined)[] = []
    const upstream = createServer(({ headers }, response) => {
      seen.push(String(headers.traceparent))
      response.writeHead(seen.length === 1 ? 503 : 200).end()
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const gateway = await startGateway({
      'telemetry.traces': 'propagate',
      'telemetry.trust': 'all',
    })
    try {
      const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
      const action = { type: 'forward', host, retries: 1 }
      const { status } = await gateway.load(documentOf({ '/x': { get: { action, response: {} } } }))
      expect(status).to.equal(201)
      expect((await fetch(`${gateway.url}/v1/x`, { headers: { traceparent } })).status).to.equal(
        200,
      )
      expect(seen).to.deep.equal([traceparent, traceparent])
    } finally {
      await gateway.stop()
      upstream.close()
    }
  })
})
