/** How a provider is spoken with: the ways of a client to authenticate, its keys, its userinfo, and whose clock counts. */
import { expect } from 'chai'
import { reasonOf } from '#test/unit/token/doubles.ts'
import { browser, clock, codeOf, freshLogins, node, provider, realm_uri } from './login-fixture.ts'

describe('a provider', () => {
  freshLogins()

  const times = (line: string) => provider.asked.filter((one) => one === line).length

  for (const [clientBy, methods] of [
    ['basic', undefined],
    ['basic', ['client_secret_basic', 'private_key_jwt']],
    ['post', ['client_secret_basic', 'client_secret_post']],
    ['post', ['client_secret_post']],
  ] as const) {
    it(`that announces ${methods ?? 'no method'} is given the secret by ${clientBy}`, async () => {
      provider.clientBy = clientBy
      provider.twist = { metadata: { token_endpoint_auth_methods_supported: methods } }
      expect(await codeOf(() => node.logIn())).to.equal(undefined)
    })
  }

  it('that takes clients by private_key_jwt only is refused before a browser is sent there', async () => {
    provider.twist = { metadata: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } }
    expect(await codeOf(() => node.begin(browser()))).to.equal('provider_unavailable')
    expect(times('POST /token')).to.equal(0)
  })

  it('is given the secret by the method that the realm names', async () => {
    provider.clientBy = 'post'
    await node.declare({ token_endpoint_auth_method: 'client_secret_post' })
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
  })

  it('may have a client without a secret', async () => {
    await node.declare({ client_secret: null })
    expect(await codeOf(() => node.logIn()), 'of a client with one').to.equal(
      'token_exchange_failed',
    )
    provider.clientBy = 'none'
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
  })

  it('is given the secret that the realm has now', async () => {
    await node.declare({ client_secret: 'an old one' })
    expect(await codeOf(() => node.logIn())).to.equal('token_exchange_failed')
    await node.declare()
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
  })

  it('is asked for its keys once in a while, and for itself once', async () => {
    for (let turn = 0; turn < 3; turn++) await node.logIn()
    expect(times('GET /jwks')).to.equal(1)
    expect(times('GET /.well-known/openid-configuration')).to.equal(1)
    expect(times('POST /token')).to.equal(3)
  })

  it('may change its key: the keys are fetched again for one that they do not have, ten seconds after the last time', async () => {
    await node.logIn()
    provider.twist = { header: { kid: 'k2' }, jwks: ([key = {}]) => [{ ...key, kid: 'k2' }] }
    clock.ms += 9_000
    expect(await codeOf(() => node.logIn()), 'too early').to.equal('token_exchange_failed')
    expect(times('GET /jwks')).to.equal(1)
    clock.ms += 1_000
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
    expect(times('GET /jwks')).to.equal(2)
    provider.twist = { header: { kid: 'k3' } }
    for (let turn = 0; turn < 3; turn++) await codeOf(() => node.logIn())
    expect(times('GET /jwks'), 'for a key that there is not').to.equal(2)
  })

  it('is asked for its keys once by logins of the same time', async () => {
    const codes = [1, 2, 3, 4].map(() => codeOf(() => node.logIn()))
    expect(await Promise.all(codes)).to.deep.equal(Array(4).fill(undefined))
    expect(times('GET /jwks')).to.equal(1)
  })

  it('may say in userinfo what the ID token does not, and nothing else', async () => {
    provider.twist = {
      claims: { preferred_username: undefined },
      userinfo: { preferred_username: 'ada', roles: ['root'], email: 'x' },
    }
    const { claims } = await node.logIn()
    expect(claims).to.deep.include({ authid: 'ada', authroles: ['staff'] })
  })

  for (const [what, claims, userinfo, expected] of [
    ['the ID token', { email: 'ada@x.org', email_verified: true }, {}, 'ada@x.org'],
    ['userinfo', {}, { email: 'ada@x.org', email_verified: true }, 'ada@x.org'],
    ['nothing', { email: 'ada@x.org' }, {}, 'missing_authid_claim'],
    [
      'userinfo for the ID token',
      { email: 'ada@x.org' },
      { email_verified: true },
      'missing_authid_claim',
    ],
    [
      'the ID token for userinfo',
      { email_verified: true },
      { email: 'ada@x.org' },
      'missing_authid_claim',
    ],
  ] as const) {
    it(`makes users of e-mail addresses as far as they are verified: by ${what}`, async () => {
      await node.declare({ authid_claim: 'email' })
      provider.twist = { claims, userinfo }
      let authid: string | undefined
      const code = await codeOf(async () => {
        authid = (await node.logIn()).claims.authid
      })
      expect(code ?? authid).to.equal(expected)
    })
  }

  it('has its roles that no mapping names told in the log once', async () => {
    await node.declare({ role_mapping: { admins: 'spec_loader' } })
    for (let turn = 0; turn < 2; turn++) await node.logIn()
    const message = 'a role of the provider is dropped: role_mapping does not name it'
    expect(node.lines.filter((line) => line.includes(message))).to.deep.equal([
      [{ realm_uri, provider: 'mock', role: 'staff' }, message],
    ])
  })

  it('has its paths that lead to no claim told in the log once', async () => {
    const role_claim = ['resource_access', 'com.example.app', 'roles']
    await node.declare({ role_claim, role_claim_fallback: 'none', claims: ['email'] })
    for (let turn = 0; turn < 2; turn++) await node.logIn()
    const message = 'the path of this setting leads to no claim of a user of the provider'
    const at = { realm_uri, provider: 'mock' }
    expect(node.lines.filter((line) => line.includes(message))).to.deep.equal([
      [{ ...at, setting: 'role_claim', path: JSON.stringify(role_claim) }, message],
      [{ ...at, setting: 'claims', path: 'email' }, message],
    ])
  })

  for (const [what, more] of [
    ['', {}],
    [', with claims of null in its ID tokens', { auth_time: null, nbf: null }],
  ] as const) {
    describe(`that changes a key under its name${what}`, () => {
      const forged = {
        idToken: async (claims: object) => forge(await provider.sign({ ...claims })),
      }
      /** Another signature of the same length. */
      const forge = (token: string): string => {
        const at = token.length - 40
        return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      }
      beforeEach(async () => {
        provider.givesRefreshTokens = true
        provider.person = { ...provider.person, ...more }
        await node.declare({ recheck_interval: 60 })
      })

      it('has it fetched once, by the login that misses it, whose code is sent once', async () => {
        await node.logIn()
        await provider.changeKey()
        clock.ms += 9_000
        expect(await codeOf(() => node.logIn()), 'within the cooldown').to.equal(
          'token_exchange_failed',
        )
        clock.ms += 1_000
        expect(await codeOf(() => node.logIn())).to.equal(undefined)
        expect(await codeOf(() => node.logIn())).to.equal(undefined)
        expect([times('GET /jwks'), times('POST /token')]).to.deep.equal([2, 4])
      })

      it('has it fetched once by several logins at a time', async () => {
        await node.logIn()
        await provider.changeKey()
        clock.ms += 10_000
        const codes = await Promise.all([1, 2, 3].map(() => codeOf(() => node.logIn())))
        expect([codes, times('GET /jwks')]).to.deep.equal([[undefined, undefined, undefined], 2])
      })

      it('has it fetched once for any number of signatures that fit no key', async () => {
        await node.logIn()
        provider.twist = forged
        clock.ms += 10_000
        for (let turn = 0; turn < 3; turn++) {
          expect(await codeOf(() => node.logIn())).to.equal('token_exchange_failed')
        }
        expect([times('GET /jwks'), times('POST /token')]).to.deep.equal([2, 4])
      })

      it('has it fetched by the check of a login', async () => {
        const { claims } = await node.logIn()
        await provider.changeKey()
        provider.person = { ...provider.person, roles: ['admins'] }
        clock.ms += 60_000
        const { authroles } = await node.rechecks.current(claims, () => undefined)
        expect([authroles, times('GET /jwks')]).to.deep.equal([['admins'], 2])
        expect(times('POST /token'), 'a refresh token is sent once').to.equal(2)
      })

      it('has it fetched by a logout token', async () => {
        provider.twist = { claims: { sid: 's1' } }
        const { ticket } = await node.logIn()
        await provider.changeKey()
        clock.ms += 10_000
        await node.backchannelLogout.end(realm_uri, 'mock', await provider.logoutToken())
        expect(await reasonOf(() => node.tickets.verify(ticket, realm_uri))).to.not.equal(undefined)
        const forgedToken = forge(await provider.logoutToken())
        for (let turn = 0; turn < 2; turn++) {
          const refusal = await node.backchannelLogout.end(realm_uri, 'mock', forgedToken).then(
            () => undefined,
            (error: Error) => error.message,
          )
          expect(refusal).to.match(/^the signature of the logout token is wrong/)
        }
        expect(times('GET /jwks')).to.equal(2)
      })

      it('leaves the known keys where it does not give the new one', async () => {
        await node.logIn()
        provider.twist = { ...forged, answers: { '/jwks': { status: 503 } } }
        clock.ms += 10_000
        expect(await codeOf(() => node.logIn())).to.equal('provider_unavailable')
        provider.twist = { answers: { '/jwks': { status: 503 } } }
        expect(await codeOf(() => node.logIn())).to.equal(undefined)
      })
    })
  }

  it('is given back its ID token as it has signed it, with claims of null', async () => {
    provider.twist = { claims: { auth_time: null } }
    const { ticket } = await node.logIn()
    const { location } = await node.login.logout({
      ...{ realm_uri, ticket, mayRevoke: true, redirect_uri: '/' },
      origin: 'https://shop.example.com',
    })
    const [, payload = ''] = new URL(location).searchParams.get('id_token_hint')?.split('.') ?? []
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).to.include({ auth_time: null })
  })

  it('may have no userinfo', async () => {
    provider.twist = { metadata: { userinfo_endpoint: undefined } }
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
    expect(times('GET /userinfo')).to.equal(0)
  })

  it('is judged by the clock of the gateway, with half a minute to spare', async () => {
    const now = Math.floor(clock.now() / 1000)
    const codes = []
    for (const exp of [now - 29, now - 31]) {
      provider.twist = { claims: { exp } }
      codes.push(await codeOf(() => node.logIn()))
    }
    expect(codes).to.deep.equal([undefined, 'token_exchange_failed'])
  })

  it('need not say how long the access token holds', async () => {
    provider.twist = { tokens: { expires_in: undefined } }
    const { claims } = await node.logIn()
    expect(claims).to.not.have.property('oidc_access_token_expires_at')
  })

  it('gives no role that is the name of another user', async () => {
    await node.declare({}, { users: [{ username: 'root', password: 'x' }] })
    provider.person = { sub: 's', preferred_username: 'ada', roles: ['root', 'ada', 'staff'] }
    expect((await node.logIn()).claims.authroles).to.deep.equal(['ada', 'staff'])
  })

  it('lets tickets live as long as its settings say', async () => {
    await node.declare({ ticket_expiry_secs: 60 })
    const { claims, maxAge } = await node.logIn()
    expect([maxAge, claims.exp - claims.iat]).to.deep.equal([60, 60])
  })

  it('lets nobody in while what must be remembered cannot be', async () => {
    await node.logIn()
    node.store.isAway = true
    expect(await codeOf(() => node.logIn()), 'that the login is used').to.equal(
      'ticket_issue_failed',
    )
    node.store.isAway = false
    provider.person = { sub: 'sub-2', preferred_username: 'bob' }
    const isAsked = provider.askedFor('/userinfo').then(() => {
      node.store.isAway = true
    })
    expect(await codeOf(() => node.logIn()), 'whose the name is').to.equal('ticket_issue_failed')
    await isAsked
  })
})
