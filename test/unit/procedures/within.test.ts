/** What somebody who manages one realm may do, and somebody who only reads: everything else is 403. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { Caller } from '#procedures/definition/procedure.ts'
import { perform } from '#procedures/definition/procedure.ts'
import { document } from '#test/unit/registry/doubles.ts'
import { ada, find, managementOf } from './doubles.ts'

const own = 'com.example.test'
const foreign = 'com.example.other'
const loader: Caller = { by: 'lou', access: 'load', within: own }
const denied = 'wamp.error.not_authorized'

/** `${name}`, which linters take for a template. */
const variable = (name: string) => `$${'{'}${name}}`

async function opened() {
  const found = await managementOf()
  await found.realms.load([
    { uri: 'com.example.base' },
    { uri: own, prototype_uri: 'com.example.base', users: [{ username: 'bob' }] },
    { uri: foreign, users: [{ username: 'bob' }] },
  ])
  const ask = (name: string, args: readonly unknown[] = [], caller = loader) =>
    perform(find(name), found.management, args, caller)
  const code = (...parameters: Parameters<typeof ask>) =>
    ask(...parameters).then(
      () => undefined,
      (cause: unknown) => (cause instanceof ServiceError ? cause.uri : cause),
    )
  return { ...found, ask, code }
}

