/** When the listener begins the trace of a request, and what the trace is told when the request is over. */
import { connect } from 'node:net'
import { expect } from 'chai'
import { ownPath } from '#component/metrics/place.ts'
import type { RequestEnd, Telemetry, TracedRequest } from '#component/telemetry/telemetry.ts'
import { send } from '#test/support/http-request.ts'
import { until, untilHolds } from '#test/support/running/until.ts'
import { exchangeRaw, type Fixture, open } from './fixture.ts'

type Change = Parameters<typeof open>[0]

/** Telemetry that keeps what it is told. */
function kept() {
  const begun: TracedRequest[] = []
  const ended: RequestEnd[] = []
  const telemetry: Pick<Telemetry, 'begin'> = {
    begin(request) {
      begun.push(request)
      return {
        context: {
          ...{ traceId: '4'.repeat(32), spanId: '5'.repeat(16) },
          ...{ isSampled: true, isRandom: true, tracestate: undefined },
        },
        sampledId: undefined,
        attempt: () => undefined,
        over: (end) => ended.push(end),
      }
    },
  }
  return { begun, ended, telemetry }
}

describe('the listener', () => {
  let fixture: Fixture | undefined
  afterEach(() => fixture?.stop())

  const opened = async (change: Change = {}) => {
    const { begun, ended, telemetry } = kept()
    const opening = await open({ ...change, telemetry })
    fixture = opening
    return { ...opening, begun, ended, url: `http://127.0.0.1:${opening.port}` }
  }

  for (const [what, path, method, change, end] of [
    ['an answer', '/v1/x', 'GET', {}, { status: 200, error: undefined }],
    [
      'an error',
      '/v1/x',
      'POST',
      {},
      { status: 415, error: 'service.error.unsupported_media_type' },
    ],
    ['a bug', '/v1/bug', 'GET', {}, { status: 500, error: 'service.error.internal' }],
    [
      'a refusal of a node that is not ready',
      '/v1/x',
      'GET',
      { isReady: () => false },
      { status: 503, error: 'service.error.unavailable' },
    ],
  ] as const) {
    it(`begins one trace for ${what}, and ends it once`, async () => {
      const { begun, ended, logged, url } = await opened(change)
      const body = method === 'POST' ? { headers: { 'content-type': 'a/b' }, body: 'x' } : {}
      await send(url, path, { method, ...body })
      await untilHolds(() => logged.some(({ msg }) => msg === 'request'))
      expect(begun).to.have.length(1)
      expect(begun[0]).to.include({ path, method: method.toLowerCase(), isFromProxy: false })
      expect(ended).to.have.length(1)
      expect(ended[0]).to.include(end)
      expect(logged.find(({ msg }) => msg === 'request')).to.include({ trace_id: '4'.repeat(32) })
    })
  }

  it('tells the trace of a client that went away', async () => {
    const { routed, ended, port } = await opened()
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /v1/slow HTTP/1.1\r\nHost: a\r\n\r\n')
    await until('the request is there', () => routed.length === 1)
    socket.destroy()
    await until('the trace is over', () => ended.length === 1)
    expect(ended[0]).to.deep.include({ status: 499, served: ownPath('/v1/x') })
  })

  it('knows of a trusted proxy, and of the client that it reports', async () => {
    const { begun, url } = await opened({ gatewayOptions: { trusted_proxies: ['127.0.0.1'] } })
    await send(url, '/v1/x', { headers: { 'x-forwarded-for': '192.0.2.7' } })
    expect(begun[0]).to.include({ isFromProxy: true, client: '192.0.2.7' })
  })

  for (const [what, ask] of [
    ['a path that nothing serves', ({ port }) => send(`http://127.0.0.1:${port}`, '/nothing')],
    ['a malformed request', ({ port }) => exchangeRaw(port, 'GET /v1/x HTTP/1.1\r\n\r\n')],
    ['the admin listener', ({ adminPort }) => send(`http://127.0.0.1:${adminPort}`, '/ping')],
  ] as readonly (readonly [string, (opened: Fixture) => Promise<unknown>])[]) {
    it(`has no trace for ${what}`, async () => {
      const all = await opened()
      await ask(all)
      await untilHolds(() => all.logged.some(({ msg }) => String(msg).endsWith('request')))
      expect(all.ended).to.deep.equal([])
      expect(all.logged[0]).to.not.have.property('trace_id')
    })
  }
})
