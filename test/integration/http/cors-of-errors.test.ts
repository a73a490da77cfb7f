/** Errors that no operation answers are readable by pages of other origins, as the configured CORS policy or that of the version says. */
import { expect } from 'chai'
import { exchangeRaw, RawClient } from '#test/integration/http/fixture.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const shop = 'https://shop.example.com'
const admin = 'https://admin.example.com'
const evil = 'https://evil.example'

const get = { get: { action: { type: 'static', body: 'x' }, response: {} } }
const document = {
  id: 'com.example.cors',
  host: '_',
  realm_uri: 'com.example.realm',
  versions: {
    '1': { base_path: '/v1', paths: { '/x': get } },
    '2': {
      base_path: '/v2',
      cors: { origins: [admin], credentials: true },
      paths: { '/x': get },
    },
  },
}

const head = (line: string, ...fields: string[]) =>
  `${[line, 'Host: localhost', ...fields].join('\r\n')}\r\n\r\n`

/** What, the status, and the request. */
const unrouted: readonly (readonly [string, number, (origin: string) => string])[] = [
  ['no route', 404, (origin) => head('GET /nothing HTTP/1.1', `Origin: ${origin}`)],
  ['an empty segment', 404, (origin) => head('GET /v1//x HTTP/1.1', `Origin: ${origin}`)],
  [
    'no route, in problem details',
    404,
    (origin) =>
      head('GET /nothing HTTP/1.1', `Origin: ${origin}`, 'Accept: application/problem+json'),
  ],
  [
    'a preflight for no route',
    404,
    (origin) =>
      head('OPTIONS /nothing HTTP/1.1', `Origin: ${origin}`, 'Access-Control-Request-Method: PUT'),
  ],
  ['below a path of health', 404, (origin) => head('GET /ping/x HTTP/1.1', `Origin: ${origin}`)],
  ['a bad escape', 400, (origin) => head('GET /v1/x?a=%zz HTTP/1.1', `Origin: ${origin}`)],
  ['a blank in the target', 400, (origin) => head('GET /v1/%2f HTTP/1.1', `Origin: ${origin}`)],
  ['another method', 405, (origin) => head('TRACE /v1/x HTTP/1.1', `Origin: ${origin}`)],
  [
    'an unknown expectation',
    417,
    (origin) => head('POST /v1/x HTTP/1.1', `Origin: ${origin}`, 'Expect: x', 'Content-Length: 1'),
  ],
  [
    'too many fields',
    431,
    (origin) =>
      head(
        'GET /v1/x HTTP/1.1',
        `Origin: ${origin}`,
        ...Array.from({ length: 101 }, (_, n) => `X-${n}: 1`),
      ),
  ],
]

describe('CORS of errors that no route matches', () => {
  describe('with a list of origins', () => {
    let gateway: TestGateway
    let port: number

    before(async () => {
      const origins = JSON.stringify([shop])
      gateway = await startGateway({ 'gateway.cors.allow_origin': origins }, { isEmbedded: true })
      port = Number(new URL(gateway.url).port)
      await gateway.mustLoad(document)
    })
    after(() => gateway?.stop())

    for (const [what, status, request] of unrouted) {
      it(`names the origin of the list: ${what}`, async () => {
        const answer = await exchangeRaw(port, request(shop))
        expect(answer.status).to.equal(status)
        expect(answer.headers['access-control-allow-origin']).to.equal(shop)
        expect(answer.headers.vary).to.include('Origin').and.include('Accept')
      })
      it(`names no other origin: ${what}`, async () => {
        const answer = await exchangeRaw(port, request(evil))
        expect(answer.status).to.equal(status)
        expect(answer.headers).to.not.have.property('access-control-allow-origin')
        expect(answer.headers.vary).to.include('Origin')
      })
    }

    it('is that of the version where a path is served', async () => {
      const answer = await exchangeRaw(port, head('PUT /v2/x HTTP/1.1', `Origin: ${admin}`))
      expect(answer.status).to.equal(405)
      expect(answer.headers['access-control-allow-origin']).to.equal(admin)
    })
  })

  describe('with one value for all', () => {
    let gateway: TestGateway
    let port: number

    before(async () => {
      gateway = await startGateway({}, { isEmbedded: true })
      port = Number(new URL(gateway.url).port)
    })
    after(() => gateway?.stop())

    for (const [what, status, request] of unrouted) {
      it(`has it: ${what}`, async () => {
        const answer = await exchangeRaw(port, request(evil))
        expect(answer.status).to.equal(status)
        expect(answer.headers['access-control-allow-origin']).to.equal('*')
        expect(answer.headers.vary).to.equal('Accept')
      })
    }

    for (const [what, status, bytes] of [
      ['no HTTP', 400, 'nonsense\r\n\r\n'],
      ['a field without a colon', 400, 'GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n'],
      ['a blank before the colon', 400, 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
      ['a target beyond ASCII', 400, 'GET /\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['a cookie of 20 kB', 431, head('GET / HTTP/1.1', `Cookie: a=${'x'.repeat(20_000)}`)],
    ] as const) {
      it(`has it on what is no HTTP: ${what}`, async () => {
        const client = new RawClient(port)
        client.send(bytes)
        const answer = await client.read()
        client.close()
        expect(answer.status).to.equal(status)
        expect(answer.headers['access-control-allow-origin']).to.equal('*')
      })
    }

    for (const [what, path, status] of [
      ['management', '/api_specs', 404],
      ['health', '/ping', 200],
      ['no route of the admin listener', '/nothing', 404],
    ] as const) {
      it(`is absent at the admin listener: ${what}`, async () => {
        const answer = await fetch(`${gateway.adminUrl}${path}`, { headers: { origin: shop } })
        if (what !== 'management') expect(answer.status).to.equal(status)
        expect(answer.headers.get('access-control-allow-origin')).to.equal(null)
        await answer.body?.cancel()
      })
    }
  })
})
