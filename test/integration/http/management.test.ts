/** Bad inputs to management over HTTP, with procedures in the shape of the real ones behind it. */
import { expect } from 'chai'
import { exchangeRaw, type Fixture, open, options, post, RawClient } from './fixture.ts'
import { management, procedures } from './procedures.ts'

const bad = 'service.error.bad_request'
const json = 'application/json'

describe('bad input to management', () => {
  const local = (method: string, target: string, ...more: string[]) =>
    [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...more, '', ''].join('\r\n')
  const load = post('/api_specs', json, '{}')
  let fixture: Fixture
  let unshared: Fixture

  before(async () => {
    fixture = await open({ procedures, management })
    unshared = await open({
      procedures,
      management,
      options: { ...options, admin: { ...options.admin, share_gateway_listener: false } },
    })
  })
  after(async () => {
    await fixture.stop()
    await unshared.stop()
  })

  const codeOf = (body: string): unknown => JSON.parse(body).code

  for (const id of ['__proto__', 'constructor']) {
    it(`#149 id ${id} is 404`, async () => {
      const answer = await exchangeRaw(fixture.adminPort, local('GET', `/api_specs/${id}`))
      expect(answer.status).to.equal(404)
      expect(codeOf(answer.body)).to.equal('service.error.not_found')
    })
  }

  it('#150 a page of another origin is 403, without CORS headers', async () => {
    const bytes = post('/api_specs', json, '{}', ['Origin: https://evil.com'])
    const answer = await exchangeRaw(fixture.adminPort, bytes)
    expect(answer.status).to.equal(403)
    expect(codeOf(answer.body)).to.equal('wamp.error.not_authorized')
    expect(Object.keys(answer.headers).join()).to.not.include('access-control')
  })

  it('#151 DELETE of an unknown id is 404', async () => {
    const answer = await exchangeRaw(fixture.adminPort, local('DELETE', '/api_specs/nope'))
    expect(answer.status).to.equal(404)
    expect(codeOf(answer.body)).to.equal('service.error.not_found')
  })

  it('#152 an id with an encoded slash is 400', async () => {
    const answer = await exchangeRaw(fixture.adminPort, local('GET', '/api_specs/a%2Finfo'))
    expect(answer.status).to.equal(400)
    expect(codeOf(answer.body)).to.equal(bad)
  })

  it('#153 the public listener is 404 when it is not shared', async () => {
    expect((await exchangeRaw(unshared.port, load)).status).to.equal(404)
    expect((await exchangeRaw(unshared.adminPort, load)).status).to.equal(201)
    expect((await exchangeRaw(fixture.port, load)).status).to.equal(201)
  })

  for (const field of [
    'X-Forwarded-For: 1.2.3.4',
    'Forwarded: for=1.2.3.4',
    'Via: 1.1 a',
    'X-Real-IP: 1.1.1.1',
  ]) {
    it(`#154 loopback with ${field} is 401`, async () => {
      const answer = await exchangeRaw(fixture.adminPort, post('/api_specs', json, '{}', [field]))
      expect(answer.status).to.equal(401)
      expect(codeOf(answer.body)).to.equal('service.error.unauthorized')
      expect(answer.headers).to.have.property('www-authenticate')
    })
  }

  it('#2 an empty body is no document', async () => {
    const answer = await exchangeRaw(fixture.adminPort, post('/api_specs', json, ''))
    expect(answer.status).to.equal(400)
    expect(JSON.parse(answer.body)).to.include({
      code: 'wamp.error.invalid_argument',
      message: 'the document is empty',
    })
  })

  it('broken JSON is a refused document', async () => {
    const answer = await exchangeRaw(fixture.adminPort, post('/api_specs', json, '{"id":'))
    expect(answer.status).to.equal(400)
    expect(codeOf(answer.body)).to.equal('wamp.error.invalid_argument')
  })

  it('#26 a document of 50 MB is 413 before it is read', async () => {
    const client = new RawClient(fixture.adminPort)
    client.send(
      `POST /api_specs HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${json}\r\nContent-Length: 52428800\r\n\r\n{`,
    )
    const answer = await client.read()
    expect(answer.status).to.equal(413)
    expect(codeOf(answer.body)).to.equal('service.error.payload_too_large')
    client.close()
  })

  it('100 (Continue) is sent to who may load, and to nobody else', async () => {
    const expecting = ['Expect: 100-continue']
    const client = new RawClient(fixture.adminPort)
    client.send(post('/api_specs', json, '{}', expecting).subarray(0, -2))
    expect((await client.read()).status).to.equal(100)
    client.send('{}')
    expect((await client.read()).status).to.equal(201)
    client.close()
    const foreign = post('/api_specs', json, '{}', [...expecting, 'Via: 1.1 a']).subarray(0, -2)
    expect((await exchangeRaw(fixture.adminPort, foreign)).status).to.equal(401)
  })

  it('a body that is not JSON is 415, so that no form of a page gets through', async () => {
    const answer = await exchangeRaw(fixture.adminPort, post('/api_specs', 'text/plain', '{}'))
    expect(answer.status).to.equal(415)
  })

  it('a document of invalid UTF-8 or broken gzip is 400', async () => {
    const latin = post('/api_specs', json, Buffer.from('{"a":"\xff"}', 'latin1'))
    expect((await exchangeRaw(fixture.adminPort, latin)).status).to.equal(400)
    const broken = post('/api_specs', json, '{}', ['Content-Encoding: gzip'])
    expect((await exchangeRaw(fixture.adminPort, broken)).status).to.equal(400)
  })

  it('who is refused is counted and logged at the route that was asked for', async () => {
    const bytes = local('GET', '/api_specs/a', 'X-Forwarded-For: 9.9.9.9')
    expect((await exchangeRaw(fixture.adminPort, bytes)).status).to.equal(401)
    const { body } = await exchangeRaw(
      fixture.adminPort,
      local('GET', '/metrics', 'Connection: close'),
    )
    expect(body).to.include(
      'gateway_http_requests_total{api="",version="",route="/api_specs/:id",method="get",status="401"}',
    )
  })

  it('health and metrics are 404 on the public listener', async () => {
    for (const path of ['/ping', '/ready', '/metrics']) {
      expect((await exchangeRaw(fixture.port, local('GET', path))).status).to.equal(404)
      const bytes = local('GET', path, 'Connection: close')
      expect((await exchangeRaw(fixture.adminPort, bytes)).status).to.equal(200)
    }
  })
})

describe('the warning about management on the gateway listener', () => {
  for (const [what, share_gateway_listener, listen, warnings] of [
    ['is not logged where only this machine reaches the listener', 'auto', '127.0.0.1:0', 0],
    ['is not logged where the listener serves no management', 'auto', '0.0.0.0:0', 0],
    ['is logged where others reach a listener that is told to serve it', true, '0.0.0.0:0', 1],
  ] as const) {
    it(what, async () => {
      const admin = { ...options.admin, share_gateway_listener }
      const { logged, stop } = await open({
        options: { ...options, admin },
        gatewayOptions: { listen },
      })
      await stop()
      const about = logged.filter(({ setting }) => setting === 'admin.share_gateway_listener')
      expect(about).to.have.length(warnings)
    })
  }
})
