/** Paths under `api_key`: a key of a user of the realm. */
import { expect } from 'chai'
import { ApiKeyScheme } from '#component/security/api-key/authenticate.ts'
import type { ApiKeyOwner } from '#component/token/api-key.ts'
import {
  FakeAttempts,
  FakeLogins,
  outcomeOf,
  protectedBy,
  realm_uri,
  requestWith,
  userNamed,
} from './doubles.ts'

const refused = [401, 'service.error.unauthorized', `ApiKey realm="${realm_uri}"`]
const keys: Readonly<Record<string, ApiKeyOwner>> = {
  gk_aaaaaaaaaaaa_secret: { id: 'aaaaaaaaaaaa', realm_uri, username: 'ada' },
  gk_bbbbbbbbbbbb_secret: { id: 'bbbbbbbbbbbb', realm_uri: 'com.example.other', username: 'ada' },
  gk_cccccccccccc_secret: { id: 'cccccccccccc', realm_uri, username: 'eve' },
  gk_ffffffffffff_secret: { id: 'ffffffffffff', realm_uri, username: 'ada', exp: 2_000 },
}
const good = 'gk_aaaaaaaaaaaa_secret'

describe('a path under api_key', () => {
  let logins: FakeLogins
  let attempts: FakeAttempts
  let scheme: ApiKeyScheme
  let revoked: Set<string>

  beforeEach(() => {
    logins = new FakeLogins()
    attempts = new FakeAttempts(3)
    revoked = new Set()
    const find = (text: string) => (revoked.has(text) ? undefined : keys[text])
    scheme = new ApiKeyScheme({ apiKeys: { find }, logins, attempts })
  })

  const ask = (headers: Readonly<Record<string, string>>, object: object = {}) =>
    outcomeOf(() => scheme.authenticate(requestWith(headers), protectedBy('api_key', object)))

  it('lets a key pass as its user, from the header that the document names', async () => {
    const expected = {
      realm_uri,
      authid: 'ada',
      username: 'ada',
      authmethod: 'api_key',
      authroles: ['staff', 'buyers'],
      groups: ['staff', 'buyers'],
      meta: { locale: 'de', age: 7 },
      locale: 'de',
      session: 'aaaaaaaaaaaa',
    }
    for (const authorization of [good, `ApiKey ${good}`, `apikey ${good}`, `Bearer ${good}`]) {
      expect(await ask({ authorization })).to.deep.equal(expected)
    }
    const object = { header_name: 'X-Api-Key' }
    expect(await ask({ 'x-api-key': good }, object)).to.deep.equal(expected)
    expect(await ask({ authorization: good }, object)).to.deep.equal(refused)
    expect(await ask({ 'x-api-key': `ApiKey ${good}` }, object)).to.deep.equal(refused)
  })

  it('tells when a key with an expiry ends, where security does not show it', () => {
    const authorization = 'gk_ffffffffffff_secret'
    const identity = scheme.authenticate(requestWith({ authorization }), protectedBy('api_key'))
    expect(identity).to.have.property('expires_at', 2_000_000)
    expect({ ...identity }).to.not.have.property('expires_at')
  })

  it('asks for a key when there is none, and counts no failure', async () => {
    expect(await ask({})).to.deep.equal(refused)
    expect(await ask({ 'x-api-key': '' }, { header_name: 'x-api-key' })).to.deep.equal(refused)
    expect(attempts.failures).to.deep.equal([])
  })

  it('counts no failure of a key that is judged once more', async () => {
    const again = () =>
      outcomeOf(() =>
        scheme.authenticateAgain(requestWith({ authorization: good }), protectedBy('api_key')),
      )
    expect(await again()).to.deep.include({ authid: 'ada' })
    revoked.add(good)
    expect(await again()).to.deep.equal(refused)
    expect(attempts.failures).to.deep.equal([])
  })

  for (const [what, authorization] of [
    ['an unknown key', 'gk_dddddddddddd_secret'],
    ['a key of another realm', 'gk_bbbbbbbbbbbb_secret'],
    ['a key of a user that is gone', 'gk_cccccccccccc_secret'],
  ] as const) {
    it(`refuses ${what}, and counts it under its id`, async () => {
      expect(await ask({ authorization })).to.deep.equal(refused)
      expect(attempts.failures).to.deep.equal([
        [realm_uri, authorization.slice(0, 15), '192.0.2.1'],
      ])
    })
  }

  it('answers guesses 429 when there were too many, and never whoever has a key', async () => {
    for (const guess of ['a', 'b', 'c']) await ask({ authorization: guess })
    expect(await ask({ authorization: 'd' })).to.deep.include(429)
    expect(await ask({ authorization: good })).to.have.property('authid', 'ada')
  })

  it('gives the same identity for the same key, until the key or its user ends', async () => {
    const first = await ask({ authorization: good })
    expect(await ask({ authorization: good })).to.equal(first)
    logins.change({ ada: userNamed('ada', ['admins']) }, '')
    expect(await ask({ authorization: good })).to.deep.include({ authroles: ['admins'] })
    revoked.add(good)
    expect(await ask({ authorization: good })).to.deep.equal(refused)
  })
})
