/** Paths under `basic`: name and password of a user of the realm (RFC 7617). */
import { expect } from 'chai'
import { LoginCounts } from '#component/login-counts.ts'
import { BasicScheme } from '#component/security/basic/authenticate.ts'
import {
  FakeAttempts,
  FakeLogins,
  outcomeOf,
  protectedBy,
  realm_uri,
  requestWith,
  userNamed,
} from './doubles.ts'

const protection = protectedBy('basic')
const refused = [401, 'service.error.unauthorized', `Basic realm="${realm_uri}", charset="UTF-8"`]

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

describe('a path under basic', () => {
  let logins: FakeLogins
  let attempts: FakeAttempts
  let scheme: BasicScheme

  beforeEach(() => {
    logins = new FakeLogins('päss:word')
    attempts = new FakeAttempts(3)
    scheme = new BasicScheme({ logins, attempts })
  })

  const ask = (authorization: string | undefined, peername?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    return outcomeOf(() => scheme.authenticate(requestWith(headers, peername), protection))
  }

  it('lets a user pass as itself', async () => {
    expect(await ask(basic('ada:päss:word'))).to.deep.equal({
      realm_uri,
      authid: 'ada',
      username: 'ada',
      authmethod: 'basic',
      authroles: ['staff', 'buyers'],
      groups: ['staff', 'buyers'],
      meta: { locale: 'de', age: 7 },
      locale: 'de',
    })
    expect(await ask(basic('joe:päss:word'))).to.deep.include({ authroles: ['joe'], groups: [] })
    expect(logins.asked[0]).to.deep.equal([realm_uri, 'ada', 'päss:word', '192.0.2.1'])
  })

  for (const [what, authorization] of [
    ['nothing', undefined],
    ['another scheme', 'Bearer abc'],
    ['no colon', basic('ada')],
    ['no Base64', 'Basic *'],
  ] as const) {
    it(`asks for credentials when there is ${what}, and counts no failure`, async () => {
      expect(await ask(authorization)).to.deep.equal(refused)
      expect(attempts.failures).to.deep.equal([])
      expect(logins.asked).to.deep.equal([])
    })
  }

  it('refuses wrong passwords and unknown users alike, and counts both', async () => {
    expect(await ask(basic('ada:wrong'), '[2001:db8::1]:443')).to.deep.equal(refused)
    expect(await ask(basic('eve:päss:word'))).to.deep.equal(refused)
    expect(attempts.failures).to.deep.equal([
      [realm_uri, 'ada', '2001:db8::1'],
      [realm_uri, 'eve', '192.0.2.1'],
    ])
  })

  it('answers 429 when there were too many, but not to whoever had passed before', async () => {
    const first = await ask(basic('ada:päss:word'))
    for (const guess of ['a', 'b', 'c']) await ask(basic(`ada:${guess}`))
    expect(await ask(basic('ada:d'))).to.deep.include(429)
    expect(await ask(basic('joe:päss:word'))).to.deep.include(429)
    expect(await ask(basic('ada:päss:word'))).to.equal(first)
  })

  it('hashes a password once, for as long as user and address are the same', async () => {
    const first = await ask(basic('ada:päss:word'))
    expect(await ask(basic('ada:päss:word'))).to.equal(first)
    expect(logins.asked).to.have.length(1)
    await ask(basic('ada:päss:word'), '192.0.2.9:5000')
    expect(logins.asked).to.have.length(2)
    logins.change({ ada: userNamed('ada') }, 'another')
    expect(await ask(basic('ada:päss:word'))).to.deep.equal(refused)
    logins.change({}, 'another')
    expect(await ask(basic('ada:another'))).to.deep.equal(refused)
  })

  it('counts a login that has succeeded once, and none that has failed or is judged once more', async () => {
    const counts = new LoginCounts()
    scheme = new BasicScheme({ logins, attempts, counts })
    for (const password of ['päss:word', 'päss:word', 'wrong']) await ask(basic(`ada:${password}`))
    const request = requestWith({ authorization: basic('joe:päss:word') })
    await scheme.authenticateAgain(request, protection)
    expect(counts.all).to.deep.equal([{ authmethod: 'basic', result: 'ok', count: 1 }])
  })

  it('counts which logins were remembered, and which had to be proved', async () => {
    for (const password of ['päss:word', 'päss:word', 'wrong']) await ask(basic(`ada:${password}`))
    expect(scheme.lookups).to.deep.equal({ hit: 1, miss: 2 })
    expect(scheme.entries).to.equal(1)
    logins.change({ ada: userNamed('ada') }, 'päss:word')
    await ask(basic('ada:päss:word'))
    expect(scheme.lookups).to.deep.equal({ hit: 1, miss: 3 })
  })

  describe('judged once more', () => {
    const again = (text: string) => {
      const request = requestWith({ authorization: basic(text) })
      return outcomeOf(() => scheme.authenticateAgain(request, protection))
    }

    it('hashes nothing for a password that was proved before, and passes with the roles of now', async () => {
      await ask(basic('ada:päss:word'))
      logins.change({ ada: userNamed('ada', ['buyers']) }, 'päss:word')
      expect(await again('ada:päss:word')).to.deep.include({ authroles: ['buyers'] })
      expect(logins.asked).to.have.length(1)
    })

    it('hashes nothing for a user who is gone or has another password, and counts no failure', async () => {
      await ask(basic('ada:päss:word'))
      logins.change({ ada: userNamed('ada') }, 'another')
      expect(await again('ada:päss:word')).to.deep.equal(refused)
      logins.change({}, 'another')
      expect(await again('ada:päss:word')).to.deep.equal(refused)
      expect(logins.asked).to.have.length(1)
      expect(attempts.failures).to.deep.equal([])
    })

    it('hashes a password that is not remembered, and counts no failure', async () => {
      expect(await again('ada:päss:word')).to.deep.include({ authid: 'ada' })
      expect(await again('joe:wrong')).to.deep.equal(refused)
      expect(logins.asked).to.have.length(2)
      expect(attempts.failures).to.deep.equal([])
    })
  })
})
