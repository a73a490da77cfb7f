/** The history of a realm: its versions, what changed between two, and the way back; secrets included, and never shown. */
import { expect } from 'chai'
import { deletingUser, settingUser } from '#component/realm/documents/edits.ts'
import { Logins } from '#component/realm/logins.ts'
import { realmsWith } from './doubles.ts'

const uri = 'com.example.realm'
const provider = { issuer: 'https://id.example.com', client_id: 'shop', client_secret: 'sssh' }
const document = {
  uri,
  authmethods: ['password', 'wampcra'],
  users: [
    { username: 'ada', password: 'lovelace', groups: ['staff'] },
    { username: 'ben', password: 'geheim' },
    { username: 'key', authorized_keys: ['ab'.repeat(32)] },
  ],
  info: { oidc_providers: { main: provider } },
}

async function opened() {
  const found = await realmsWith()
  const { realms } = found
  await realms.load(document)
  const first = realms.hashOf(uri)
  const ended: string[] = []
  realms.onUsersRevoked = (users) => void ended.push(...users.map(({ authid }) => authid))
  const logIn = async (username: string, password: string) =>
    (await new Logins(found).password(uri, username, password, '192.0.2.1')) !== undefined
  const failure = (reading: Promise<unknown>) =>
    reading.then(
      () => undefined,
      (cause: { readonly uri: string }) => cause.uri,
    )
  return { ...found, first, ended, logIn, failure }
}

describe('the versions of a realm', () => {
  it('are listed newest first, deletions among them', async () => {
    const { realms, first } = await opened()
    await realms.changePassword(uri, 'ada', 'anders', 'ada')
    const second = realms.hashOf(uri)
    await realms.remove(uri, 'grace')
    const rows = (await realms.history.list(uri)).map(({ hash, by, is_current, is_deleted }) => [
      hash,
      by,
      is_current,
      is_deleted,
    ])
    expect(rows).to.deep.equal([
      [null, 'grace', true, true],
      [second, 'ada', false, false],
      [first, 'the gateway', false, false],
    ])
  })

  it('are shown without secrets', async () => {
    const { realms, first } = await opened()
    const shown = realms.get(uri)
    await realms.load({ uri, users: [] })
    expect(await realms.history.get(uri, first.slice(0, 6))).to.deep.equal({
      document: shown,
      hash: first,
    })
  })

  it('are not there for a realm that never was, nor for a hash that is none', async () => {
    const { realms, first, failure } = await opened()
    for (const reading of [
      realms.history.list('com.nowhere'),
      realms.history.get(uri, 'x'),
      realms.history.get('com.nowhere', first),
      realms.history.differences(uri, first, 'x'),
      realms.rollback(uri, 'x'),
    ]) {
      expect(await failure(reading)).to.equal('service.error.not_found')
    }
  })

  it('are compared: users by name wherever they stand, secrets as changed only', async () => {
    const { realms, first } = await opened()
    const [ada, ben] = document.users
    const users = [{ username: 'new', password: 'p' }, { ...ben, password: 'neu' }, ada]
    const changed = { ...provider, client_secret: 'other', client_id: 'store' }
    await realms.load({ ...document, users, info: { oidc_providers: { main: changed } } })
    const masked = { from: '[masked]', to: '[masked]' }
    const providers = '/info/oidc_providers/main'
    const expected = [
      { path: '/users/0', kind: 'added', to: { username: 'new', password: '[masked]' } },
      { path: '/users/1/password', kind: 'changed', ...masked },
      { path: '/users/2', kind: 'removed', from: document.users[2] },
      { path: `${providers}/client_id`, kind: 'changed', from: 'shop', to: 'store' },
      { path: `${providers}/client_secret`, kind: 'changed', ...masked },
    ]
    const found = await realms.history.differences(uri, first)
    expect(found).to.have.deep.members(expected)
    expect(await realms.history.differences(uri, first, realms.hashOf(uri))).to.deep.equal(found)
    expect(await realms.history.differences(uri, first, first)).to.deep.equal([])
    expect(JSON.stringify(found)).to.not.match(/argon2|sealed|sssh/)
  })
})

describe('the rollback of a realm', () => {
  it('brings back the whole document, its secrets included, and ends what was given since', async () => {
    const { realms, first, ended, logIn, replica } = await opened()
    const before = structuredClone(replica.get('realm', uri)?.document)
    await realms.changePassword(uri, 'ada', 'anders')
    await realms.edit(uri, settingUser({ username: 'new', password: 'p' }))
    await realms.load({ ...(realms.get(uri) as object), info: {} })
    ended.length = 0
    const loaded = await realms.rollback(uri, first, { by: 'somebody' })
    expect(loaded).to.deep.include({ uri, hash: first, isNew: false })
    expect(loaded.warnings).to.deep.equal([
      {
        path: '/users/0',
        message:
          'ada: the password and keys of that version hold again; what the user was given has ended',
      },
      {
        path: '',
        message:
          'new: that version does not have the user, or not enabled; what the user was given has ended',
      },
    ])
    expect(replica.get('realm', uri)?.document).to.deep.equal(before)
    expect(ended).to.have.members(['ada', 'new'])
    expect(await logIn('ada', 'anders')).to.equal(false)
    expect(await logIn('ada', 'lovelace')).to.equal(true)
    const { info } = realms.realm(uri) ?? {}
    const { client_secret } = (info as typeof document.info).oidc_providers.main
    expect(await realms.openSecret(uri, client_secret)).to.equal('sssh')
  })

  it('names the users who are back', async () => {
    const { realms, first } = await opened()
    await realms.edit(uri, deletingUser('ada'))
    const { warnings } = await realms.rollback(uri, first)
    const message = 'ada: the user is back, with the password and keys of that version'
    expect(warnings).to.deep.equal([{ path: '/users/0', message }])
  })

  it('changes nothing when the version is the current one', async () => {
    const { realms, first, ended } = await opened()
    expect(await realms.rollback(uri, first)).to.deep.include({ hash: first, warnings: [] })
    expect(await realms.history.list(uri)).to.have.length(1)
    expect(ended).to.deep.equal([])
  })

  it('brings back a deleted realm', async () => {
    const { realms, first, logIn } = await opened()
    await realms.remove(uri)
    expect(await realms.rollback(uri, first)).to.include({ isNew: true })
    expect(await logIn('ada', 'lovelace')).to.equal(true)
  })

  it('is judged as a load: a prototype that is gone is an issue', async () => {
    const { realms } = await opened()
    await realms.load([{ uri: 'base' }, { uri: 'heir', prototype_uri: 'base' }])
    const hash = realms.hashOf('heir')
    await realms.load({ uri: 'heir' })
    await realms.remove('base')
    const cause: unknown = await realms.rollback('heir', hash).catch((error: unknown) => error)
    expect(cause).to.have.nested.property('issues[0].path', '/prototype_uri')
  })

  it('is refused when a condition does not hold', async () => {
    const { realms, first, failure } = await opened()
    await realms.changePassword(uri, 'ada', 'anders')
    const rollback = realms.rollback(uri, first, { conditions: { ifMatch: [first] } })
    expect(await failure(rollback)).to.equal('service.error.conflict')
  })
})
