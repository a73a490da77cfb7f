/** Loads keep the secrets that they do not name: what `get_realm` gave changes nothing, `null` removes, a new user has none. */
import { expect } from 'chai'
import { Logins } from '#component/realm/logins.ts'
import { policyOver, realmsWith } from '#test/unit/realm/doubles.ts'
import { join } from '#test/unit/realm/joining.ts'

const uri = 'com.example.realm'
const key = 'ab'.repeat(32)
const variable = (name: string) => `$${'{'}${name}}`

const document = {
  uri,
  authmethods: ['wampcra', 'password', 'cryptosign'],
  private_keys: [{ kid: 'k', d: 'kept' }],
  users: [
    { username: 'ada', password: 'lovelace', groups: ['staff'], meta: { api_token: 'of meta' } },
    { username: variable('OPS'), password: variable('OPS_PASSWORD'), pin: 'an unknown key' },
    { username: 'device', authorized_keys: [key] },
  ],
  oauth2: {
    clients: [{ client_id: 'app', client_secret: 's3cret' }],
    resource_owners: [{ username: 'ben', password: 'geheim' }],
    other: { x: 1 },
  },
  info: {
    oidc_providers: {
      main: {
        ...{ issuer: 'https://id.example.com', client_id: 'shop', client_secret: 'sssh' },
        token_endpoint: 'https://id.example.com/token',
      },
    },
    list: [
      { host: 'a', password: 'of a' },
      { host: 'b', password: 'of b' },
    ],
  },
}
const environment = { OPS: 'ops', OPS_PASSWORD: 'of ops' }
const passwords = { ada: 'lovelace', ops: 'of ops', app: 's3cret', ben: 'geheim' }

type Opened = Awaited<ReturnType<typeof realmsWith>>

