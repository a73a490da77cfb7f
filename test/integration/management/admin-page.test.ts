/** The page of the admin listener: for people with a browser who may read, and nobody else. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpRequest, send } from '#test/support/http-request.ts'

/** The field of Chromium. */
const browser = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
}

const response = { on_result: { body: '' }, on_error: {} }
const operation = { action: { type: 'static', body: 'x' }, response }
const document = {
  id: 'com.example.page',
  name: 'A <script>alert(1)</script> name',
  host: '_',
  realm_uri: 'com.example.test',
  versions: {
    '1.0.0': { base_path: '/page', paths: { '/a': { get: operation, put: operation } } },
    '2.0.0': { base_path: '/page2', paths: { '/a': { get: operation } } },
  },
}

describe('the page of the admin listener', () => {
  let gateway: TestGateway
  const ask = (request: HttpRequest = {}, path = '/', base = gateway.adminUrl) =>
    send(base, path, { ...request, headers: { ...browser, ...request.headers } })

  before(async () => {
    gateway = await startGateway({ 'admin.console': 'false' })
    const { status } = await send(gateway.adminUrl, '/api_specs', {
      method: 'POST',
      body: document,
    })
    expect(status).to.equal(201)
  })
  after(() => gateway.stop())

  it('says what this is, whether it is ready, what is loaded, and where the docs are', async () => {
    const { status, headers, text } = await ask()
    expect([status, headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8'])
    expect(text).to.match(/Version \d+\.\d+\.\d+ on Node \d+.*<b>ready<\/b>/)
    expect(text).to.match(
      /<a href="\/api_specs\/com\.example\.page">com\.example\.page<\/a><td>_<td>com\.example\.test<td>1\.0\.0, 2\.0\.0<td>3<td>20\d\d-/,
    )
    expect(text).to.include('<a href="/realms/com.example.test">com.example.test</a>')
    expect(text).to.include('docs/tutorial.md')
  })

  it('links to pages that are there', async () => {
    const { text } = await ask()
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, path = '']) => path)
    expect(links).to.include.members(['/ready', '/registry', '/metrics', '/api_specs', '/realms'])
    for (const path of links) expect((await ask({}, path)).status, path).to.equal(200)
  })

  it('runs no script, loads nothing, and its style is the one that its policy allows', async () => {
    const { headers, text } = await ask()
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(headers).to.include({ 'cache-control': 'no-store', vary: 'Accept' })
    expect(headers).to.not.have.property('set-cookie')
    expect(text).to.not.match(/<script|src=|http:\/\/|https:\/\//)
  })

  it('answers HEAD as GET, without the body', async () => {
    const { status, text, headers } = await ask({ method: 'HEAD' })
    expect([status, text, headers['content-type']]).to.deep.equal([
      ...[200, ''],
      'text/html; charset=utf-8',
    ])
  })

  for (const [who, request] of [
    ['scripts, which accept everything', { headers: { accept: '*/*' } }],
    ['programs that want JSON', { headers: { accept: 'application/json, text/html;q=0.9' } }],
    ['a method that no page has', { method: 'POST', body: {} }],
  ] as const) {
    it(`is 404 for ${who}`, async () => {
      const { status, headers } = await ask(request)
      expect(status).to.equal(404)
      expect(headers['content-type']).to.include('json')
    })
  }

  it('is not on the gateway listener, nor below its path', async () => {
    expect((await ask({}, '/', gateway.url)).status).to.equal(404)
    expect((await ask({}, '/index.html')).status).to.equal(404)
  })

  for (const [who, request, expected] of [
    ['a page of another origin', { headers: { origin: 'https://evil.example' } }, 403],
    ['a name that was pointed at this machine', { host: 'evil.example' }, 401],
    ['those who come through a proxy', { headers: { 'x-forwarded-for': '9.9.9.9' } }, 401],
    ['bad credentials', { headers: { authorization: 'Bearer nonsense' } }, 401],
  ] as const) {
    it(`shows ${who} neither the version nor what is loaded`, async () => {
      const { status, text, headers } = await ask(request)
      expect(status).to.equal(expected)
      expect(headers['content-type']).to.equal('text/html; charset=utf-8')
      if (expected === 401) expect(headers).to.have.property('www-authenticate')
      expect(text).to.include('docs/operations.md')
      expect(text).to.not.match(/com\.example|Version|ready/)
    })
  }
})
