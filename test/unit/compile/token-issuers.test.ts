/** The issuers that an API trusts: by base path, and by the public base URL where one is configured. */
import { expect } from 'chai'
import { compileSpec } from '#component/compile/compile.ts'
import { TokenIssuers } from '#component/compile/token-issuers.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { documentOf } from '#test/unit/gateway/fake-exchange.ts'

const security = { type: 'oauth2', flow: 'client_credentials' }

function entriesOf(id: string, base_path: string, realm_uri = 'com.example.realm') {
  const document = { ...documentOf({}, { defaults: { security } }), id, realm_uri }
  const { spec } = validateSpec({ ...document, versions: { one: { base_path, paths: {} } } })
  if (!spec) throw new Error('the document is not valid')
  return compileSpec(spec, { callTimeout: 1000 }).api?.entries ?? []
}

describe('the issuers that an API trusts', () => {
  const served = [
    entriesOf('orders', '/[v1.0]'),
    entriesOf('stock', '/[v2.0]'),
    entriesOf('other', '/[v3.0]', 'com.example.other'),
  ]

  for (const [publicBase, iss, trusted] of [
    [undefined, 'http://127.0.0.1:18080/v1.0', true],
    [undefined, 'http://192.0.2.1:9999/v1.0', true],
    [undefined, 'http://127.0.0.1:18080', true],
    [undefined, 'http://127.0.0.1:18080/v2.0', true],
    [undefined, 'http://127.0.0.1:18080/v3.0', false],
    [undefined, 'http://127.0.0.1:18080/v1.0/x', false],
    ['https://example.com/api', 'https://example.com/api/v1.0', true],
    ['https://example.com/api', 'https://example.com/api', true],
    ['https://example.com/api', 'https://example.com/apiv1.0', false],
    ['https://example.com/api', 'https://example.com/v1.0', false],
    ['https://example.com/api', 'http://127.0.0.1:18080/v1.0', false],
  ] as const) {
    const does = trusted ? 'include' : 'do not include'
    it(`${does} ${iss} with ${publicBase ?? 'no'} public base URL`, () => {
      const issuers = new TokenIssuers(publicBase)
      issuers.follow({ added: served, removed: [] })
      expect(issuers.isTrusted('orders', iss)).to.equal(trusted)
    })
  }

  it('are those of the routes that are served now', () => {
    const issuers = new TokenIssuers(undefined)
    const iss = 'http://127.0.0.1:18080/v2.0'
    expect(issuers.isTrusted('orders', iss)).to.equal(false)
    issuers.follow({ added: served, removed: [] })
    expect(issuers.isTrusted('orders', iss)).to.equal(true)
    issuers.follow({ added: [entriesOf('orders', '/[v1.0]')], removed: served })
    expect(issuers.isTrusted('orders', iss)).to.equal(false)
    expect(issuers.isTrusted('stock', iss)).to.equal(false)
  })
})