describe('a load of a realm document', () => {
  let opened: Opened
  let ended: unknown[]
  const stored = () => opened.replica.get('realm', uri)?.document
  const get = () => structuredClone(opened.realms.get(uri)) as Record<string, never>
  const logIn = async (username: string, password: string) => {
    const login = await new Logins(opened).password(uri, username, password, '192.0.2.1')
    return login !== undefined
  }
  const cra = async (authid: string, secret: string) => {
    const policy = policyOver(opened.realms)
    const welcome = await join(policy, uri, { authmethod: 'wampcra', authid, secret })
    return typeof welcome !== 'string'
  }

  beforeEach(async () => {
    ended = []
    opened = await realmsWith(environment)
    await opened.realms.load(document)
    opened.realms.onUsersRevoked = (names) => void ended.push(...names)
  })

  it('changes nothing when it is what get_realm gave, however often', async () => {
    const before = structuredClone(stored())
    for (let turn = 0; turn < 100; turn += 1) await opened.realms.load(get())
    expect(stored()).to.deep.equal(before)
    for (const [name, password] of Object.entries(passwords)) {
      expect(await logIn(name, password), name).to.equal(true)
      expect(await cra(name, password), name).to.equal(true)
    }
    const { info } = opened.realms.realm(uri) ?? {}
    const { main } = (info as unknown as typeof document.info).oidc_providers
    expect(await opened.realms.openSecret(uri, main.client_secret)).to.equal('sssh')
    expect(ended).to.deep.equal([])
  })

  it('adds a user to what get_realm gave, and the others stay who they are', async () => {
    const shown = get() as unknown as { users: object[] }
    shown.users.unshift({ username: 'new', password: 'anders' }, { username: 'none' })
    await opened.realms.load(shown)
    expect(await logIn('new', 'anders')).to.equal(true)
    for (const [name, password] of Object.entries(passwords)) {
      expect(await logIn(name, password), name).to.equal(true)
    }
    for (const password of ['', 'lovelace']) {
      expect(await logIn('none', password)).to.equal(false)
    }
    expect(opened.realms.realm(uri)?.users.get('device')?.authorized_keys).to.deep.equal([key])
    expect(ended).to.deep.equal([])
  })

  it('takes another password, and leaves the other ones', async () => {
    const users = [{ username: 'ada', password: 'anders' }, { username: 'ops' }]
    await opened.realms.load({ ...get(), users })
    expect(await logIn('ada', 'lovelace')).to.equal(false)
    expect(await logIn('ada', 'anders')).to.equal(true)
    expect(await logIn('ops', 'of ops')).to.equal(true)
    expect(ended).to.deep.equal(['ada', 'device'].map((authid) => ({ realm_uri: uri, authid })))
  })

  it('gives a user of another name no secret of the one before', async () => {
    await opened.realms.load({ ...get(), users: [{ username: 'eve' }] })
    expect(opened.realms.realm(uri)?.users.get('eve')?.password).to.equal(undefined)
    expect(JSON.stringify(stored())).to.not.contain('of meta')
  })

  it('removes a secret that is null, and that of nobody else', async () => {
    const shown = get() as unknown as typeof document
    await opened.realms.load({
      ...shown,
      private_keys: null,
      users: shown.users.map((user) => ({
        ...user,
        ...(user.username === 'ada' && { password: null, meta: { api_token: null } }),
      })),
      oauth2: { clients: [{ client_id: 'app', client_secret: null }], resource_owners: [] },
      info: { oidc_providers: { main: { issuer: 'https://x', client_secret: null } }, list: [] },
    })
    const text = JSON.stringify(stored())
    for (const gone of ['private_keys', 'client_secret', 'api_token', 'null']) {
      expect(text).to.not.contain(gone)
    }
    expect(await logIn('ada', 'lovelace')).to.equal(false)
    expect(await logIn('app', 's3cret')).to.equal(false)
    expect(await logIn('ops', 'of ops')).to.equal(true)
  })

  it('lets nobody in whose password is null from the beginning', async () => {
    await opened.realms.load({ ...get(), users: [{ username: 'kim', password: null }] })
    expect(opened.realms.realm(uri)?.users.get('kim')?.password).to.equal(undefined)
    expect(JSON.stringify(stored())).to.not.contain('null')
  })

  it('keeps what is hidden in a list with the item that it was in', async () => {
    const shown = get() as unknown as typeof document
    shown.info.list.reverse()
    await opened.realms.load(shown)
    const { info } = opened.realms.realm(uri) ?? {}
    const { list } = info as unknown as typeof document.info
    const open = ({ password }: { password: string }) => opened.realms.openSecret(uri, password)
    expect(list.map(({ host }) => host)).to.deep.equal(['b', 'a'])
    expect(await Promise.all(list.map(open))).to.deep.equal(['of b', 'of a'])
  })

  it('writes no version when it is what get_realm gave', async () => {
    const { hash } = opened.replica.get('realm', uri) ?? {}
    const [loaded] = await opened.realms.load(get())
    expect(loaded).to.include({ ts: 1_000, hash, isNew: false })
    expect(await opened.realms.history.list(uri)).to.have.length(1)
  })

  /** The document with masks wherever it has secrets. */
  const masked = () => {
    const copy = structuredClone(document)
    const { main } = copy.info.oidc_providers
    const users = copy.users as { password?: string }[]
    for (const user of users) if ('password' in user) user.password = '[masked]'
    for (const one of copy.oauth2.clients) one.client_secret = '[masked]'
    for (const one of copy.oauth2.resource_owners) one.password = '[masked]'
    for (const one of copy.info.list) one.password = '[masked]'
    main.client_secret = '[masked]'
    return { ...copy, private_keys: '[masked]' }
  }
  const issuesOf = async (loaded: unknown) => {
    const refusal = await opened.realms.load(loaded).catch((cause: unknown) => cause)
    return (refusal as { readonly issues: readonly object[] }).issues
  }

  it('changes nothing where a mask stands for a secret', async () => {
    const before = structuredClone(stored())
    const loaded = masked()
    ;(loaded.users as { pin?: string }[]).forEach((user) => {
      if ('pin' in user) user.pin = '[masked]'
    })
    Object.assign(loaded.users[0] as object, { meta: { api_token: '[masked]' } })
    await opened.realms.load(loaded)
    expect(stored()).to.deep.equal(before)
    expect(ended).to.deep.equal([])
  })

  it('is refused where a mask stands for nothing, and changes nothing', async () => {
    const message = '[masked] stands for the stored secret, and there is none here'
    const renamed = masked()
    Object.assign(renamed.users[0] as object, { username: 'eve' })
    Object.assign(renamed.info.list[1] as object, { host: 'another' })
    const added = { username: 'new', password: '[masked]' }
    const before = structuredClone(stored())
    for (const [loaded, paths] of [
      [renamed, ['/users/0/password', '/info/list/1/password']],
      [{ ...get(), users: [{ username: 'device', password: '[masked]' }] }, ['/users/0/password']],
      [{ ...get(), private_keys: [{ kid: 'k', d: '[masked]' }] }, ['/private_keys/0/d']],
      [{ ...get(), private_keys: ['[masked]'] }, ['/private_keys/0']],
      [[get(), { uri: 'com.other', users: [added] }], ['/1/users/0/password']],
    ] as const) {
      expect(await issuesOf(loaded)).to.deep.equal(paths.map((path) => ({ path, message })))
    }
    expect(stored()).to.deep.equal(before)
  })

  it('takes the text of a mask for what it is where nothing is hidden', async () => {
    await opened.realms.load({ ...get(), description: '[masked]' } as object)
    expect(get()).to.include({ description: '[masked]' })
  })

  it('has no mask for a password that is changed', async () => {
    const refusal = await opened.realms
      .changePassword(uri, 'ada', '[masked]')
      .catch((cause: unknown) => cause)
    expect(refusal).to.include({ uri: 'wamp.error.invalid_argument' })
    expect(await logIn('ada', 'lovelace')).to.equal(true)
  })
})
