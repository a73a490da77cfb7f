/** Several logins in one browser: the newest can be finished, older ones begin anew, and their cookies fit into a request. */
import { expect } from 'chai'
import { browser, clock, codeOf, freshLogins, node, provider, realm_uri } from './login-fixture.ts'

describe('a login among others of a browser', () => {
  freshLogins()

  it('is one of five in a browser: a sixth takes the place of the oldest', async () => {
    const by = browser()
    by.cookies.set('__Host-service_login_0000000000000000', 'v1.nonsense')
    const urls: string[] = []
    for (let turn = 0; turn < 6; turn++) {
      urls.push(provider.authorize(await node.begin(by)))
      clock.ms += 1_000
      expect(by.cookies.size, 'and nobody can read the one before').to.equal(turn + 1)
    }
    const codes = []
    for (const url of urls) codes.push(await codeOf(() => node.finish(by, url)))
    expect(codes).to.deep.equal(['invalid_state', ...Array(5).fill(undefined)])
  })

  it('whose place later ones have taken is remembered by its page, and may begin anew', async () => {
    const by = browser()
    const states: string[] = []
    for (let turn = 0; turn < 12; turn++) {
      const location = await node.begin(by, { redirect_uri: `/${turn}` })
      states.push(new URL(location).searchParams.get('state') ?? '')
    }
    const found = states.map((state) =>
      node.login.remembered(state, (name) => by.cookies.get(name), realm_uri),
    )
    expect(found.map((one) => one && [one.redirect_uri, one.isSuperseded])).to.deep.equal([
      ...[undefined, undefined],
      ...[2, 3, 4, 5, 6].map((turn) => [`/${turn}`, true]),
      ...[7, 8, 9, 10, 11].map((turn) => [`/${turn}`, false]),
    ])
  })

  it('remembers an address of 8 kB in several cookies, and no more than a request can carry', async () => {
    const by = browser()
    const redirect_uri = `/${'a'.repeat(8_000)}`
    const url = provider.authorize(await node.begin(by, { redirect_uri }))
    expect(by.cookies.size).to.equal(3)
    for (const value of by.cookies.values()) expect(value.length).to.be.at.most(3_800)
    await node.begin(by, { redirect_uri: '/b' })
    const done = await node.finish(by, url)
    expect(done.redirect_uri).to.equal(redirect_uri)
    expect(done.loginCookies.map(({ value }) => value)).to.deep.equal(['', '', '', ''])
    const later = provider.authorize(await node.begin(by, { redirect_uri }))
    await node.begin(by, { redirect_uri })
    const size = [...by.cookies].join().length
    expect(size).to.be.below(13_000)
    expect(await codeOf(() => node.finish(by, later))).to.equal('invalid_state')
  })
})
