/** The routes that `openapi` of a version adds, and what they answer. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { OpenApiKind } from '#component/gateway/api.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import { DescriptionTexts } from '#component/openapi/texts.ts'
import { openApiEndpoints } from '#http/openapi/endpoints.ts'
import { documentOf, fixed, issuesOf, serve } from '#test/unit/gateway/fake-exchange.ts'

const openapi = { path: '/openapi', docs_path: '/docs/ui' }
const paths = { '/x': { get: fixed('ok', { headers: { 'x-a': 'b' } }) } }
const errors: unknown[] = []

function makeTexts() {
  return new DescriptionTexts({
    options: () => ({ baseUrl: 'https://a.example', serverBase: '', isInternal: false }),
    yieldTurn: () => undefined,
    log: { error: (line: unknown) => errors.push(line) } as never,
  })
}

/** Serves a version with `openapi`. */
function open(some: object = openapi, version: object = {}, hasFiles = true) {
  const handlers = openApiEndpoints({
    texts: makeTexts(),
    docsFile: async (name) => (hasFiles ? Buffer.from(`the file ${name}`) : undefined),
  })
  const answer: EndpointHandler = (exchange, endpoint, bindings) =>
    handlers[endpoint.kind as OpenApiKind](exchange, endpoint, bindings)
  return serve(documentOf(paths, {}, { openapi: some, ...version }), undefined, answer)
}

const textOf = ({ body }: Reply): string =>
  body.kind === 'bytes' ? Buffer.from(body.bytes as Uint8Array).toString() : ''

describe('the routes of openapi', () => {
  it('are below each form of base_path', () => {
    const { api } = open(openapi, { base_path: '/[v1]' })
    const patterns = api.entries.map(({ pattern }) => pattern)
    expect(patterns).to.have.members([
      ...['/[v1]/x', '/[v1]/openapi', '/[v1]/openapi.json', '/[v1]/openapi.yaml', '/[v1]/docs/ui'],
      ...['/[v1]/docs/ui/swagger-ui.css', '/[v1]/docs/ui/swagger-ui-bundle.js'],
      '/[v1]/docs/ui/init.js',
    ])
  })

  it('are none of a version that is not active', () => {
    const versions = { a: { base_path: '/a', is_active: false, openapi, paths } }
    expect(serve({ ...documentOf({}), versions }).api.entries).to.deep.equal([])
  })

  for (const [what, document, path, message] of [
    [
      'a declared path',
      documentOf({ '/openapi.json': paths['/x'] }, {}, { openapi }),
      '/versions/1.0/paths/~1openapi.json',
      'the route /v1/openapi.json matches the same requests as /v1/openapi.json, generated for /versions/1.0/openapi/path',
    ],
    [
      'the docs page',
      documentOf({}, {}, { openapi: { path: '/a', docs_path: '/a' } }),
      '/versions/1.0/openapi/docs_path',
      'the route /v1/a matches the same requests as /v1/a, generated for /versions/1.0/openapi/path',
    ],
  ] as const) {
    it(`clash with ${what}, and both places are named`, () => {
      expect(issuesOf(document)).to.deep.include({ path, message })
    })
  }

  it('of two versions clash at the root', () => {
    const versions = {
      a: { base_path: '/[a]', openapi, paths: {} },
      b: { base_path: '/[b]', openapi, paths: {} },
    }
    const found = issuesOf({ ...documentOf({}), versions }).map(({ path }) => path)
    expect(new Set(found)).to.deep.equal(
      new Set(['/versions/b/openapi/path', '/versions/b/openapi/docs_path']),
    )
  })
})

