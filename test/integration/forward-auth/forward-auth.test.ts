/** `forward_auth` of a running gateway: what another service is told of a request, and what its answers come to. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

type Answer = (response: ServerResponse) => void

const passes: Answer = (response) =>
  response.writeHead(204, { 'x-auth-user': 'eve', 'x-auth-groups': 'admins' }).end()

describe('forward_auth of a running gateway', () => {
  let service: Server
  let asked: { readonly line: string; readonly headers: IncomingHttpHeaders }[]
  let answer: Answer
  let gateway: TestGateway

  const documentOf = (base: string) => {
    const security = {
      ...{ type: 'forward_auth', url: `${base}/verify?x=1`, role_mapping: { admins: 'staff' } },
      response_headers: { authid: 'X-Auth-User', authroles: 'X-Auth-Groups' },
    }
    const body = '{{security.authid}} {{security.authroles |> head}} {{request.body}}'
    const post = { action: { type: 'static', body }, response: {} }
    const get = { action: { type: 'static', body: '{{security.authid}}' }, response: {} }
    return {
      ...{ id: 'guarded', host: '_', realm_uri: 'com.example.test' },
      versions: {
        one: {
          base_path: '/v1',
          paths: {
            '/all': { security, get, post, headers: { 'x-of-path': 'yes' } },
            '/some': { security: { ...security, request_headers: ['X-Token'] }, get },
          },
        },
      },
    }
  }

  before(async () => {
    service = createServer((request, response) => {
      asked.push({ line: `${request.method} ${request.url}`, headers: request.headers })
      answer(response)
    })
    await once(service.listen(0, '127.0.0.1'), 'listening')
    const { port } = service.address() as AddressInfo
    gateway = await startGateway({}, { isEmbedded: true })
    const loaded = await gateway.load(documentOf(`http://127.0.0.1:${port}`))
    expect([loaded.status, loaded.body.warnings]).to.deep.equal([201, []])
  })
  after(async () => {
    await gateway.stop()
    service.closeAllConnections()
    service.close()
  })
  beforeEach(() => {
    asked = []
    answer = passes
  })

  it('tells the service of the request as Traefik does, and lets it pass as the named user', async () => {
    const headers = {
      ...{ host: 'api.example.com', cookie: 'session=1; service_ticket_x=secret' },
      ...{ authorization: 'Bearer a', 'x-forwarded-for': '1.2.3.4', 'x-forwarded-user': 'root' },
      ...{ 'if-none-match': '"a"', range: 'bytes=0-1', 'x-real-ip': '1.2.3.4', te: 'trailers' },
    }
    const body = { a: 1 }
    const answered = await send(gateway.url, '/v1/all?q=%20', { method: 'POST', headers, body })
    expect([answered.status, answered.json()]).to.deep.equal([200, 'eve staff {"a":1}'])
    const [{ line, headers: told } = { line: '', headers: {} }] = asked
    expect(line).to.equal('GET /verify?x=1')
    expect(told).to.deep.include({
      ...{ authorization: 'Bearer a', cookie: 'session=1' },
      'x-forwarded-method': 'POST',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'api.example.com',
      'x-forwarded-uri': '/v1/all?q=%20',
      'x-forwarded-for': '127.0.0.1',
    })
    expect(told).not.to.have.any.keys(
      ...['x-forwarded-user', 'x-real-ip', 'if-none-match', 'range', 'te', 'content-length'],
    )
    expect(told.host).to.match(/^127\.0\.0\.1:/)
  })

  for (const [fields, expected] of [
    [['x-auth-user', 'eve', 'X-Auth-User', 'root'], 503],
    [['x-auth-user', 'eve', 'x-auth-user', 'eve'], 503],
    [['x-auth-user', 'eve', 'x-auth-groups', 'a', 'x-auth-groups', 'admins'], 200],
  ] as const) {
    it(`comes to ${expected} where the service returns ${fields.join(' ')}`, async () => {
      answer = (response) => response.writeHead(200, [...fields]).end()
      expect((await send(gateway.url, '/v1/all')).status).to.equal(expected)
    })
  }

  it('tells the service of no other request than that of the client', async () => {
    const headers = {
      ...{ 'x-original-url': '/public', 'x-original-method': 'GET', 'x-rewrite-url': '/public' },
      ...{ 'x-http-method-override': 'GET', 'x-original-host': 'a.example', 'x-of-client': 'yes' },
    }
    await send(gateway.url, '/v1/all', { headers })
    expect(asked[0]?.headers).to.include({ 'x-of-client': 'yes' })
    const { 'x-of-client': _own, ...overriding } = headers
    expect(asked[0]?.headers).to.not.have.any.keys(...Object.keys(overriding))
  })

  it('tells the service the headers that the document names, and where the request came from', async () => {
    const headers = { authorization: 'Bearer a', 'x-token': 't', cookie: 'a=b' }
    expect((await send(gateway.url, '/v1/some', { headers })).status).to.equal(200)
    const names = Object.keys(asked[0]?.headers ?? {}).filter((name) => name.startsWith('x-'))
    expect(names.sort()).to.deep.equal([
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-method',
      'x-forwarded-proto',
      'x-forwarded-uri',
      'x-token',
    ])
    expect(asked[0]?.headers).not.to.have.any.keys('authorization', 'cookie')
  })

  it('passes a redirect to a login on, with its cookies', async () => {
    answer = (response) =>
      response
        .writeHead(302, {
          location: 'https://auth.example.com/login',
          'set-cookie': ['a=b', 'c=d; Path=/'],
          'service-internal': 'x',
        })
        .end()
    const { status, headers, text } = await send(gateway.url, '/v1/all')
    expect([status, text]).to.deep.equal([302, ''])
    expect(headers).to.deep.include({
      location: 'https://auth.example.com/login',
      'set-cookie': ['a=b', 'c=d; Path=/'],
      'x-of-path': 'yes',
    })
  })

  it('passes 401 and 403 on, with challenge and page', async () => {
    for (const status of [401, 403]) {
      answer = (response) =>
        response
          .writeHead(status, { 'www-authenticate': 'Basic realm="x"', 'content-type': 'text/html' })
          .end('<p>Who are you?')
      const answered = await send(gateway.url, '/v1/all')
      expect([answered.status, answered.text]).to.deep.equal([status, '<p>Who are you?'])
      expect(answered.headers).to.include({
        'www-authenticate': 'Basic realm="x"',
        'content-type': 'text/html',
      })
    }
    expect((await send(gateway.url, '/v1/all', { method: 'HEAD' })).status).to.equal(403)
  })

  const failures: readonly (readonly [string, Answer])[] = [
    ['500', (response) => response.writeHead(500).end()],
    ['404', (response) => response.writeHead(404).end()],
    ['200 without a user', (response) => response.writeHead(200).end()],
    ['no HTTP', (response) => response.socket?.end('hello')],
    ['nothing', (response) => response.destroy()],
    ['a body without an end', (response) => response.writeHead(200).write('x'.repeat(2_000_000))],
  ]
  for (const [what, failing] of failures) {
    it(`answers 503 where the service returns ${what}`, async () => {
      answer = failing
      const answered = await send(gateway.url, '/v1/all')
      expect([answered.status, (answered.json() as { code: string }).code]).to.deep.equal([
        503,
        'service.error.unavailable',
      ])
    })
  }

  it('asks nobody for an explanation', async () => {
    const explained = async (more: object) => {
      const asking = { method: 'POST', body: { request: { path: '/v1/all' }, ...more } }
      const { response } = (await send(gateway.adminUrl, '/explain', asking)).json() as {
        response: { status: number }
      }
      return response.status
    }
    expect(await explained({})).to.equal(503)
    expect(await explained({ as: { authid: 'nobody' } })).to.equal(401)
    expect(asked).to.deep.equal([])
  })

  it('is not asked of OPTIONS', async () => {
    expect((await send(gateway.url, '/v1/all', { method: 'OPTIONS' })).status).to.equal(204)
    expect(asked).to.deep.equal([])
  })

  for (const [host, problem] of [
    ['http://169.254.169.254/', 'link-local and cloud-metadata'],
    ['http://metadata.google.internal/', 'link-local and cloud-metadata'],
    ['ftp://auth.example.com/', 'it is none'],
    ['/verify', 'it is none'],
    ['https://user:pass@auth.example.com/', 'credentials'],
    ['https://auth.example.com/#a', 'fragment'],
    ['{{request.headers.x}}', 'must be known when the specification is loaded'],
  ] as const) {
    it(`does not load with the url ${host}`, async () => {
      const document = documentOf('https://auth.example.com')
      const { paths } = document.versions.one
      const security = { ...paths['/all'].security, url: host }
      const changed = { ...paths['/all'], security }
      const versions = { one: { ...document.versions.one, paths: { '/all': changed } } }
      const { status, body } = await gateway.load({ ...document, id: 'other', versions })
      expect(status).to.equal(400)
      expect(body.details?.[0]?.message).to.contain(problem)
    })
  }
})
