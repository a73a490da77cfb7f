/** Logins over HTTP: by password, from where sources admit, and what is known of a user without one. */
import { expect } from 'chai'
import { Logins } from '#component/realm/logins.ts'
import { realmsWith, securityConfig } from './doubles.ts'

const source = (usernames: string | string[], authmethod: string, cidr = '10.0.0.0/8') => ({
  usernames,
  authmethod,
  cidr,
})

const document = {
  uri: 'com.example.test',
  authmethods: ['wampcra', 'oauth2'],
  users: [
    { username: 'ada', password: 'geheim', groups: ['admin', 'gateway'] },
    { username: 'ben', password: 'geheim' },
    { username: 'cleo', authorized_keys: ['0'.repeat(64)] },
    { username: 'dan', password: 'geheim', enabled: false },
    { username: 'eve', password: 'geheim' },
  ],
  sources: [
    source('all', 'wampcra'),
    source(['eve'], 'password'),
    source(['ada', 'cleo', 'dan', 'eve', 'nobody'], 'oauth2', '10.1.0.0/16'),
  ],
}

async function loginsOf(documents: unknown = document) {
  const { realms } = await realmsWith()
  await realms.load(documents)
  return new Logins({ realms })
}

describe('a login by password', () => {
  let logins: Logins
  before(async () => {
    logins = await loginsOf()
  })

  const login = (...args: [string, string, string, 'oauth2'?]) =>
    logins.password('com.example.test', ...args)

  it('gives the user, and the groups as roles, never that of the gateway', async () => {
    const found = await login('ada', 'geheim', '10.9.9.9')
    expect(found?.user.username).to.equal('ada')
    expect(found?.roles).to.deep.equal(['admin'])
    expect((await login('ben', 'geheim', '10.9.9.9'))?.roles).to.deep.equal(['ben'])
  })

  for (const [what, args] of [
    ['another password', ['ada', 'Geheim', '10.1.1.1']],
    ['no password', ['ada', '', '10.1.1.1']],
    ['somebody who is not there', ['nobody', 'geheim', '10.1.1.1']],
    ['somebody who has no password', ['cleo', '', '10.1.1.1']],
    ['somebody who is disabled', ['dan', 'geheim', '10.1.1.1']],
    ['an address that no source admits', ['ada', 'geheim', '11.1.1.1']],
    ['an address that no source admits for oauth2', ['ada', 'geheim', '10.9.9.9', 'oauth2']],
    ['a user whom no source admits for oauth2', ['ben', 'geheim', '10.1.1.1', 'oauth2']],
    ['a name of the language', ['__proto__', 'geheim', '10.1.1.1']],
  ] as [string, Parameters<typeof login>][]) {
    it(`is refused to ${what}`, async () => {
      expect(await login(...args)).to.equal(undefined)
    })
  }

  it('needs, for oauth2, a source for it beside one for a base method', async () => {
    expect(await login('ada', 'geheim', '10.1.1.1', 'oauth2')).to.not.equal(undefined)
  })

  for (const [cidr, address, isAdmitted] of [
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', true],
    ['0.0.0.0/0', 'fe80::1%eth0', true],
    ['0.0.0.0/0', 'nonsense', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '203.0.113.1', false],
  ] as const) {
    it(`is ${isAdmitted ? '' : 'not '}admitted from ${address} by a source of ${cidr}`, async () => {
      const { uri } = document
      const users = document.users.slice(0, 1)
      const sources = [source('all', 'password', cidr)]
      const one = await loginsOf({ uri, users, sources, authmethods: ['password'] })
      const found = await one.password(uri, 'ada', 'geheim', address)
      expect(found !== undefined).to.equal(isAdmitted)
    })
  }

  it('needs a base method that the realm itself serves', async () => {
    const { uri, users } = document
    const sources = [source('all', 'password'), source('all', 'oauth2')]
    const only = await loginsOf({ uri, users, sources, authmethods: ['oauth2', 'ticket'] })
    expect(await only.password(uri, 'ada', 'geheim', '10.1.1.1')).to.equal(undefined)
    const both = await loginsOf({ uri, users, sources, authmethods: ['password'] })
    expect(await both.password(uri, 'ada', 'geheim', '10.1.1.1')).to.not.equal(undefined)
    expect(await both.password(uri, 'ada', 'geheim', '10.1.1.1', 'oauth2')).to.equal(undefined)
  })

  it('is refused by realms that are not there, or only to be inherited from', async () => {
    const heir = { uri: 'com.example.heir', prototype_uri: document.uri }
    const inherited = await loginsOf([document, heir])
    for (const uri of [document.uri, heir.uri, 'com.nowhere']) {
      expect(await inherited.password(uri, 'ada', 'geheim', '10.1.1.1')).to.equal(undefined)
      expect(inherited.user(uri, 'ada')).to.equal(undefined)
    }
  })

  it('is one for the users of old files', async () => {
    const old = await loginsOf(securityConfig)
    const found = await old.password('com.example.test', 'webapp', 'secret', '1.2.3.4', 'oauth2')
    expect(found?.roles).to.deep.equal(['admin', 'api_clients'])
  })
})

