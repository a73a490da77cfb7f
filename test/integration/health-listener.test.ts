/** `health.listen`: `/ping`, `/ready` and `/metrics` on a port of their own, for everybody, and nothing else. */
import { expect } from 'chai'
import { staticDocument } from '#test/integration/management/faces.ts'
import { hello } from '#test/support/examples/hello.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

describe('health.listen', () => {
  let gateway: TestGateway
  let url: string

  before(async () => {
    gateway = await startGateway({ 'health.listen': '127.0.0.1:0' })
    url = gateway.component.healthUrls[0] ?? ''
    expect((await gateway.load(staticDocument('beside', 'routed'))).status).to.equal(201)
  })
  after(() => gateway.stop())

  it('has a port of its own', () => {
    const ports = [url, gateway.url, gateway.adminUrl].map((one) => new URL(one).port)
    expect(new Set(ports)).to.have.property('size', 3)
  })

  for (const headers of [
    {},
    // a probe by the address of a pod, and a scrape through a proxy
    { host: '10.1.2.3:8082' },
    { 'x-forwarded-for': '203.0.113.9' },
    { authorization: 'Bearer nonsense' },
  ]) {
    it(`serves health and metrics with ${JSON.stringify(headers)}`, async () => {
      expect((await send(url, '/ping', { headers })).text).to.equal('pong')
      expect((await send(url, '/ready', { headers })).text).to.match(/^ready/)
      const { status, text } = await send(url, '/metrics', { headers })
      expect(status).to.equal(200)
      expect(text).to.include('gateway_http_requests_total')
    })
  }

  for (const path of [
    '/api_specs',
    '/realms',
    '/registry',
    '/beside/body',
    '/ws',
    '/',
    '/services/x',
  ]) {
    it(`answers 404 to GET ${path}, also to a local request`, async () => {
      expect((await send(url, path)).status).to.equal(404)
    })
  }

  for (const path of ['/api_specs', '/services/load_api_spec', '/services/list_realms']) {
    it(`answers 404 to POST ${path}, also to a local request`, async () => {
      expect((await send(url, path, { method: 'POST', body: {} })).status).to.equal(404)
    })
  }

  it('answers 405 to POST /ready', async () => {
    expect((await send(url, '/ready', { method: 'POST', body: {} })).status).to.equal(405)
  })

  it('opens no WAMP session', async () => {
    const joined = await hello(`${url.replace('http', 'ws')}/ws`, 'com.example.test', {}).then(
      () => true,
      () => false,
    )
    expect(joined).to.equal(false)
  })

  it('is absent by default', async () => {
    const other = await startGateway()
    expect(other.component.healthUrls).to.deep.equal([])
    await other.stop()
  })
})
