/** The endpoint where a provider ends logins: its form, its answers, and its limit. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { LogoutTokenError } from '#component/oidc/logout-token.ts'
import { OidcError } from '#component/oidc-error.ts'
import { oidc, realm_uri } from './fixture.ts'

const line = 'POST /v1/oidc/acme/backchannel_logout'
const formOf = (body: string) => ({
  body,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})
const form = formOf('logout_token=a.b.c')

describe('the back-channel logout endpoint', () => {
  it('carries the token out, and answers 200 without a body', async () => {
    const { ask, ended, logged } = oidc()
    const { status, headers, body } = await ask(line, form)
    expect([status, body.kind]).to.deep.equal([200, 'none'])
    expect(headers).to.include({ 'cache-control': 'no-store' })
    expect(headers).to.not.have.property('access-control-allow-origin')
    expect([ended, logged]).to.deep.equal([[[realm_uri, 'acme', 'a.b.c']], []])
  })

  for (const [what, at, asked] of [
    ['no body', line, {}],
    ['JSON', line, { body: '{"logout_token":"a.b.c"}' }],
    ['a form without a token', line, formOf('other=x')],
    ['an empty token', line, formOf('logout_token=')],
    ['two tokens', line, formOf('logout_token=a&logout_token=b')],
    ['a token in the query', `${line}?logout_token=a.b.c`, form],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { ask, ended, logged } = oidc()
      const { status, value } = await ask(at, asked)
      expect([status, value]).to.deep.equal([400, { error: 'invalid_request' }])
      expect(ended).to.deep.equal([])
      expect(logged).to.have.lengthOf(1)
    })
  }

  it('answers invalid_request for a token that is refused, and tells the log why', async () => {
    const { ask, logged } = oidc({ end: new LogoutTokenError('nonce: expected none') })
    const { status, value, headers } = await ask(line, form)
    expect([status, value]).to.deep.equal([400, { error: 'invalid_request' }])
    expect(headers).to.include({ 'cache-control': 'no-store' })
    const told = { error: 'invalid_request', reason: 'nonce: expected none', realm: realm_uri }
    expect(logged).to.deep.equal([told])
  })

  it('answers 404 for a provider that the realm does not have', async () => {
    const { ask, ended } = oidc()
    const { status, value } = await ask('POST /v1/oidc/other/backchannel_logout', form)
    expect([status, value]).to.deep.equal([404, { error: 'unknown_provider' }])
    expect(ended).to.deep.equal([])
  })

  it('answers 500 while the provider is away, and 503 while the store is', async () => {
    const away = oidc({ end: new OidcError('provider_unavailable', 'away') })
    const { status, value } = await away.ask(line, form)
    expect([status, value]).to.deep.equal([500, { error: 'provider_unavailable' }])
    const closed = oidc({ end: new ServiceError('service.error.unavailable', 'away') })
    expect((await closed.ask(line, form)).status).to.equal(503)
  })

  it('is open to POST only', async () => {
    const { ask } = oidc()
    const { status, headers } = await ask('GET /v1/oidc/acme/backchannel_logout')
    expect([status, headers.allow]).to.deep.equal([405, 'OPTIONS, POST'])
  })

  it('takes 100 tokens a second, then answers 429', async () => {
    const { ask, ended, setNow } = oidc()
    const statuses = new Map<number, number>()
    for (let sent = 0; sent < 103; sent++) {
      const { status, headers } = await ask(line, form)
      if (status === 429) expect(headers['retry-after']).to.equal('1')
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses]).to.deep.equal([
      [200, 100],
      [429, 3],
    ])
    setNow(1_000)
    expect((await ask(line, form)).status).to.equal(200)
    expect(ended).to.have.lengthOf(101)
  })
})