describe('a login whose user changes while the password is hashed', () => {
  const [ada] = document.users
  const others = document.users.slice(1)

  for (const [what, users, isLetIn] of [
    ['has another password', [{ ...ada, password: 'neu' }, ...others], false],
    ['is disabled', [{ ...ada, enabled: false }, ...others], false],
    ['is gone', others, false],
    ['has other groups', [{ ...ada, groups: ['guests'] }, ...others], true],
  ] as const) {
    it(`is ${isLetIn ? 'as the user is by then' : 'refused'} when it ${what}`, async () => {
      const { realms } = await realmsWith()
      await realms.load(document)
      let realm = realms.realm(document.uri)
      const logins = new Logins({ realms: { realm: () => realm } })
      await realms.load({ ...document, users })
      // the hash is begun with the realm of before, and ends with that of now
      const asked = logins.password(document.uri, 'ada', 'geheim', '10.1.1.1')
      realm = realms.realm(document.uri)
      expect((await asked)?.roles).to.deep.equal(isLetIn ? ['guests'] : undefined)
    })
  }
})

describe('a login of before', () => {
  const [ada] = document.users
  const others = document.users.slice(1)

  for (const [what, changed, isLetIn] of [
    ['has other groups', { users: [{ ...ada, groups: ['guests'] }, ...others] }, true],
    ['has other keys', { users: [{ ...ada, authorized_keys: ['1'.repeat(64)] }, ...others] }, true],
    ['has another password', { users: [{ ...ada, password: 'neu' }, ...others] }, false],
    ['is disabled', { users: [{ ...ada, enabled: false }, ...others] }, false],
    ['is gone', { users: others }, false],
    ['may not come from there', { sources: [source('all', 'wampcra', '11.0.0.0/8')] }, false],
    ['has no base method', { authmethods: ['oauth2'] }, false],
  ] as const) {
    it(`is ${isLetIn ? 'good for the user as it is now' : 'over'} when the user ${what}`, async () => {
      const { realms } = await realmsWith()
      await realms.load(document)
      const logins = new Logins({ realms })
      const login = await logins.password(document.uri, 'ada', 'geheim', '10.1.1.1')
      if (!login) throw new Error('expected a login')
      await realms.load({ ...document, ...changed })
      const now = logins.again(document.uri, login.user, '10.1.1.1')
      expect(now?.user).to.equal(isLetIn ? logins.user(document.uri, 'ada')?.user : undefined)
    })
  }

  it('is nothing for a user who never had a password', async () => {
    const logins = await loginsOf()
    const login = logins.user(document.uri, 'cleo')
    if (!login) throw new Error('expected a user')
    expect(logins.again(document.uri, login.user, '10.1.1.1')).to.equal(undefined)
  })
})

describe('a user without a proof', () => {
  it('is known while enabled', async () => {
    const logins = await loginsOf()
    expect(logins.user('com.example.test', 'ada')?.roles).to.deep.equal(['admin'])
    expect(logins.user('com.example.test', 'dan')).to.equal(undefined)
    expect(logins.user('com.example.test', 'nobody')).to.equal(undefined)
  })

  it('may use the methods that the realm serves and sources admit', async () => {
    const logins = await loginsOf()
    const mayUse = (...args: [string, string, string]) => logins.mayUse('com.example.test', ...args)
    expect(mayUse('wampcra', 'ben', '10.9.9.9')).to.equal(true)
    expect(mayUse('wampcra', 'ben', '11.9.9.9')).to.equal(false)
    expect(mayUse('password', 'eve', '10.9.9.9')).to.equal(false)
    expect(mayUse('oauth2', 'ben', '10.1.1.1')).to.equal(false)
  })
})
