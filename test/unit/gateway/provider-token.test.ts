/** The access token of an identity provider in what actions send: where it is, where it never is, and why a request is refused without it. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { identityOf, type ProviderToken } from '#component/identity.ts'
import { forEachType } from '#component/security/kinds.ts'
import type { SecurityScheme } from '#component/security/scheme.ts'
import { TokenError } from '#component/token/token-error.ts'
import { bodyOf, call, documentOf, type Performer, serve } from './fake-exchange.ts'

const token = '{{security.provider_token}}'
const security = { type: 'oidc', provider: 'mock' }

/** Serves one operation for a user, of whom this is the token. */
function serving(get: object, providerToken?: () => ProviderToken, perform?: Performer) {
  let asked = 0
  const scheme: SecurityScheme = {
    authenticate: (_request, { realm_uri }) =>
      identityOf({
        ...{ realm_uri, authroles: [], authmethod: 'oidcrp' },
        user: { username: 'ada', groups: [], meta: {} },
        ...(providerToken && {
          providerToken: () => {
            asked += 1
            return providerToken()
          },
        }),
      }),
  }
  const schemes = forEachType(() => scheme)
  const document = documentOf({ '/x': { get } }, { defaults: { security } })
  const served = serve(document, perform, undefined, schemes)
  return { ...served, ask: () => served.ask('GET /v1/x'), asked: () => asked }
}

describe('the token of the provider', () => {
  for (const [when, give] of [
    ['at once', () => 'the-token'],
    ['later', async () => 'the-token'],
  ] as const) {
    it(`is in what a call sends, known ${when}`, async () => {
      const { ask, performed } = serving(call({ args: [token], kwargs: { a: `x ${token}` } }), give)
      expect((await ask()).status).to.equal(200)
      expect(performed[0]?.fields).to.deep.include({
        ...{ args: ['the-token'], kwargs: { a: 'x the-token' } },
      })
    })
  }

  it('is in every action of a list that sends it, and is asked for once', async () => {
    const one = call({ args: [token] }).action
    const get = { action: [one, one], response: { on_result: {}, on_error: {} } }
    const { ask, performed, asked } = serving(get, () => 'the-token')
    await ask()
    expect(performed.map(({ fields }) => fields.args)).to.deep.equal([['the-token'], ['the-token']])
    expect(asked()).to.equal(1)
  })

  it('is in nothing that reads all of security, also beside it', async () => {
    const whole = '{{security |> to_json}}'
    const get = call({ args: [token, whole, '{{security}}'] }, { body: whole })
    const { ask, performed } = serving(get, () => 'the-token')
    const { body } = await ask().then((reply) => ({ body: JSON.stringify(bodyOf(reply)) }))
    expect(body).to.include('ada').and.not.include('the-token')
    const others = [performed[0]?.fields.args].flat().slice(1)
    expect(JSON.stringify(others)).to.include('ada').and.not.include('the-token')
    expect(JSON.stringify(others)).to.not.include('provider_token')
  })

  it('is not asked for where no action sends it', async () => {
    const { ask, asked } = serving(call({ args: ['{{security.authid}}'] }), () => 'the-token')
    expect([(await ask()).status, asked()]).to.deep.equal([200, 0])
  })

  it('that does not hold any more is 401, with the reason', async () => {
    const refuse = async () => Promise.reject(new TokenError('it has expired'))
    const { ask, performed } = serving(call({ args: [token] }), refuse)
    const { status, headers } = await ask()
    expect([status, performed]).to.deep.equal([401, []])
    expect(headers['www-authenticate']).to.include('error_description="it has expired"')
  })

  it('that cannot be renewed now is 503', async () => {
    const away = () => {
      throw new ServiceError('service.error.unavailable', 'later')
    }
    const { ask, performed } = serving(call({ args: [token] }), away)
    expect([(await ask()).status, performed]).to.deep.equal([503, []])
  })

  for (const [whose, give] of [
    ['a provider that does not pass it on', () => undefined],
    ['a user of no provider', undefined],
  ] as const) {
    it(`of ${whose} is absent: the expression fails, or has its default`, async () => {
      const { ask, performed } = serving(call({ args: [token] }), give)
      expect([(await ask()).status, performed]).to.deep.equal([500, []])
      const args = ['{{security.provider_token |> default(none)}}']
      const lenient = serving(call({ args }), give)
      expect((await lenient.ask()).status).to.equal(200)
      expect(lenient.performed[0]?.fields.args).to.deep.equal(['none'])
    })
  }
})
