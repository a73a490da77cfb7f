/** `/metrics` of a running gateway: what it says of loads, the registry and requests. */
import { expect } from 'chai'
import { open } from '#test/integration/http/fixture.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const document = (id: string, extra: object = {}) => ({
  id,
  host: '_',
  realm_uri: 'com.example.test',
  versions: {
    1: {
      base_path: `/${id}`,
      paths: {
        '/things/:id': {
          get: {
            action: { type: 'static', body: 'ok' },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
  ...extra,
})

describe('/metrics', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  const metrics = async () => {
    const answer = await fetch(`${gateway.adminUrl}/metrics`)
    return (await answer.text()).split('\n')
  }

  it('counts loads that were acknowledged and loads that were refused, and what is registered', async () => {
    expect((await gateway.load(document('metrics.a'))).status).to.equal(201)
    expect((await gateway.load(document('metrics.a'))).status).to.equal(200)
    expect((await gateway.load(document('metrics.b', { host: '' }))).status).to.equal(400)
    const lines = await metrics()
    expect(lines).to.include('gateway_api_spec_loads_total 2')
    expect(lines).to.include('gateway_api_spec_loads_refused_total 1')
    expect(lines).to.include('gateway_registry_entries 1')
    expect(lines).to.include('gateway_wamp_calls_in_flight 0')
  })

  it("says whether the gateway's own session of each realm is joined", async () => {
    const action = { type: 'wamp_call', procedure: 'com.example.a' }
    const paths = { '/called': { get: { action, response: { on_result: {}, on_error: {} } } } }
    const versions = { 1: { base_path: '/metrics.e', paths } }
    await gateway.load(document('metrics.e', { versions }))
    const lines = await metrics()
    for (const labels of [
      'realm="service.gateway",purpose="management"',
      'realm="com.example.test",purpose="requests"',
    ]) {
      expect(lines).to.include(`gateway_router_session_up{${labels}} 1`)
      expect(lines).to.include(`gateway_router_session_reconnects_total{${labels}} 0`)
    }
    const registry = await fetch(`${gateway.adminUrl}/registry`)
    const sessions = ((await registry.json()) as { router_sessions: unknown }).router_sessions
    const well = { is_joined: true, reconnects: 0, last_error: null }
    expect(sessions).to.deep.equal([
      { realm: 'service.gateway', purpose: 'management', ...well },
      { realm: 'com.example.test', purpose: 'requests', ...well },
    ])
  })

  it('tells requests apart by the pattern of their route, never by their path', async () => {
    await gateway.load(document('metrics.c'))
    for (const id of ['1', '2', 'secret']) await fetch(`${gateway.url}/metrics.c/things/${id}`)
    const text = (await metrics()).join('\n')
    expect(text).to.match(
      /gateway_http_requests_total\{api="metrics\.c",version="1",route="\/metrics\.c\/things\/:id",method="get",status="200"\} 3/,
    )
    expect(text).to.not.include('secret')
  })

  it('keeps the series of at most a hundred routes that no document has any more', async () => {
    const static_ = {
      get: {
        action: { type: 'static', body: 'ok' },
        response: { on_result: {}, on_error: {} },
      },
    }
    for (let count = 0; count < 120; count += 1) {
      const version = { base_path: '/metrics.d', paths: { [`/path-${count}`]: static_ } }
      await gateway.load(document('metrics.d', { versions: { 1: version } }))
      await fetch(`${gateway.url}/metrics.d/path-${count}`)
    }
    const lines = await metrics()
    const routes = lines.filter(
      (line) => line.includes('_requests_total{') && line.includes('/path-'),
    )
    expect(routes).to.have.lengthOf(101)
    expect(routes.join('\n')).to.include('/path-119"').and.not.include('/path-0"')
  })
})

describe('gateway_ready', () => {
  it('is 1 exactly while /ready is 200', async () => {
    let isReady = false
    const fixture = await open({ isReady: () => isReady })
    const read = async () => {
      const answer = await fetch(`http://127.0.0.1:${fixture.adminPort}/metrics`)
      return /^gateway_ready (.*)$/m.exec(await answer.text())?.[1]
    }
    const found = [await read()]
    isReady = true
    found.push(await read())
    fixture.listeners.begin()
    found.push(await read())
    await fixture.stop()
    expect(found).to.deep.equal(['0', '1', '0'])
  })
})

describe('/metrics of a process that stands still while it is asked', () => {
  it('shows that when it is asked again', async () => {
    let stall = 300
    const fixture = await open({
      metrics: {
        slow: {
          help: 'Takes its time once.',
          read() {
            const end = performance.now() + stall
            while (performance.now() < end);
            stall = 0
            return 0
          },
        },
      },
    })
    try {
      const longest = async () => {
        const answer = await fetch(`http://127.0.0.1:${fixture.adminPort}/metrics`)
        return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await answer.text())?.[1])
      }
      await longest()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(await longest()).to.be.at.least(0.25)
    } finally {
      await fixture.stop()
    }
  })
})
