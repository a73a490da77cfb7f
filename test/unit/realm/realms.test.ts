/** Realm documents: loaded as they are, judged with pointers, shown without secrets. */
import { expect } from 'chai'
import { InvalidSpecError } from '#component/errors.ts'
import { hashOf } from '#component/replica/entry.ts'
import { realmsWith, securityConfig } from './doubles.ts'

async function issuesOf(document: unknown, environment = {}) {
  try {
    const { realms } = await realmsWith(environment)
    await realms.load(document)
    return []
  } catch (cause) {
    if (!(cause instanceof InvalidSpecError)) throw cause
    return cause.issues.map(({ path }) => path)
  }
}

const realm = (more: object) => ({ uri: 'com.example.test', ...more })

/** `${name}`, which linters take for a template. */
const variable = (name: string) => `$${'{'}${name}}`

describe('realms.load', () => {
  it('takes a real security configuration file unchanged', async () => {
    const { realms } = await realmsWith()
    const loaded = await realms.load(securityConfig)
    expect(loaded.map(({ uri }) => uri)).to.deep.equal(securityConfig.map(({ uri }) => uri))
    expect(loaded.every(({ isNew }) => isNew)).to.equal(true)
    expect(realms.list()).to.have.length(securityConfig.length)
  })

  it('warns of methods that are not served, of keys that are not used, and of unknown ones', async () => {
    const { realms } = await realmsWith()
    const [, test] = await realms.load(securityConfig)
    expect(test?.warnings.map(({ path }) => path)).to.include.members([
      '/1/authmethods/5',
      '/1/private_keys',
      '/1/users/4/comment',
    ])
    const [{ warnings } = { warnings: [] }] = await realms.load(
      realm({ authmethods: ['wampcar'], grant: [], sso_realm_uri: 'x' }),
    )
    expect(warnings).to.deep.equal([
      {
        path: '/authmethods/0',
        message: 'this authentication method is not supported; did you mean wampcra?',
      },
      { path: '/sso_realm_uri', message: 'this key is stored but not used' },
      {
        path: '/grant',
        message: 'the key "grant" is unknown and is ignored; did you mean grants?',
      },
    ])
  })

  it('takes one document, and says whether it is new', async () => {
    const { realms } = await realmsWith()
    const hash = hashOf(realm({}))
    const expected = { uri: 'com.example.test', ts: 1_000, hash, warnings: [] }
    expect(await realms.load(realm({}))).to.deep.equal([{ ...expected, isNew: true }])
    expect(await realms.load(realm({}))).to.deep.equal([{ ...expected, isNew: false }])
  })

  for (const [what, document, paths] of [
    ['a string', 'x', ['']],
    ['a realm without a URI', {}, ['/uri']],
    ['a malformed URI', { uri: 'a b' }, ['/uri']],
    [
      'wrong types',
      realm({ description: 1, authmethods: 'x', users: {}, security_enabled: 'no' }),
      ['/description', '/authmethods', '/users', '/security_enabled'],
    ],
    ['a user without a name', realm({ users: [{ password: 'x' }] }), ['/users/0/username']],
    [
      'an empty password',
      realm({ users: [{ username: 'a', password: '' }] }),
      ['/users/0/password'],
    ],
    [
      'a protected password',
      realm({ users: [{ username: 'a', password: {} }] }),
      ['/users/0/password'],
    ],
    [
      'a broken key',
      realm({ users: [{ username: 'a', authorized_keys: ['xyz'] }] }),
      ['/users/0/authorized_keys/0'],
    ],
    [
      'one user twice',
      realm({ users: [{ username: 'a' }], oauth2: { clients: [{ client_id: 'a' }] } }),
      ['/oauth2/clients/0/client_id'],
    ],
    [
      'a source from nowhere',
      realm({ sources: [{ usernames: 'all', authmethod: 'ticket', cidr: '1.2.3.4/33' }] }),
      ['/sources/0/cidr'],
    ],
    [
      'an incomplete source',
      realm({ sources: [{}] }),
      ['/sources/0/usernames', '/sources/0/authmethod', '/sources/0/cidr'],
    ],
    [
      'a grant of nothing',
      realm({ grants: [{ roles: 'all', permissions: ['wamp.call'] }] }),
      ['/grants/0'],
    ],
    [
      'an unknown match',
      realm({ grants: [{ roles: 'all', permissions: [], uri: 'a', match: 'regex' }] }),
      ['/grants/0/match'],
    ],
    ['a prototype that is not there', realm({ prototype_uri: 'com.nowhere' }), ['/prototype_uri']],
    ['its own prototype', realm({ prototype_uri: 'com.example.test' }), ['/prototype_uri']],
    [
      'prototypes in a circle',
      [
        { uri: 'a', prototype_uri: 'b' },
        { uri: 'b', prototype_uri: 'a' },
      ],
      ['/0/prototype_uri', '/1/prototype_uri'],
    ],
    ['one URI twice', [realm({}), realm({})], ['/1/uri']],
    [
      'a variable that is not set',
      realm({ users: [{ username: 'a', password: variable('NOPE') }] }),
      ['/users/0/password'],
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      expect(await issuesOf(document)).to.deep.equal(paths)
    })
  }

  it('changes nothing when one document of an array is refused', async () => {
    const { realms, store } = await realmsWith()
    await realms.load([realm({}), { uri: 'a b' }]).catch(() => undefined)
    expect(realms.list()).to.deep.equal([])
    expect(store.rows.size).to.equal(0)
  })

  it('takes variables from the environment, and leaves other braces alone', async () => {
    const { realms, store } = await realmsWith({
      URI: 'com.example.env',
      CIDR: '10.0.0.0/8',
      PW: 'geheim',
    })
    await realms.load({
      uri: variable('URI'),
      description: `costs ${variable('5')} or $PW, ${variable('CIDR')} is the net`,
      users: [{ username: 'a', password: variable('PW') }],
      sources: [{ usernames: 'all', authmethod: 'ticket', cidr: variable('CIDR') }],
    })
    const found = realms.realm('com.example.env')
    expect(found?.sources?.[0]?.isFrom('10.1.2.3')).to.equal(true)
    expect(found?.sources?.[0]?.isFrom('11.1.2.3')).to.equal(false)
    // the environment may hold secrets, so what is shown and stored is the text as written
    expect(realms.get('com.example.env').description).to.equal(
      `costs ${variable('5')} or $PW, ${variable('CIDR')} is the net`,
    )
    expect(JSON.stringify([...store.rows.values()])).to.not.include('geheim')
  })
})

