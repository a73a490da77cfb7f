/** What a document with `oidc` is told when nobody can log in: the realm, the provider, and why. */
import { expect } from 'chai'
import { loginProblem } from '#component/oidc/settings.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.realm'
const info = { oidc_providers: { acme: { issuer: 'https://id.example', client_id: 'web' } } }

describe('why nobody can log in', () => {
  for (const [what, realm, provider, reason] of [
    ['nothing', { authmethods: ['oidcrp'], info }, 'acme', undefined],
    [
      'oidcrp is missing',
      { authmethods: ['ticket'], info },
      'acme',
      'has no oidcrp among its authmethods',
    ],
    ['the provider is missing', { authmethods: ['oidcrp'], info }, 'other', 'no provider'],
    ['there are no providers', { authmethods: ['oidcrp'] }, 'acme', 'no provider'],
  ] as const) {
    it(`is told: ${what}`, async () => {
      const { realms } = await realmsWith()
      await realms.load({ uri, ...realm })
      const problem = loginProblem(realms, uri, provider)
      if (reason === undefined) expect(problem).to.equal(undefined)
      else expect(problem).to.contain(reason).and.contain(uri).and.contain(provider)
    })
  }

  it('is told where the callback follows the address that is listened at', async () => {
    const { realms } = await realmsWith()
    const told = async (more: object) => {
      const acme = { ...info.oidc_providers.acme, ...more }
      await realms.load({ uri, authmethods: ['oidcrp'], info: { oidc_providers: { acme } } })
      return loginProblem(realms, uri, 'acme', true)
    }
    expect(await told({})).to.contain('gateway.public_base_url')
    expect(await told({ redirect_uri: 'https://a.example/oidc/acme/callback' })).to.equal(undefined)
  })
})
