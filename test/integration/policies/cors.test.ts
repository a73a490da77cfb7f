/** `cors` of a version over HTTP: each origin gets its own answer, also of what is kept, and explanations show it. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const shop = 'https://shop.example.com'
const staff = 'https://staff.example.com'
const response = { on_result: {}, on_error: {} }

const document = {
  ...{ id: 'cors', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/cors',
      cors: { origins: [shop, staff], expose: ['x-total'], credentials: true },
      paths: {
        '/plain': { get: { action: { type: 'static', body: 'ok' }, response } },
        '/kept': {
          cache: { ttl: 60, statuses: [200] },
          get: {
            action: { type: 'static', body: { n: '{{request.id}}' } },
            response: {
              on_result: { headers: { 'Access-Control-Expose-Headers': 'age' } },
              on_error: {},
            },
          },
        },
        '/secured': {
          security: { type: 'basic' },
          get: { action: { type: 'static', body: 'ok' }, response },
        },
      },
    },
  },
}

describe('cors of a version of a running gateway', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    await gateway.mustLoad(document)
  })
  after(() => gateway?.stop())

  const fieldsOf = async (path: string, origin: string, method = 'GET') => {
    const { headers, text, status } = await send(gateway.url, path, { method, headers: { origin } })
    return {
      ...{ status, text, vary: headers.vary },
      origin: headers['access-control-allow-origin'],
      credentials: headers['access-control-allow-credentials'],
      expose: headers['access-control-expose-headers'],
    }
  }

  it('allows the origins of its list, with credentials, and no other', async () => {
    const seen = await fieldsOf('/cors/plain', shop)
    expect(seen).to.deep.include({ status: 200, origin: shop, credentials: 'true' })
    expect(seen).to.deep.include({ expose: 'x-total', vary: 'Accept, Origin' })
    const other = await fieldsOf('/cors/plain', 'https://evil.example')
    expect(other).to.deep.include({ status: 200, origin: undefined, credentials: undefined })
    expect(other.vary).to.equal('Accept, Origin')
  })

  it('answers preflights, and lets pages read refusals', async () => {
    expect(await fieldsOf('/cors/plain', staff, 'OPTIONS')).to.deep.include({
      ...{ status: 204, origin: staff, credentials: 'true', vary: 'Origin' },
    })
    expect(await fieldsOf('/cors/secured', staff)).to.deep.include({
      ...{ status: 401, origin: staff, credentials: 'true' },
    })
  })

  it('gives an answer that is kept to each origin with its own fields', async () => {
    const [first, second, other] = [
      await fieldsOf('/cors/kept', shop),
      await fieldsOf('/cors/kept', staff),
      await fieldsOf('/cors/kept', 'https://evil.example'),
    ]
    expect([second.text, other.text]).to.deep.equal([first.text, first.text])
    expect([first.origin, second.origin, other.origin]).to.deep.equal([shop, staff, undefined])
    expect([first.credentials, other.credentials]).to.deep.equal(['true', undefined])
    expect([first.expose, second.expose]).to.deep.equal(['age', 'age'])
  })

  it('is what an explanation shows', async () => {
    const { json } = await send(gateway.adminUrl, '/explain', {
      method: 'POST',
      body: { request: { path: '/cors/plain', headers: { origin: shop } } },
    })
    const { response: shown } = json() as {
      readonly response: { readonly headers: Readonly<Record<string, string>> }
    }
    const names = Object.fromEntries(
      Object.entries(shown.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    expect(names).to.include({ 'access-control-allow-origin': shop })
  })
})
