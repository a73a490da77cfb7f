/** Edits of a realm that set or delete one user; all else stays as it is. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { deletingUser, settingUser } from '#component/realm/documents/edits.ts'
import { document, opened, uri, variable } from './fixture.ts'

describe('setting a user', () => {
  it('adds one, and leaves the others as they are', async () => {
    const { realms, logIn, ended, shown } = await opened()
    const user = { username: 'new', password: 'p', groups: ['readers'] }
    const edited = await realms.edit(uri, settingUser(user))
    expect(edited).to.include({ uri, ts: 1_000, isNew: false, isNewPart: true })
    expect(edited.warnings).to.deep.equal([])
    expect(shown().users.map(({ username }) => username)).to.deep.equal([
      ...['ada', variable('OPS'), 'device', 'new'],
    ])
    for (const [name, password] of [
      ['new', 'p'],
      ['ada', 'lovelace'],
      ['ops', 'of ops'],
      ['app', 's3cret'],
    ] as const) {
      expect(await logIn(name, password), name).to.equal(true)
    }
    expect(ended).to.deep.equal([])
  })

  it('changes the keys that are given, and ends what was given before to that user only', async () => {
    const { realms, replica, logIn, ended, shown } = await opened()
    await realms.edit(uri, settingUser({ username: 'ada', password: 'anders', meta: { a: 1 } }))
    expect(await logIn('ada', 'lovelace')).to.equal(false)
    expect(await logIn('ada', 'anders')).to.equal(true)
    expect(shown().users[0]).to.deep.equal({
      ...{ username: 'ada', groups: ['readers'], meta: { a: 1 } },
    })
    expect(JSON.stringify(replica.get('realm', uri)?.document)).to.contain('"pin":"x"')
    expect(ended).to.deep.equal(['ada'])
  })

  it('ends nothing when neither password nor keys change', async () => {
    const { realms, ended, logIn } = await opened()
    for (const change of [{ groups: [] }, { password: 'lovelace' }, { password: '[masked]' }, {}]) {
      await realms.edit(uri, settingUser({ username: 'ada', ...change }))
    }
    expect(await logIn('ada', 'lovelace')).to.equal(true)
    expect(ended).to.deep.equal([])
  })

  it('removes the keys that are null', async () => {
    const { realms, ended, logIn, shown, replica } = await opened()
    const removed = { password: null, groups: null, meta: null, pin: null, description: null }
    await realms.edit(uri, settingUser({ username: 'ada', ...removed }))
    expect(shown().users[0]).to.deep.equal({ username: 'ada' })
    expect(JSON.stringify(replica.get('realm', uri)?.document)).to.not.contain('"pin"')
    expect(await logIn('ada', 'lovelace')).to.equal(false)
    expect(ended).to.deep.equal(['ada'])
  })

  it('finds a user by the name that the environment fills in, and clients by theirs', async () => {
    const { realms, logIn, shown } = await opened()
    await realms.edit(uri, settingUser({ username: 'ops', password: 'one' }))
    await realms.edit(uri, settingUser({ username: 'app', password: 'two' }))
    expect(await logIn('ops', 'one')).to.equal(true)
    expect(await logIn('app', 'two')).to.equal(true)
    expect(shown().users).to.have.length(3)
    expect(shown().users[1]).to.deep.equal({ username: variable('OPS') })
    expect(shown().oauth2.clients).to.deep.equal([{ client_id: 'app' }])
  })

  it('disables and enables a user', async () => {
    const { realms, ended, logIn } = await opened()
    await realms.edit(uri, settingUser({ username: 'ada', enabled: false }))
    expect(await logIn('ada', 'lovelace')).to.equal(false)
    expect(ended).to.deep.equal(['ada'])
    await realms.edit(uri, settingUser({ username: 'ada', enabled: true }))
    expect(await logIn('ada', 'lovelace')).to.equal(true)
  })

  for (const [what, groups, message] of [
    ['that a source names', [], undefined],
    ['that no source names', [], /^no source admits the user: name/],
    [
      'that no source for oauth2 names',
      ['resource_owners'],
      /^no source admits the user by oauth2/,
    ],
  ] as const) {
    it(`warns of sources for one ${what}: ${message !== undefined}`, async () => {
      const named = what === 'that no source names' ? 'ada' : 'new'
      const sources = [
        { usernames: [named], authmethod: 'password', cidr: '0.0.0.0/0' },
        { usernames: ['ada'], authmethod: 'oauth2', cidr: '0.0.0.0/0' },
      ]
      const { realms } = await opened({ ...document, sources })
      const user = { username: 'new', password: 'p', groups: [...groups] }
      const { warnings } = await realms.edit(uri, settingUser(user))
      expect(warnings.map(({ path }) => path)).to.deep.equal(message ? ['/sources'] : [])
      expect(warnings[0]?.message ?? '').to.match(message ?? /^$/)
      const disabled = await realms.edit(uri, settingUser({ username: 'new', enabled: false }))
      expect(disabled.warnings).to.deep.equal([])
    })
  }

  it('tells issues and warnings by pointers into the user', async () => {
    const { realms, refusal, shown } = await opened()
    const before = shown()
    const wrong = { username: 'new', password: '', authorized_keys: ['x'], groups: 5 }
    const refused = (await refusal(settingUser(wrong))) as InvalidSpecError
    expect(refused.issues.map(({ path }) => path)).to.have.members([
      ...['/password', '/authorized_keys/0', '/groups'],
    ])
    const masked = await refusal(settingUser({ username: 'new', password: '[masked]' }))
    expect((masked as InvalidSpecError).issues).to.deep.equal([
      {
        path: '/password',
        message: '[masked] stands for the stored secret, and there is none here',
      },
    ])
    expect(shown()).to.deep.equal(before)
    const { warnings } = await realms.edit(uri, settingUser({ username: 'new', passwrod: 'x' }))
    expect(warnings.map(({ path }) => path)).to.deep.equal(['/passwrod'])
  })

  for (const [what, user] of [
    ['no name', { password: 'x' }],
    ['an empty name', { username: '' }],
    ['a name that is no text', { username: 5 }],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { refusal } = await opened()
      expect(await refusal(settingUser(user))).to.include({
        ...{ uri: 'wamp.error.invalid_argument', message: 'user: expected a username' },
      })
    })
  }

  it('says that a first user closes a realm that was open to anybody', async () => {
    const { realms } = await opened({ uri })
    const { warnings } = await realms.edit(uri, settingUser({ username: 'ada', password: 'p' }))
    expect(warnings.map(({ path }) => path)).to.deep.equal(['/authmethods'])
    expect(realms.realm(uri)?.authmethods).to.not.include('anonymous')
  })

  it('needs a realm', async () => {
    const { realms } = await opened()
    const cause: unknown = await realms
      .edit('com.nowhere', settingUser({ username: 'a' }))
      .catch((error: unknown) => error)
    expect(cause).to.include({ uri: 'service.error.not_found' })
  })
})

describe('deleting a user', () => {
  it('takes the user and all that the user was given', async () => {
    const { realms, ended, shown, logIn } = await opened()
    for (const name of ['ada', 'ops', 'app']) await realms.edit(uri, deletingUser(name))
    expect(shown()).to.deep.include({ users: [document.users[2]], oauth2: { clients: [] } })
    expect(ended).to.deep.equal(['ada', 'ops', 'app'])
    expect(await logIn('ada', 'lovelace')).to.equal(false)
  })

  it('finds no user of another name', async () => {
    const { refusal } = await opened()
    const unknown = await refusal(deletingUser('eve'))
    expect(unknown.uri).to.equal('service.error.not_found')
  })

  it('is refused where the realm would be open to anybody without its last user', async () => {
    const users = [{ username: 'ada', password: 'p' }]
    const { refusal, shown, realms } = await opened({ uri, users })
    for (const edit of [deletingUser('ada'), settingUser({ username: 'ada', enabled: false })]) {
      const { uri: code, message } = await refusal(edit)
      expect(code).to.equal('wamp.error.invalid_argument')
      expect(message).to.contain('give the realm authmethods first')
    }
    await realms.load({ ...shown(), authmethods: ['password'] })
    await realms.edit(uri, deletingUser('ada'))
    expect(realms.realm(uri)?.authmethods).to.deep.equal(['password'])
  })
})
