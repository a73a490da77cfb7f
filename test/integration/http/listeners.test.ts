/** The listeners: connections, bodies, answers, aborts, draining, log and metrics, seen from a socket. */
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { bodyLimits, exchangeRaw, type Fixture, open, post, RawClient } from './fixture.ts'

const get = (target: string, ...more: string[]) =>
  [`GET ${target} HTTP/1.1`, 'Host: localhost', ...more, '', ''].join('\r\n')
const json = 'application/json'

describe('the gateway listener', () => {
  let fixture: Fixture
  let client: RawClient

  beforeEach(async () => {
    fixture = await open()
    client = new RawClient(fixture.port)
  })
  afterEach(async () => {
    client.close()
    await fixture.stop()
  })

  it('serves requests one after the other on a connection, with an id each', async () => {
    client.send(get('/v1/x') + get('/v1/x'))
    const first = await client.read()
    const second = await client.read()
    expect(first).to.include({ status: 200, body: '{"ok":true}', isClosed: false })
    expect(first.headers).to.include({ 'content-type': json, 'x-content-type-options': 'nosniff' })
    expect(first.headers['x-request-id']).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/)
    expect(second.headers['x-request-id']).to.not.equal(first.headers['x-request-id'])
  })

  it('answers HEAD with the length of GET and no body', async () => {
    client.send(`HEAD /v1/x HTTP/1.1\r\nHost: a\r\n\r\n${get('/v1/x')}`)
    expect((await client.read(false)).headers).to.include({ 'content-length': '11' })
    expect((await client.read()).body).to.equal('{"ok":true}')
  })

  it('reads gzip bodies, and bodies in chunks', async () => {
    const zipped = post('/v1/x', json, gzipSync('{"a":1}'), ['Content-Encoding: gzip'])
    expect((await exchangeRaw(fixture.port, zipped)).body).to.equal('{"a":1}')
    client.send(
      `POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Type: ${json}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    client.send('3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n')
    expect((await client.read()).body).to.equal('[1,2]')
  })

  it('passes a body through as it comes', async () => {
    client.send('POST /v1/raw HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n')
    await once(client.socket, 'readable')
    client.send('1\r\nb\r\n0\r\n\r\n')
    await untilHolds(() => fixture.logged.length > 0)
    const { body } = await client.read()
    expect(body.replaceAll('\r\n', '')).to.equal('1a1b0')
  })

  it('ends a stream that passes a limit by breaking the connection off', async () => {
    const length = bodyLimits.body_max_bytes + 1
    client.send(`POST /v1/raw HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`)
    expect((await client.read()).status).to.equal(413)
  })

  it('sends 100 (Continue) only after its checks', async () => {
    const expecting = ['Expect: 100-continue']
    const wrong = post('/v1/x', 'text/xml', '<a/>', expecting).toString().slice(0, -4)
    expect(await exchangeRaw(fixture.port, wrong)).to.include({ status: 415, isClosed: true })
    client.send(post('/v1/x', json, '[1]', expecting).toString().slice(0, -3))
    expect((await client.read()).status).to.equal(100)
    client.send('[1]')
    expect(await client.read()).to.include({ status: 200, body: '[1]' })
  })

  it('keeps the connection when a small body was not wanted', async () => {
    client.send(post('/v1/none', json, '{}'))
    expect(await client.read()).to.include({ status: 404, isClosed: false })
    client.send(get('/v1/x'))
    expect((await client.read()).status).to.equal(200)
  })

  it('loses no answer that is ready to what comes behind its request', async () => {
    client.send(`${get('/no')}GET /v1/x HTTP/1.1\r\nbad header\r\n\r\n`)
    expect(await client.read()).to.include({ status: 404 })
  })

  it('answers a client that has nothing more to send', async () => {
    client.socket.end(get('/v1/x'))
    expect(await client.read()).to.include({ status: 200 })
  })

  it('lets a client that is still sending read its refusal', async () => {
    const client = new RawClient(fixture.port)
    client.send(
      `POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Type: ${json}\r\nContent-Length: 40000000\r\n\r\n`,
    )
    for (let turn = 0; turn < 20; turn++) client.send(Buffer.alloc(500_000, 32))
    expect(await client.read()).to.include({ status: 413, isClosed: true })
    client.close()
  })

  it('tells nothing of a bug, and logs it with the id of the answer', async () => {
    const { status, body, headers } = await exchangeRaw(fixture.port, get('/v1/bug'))
    expect(status).to.equal(500)
    expect(JSON.parse(body)).to.have.property('code', 'service.error.internal')
    expect(body).to.not.include('secret')
    const line = fixture.logged.find(({ level }) => level === 'error')
    expect(line).to.include({ request_id: headers['x-request-id'] })
  })

  it('cancels what a client that went away was waiting for', async () => {
    client.send(get('/v1/slow'))
    await untilHolds(() => fixture.listeners.inFlight === 1)
    client.close()
    await untilHolds(() => fixture.listeners.inFlight === 0)
    await untilHolds(() =>
      fixture.logged.some(({ status, route }) => status === 499 && route === '/v1/x'),
    )
  })

  it('destroys a stream whose client went away', async () => {
    client.send(get('/v1/endless'))
    await once(client.socket, 'readable')
    client.close()
    await untilHolds(() => fixture.listeners.inFlight === 0)
  })

  it('logs one line a request: what happened, no query, no header, no body', async () => {
    await exchangeRaw(fixture.port, get('/v1/x?token=hunter2', 'Authorization: Bearer hunter2'))
    await untilHolds(() => fixture.logged.some(({ msg }) => msg === 'request'))
    const line = fixture.logged.find(({ msg }) => msg === 'request')
    expect(line).to.include({ method: 'get', route: '/v1/x', status: 200 })
    expect(line).to.include.keys('request_id', 'duration', 'bytes', 'peer')
    expect(JSON.stringify(fixture.logged)).to.not.include('hunter2')
  })

  it('counts requests by route pattern and status', async () => {
    await exchangeRaw(fixture.port, get('/v1/x'))
    const answer = await fetch(`http://127.0.0.1:${fixture.adminPort}/metrics`)
    const body = await answer.text()
    expect(body).to.include(
      'gateway_http_requests_total{api="",version="",route="/v1/x",method="get",status="200"} 1',
    )
    expect(body).to.include(
      'gateway_http_request_duration_seconds_count{api="",version="",route="/v1/x",method="get",status="200"} 1',
    )
  })

  it('tells errors in the type that the client prefers', async () => {
    const problem = await exchangeRaw(fixture.port, get('/no', 'Accept: application/problem+json'))
    expect(problem.headers['content-type']).to.equal('application/problem+json')
    const packed = await exchangeRaw(fixture.port, get('/no', 'Accept: application/msgpack'))
    expect(packed.headers['content-type']).to.equal('application/msgpack')
  })

  it('answers 405 with Allow for a method that nobody serves', async () => {
    const answer = await exchangeRaw(fixture.port, 'TRACE /v1/x HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(answer.status).to.equal(405)
    expect(answer.headers.allow).to.include('GET')
  })

  it('answers 417 for an expectation that is unknown, with an id and a log line', async () => {
    const answer = await exchangeRaw(fixture.port, get('/v1/x', 'Expect: banana'))
    expect(answer).to.include({ status: 417, isClosed: true })
    const id = answer.headers['x-request-id']
    expect(id).to.be.a('string')
    await untilHolds(() => fixture.logged.some(({ request_id }) => request_id === id))
  })

  it('answers 505 for another version of the protocol', async () => {
    const answer = await exchangeRaw(fixture.port, 'GET /v1/x HTTP/2.0\r\nHost: a\r\n\r\n')
    expect(answer).to.include({ status: 505, isClosed: true })
  })
})

describe('a client behind a trusted proxy', () => {
  it('is who the proxy says it is', async () => {
    const fixture = await open({ gatewayOptions: { trusted_proxies: ['127.0.0.0/8'] } })
    const fields = ['X-Forwarded-For: 6.6.6.6, 9.9.9.9, 127.0.0.2', 'X-Forwarded-Proto: https']
    await exchangeRaw(fixture.port, get('/v1/x', ...fields, 'X-Forwarded-Host: shop.example:8443'))
    const [exchange] = fixture.routed
    expect(exchange?.peername).to.equal('9.9.9.9:0')
    expect(exchange).to.include({ scheme: 'https', host: 'shop.example', port: '8443' })
    await fixture.stop()
  })

  it('is the peer of the socket when the proxy is not trusted', async () => {
    const fixture = await open()
    await exchangeRaw(
      fixture.port,
      get('/v1/x', 'X-Forwarded-For: 9.9.9.9', 'X-Forwarded-Proto: https'),
    )
    const [exchange] = fixture.routed
    expect(exchange?.peername).to.match(/^127\.0\.0\.1:\d+$/)
    expect(exchange).to.include({ scheme: 'http', host: 'localhost', port: '80' })
    await fixture.stop()
  })
})

describe('readiness', () => {
  it('is 503 until the node is ready, for routes too, and then stays for routes', async () => {
    let isReady = false
    const fixture = await open({ isReady: () => isReady })
    const statusOf = async (port: number, path: string) =>
      (await exchangeRaw(port, get(path))).status
    expect(await statusOf(fixture.adminPort, '/ready')).to.equal(503)
    expect(await statusOf(fixture.adminPort, '/ping')).to.equal(200)
    expect(await statusOf(fixture.port, '/v1/x')).to.equal(503)
    isReady = true
    expect(await statusOf(fixture.adminPort, '/ready')).to.equal(200)
    expect(await statusOf(fixture.port, '/v1/x')).to.equal(200)
    isReady = false
    expect(await statusOf(fixture.adminPort, '/ready')).to.equal(503)
    expect(await statusOf(fixture.port, '/v1/x')).to.equal(200)
    await fixture.stop()
  })

  it('says what the node waits for, then what it serves without', async () => {
    let isReady = false
    let problems = ['joining the router', 'waiting for other workers']
    const fixture = await open({ isReady: () => isReady, problems: () => problems })
    const ready = async () => (await exchangeRaw(fixture.adminPort, get('/ready'))).body
    expect(JSON.parse(await ready()).message).to.equal(
      'this node is not ready: joining the router; waiting for other workers',
    )
    problems = []
    expect(JSON.parse(await ready()).message).to.equal('this node is not ready: it is starting')
    isReady = true
    expect(await ready()).to.equal('ready')
    problems = ['the router is away', 'the store is away']
    expect(await ready()).to.equal('ready\nthe router is away\nthe store is away')
    fixture.listeners.begin()
    expect(JSON.parse(await ready()).message).to.equal('this node is not ready: it is stopping')
    await fixture.stop()
  })
})

describe('draining', () => {
  it('serves with Connection: close, and /ready is 503', async () => {
    const fixture = await open()
    fixture.listeners.begin()
    expect(await exchangeRaw(fixture.port, get('/v1/x'))).to.include({
      status: 200,
      isClosed: true,
    })
    expect(await exchangeRaw(fixture.adminPort, get('/ping'))).to.include({
      status: 200,
      isClosed: true,
    })
    expect((await exchangeRaw(fixture.adminPort, get('/ready'))).status).to.equal(503)
    await fixture.stop()
  })

  it('waits for requests in flight, closes idle connections, and gives up with 504', async () => {
    const fixture = await open({ gatewayOptions: { drain_timeout: 300 } })
    const idle = new RawClient(fixture.port)
    idle.send(get('/v1/x'))
    await idle.read()
    const busy = new RawClient(fixture.port)
    busy.send(get('/v1/slow'))
    await untilHolds(() => fixture.listeners.inFlight === 1)
    const done = fixture.stop()
    expect(await idle.read()).to.include({ status: 0 })
    // a balancer that found no health check there would cut the request in flight
    await untilHolds(async () => (await exchangeRaw(fixture.port, get('/v1/x'))).status === 0)
    expect((await exchangeRaw(fixture.adminPort, get('/ready'))).status).to.equal(503)
    const answer = await busy.read()
    expect(answer).to.include({ status: 504, isClosed: true })
    expect(JSON.parse(answer.body)).to.have.property('code', 'service.error.timeout')
    await done
    expect((await exchangeRaw(fixture.port, get('/v1/x'))).status).to.equal(0)
    expect((await exchangeRaw(fixture.adminPort, get('/ready'))).status).to.equal(0)
  })
})

describe('a gateway that rejects with a ServiceError', () => {
  it('has its status, body and fields told', async () => {
    const fixture = await open({
      gateway: {
        handle: () =>
          Promise.reject(
            new ServiceError('service.error.unavailable', 'try again', {
              headers: { 'retry-after': '7' },
            }),
          ),
      },
    })
    const answer = await exchangeRaw(fixture.port, get('/'))
    expect(answer.status).to.equal(503)
    expect(answer.headers).to.include({ 'retry-after': '7' })
    await fixture.stop()
  })
})