describe('the description over HTTP', () => {
  for (const [line, accept, type] of [
    ['GET /v1/openapi.json', 'text/html', 'application/json'],
    ['GET /v1/openapi.yaml', 'application/json', 'application/yaml'],
    ['GET /v1/openapi', undefined, 'application/json'],
    ['GET /v1/openapi', 'application/yaml', 'application/yaml'],
    ['GET /v1/openapi', 'application/yaml;q=0.5, application/json;q=0.1', 'application/yaml'],
    ['GET /v1/openapi', 'text/html, */*;q=0.8', 'application/json'],
  ] as const) {
    it(`is ${type} for ${line} and Accept: ${accept}`, async () => {
      const reply = await open().ask(line, accept === undefined ? {} : { headers: { accept } })
      expect(reply.status).to.equal(200)
      expect(reply.headers).to.include({ 'content-type': type, 'cache-control': 'no-cache' })
      expect(textOf(reply)).to.contain(
        type === 'application/json' ? '{"openapi":"3.1.1"' : 'openapi: 3.1.1',
      )
    })
  }

  it('is 406 where neither form is accepted', async () => {
    const reply = await open().ask('GET /v1/openapi', { headers: { accept: 'text/html' } })
    expect(reply.status).to.equal(406)
  })

  it('is 304 for a client that has it', async () => {
    const served = open()
    const { headers } = await served.ask('GET /v1/openapi.json')
    const etag = String(headers.etag)
    const again = await served.ask('GET /v1/openapi.json', { headers: { 'if-none-match': etag } })
    expect(again.status).to.equal(304)
    expect(again.headers.etag).to.equal(etag)
    const yaml = await served.ask('GET /v1/openapi.yaml', { headers: { 'if-none-match': etag } })
    expect(yaml.status).to.equal(200)
  })

  it('is read by pages of other origins, as the API is', async () => {
    const { headers } = await open().ask('GET /v1/openapi.json')
    expect(headers['access-control-allow-origin']).to.equal('*')
    const page = await open().ask('GET /v1/docs/ui')
    expect(page.headers).not.to.have.property('access-control-allow-origin')
  })

  it('is served for GET only', async () => {
    const reply = await open().ask('POST /v1/openapi.json')
    expect(reply.status).to.equal(405)
    expect(reply.headers.allow).to.equal('GET, HEAD, OPTIONS')
  })

  it('is for those who pass its own security', async () => {
    const closed = open({ ...openapi, security: { type: 'basic' } })
    for (const path of ['openapi.json', 'docs/ui', 'docs/ui/init.js']) {
      const reply = await closed.ask(`GET /v1/${path}`)
      expect(reply.status).to.equal(401)
      expect(reply.headers['www-authenticate']).to.contain('Basic')
    }
    expect((await closed.ask('GET /v1/x')).status).to.equal(200)
  })

  it('is open where the API is not', async () => {
    const version = { defaults: { security: { type: 'basic' } } }
    const served = open(openapi, version)
    expect((await served.ask('GET /v1/openapi.json')).status).to.equal(200)
    expect((await served.ask('GET /v1/x')).status).to.equal(401)
  })

  it('is served as the API is: over https only', async () => {
    const served = open(openapi, { defaults: { schemes: ['https'] } })
    expect((await served.ask('GET /v1/openapi.json')).status).to.equal(403)
  })

  it('has the issuer of its own oauth2 security among the routes', () => {
    const security = { type: 'oauth2', flow: 'client_credentials' }
    const { api } = open({ ...openapi, security })
    expect(api.entries.map(({ pattern }) => pattern)).to.include('/v1/oauth/token')
  })
})

describe('the docs page', () => {
  it('loads its files and the description by relative links', async () => {
    const reply = await open().ask('GET /v1/docs/ui')
    const links = [...textOf(reply).matchAll(/(?:href|src|data-url)="([^":]*)"/g)].map(
      ([, to]) => new URL(String(to), 'https://a.example/prefix/v1/docs/ui').pathname,
    )
    expect(links).to.deep.equal([
      '/prefix/v1/docs/ui/swagger-ui.css',
      '/prefix/v1/openapi.json',
      '/prefix/v1/docs/ui/swagger-ui-bundle.js',
      '/prefix/v1/docs/ui/init.js',
    ])
  })

  it('has a policy without inline scripts and styles, and keeps to it', async () => {
    const reply = await open().ask('GET /v1/docs/ui')
    expect(reply.headers['content-security-policy']).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect(textOf(reply)).not.to.match(/<script>|<style| style=| on[a-z]+=/)
  })

  it('shows the title as text', async () => {
    const page = await open(openapi, { info: { title: '<b>&"' } }).ask('GET /v1/docs/ui')
    expect(textOf(page)).to.contain('<title>&lt;b&gt;&amp;&quot;</title>')
  })

  for (const [file, type] of [
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['init.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    it(`has the file ${file}, also known by its ETag`, async () => {
      const served = open()
      const reply = await served.ask(`GET /v1/docs/ui/${file}`)
      expect(reply.headers['content-type']).to.equal(type)
      expect(textOf(reply)).to.contain(
        file === 'init.js' ? 'validatorUrl: null' : `the file ${file}`,
      )
      const headers = { 'if-none-match': String(reply.headers.etag) }
      expect((await served.ask(`GET /v1/docs/ui/${file}`, { headers })).status).to.equal(304)
    })
  }

  it('is 501 without swagger-ui-dist', async () => {
    const served = open(openapi, {}, false)
    for (const path of ['docs/ui', 'docs/ui/swagger-ui.css']) {
      const reply = await served.ask(`GET /v1/${path}`)
      expect(reply.status).to.equal(501)
      expect(reply.error?.message).to.contain('swagger-ui-dist')
    }
  })
})

describe('the texts of descriptions', () => {
  const [version] = serve(documentOf(paths)).api.versions
  if (version === undefined) throw new Error('no version')

  it('are made once', async () => {
    const texts = makeTexts()
    const [one, other] = await Promise.all([
      texts.of(version, 'application/json'),
      texts.of(version, 'application/json'),
    ])
    expect(one).to.equal(other)
    expect(await texts.of(version, 'application/json')).to.equal(one)
  })

  it('of more than 32 MiB are refused each time, and logged once', async () => {
    const description = 'x'.repeat(20_000)
    const many = Array.from({ length: 2_000 }, (_, i) => [
      `/p${i}`,
      { get: { ...fixed(), description } },
    ])
    const [large] = serve(documentOf(Object.fromEntries(many))).api.versions
    const texts = makeTexts()
    errors.length = 0
    for (const attempt of [1, 2]) {
      const error = await texts.of(large as typeof version, 'application/json').catch((e) => e)
      expect(error, `attempt ${attempt}`).to.be.instanceOf(ServiceError)
      expect(error).to.include({ uri: 'service.error.unavailable', status: 503 })
    }
    expect(errors).to.have.length(1)
  })
})
