/** The JWK Set of the gateway as a client of a provider. */
import { expect } from 'chai'
import { oidc } from './fixture.ts'

describe('the keys endpoint of a provider', () => {
  it('answers its JWK Set, to everybody', async () => {
    const { status, value, body } = await oidc().ask('GET /v1/oidc/acme/jwks')
    expect([status, value]).to.deep.equal([200, { keys: [{ kid: 'k1' }] }])
    expect(body).to.include({ kind: 'value', type: 'application/json' })
  })

  it('answers 404 for a provider that the realm does not have', async () => {
    const { status, value } = await oidc().ask('GET /v1/oidc/other/jwks')
    expect([status, value]).to.deep.equal([404, { error: 'unknown_provider' }])
  })
})
