/** A provider with two addresses: where the gateway asks, and what it takes for an address that the realm names. */
import { expect } from 'chai'
import { isNamed, reachedAt } from '#component/oidc/client/site.ts'

const issuer = 'https://id.example.com/realms/x'
const internal_issuer_url = 'https://keycloak.internal:8443/auth/realms/x'

describe('the address at which a provider is asked', () => {
  for (const [url, expected] of [
    [`${issuer}`, internal_issuer_url],
    [`${issuer}/token?a=1`, `${internal_issuer_url}/token?a=1`],
    [`${issuer}2/token`, 'https://keycloak.internal:8443/realms/x2/token'],
    ['https://id.example.com/oauth/keys', 'https://keycloak.internal:8443/oauth/keys'],
    ['https://keys.example.com/jwks', 'https://keys.example.com/jwks'],
    ['https://id.example.com:444/realms/x/token', 'https://id.example.com:444/realms/x/token'],
    [`${internal_issuer_url}/token`, `${internal_issuer_url}/token`],
  ] as const) {
    it(`is for ${url} ${expected}`, () => {
      const site = { issuer, internal_issuer_url, allow_unsafe_http: false }
      expect(reachedAt(url, site)).to.equal(expected)
      const slashed = {
        ...site,
        issuer: `${issuer}/`,
        internal_issuer_url: `${internal_issuer_url}/`,
      }
      expect(reachedAt(url, slashed)).to.equal(expected)
      expect(reachedAt(url, { issuer, allow_unsafe_http: false })).to.equal(url)
    })
  }

  it('is named by the realm at both of its origins, and nowhere else', () => {
    const site = { issuer, internal_issuer_url, allow_unsafe_http: false }
    const origins = ['https://id.example.com', 'https://keycloak.internal:8443', 'https://10.0.0.1']
    expect(origins.map((origin) => isNamed(origin, site))).to.deep.equal([true, true, false])
    expect(
      isNamed('https://keycloak.internal:8443', { issuer, allow_unsafe_http: false }),
    ).to.equal(false)
  })
})
