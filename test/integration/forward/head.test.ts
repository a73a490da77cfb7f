/** HEAD of a `get` that forwards: the status and the fields of the answer to GET (RFC 9110 §9.3.2), without a body. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

/** Differ by request, not by method. */
const ofOneAnswer = new Set([
  'x-request-id',
  'date',
  'connection',
  'keep-alive',
  'age',
  'cache-status',
])

describe('HEAD of a get that forwards', () => {
  let upstream: Server
  let asked: string[]
  let gateway: TestGateway

  before(async () => {
    upstream = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      const status = request.url === '/missing' ? 404 : 200
      const body = JSON.stringify({ id: 7, name: 'ä', of: request.url })
      const length = Buffer.byteLength(body)
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': length })
      response.end(body)
    })
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    const host = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    const to = (path: string, more: object = {}) => ({ type: 'forward', host, path, ...more })
    const get = (action: unknown, on_result: object = {}, more: object = {}) => ({
      get: { action, response: { on_result, on_error: {} }, ...more },
    })
    const whole = { body: '{{action.result.body}}' }
    const paths = {
      '/body': get(to('/a'), { body: { n: '{{action.result.body.name}}' } }),
      '/header': get(to('/a'), { headers: { 'x-name': '{{action.result.body.id}}' } }),
      '/etag': { ...get(to('/a')), etag: true },
      '/etag-of-body': { ...get(to('/a'), whole), etag: true },
      '/list': get([to('/a'), to('/b?id={{action.result.body.id}}')], { body: 'done' }),
      '/list-passed-on': get([to('/a'), to('/b?id={{action.result.body.id}}')]),
      '/list-results': get([to('/a'), to('/b')], { body: '{{action.results}}' }),
      '/cached': { ...get(to('/a'), whole), cache: { ttl: 60 } },
      '/error': {
        get: {
          action: to('/missing'),
          response: { on_error: { body: '{{action.error.body.of}}' } },
        },
      },
      '/schema': get(
        to('/a'),
        { ...whole, schema: { type: 'object', required: ['id'] } },
        { validate_responses: 'enforce' },
      ),
      '/method': get(to('/a', { http_method: '{{request.method}}' }), whole),
      '/fixed-get': get(to('/a', { http_method: 'get' })),
      '/passed-on': get(to('/a')),
      '/error-passed-on': get(to('/missing')),
      '/fixed-head': get(to('/a', { http_method: 'head' }), {
        body: '{{action.result.status_code}}',
      }),
      '/status': get(to('/a'), { body: '{{action.result.status_code}}' }),
    }
    const loaded = await startGateway()
    gateway = loaded
    const versions = { one: { base_path: '/v1', paths } }
    const document = { id: 'heads', host: '_', realm_uri: 'com.example.test', versions }
    const answer = await gateway.load(document)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
  })
  after(async () => {
    await gateway.stop()
    upstream.closeAllConnections()
    upstream.close()
  })
  beforeEach(() => {
    asked = []
  })

  for (const [path, requests] of [
    ['/body', ['GET /a']],
    ['/header', ['GET /a']],
    ['/etag', ['GET /a']],
    ['/etag-of-body', ['GET /a']],
    ['/list', ['GET /a', 'HEAD /b?id=7']],
    ['/list-passed-on', ['GET /a', 'HEAD /b?id=7']],
    ['/list-results', ['GET /a', 'GET /b']],
    ['/cached', ['GET /a']],
    ['/error', ['GET /missing']],
    ['/schema', ['GET /a']],
    ['/method', ['GET /a']],
    ['/fixed-get', ['GET /a']],
    ['/passed-on', ['HEAD /a']],
    ['/error-passed-on', ['HEAD /missing']],
    ['/fixed-head', ['HEAD /a']],
    ['/status', ['HEAD /a']],
  ] as const) {
    it(`${path} asks by ${requests.join(', ')}, and has the fields of GET`, async () => {
      const head = await send(gateway.url, `/v1${path}`, { method: 'HEAD' })
      expect(asked).to.deep.equal(requests)
      const got = await send(gateway.url, `/v1${path}`)
      const told = [head, got].map(({ status, headers }) => [
        status,
        Object.entries(headers).filter(([name]) => !ofOneAnswer.has(name)),
      ])
      expect(told[0]).to.deep.equal(told[1])
      expect(head.text).to.equal('')
      expect(head.status).to.equal(path.includes('error') ? 404 : 200)
    })
  }

  it('is 304 for the ETag of GET', async () => {
    const { etag } = (await send(gateway.url, '/v1/etag')).headers
    const headers = { 'if-none-match': String(etag) }
    const answer = await send(gateway.url, '/v1/etag', { method: 'HEAD', headers })
    expect(answer.status).to.equal(304)
  })
})
