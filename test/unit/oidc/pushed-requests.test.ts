/** Pushed authorization requests (RFC 9126): when the provider gets the request beforehand, and what becomes of its refusals. */
import { expect } from 'chai'
import { browser, codeOf, freshLogins, node, provider } from './login-fixture.ts'

describe('an authorization request', () => {
  freshLogins()

  const offer = () => ({ pushed_authorization_request_endpoint: `${provider.issuer}/par` })
  const requirement = () => ({ ...offer(), require_pushed_authorization_requests: true })

  for (const [par, metadata, isPushed] of [
    [undefined, () => ({}), false],
    [undefined, offer, false],
    [undefined, requirement, true],
    ['auto', () => ({}), false],
    ['auto', offer, true],
    ['always', offer, true],
    ['never', requirement, false],
  ] as const) {
    it(`is ${isPushed ? 'pushed' : 'in the address'}: par ${par}, and the provider says ${metadata.name || 'nothing'}`, async () => {
      provider.twist = { metadata: metadata() }
      await node.declare(par === undefined ? {} : { par })
      const location = new URL(await node.begin(browser()))
      expect(location.searchParams.has('code_challenge')).to.equal(!isPushed)
      expect(location.searchParams.get('request_uri')).to.equal(isPushed ? 'urn:example:1' : null)
      expect(provider.pushed).to.have.length(isPushed ? 1 : 0)
    })
  }

  it('that is pushed holds all that the address would', async () => {
    provider.twist = { metadata: offer() }
    await node.declare({ par: 'auto', authorization_parameters: { hd: 'example.com' } })
    const by = browser()
    await node.begin(by)
    const { state, nonce, code_challenge, ...others } = provider.pushed[0] ?? {}
    for (const text of [state, nonce, code_challenge]) expect(text).to.match(/^[\w-]{43}$/)
    expect(others).to.include({
      client_id: 'app',
      response_type: 'code',
      code_challenge_method: 'S256',
      hd: 'example.com',
    })
  })

  for (const [what, answer, code] of [
    [
      'a refusal',
      { status: 400, body: { error: 'invalid_request', error_description: 'x' } },
      'authorization_url_failed',
    ],
    ['a failure', { status: 503, body: 'away' }, 'provider_unavailable'],
    ['no reference', { status: 201, body: { expires_in: 60 } }, 'authorization_url_failed'],
  ] as const) {
    it(`that is answered by ${what} begins no login`, async () => {
      provider.twist = { metadata: offer(), answers: { '/par': answer } }
      await node.declare({ par: 'auto' })
      const by = browser()
      const error = await node.begin(by).catch((thrown: unknown) => thrown)
      expect(error).to.have.property('code', code)
      expect(error)
        .to.have.property('answer')
        .that.includes({ provider_url: `${provider.issuer}/par`, provider_status: answer.status })
      expect(by.cookies.size).to.equal(0)
    })
  }

  it('that must be pushed begins no login where the provider cannot take it', async () => {
    await node.declare({ par: 'always' })
    expect(await codeOf(() => node.begin(browser()))).to.equal('authorization_url_failed')
  })

  it('goes to no endpoint without https', async () => {
    provider.twist = { metadata: { pushed_authorization_request_endpoint: 'javascript:1' } }
    expect(await codeOf(() => node.begin(browser()))).to.equal('provider_unavailable')
  })
})
