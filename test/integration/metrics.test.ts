/** `/metrics` of a running gateway: what it says of loads, the registry and requests. */
import { expect } from 'chai'
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

  it('tells requests apart by the pattern of their route, never by their path', async () => {
    await gateway.load(document('metrics.c'))
    for (const id of ['1', '2', 'secret']) await fetch(`${gateway.url}/metrics.c/things/${id}`)
    const text = (await metrics()).join('\n')
    expect(text).to.match(
      /gateway_http_requests_total\{method="get",route="\/metrics\.c\/things\/:id",status="200"\} 3/,
    )
    expect(text).to.not.include('secret')
  })
})