describe('who manages one realm', () => {
  for (const [name, ...args] of [
    ['get_realm', foreign],
    ['delete_realm', foreign],
    ['change_password', foreign, 'bob', 'x'],
    ['issue_api_key', foreign, 'bob'],
    ['list_api_keys', foreign],
    ['list_realm_versions', foreign],
    ['get_realm_version', foreign, 'x'],
    ['diff_realm', foreign, 'x', undefined],
    ['rollback_realm', foreign, 'x'],
    ['set_user', foreign, { username: 'bob' }],
    ['set_user', own, { username: 'bob', password: variable('HOME') }],
    ['set_user', own, { username: 'bob', meta: { a: { env: 'HOME' } } }],
    ['delete_user', foreign, 'bob'],
    ['set_grant', foreign, { uri: 'a', roles: ['b'], permissions: [] }],
    ['set_grant', own, { uri: variable('HOME'), roles: ['b'], permissions: [] }],
    ['delete_grant', foreign, { uri: 'a', roles: ['b'] }],
    ['revoke_all', foreign, 'bob'],
    ['end_sessions', foreign, 'bob'],
    ['list_sessions', foreign],
    ['forget_account', foreign, 'bob'],
    ['rotate_realm_keys', foreign],
    ['get_realm', 'com.nowhere'],
    ['registry_status'],
    ['set_log_level', 'debug'],
    ['load_realm', { uri: foreign }],
    ['load_realm', [{ uri: own, prototype_uri: 'com.example.base' }, { uri: foreign }]],
    ['load_realm', { uri: variable('HOME'), prototype_uri: 'com.example.base' }],
    ['load_realm', { uri: own }],
    ['load_realm', { uri: own, prototype_uri: foreign }],
    [
      'load_realm',
      { uri: own, prototype_uri: 'com.example.base', description: `x ${variable('HOME')}` },
    ],
    ['list_upstreams', foreign],
    ['set_upstream_target', foreign, 'a', 'http://b', {}],
    ...[{ targets: [{ url: 'unix:/run/x.sock' }] }, { targets: [], proxy: 'http://proxy' }].map(
      (a) => {
        const info = { upstreams: { a } }
        return ['load_realm', { uri: own, prototype_uri: 'com.example.base', info }] as const
      },
    ),
    [
      'load_realm',
      { uri: own, prototype_uri: 'com.example.base', info: { a: { file: '/etc/passwd' } } },
    ],
    [
      'load_realm',
      { uri: own, prototype_uri: 'com.example.base', info: { a: { ca_file: '/etc/passwd' } } },
    ],
    ['load_realm', 'text'],
    ['load_api_spec', document('a', ['/x'], { realm_uri: foreign })],
    ['load_api_spec', document('a', ['/x'], { realm_uri: 'com.nowhere' })],
    ['validate_api_spec', document('a', ['/x'], { realm_uri: foreign })],
  ] as const) {
    it(`is refused ${name} of ${JSON.stringify(args)}`, async () => {
      const { code, realms, ended } = await opened()
      const before = realms.list()
      expect(await code(name, args)).to.equal(denied)
      expect(realms.list()).to.deep.equal(before)
      expect(ended).to.deep.equal([])
    })
  }

  it('brings back no version that refers to the environment or has another prototype', async () => {
    const { ask, code, realms } = await opened()
    const hash = realms.hashOf(own)
    const base = { uri: own, prototype_uri: 'com.example.base' }
    await realms.load({ ...base, description: 'in between' })
    await realms.load({ ...base, info: { a: { env: 'HOME' } } })
    const referring = realms.hashOf(own)
    await realms.load({ uri: own })
    expect(await code('rollback_realm', [own, hash])).to.equal(denied)
    await realms.load(base)
    expect(await code('rollback_realm', [own, referring])).to.equal(denied)
    await ask('rollback_realm', [own, hash])
    expect(realms.hashOf(own)).to.equal(hash)
  })

  it('changes the own realm, and what its users are given', async () => {
    const { ask, code } = await opened()
    const changed = { uri: own, prototype_uri: 'com.example.base', users: [{ username: 'bob' }] }
    await ask('load_realm', [changed])
    await ask('change_password', [own, 'bob', 'x'])
    await ask('set_user', [own, { username: 'eve', password: 'p' }])
    await ask('delete_user', [own, 'eve'])
    const { value } = await ask('issue_api_key', [own, 'bob'])
    await ask('revoke_api_key', [(value as { id: string }).id])
    await ask('rotate_realm_keys', [own])
    await ask('revoke_all', [own, 'bob'])
    await ask('delete_realm', [own])
    expect(await code('get_realm', [own])).to.equal('service.error.not_found')
  })

  it('does not end API keys of other realms', async () => {
    const { ask, code, apiKeys } = await opened()
    const { value } = await ask('issue_api_key', [foreign, 'bob'], ada)
    const { id, api_key } = value as { id: string; api_key: string }
    expect(await code('revoke_api_key', [id])).to.equal(denied)
    expect(apiKeys.find(api_key)).to.include({ id })
  })

  it('sees the own realm, and its API Specifications, in lists', async () => {
    const { ask } = await opened()
    await ask('load_api_spec', [document('a')])
    const uris = ((await ask('list_realms')).value as { uri: string }[]).map(({ uri }) => uri)
    expect(uris).to.deep.equal([own])
    expect((await ask('list_realms', [], ada)).value).to.have.length(3)
    expect((await ask('list_api_specs')).value).to.have.length(1)
    const other = { ...loader, within: foreign }
    expect((await ask('list_api_specs', [], other)).value).to.deep.equal([])
    const usedBy = async (caller: Caller) =>
      ((await ask('list_route_use', [], caller)).value as { routes: object[] }).routes
    await ask('load_api_spec', [document('com.example.a', ['/b'])])
    expect(await usedBy(ada)).to.have.length(2)
    expect(await usedBy(loader)).to.deep.equal([{ api: 'com.example.a' }])
    expect(await usedBy(other)).to.deep.equal([])
    expect(await usedBy({ ...loader, access: 'read' })).to.have.length(1)
  })
})

describe('who only reads', () => {
  it('changes nothing, and sees everything', async () => {
    const { code, ask } = await opened()
    const reader: Caller = { by: 'rita', access: 'read' }
    for (const [name, args] of [
      ['load_realm', [{ uri: 'com.new' }]],
      ['load_api_spec', [document('a')]],
      ['validate_api_spec', [document('a')]],
      ['delete_realm', [own]],
      ['revoke_all', [own, 'bob']],
      ['end_sessions', [own, 'bob']],
      ['forget_account', [own, 'bob']],
      ['set_log_level', ['debug']],
    ] as const) {
      expect(await code(name, args, reader)).to.equal(denied)
    }
    expect((await ask('list_realms', [], reader)).value).to.have.length(3)
    expect((await ask('registry_status', [], reader)).value).to.deep.equal({ node: 'node-1' })
  })

  it('sees nothing without any role', async () => {
    const { code } = await opened()
    const nobody: Caller = { by: 'x', access: undefined }
    expect(await code('list_realms', [], nobody)).to.equal(denied)
    expect(await code('get_realm', [own], nobody)).to.equal(denied)
  })
})
