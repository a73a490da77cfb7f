/** Changes of realms after which users are no longer who they were: told once they hold, by the node that made them. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { UserName } from '#component/identity.ts'
import { isPassword } from '#component/realm/documents/password.ts'
import { realmsWith } from './doubles.ts'

const uri = 'com.example.test'
const key = (digit: string) => digit.repeat(64)

const document = {
  uri,
  users: [
    { username: 'ada', password: 'one', groups: ['a'] },
    { username: 'ben', authorized_keys: [key('a'), key('b')] },
  ],
  oauth2: {
    clients: [{ client_id: 'web', client_secret: 'two' }],
    resource_owners: [{ username: 'owner', password: 'three' }],
  },
}

/** Realms with the document in them, and the users that have ended since. */
async function opened() {
  const { realms, replica, store, logged } = await realmsWith()
  await realms.load(document)
  const ended: UserName[] = []
  realms.onUsersRevoked = (users) => void ended.push(...users)
  return { realms, replica, store, logged, ended }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (cause: unknown) => (cause instanceof ServiceError ? cause.uri : cause),
  )

describe('a load', () => {
  const [ada, ben] = document.users
  for (const [what, change, names] of [
    ['changes nothing', {}, []],
    ['gives other groups', { users: [{ ...ada, groups: ['b'] }, ben] }, []],
    ['gives another password', { users: [{ ...ada, password: 'new' }, ben] }, ['ada']],
    ['takes a password away', { users: [{ ...ada, password: null }, ben] }, ['ada']],
    ['names no password', { users: [{ username: 'ada' }, ben] }, []],
    ['disables a user', { users: [{ ...ada, enabled: false }, ben] }, ['ada']],
    [
      'disables a user whom it did not name',
      { users: [ada, ben, { username: 'eve', enabled: false }] },
      ['eve'],
    ],
    ['removes a user', { users: [ben] }, ['ada']],
    ['takes a key away', { users: [ada, { ...ben, authorized_keys: [key('a')] }] }, ['ben']],
    [
      'orders and writes keys otherwise',
      { users: [ada, { ...ben, authorized_keys: [key('B'), key('a')] }] },
      [],
    ],
    ['has no clients any more', { oauth2: {} }, ['web', 'owner']],
    [
      'gives a client another secret',
      { oauth2: { ...document.oauth2, clients: [{ client_id: 'web', client_secret: 'x' }] } },
      ['web'],
    ],
  ] as const) {
    it(`that ${what} ends ${names.join(' and ') || 'nobody'}`, async () => {
      const { realms, ended } = await opened()
      await realms.load({ ...document, ...change })
      expect(ended).to.deep.equal(names.map((authid) => ({ realm_uri: uri, authid })))
    })
  }

  it('that leaves a user disabled ends nobody', async () => {
    const { realms, ended } = await opened()
    const users = [...document.users, { username: 'eve', enabled: false }]
    await realms.load({ ...document, users })
    await realms.load({ ...document, users })
    expect(ended).to.deep.equal([{ realm_uri: uri, authid: 'eve' }])
  })

  it('is acknowledged when what they had has ended', async () => {
    const { realms } = await opened()
    let isEnded = false
    realms.onUsersRevoked = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      isEnded = true
    }
    await realms.load({ uri })
    expect(isEnded).to.equal(true)
  })

  it('is not acknowledged when what they had cannot be ended', async () => {
    const { realms, logged } = await opened()
    realms.onUsersRevoked = () => {
      throw new Error('the store is away')
    }
    expect(await codeOf(realms.load({ uri }))).to.equal('service.error.unavailable')
    expect(JSON.stringify(logged)).to.include('ada')
  })

  it('of another node ends nobody here: that node tells of it', async () => {
    const { realms, ended, replica, store } = await opened()
    const other = await realmsWith({}, store)
    await other.realms.load({ uri })
    await replica.refresh()
    expect(realms.realm(uri)?.users.size).to.equal(0)
    expect(ended).to.deep.equal([])
  })
})

describe('realms.remove', () => {
  it('takes the realm away, with its users', async () => {
    const { realms, ended } = await opened()
    expect(await realms.remove(uri, 'ada')).to.deep.equal({ uri, ts: 1_000 })
    expect(realms.realm(uri)).to.equal(undefined)
    expect(realms.list()).to.deep.equal([])
    expect(ended.map(({ authid }) => authid)).to.deep.equal(['ada', 'ben', 'web', 'owner'])
    expect(await codeOf(realms.remove(uri))).to.equal('service.error.not_found')
    const [again] = await realms.load(document)
    expect(again?.isNew).to.equal(true)
  })

  it('tells that the realm has changed, so that its sessions end', async () => {
    const { realms } = await opened()
    const changed: (readonly string[])[] = []
    realms.onChange = (uris) => void changed.push(uris)
    await realms.remove(uri)
    expect(changed).to.deep.equal([[uri]])
  })

  it('is refused while others inherit from it, and names them', async () => {
    const { realms, ended } = await opened()
    await realms.load([
      { uri: 'com.b', prototype_uri: uri },
      { uri: 'com.a', prototype_uri: uri },
    ])
    const failure = await realms.remove(uri).catch((cause: unknown) => cause)
    expect(failure).to.include({ uri: 'wamp.error.invalid_argument' })
    expect(String(failure)).to.include('com.b, com.a')
    expect(ended).to.deep.equal([])
    await realms.remove('com.a')
    await realms.remove('com.b')
    await realms.remove(uri)
    expect(realms.list()).to.deep.equal([])
  })
})

describe('realms.changePassword', () => {
  for (const username of ['ada', 'web', 'owner']) {
    it(`gives ${username} another one, and ends what the user had`, async () => {
      const { realms, ended } = await opened()
      const before = realms.get(uri)
      expect(await realms.changePassword(uri, username, 'new')).to.deep.equal({
        uri,
        username,
        ts: 1_000,
      })
      const stored = realms.realm(uri)?.users.get(username)?.password
      expect(await isPassword('new', stored)).to.equal(true)
      expect(realms.get(uri)).to.deep.equal(before)
      expect(ended).to.deep.equal([{ realm_uri: uri, authid: username }])
    })
  }

  it('gives one to a user who had none', async () => {
    const { realms } = await opened()
    await realms.changePassword(uri, 'ben', 'new')
    const ben = realms.realm(uri)?.users.get('ben')
    expect(await isPassword('new', ben?.password)).to.equal(true)
    expect(ben?.authorized_keys).to.have.length(2)
  })

  for (const [what, args, code] of [
    ['a realm that is not there', ['com.nowhere', 'ada', 'new'], 'service.error.not_found'],
    ['a user who is not there', [uri, 'nobody', 'new'], 'service.error.not_found'],
    ['an empty password', [uri, 'ada', ''], 'wamp.error.invalid_argument'],
  ] as [string, [string, string, string], string][]) {
    it(`refuses ${what}`, async () => {
      const { realms, ended } = await opened()
      expect(await codeOf(realms.changePassword(...args))).to.equal(code)
      expect(ended).to.deep.equal([])
    })
  }
})