describe('secrets of realms', () => {
  const secrets = ['changethispassword', '123456', '"secret"', 'argon2id', '4ffddd896a53', 'pbkdf']

  it('are not in the store in the clear', async () => {
    const { realms, store } = await realmsWith()
    await realms.load(securityConfig)
    const stored = JSON.stringify([...store.rows.values()])
    for (const secret of ['changethispassword', '"123456"', '"secret":"secret"']) {
      expect(stored).to.not.include(secret)
    }
    expect(stored).to.include('$argon2id$v=19$m=19456,t=2,p=1$')
  })

  it('are never shown', async () => {
    const { realms } = await realmsWith()
    await realms.load(
      [
        ...securityConfig,
        realm({
          info: { oidc_providers: { default: { issuer: 'https://x', client_secret: 'sssh' } } },
        }),
      ].filter((one, index) => index !== 1 || one !== securityConfig[1]),
    )
    const shown = JSON.stringify(realms.list())
    for (const secret of [...secrets, 'sssh', 'client_secret', '"password":']) {
      expect(shown).to.not.include(secret)
    }
    expect(shown).to.include('https://x')
    expect(realms.get('com.example.test_2').users).to.deep.include({
      username: 'linda',
      groups: [],
    })
  })

  it('show the rest of the document as it was loaded, and ts', async () => {
    const { realms } = await realmsWith()
    const document = realm({
      description: 'text',
      authmethods: ['anonymous'],
      grants: [],
      extra: { a: [1] },
    })
    await realms.load(document)
    expect(realms.get('com.example.test')).to.deep.equal({ ...document, ts: 1_000 })
    expect(realms.list()).to.deep.equal([realms.get('com.example.test')])
  })

  it('of an unknown realm do not exist: not found', async () => {
    const { realms } = await realmsWith()
    for (const uri of ['com.nowhere', '__proto__', 'constructor']) {
      expect(() => realms.get(uri))
        .to.throw()
        .with.property('uri', 'service.error.not_found')
    }
  })
})

describe('realms after a restart', () => {
  it('are as they were', async () => {
    const { realms, store } = await realmsWith()
    await realms.load(securityConfig)
    const again = (await realmsWith({}, store)).realms
    expect(again.list()).to.deep.equal(realms.list())
    expect(again.realm('com.example.test')?.users.get('peer1')?.password).to.deep.equal(
      realms.realm('com.example.test')?.users.get('peer1')?.password,
    )
  })
})

describe('what a realm is', () => {
  it('has what its prototype has unless it sets it itself', async () => {
    const { realms } = await realmsWith()
    await realms.load([
      {
        uri: 'base',
        authmethods: ['ticket'],
        groups: [{ name: 'in', groups: ['out'] }],
        grants: [],
        info: { a: 1 },
      },
      { uri: 'middle', prototype_uri: 'base', authmethods: ['wampcra'] },
      { uri: 'top', prototype_uri: 'middle', users: [{ username: 'u', groups: ['in'] }] },
    ])
    const top = realms.realm('top')
    expect(top?.authmethods).to.deep.equal(['wampcra'])
    expect(top?.grants).to.deep.equal([])
    expect(top?.info).to.deep.equal({ a: 1 })
    expect(top?.users.get('u')?.groups).to.deep.equal(['in', 'out'])
    expect(['base', 'middle', 'top', 'nowhere'].map((uri) => realms.has(uri))).to.deep.equal([
      false,
      false,
      true,
      false,
    ])
  })

  it('counts the clients and resource owners of old files as users of these groups', async () => {
    const { realms } = await realmsWith()
    await realms.load(securityConfig)
    const users = realms.realm('com.example.test')?.users
    expect(users?.get('webapp')?.groups).to.deep.equal(['admin', 'api_clients'])
    expect(users?.get('user3@example.com')?.groups).to.deep.equal([
      'account_admin',
      'resource_owners',
    ])
    expect(users?.get('user3@example.com')?.meta).to.deep.equal({ account_id: '1', user_id: '1' })
  })

  it('knows no user that is not enabled', async () => {
    const { realms } = await realmsWith()
    await realms.load(realm({ users: [{ username: 'a', enabled: false }, { username: 'b' }] }))
    expect([...(realms.realm('com.example.test')?.users.keys() ?? [])]).to.deep.equal(['b'])
  })

  it('without authmethods asks its users to log in, and is open when it has none', async () => {
    const { realms } = await realmsWith()
    await realms.load([{ uri: 'open' }, { uri: 'closed', users: [{ username: 'a' }] }])
    expect(realms.realm('open')?.authmethods).to.deep.equal(['anonymous'])
    expect(realms.realm('closed')?.authmethods).to.not.include('anonymous')
  })
})
