/** The OpenAPI description for operators: over HTTP and WAMP, as JSON and YAML. */
import { expect } from 'chai'
import { parse } from 'yaml'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of each part
const jsonOf = async (answer: Response): Promise<any> => answer.json()

const id = 'com.example.test'
const openapi = { path: '/openapi', docs_path: '/docs' }
const call = {
  action: { type: 'wamp_call', procedure: 'com.example.get' },
  response: {},
  hidden: true,
}
const get = {
  ...fixed(),
  examples: {
    holds: { expect: { status: 200, body: 'ok' } },
    fails: { expect: { status: 200, body: 'no' } },
  },
}
const document = documentOf({ '/x': { get, post: call } }, {}, { openapi })

describe('OpenAPI of a running gateway', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    await gateway.load(document)
  })
  after(() => gateway?.stop())

  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.adminUrl}${path}`, { headers })
  const describe = async (path = '') => jsonOf(await ask(`/api_specs/${id}/openapi${path}`))

  it('tells operators of hidden operations, and of what lies behind them', async () => {
    const { paths, servers } = await describe()
    expect(paths['/x'].post['x-wamp-gateway']).to.deep.equal({
      ...{ action: 'wamp_call', procedure: 'com.example.get', pattern: '/v1/x', hidden: true },
    })
    expect(servers).to.deep.equal([{ url: `${gateway.url}/v1` }])
    expect(await describe('?version=1.0')).to.have.property('openapi', '3.1.1')
  })

  it('is the same over WAMP, and as YAML', async () => {
    const value = await gateway.component.manage('service.get_openapi', [id, '1.0'])
    expect(JSON.parse(JSON.stringify(value))).to.deep.equal(await describe())
    const answer = await ask(`/api_specs/${id}/openapi`, { accept: 'application/yaml' })
    expect(answer.headers.get('content-type')).to.equal('application/yaml')
    expect(parse(await answer.text())).to.deep.equal(await describe())
    expect((await ask(`/api_specs/${id}/openapi`, { accept: 'text/html' })).status).to.equal(406)
  })

  it('is what the path of the version publishes, without what operators see', async () => {
    const answer = await fetch(`${gateway.url}/v1/openapi.json`)
    const text = await answer.text()
    expect(answer.status).to.equal(200)
    expect(text).not.to.contain('x-wamp-gateway')
    const { '/x': path } = JSON.parse(text).paths
    expect(Object.keys(path)).to.deep.equal(['get'])
    expect(path.get.responses['200'].content['application/json'].examples).to.deep.equal({
      holds: { value: 'ok' },
    })
  })

  it('follows a load', async () => {
    const before = await fetch(`${gateway.url}/v1/openapi.json`)
    const more = documentOf({ '/y': { get: fixed() } }, {}, { openapi })
    await gateway.load(more)
    const after = await fetch(`${gateway.url}/v1/openapi.json`)
    expect(Object.keys((await jsonOf(after)).paths)).to.deep.equal(['/y'])
    expect(after.headers.get('etag')).not.to.equal(before.headers.get('etag'))
    await before.body?.cancel()
    await gateway.load(document)
  })

  it('shows the docs page with the files of swagger-ui-dist', async () => {
    const page = await fetch(`${gateway.url}/v1/docs`)
    expect(await page.text()).to.contain('swagger-ui')
    const bundle = await fetch(`${gateway.url}/v1/docs/swagger-ui-bundle.js`)
    expect(await bundle.text()).to.contain('SwaggerUIBundle')
  })

  for (const [what, versions, path, status, code] of [
    ['an unknown version', undefined, '?version=2.0', 400, 'wamp.error.invalid_argument'],
    ['no version of several', { a: true, b: true }, '', 400, 'wamp.error.invalid_argument'],
    [
      'a version that is not active',
      { a: true, b: false },
      '?version=b',
      404,
      'service.error.not_found',
    ],
    ['a document without an active version', { a: false }, '', 404, 'service.error.not_found'],
  ] as const) {
    it(`is ${status} for ${what}`, async () => {
      if (versions) {
        const entries = Object.entries(versions).map(([label, is_active]) => [
          label,
          { base_path: `/${label}`, is_active, paths: {} },
        ])
        await gateway.load({ ...document, versions: Object.fromEntries(entries) })
      }
      const answer = await ask(`/api_specs/${id}/openapi${path}`)
      const body = await jsonOf(answer)
      expect({ status: answer.status, code: body.code }).to.deep.equal({ status, code })
      if (status === 400) expect(body.details[0]).to.have.all.keys('path', 'message')
      await gateway.load(document)
    })
  }

  it('is 404 for an unknown document', async () => {
    expect((await ask('/api_specs/none/openapi')).status).to.equal(404)
  })
})
