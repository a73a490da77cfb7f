/** A login from the first redirect to the ticket, and who may finish it. */
import { expect } from 'chai'
import { decode, exchange } from '#test/unit/token/doubles.ts'
import { FakeProvider } from './fake-provider.ts'
import {
  browser,
  callback,
  clock,
  codeOf,
  freshLogins,
  node,
  openLogins,
  provider,
  realm_uri,
} from './login-fixture.ts'

describe('a login', () => {
  freshLogins()

  it('sends the browser to the provider with all that binds the answer to it', async () => {
    const location = new URL(await node.begin(browser()))
    expect(location.origin + location.pathname).to.equal(`${provider.issuer}/authorize`)
    const { state, nonce, code_challenge, ...others } = Object.fromEntries(location.searchParams)
    expect(others).to.deep.equal({
      client_id: 'app',
      code_challenge_method: 'S256',
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid profile email',
    })
    for (const text of [state, nonce, code_challenge]) expect(text).to.match(/^[\w-]{43}$/)
    expect(new Set([state, nonce, code_challenge]).size).to.equal(3)
  })

  it('ends with a ticket of the realm that says who it is', async () => {
    const by = browser()
    const location = await node.begin(by, { client_id: 'web', device_id: 'phone' })
    const done = await node.finish(by, provider.authorize(location))
    const { claims, ticket } = done
    expect(done).to.deep.include({ redirect_uri: '/home', maxAge: 2_592_000 })
    expect(claims).to.deep.include({
      iss: 'https://shop.example.com/v1',
      authrealm: realm_uri,
      authid: 'ada',
      authmethod: 'oidcrp',
      authroles: ['staff'],
      issued_by: 'ada',
      oidc_provider: 'mock',
      oidc_access_token_expires_at: node.now() + 600,
      scope: { realm: realm_uri, client_id: 'web', device_id: 'phone' },
    })
    expect(decode(claims.oidc_id_token ?? '', 1)).to.include({ sub: 'sub-1' })
    expect(await node.tickets.verify(ticket, realm_uri)).to.deep.equal(claims)
    expect(node.accounts.isKnown(realm_uri, 'ada')).to.equal(true)
    const [finished, ...cleared] = done.loginCookies
    expect(finished?.name).to.equal(`__Host-service_finished_${realm_uri}`)
    expect(cleared).to.deep.equal([...by.cookies.keys()].map((name) => ({ name, value: '' })))
  })

  for (const [what, keys] of [
    ['issuer', ['issuer']],
    ['internal address', ['internal_issuer_url']],
    ['issuer and internal address', ['issuer', 'internal_issuer_url']],
  ] as const) {
    it(`does not give its code to a provider that has another ${what} since it began`, async () => {
      const evil = await FakeProvider.open(() => clock.now())
      try {
        const by = browser()
        const url = provider.authorize(await node.begin(by))
        // inside, it calls itself as the other one does
        if (!keys.some((key) => key === 'issuer')) {
          evil.twist = { metadata: { issuer: provider.issuer } }
        }
        await node.declare(Object.fromEntries(keys.map((key) => [key, evil.issuer])))
        expect(await codeOf(() => node.finish(by, url))).to.equal('invalid_state')
        expect(evil.asked.filter((line) => line.startsWith('POST'))).to.deep.equal([])
        await node.declare()
        await node.finish(by, url)
      } finally {
        await evil.close()
      }
    })
  }

  it('is counted when it has come to its end, or was refused, and not when the provider is away', async () => {
    const by = browser()
    await node.logIn()
    await codeOf(() => node.finish(by, 'https://shop.example.com/v1/callback?state=x&code=y'))
    const url = provider.authorize(await node.begin(by))
    await provider.close()
    await codeOf(() => node.finish(by, url))
    expect(node.counts.all).to.deep.equal([
      { authmethod: 'oidc', result: 'ok', count: 1 },
      { authmethod: 'oidc', result: 'refused', count: 1 },
    ])
  })

  it('tells no secret to the log', async () => {
    const by = browser()
    const { ticket, csrf, claims } = await node.logIn(by)
    provider.twist = { claims: { nonce: 'other' } }
    await codeOf(() => node.logIn())
    const text = JSON.stringify(node.lines)
    const secrets = [ticket, csrf, claims.oidc_id_token, 'the-access-token', ...by.cookies.values()]
    for (const secret of secrets) expect(text).to.not.include(secret)
    expect(text).to.include('a user has logged in')
  })

  it('can be finished on another node', async () => {
    const other = await openLogins(provider, { clock, name: 'b' })
    const by = browser()
    const url = provider.authorize(await node.begin(by))
    const { ticket } = await other.finish(by, url)
    await exchange(node, other)
    expect(await node.tickets.verify(ticket, realm_uri)).to.include({ authid: 'ada' })
    await other.close()
  })

  it('is finished once, on whatever node', async () => {
    const other = await openLogins(provider, { clock, name: 'b' })
    const by = browser()
    const url = provider.authorize(await node.begin(by))
    const both = await Promise.all([1, 2].map(() => codeOf(() => node.finish(by, url))))
    expect(both).to.deep.equal([undefined, 'invalid_state'])
    await exchange(node, other)
    expect(await codeOf(() => other.finish(by, url))).to.equal('invalid_state')
    await other.close()
  })

  it('is remembered as finished as long as it could be shown again', async () => {
    const by = browser()
    const url = provider.authorize(await node.begin(by))
    await node.finish(by, url)
    clock.ms += 299_000
    await node.replica.sweep()
    expect(await codeOf(() => node.finish(by, url))).to.equal('invalid_state')
  })

  it('is used up by an exchange that failed', async () => {
    const by = browser()
    const url = provider.authorize(await node.begin(by))
    provider.twist = { claims: { nonce: 'other' } }
    expect(await codeOf(() => node.finish(by, url))).to.equal('token_exchange_failed')
    provider.twist = {}
    expect(await codeOf(() => node.finish(by, url))).to.equal('invalid_state')
  })

  it('needs code and state, once each', async () => {
    const by = browser()
    const url = new URL(provider.authorize(await node.begin(by)))
    const without = (name: string) => {
      const one = new URL(url)
      one.searchParams.delete(name)
      return codeOf(() => node.finish(by, one.href))
    }
    expect(await without('code')).to.equal('missing_code_or_state')
    expect(await without('state')).to.equal('missing_code_or_state')
    expect(await codeOf(() => node.finish(by, `${url}&state=x`))).to.equal('invalid_state')
    expect(await codeOf(() => node.finish(by, `${url}&code=x`))).to.equal('token_exchange_failed')
  })

  it('belongs to the browser that began it', async () => {
    const url = provider.authorize(await node.begin(browser()))
    expect(await codeOf(() => node.finish(browser(), url))).to.equal('invalid_state')
    const eve = browser()
    await node.begin(eve)
    const [value = ''] = eve.cookies.values()
    const cookieOf = () => value
    expect(await codeOf(() => node.finish(eve, url, { cookieOf }))).to.equal('invalid_state')
    const forged = { cookieOf: () => 'v1.AAAA' }
    expect(await codeOf(() => node.finish(eve, url, forged))).to.equal('invalid_state')
    expect(node.left()).to.deep.equal([])
  })

  it('belongs to one realm and one provider', async () => {
    const by = browser()
    const url = provider.authorize(await node.begin(by))
    const info = node.realms.realm(realm_uri)?.info ?? {}
    const [mock] = Object.values(Object(info.oidc_providers))
    const other = { authmethods: ['oidcrp'], info: { oidc_providers: { mock, other: mock } } }
    await node.realms.load({ uri: 'com.example.other', ...other })
    await node.realms.load({ uri: realm_uri, ...other })
    const attempt = (more: object) => codeOf(() => node.finish(by, url, more))
    expect(await attempt({ realm_uri: 'com.example.other' })).to.equal('realm_mismatch')
    expect(await attempt({ provider: 'other' })).to.equal('invalid_state')
    expect(await attempt({ provider: 'nope' })).to.equal('unknown_provider')
    expect(await attempt({})).to.equal(undefined)
  })

  it('may take five minutes', async () => {
    const [quick, slow] = [browser(), browser()]
    const urls = [await node.begin(quick), await node.begin(slow)].map((one) =>
      provider.authorize(one),
    )
    clock.ms += 300_000
    expect(await codeOf(() => node.finish(quick, urls[0] ?? ''))).to.equal(undefined)
    clock.ms += 1_000
    expect(await codeOf(() => node.finish(slow, urls[1] ?? ''))).to.equal('state_expired')
  })

  it('is told to be of no provider before its state is looked at', async () => {
    const url = `${callback}?code=c&state=unknown`
    const attempt = (more: object) => codeOf(() => node.finish(browser(), url, more))
    expect(await attempt({ provider: 'nope' })).to.equal('unknown_provider')
    expect(await attempt({})).to.equal('invalid_state')
  })

  it('is refused at a provider or in a realm that there is not', async () => {
    const attempt = (more: object) => codeOf(() => node.begin(browser(), more))
    expect(await attempt({ provider: 'nope' })).to.equal('unknown_provider')
    expect(await attempt({ provider: 'constructor' })).to.equal('unknown_provider')
    expect(await attempt({ provider: undefined })).to.equal('unknown_provider')
    expect(await attempt({ provider: undefined, routeProvider: 'mock' })).to.equal(undefined)
    expect(await attempt({ realm_uri: 'com.example.nowhere' })).to.equal('unknown_provider')
    await node.declare({}, { authmethods: ['ticket'] })
    expect(await attempt({})).to.equal('unknown_provider')
  })

  it('is refused when the provider goes while it is under way, and can be finished when it is back', async () => {
    const by = browser()
    const url = provider.authorize(await node.begin(by))
    await node.declare({}, { authmethods: [] })
    expect(await codeOf(() => node.finish(by, url))).to.equal('unknown_provider')
    await node.declare()
    expect(await codeOf(() => node.finish(by, url))).to.equal(undefined)
  })

  it('is refused where the sources of the realm do not admit it', async () => {
    const sources = [{ usernames: 'all', authmethod: 'oidcrp', cidr: '10.0.0.0/8' }]
    await node.declare({}, { sources })
    expect(await codeOf(() => node.logIn())).to.equal('ticket_issue_failed')
    expect(node.left()).to.deep.equal([])
    sources[0] = { usernames: 'all', authmethod: 'oidcrp', cidr: '203.0.113.0/24' }
    await node.declare({}, { sources })
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
  })

  it('is refused where what is to be remembered does not fit into cookies', async () => {
    const redirect_uri = `/${'a'.repeat(12_000)}`
    expect(await codeOf(() => node.begin(browser(), { redirect_uri }))).to.equal(
      'invalid_redirect_uri',
    )
  })
})
