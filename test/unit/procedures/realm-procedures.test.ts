/** The procedures about realms and what their users are given. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { Caller } from '#procedures/definition/procedure.ts'
import { perform } from '#procedures/definition/procedure.ts'
import { ada, find, managementOf } from './doubles.ts'

const uri = 'com.example.test'
const realm = {
  uri,
  users: [
    { username: 'bob', password: 'one', groups: ['staff', 'guests'] },
    { username: 'off', enabled: false },
  ],
  grants: [
    {
      permissions: ['service.issue'],
      uri: 'service.ticket.scope.local',
      match: 'exact',
      roles: ['staff'],
    },
  ],
}

/** Management with the realm in it, to be asked by name. */
async function opened() {
  const found = await managementOf()
  await found.realms.load(realm)
  const ask = (name: string, args: readonly unknown[] = [], caller: Caller = ada) =>
    perform(find(name), found.management, args, caller)
  const code = (...parameters: Parameters<typeof ask>) =>
    ask(...parameters).then(
      () => undefined,
      (cause: unknown) => (cause instanceof ServiceError ? cause.uri : cause),
    )
  const issue = async () => {
    const { value } = await ask('issue_api_key', [uri, 'bob'])
    return value as { readonly id: string; readonly api_key: string }
  }
  found.ended.length = 0 // the document disables somebody
  return { ...found, ask, code, issue }
}

describe('service.delete_realm', () => {
  it('takes the realm, its keys, and all that its users were given', async () => {
    const { ask, code, issue, keys, apiKeys } = await opened()
    const { api_key } = await issue()
    await ask('rotate_realm_keys', [uri])
    expect(keys.jwks(uri).keys).to.have.length(1)
    expect((await ask('delete_realm', [uri])).value).to.deep.equal({ uri, ts: 1_000 })
    expect(keys.jwks(uri).keys).to.deep.equal([])
    expect(apiKeys.find(api_key)).to.equal(undefined)
    expect(await code('delete_realm', [uri])).to.equal('service.error.not_found')
  })
})

describe('service.change_password', () => {
  it('gives another password, and ends what the user had', async () => {
    const { ask, code, issue, apiKeys, ended } = await opened()
    const { api_key } = await issue()
    const { value } = await ask('change_password', [uri, 'bob', 'two'])
    expect(value).to.deep.equal({ uri, username: 'bob', ts: 1_000 })
    expect(ended).to.deep.equal([{ realm_uri: uri, authid: 'bob' }])
    expect(apiKeys.find(api_key)).to.equal(undefined)
    expect(await code('change_password', [uri, 'eve', 'x'])).to.equal('service.error.not_found')
  })
})

describe('service.issue_api_key', () => {
  it('shows a key of a user once, which is found from then on', async () => {
    const { ask, apiKeys } = await opened()
    const { value, status, headers } = await ask('issue_api_key', [uri, 'bob'])
    const { id, api_key, ts } = value as { id: string; api_key: string; ts: number }
    expect({ status, headers }).to.deep.equal({
      status: 201,
      headers: { location: `/api_keys/${id}` },
    })
    expect(ts).to.equal(1_700_000_000_000)
    expect(apiKeys.find(api_key)).to.deep.equal({ id, realm_uri: uri, username: 'bob' })
  })

  it('makes a key for a time, and tells when it ends', async () => {
    const { ask, apiKeys } = await opened()
    const { value } = await ask('issue_api_key', [uri, 'bob', 3_600])
    const { api_key, exp } = value as { api_key: string; exp: number }
    expect(exp).to.equal(1_700_003_600)
    expect(apiKeys.find(api_key)).to.have.property('exp', exp)
  })

  it('makes a key with a name, and lists both with the last use', async () => {
    const { ask, issue, apiKeys } = await opened()
    const { value } = await ask('issue_api_key', [uri, 'bob', undefined, 'nightly reports'])
    const { id, api_key } = value as { id: string; api_key: string }
    expect(value).to.have.property('name', 'nightly reports')
    const other = await issue()
    apiKeys.find(api_key)
    const ts = 1_700_000_000_000
    const listed = await ask('list_api_keys', [uri])
    expect(listed.value).to.have.deep.members([
      { id, username: 'bob', ts, name: 'nightly reports', last_used: 1 },
      { id: other.id, username: 'bob', ts, last_used: null },
    ])
  })

  for (const name of ['', 'x'.repeat(101), 'a\nb']) {
    it(`makes none with the name ${JSON.stringify(name).slice(0, 9)}`, async () => {
      const { code } = await opened()
      const args = [uri, 'bob', undefined, name]
      expect(await code('issue_api_key', args)).to.equal('wamp.error.invalid_argument')
    })
  }

  for (const time of [0, -1, 1.5, 315_360_001]) {
    it(`makes none for ${time} seconds`, async () => {
      const { code } = await opened()
      expect(await code('issue_api_key', [uri, 'bob', time])).to.equal(
        'wamp.error.invalid_argument',
      )
    })
  }

  for (const [whom, args] of [
    ['nobody', [uri, 'eve']],
    ['somebody disabled', [uri, 'off']],
    ['a user of no realm', ['com.nowhere', 'bob']],
  ] as const) {
    it(`has none for ${whom}`, async () => {
      expect(await (await opened()).code('issue_api_key', args)).to.equal('service.error.not_found')
    })
  }
})

describe('service.revoke_api_key', () => {
  it('ends one key', async () => {
    const { ask, code, issue, apiKeys } = await opened()
    const [first, second] = [await issue(), await issue()]
    expect((await ask('revoke_api_key', [first.id])).value).to.deep.equal({
      id: first.id,
      uri,
      username: 'bob',
    })
    expect(apiKeys.find(first.api_key)).to.equal(undefined)
    expect(apiKeys.find(second.api_key)).to.include({ id: second.id })
    expect(await code('revoke_api_key', [first.id])).to.equal('service.error.not_found')
  })
})

describe('service.revoke_all', () => {
  it('ends all that a user was given, also of one who is gone', async () => {
    const { ask, code, issue, apiKeys, ended } = await opened()
    const { api_key } = await issue()
    expect((await ask('revoke_all', [uri, 'bob'])).value).to.deep.equal({ uri, username: 'bob' })
    await ask('revoke_all', [uri, 'eve'])
    expect(ended.map(({ authid }) => authid)).to.deep.equal(['bob', 'eve'])
    expect(apiKeys.find(api_key)).to.equal(undefined)
    expect(await code('revoke_all', ['com.nowhere', 'bob'])).to.equal('service.error.not_found')
  })
})

describe('service.forget_account', () => {
  it('frees the name of a user of a provider, and ends all that the user was given', async () => {
    const { ask, code, ended } = await opened()
    const { value } = await ask('forget_account', [uri, 'bob'])
    expect(value).to.deep.equal({ uri, authid: 'bob' })
    expect(ended.map(({ authid }) => authid)).to.deep.equal(['bob'])
    expect(await code('forget_account', [uri, 'eve'])).to.equal('service.error.not_found')
    expect(await code('forget_account', ['com.nowhere', 'bob'])).to.equal('service.error.not_found')
  })
})

describe('service.rotate_realm_keys', () => {
  it('makes the next key of a realm that is there', async () => {
    const { ask, code, keys } = await opened()
    const { value } = await ask('rotate_realm_keys', [uri])
    expect(value).to.have.all.keys('uri', 'kid', 'active_from')
    expect(keys.jwks(uri).keys.map(({ kid }) => kid)).to.deep.equal([
      (value as { kid: string }).kid,
    ])
    expect(await code('rotate_realm_keys', ['com.nowhere'])).to.equal('service.error.not_found')
  })
})

describe('tickets', () => {
  const bob: Caller = {
    by: 'bob',
    access: undefined,
    user: { realm_uri: uri, authid: 'bob' },
  }
  const denied = 'wamp.error.not_authorized'
  const invalid = 'wamp.error.invalid_argument'

  it('are issued to who asks, for as long as is asked', async () => {
    const { ask, management } = await opened()
    const { value } = await ask('ticket.issue', [60, 'local'], bob)
    const { ticket, ...claims } = value as { ticket: string; issued_at: number }
    expect(claims).to.include({
      iss: 'https://gateway.example',
      authrealm: uri,
      authid: 'bob',
      issued_by: 'bob',
      expires_at: claims.issued_at + 60,
    })
    expect(claims).to.deep.include({ authroles: ['staff', 'guests'] })
    expect(await management.tickets.verify(ticket, uri)).to.deep.equal(claims)
  })

  for (const [scope, expected] of [
    ['local', { realm: uri, client_id: 'all', device_id: 'all' }],
    ['sso', { realm: 'all', client_id: 'all', device_id: 'all' }],
    ['client_sso', { realm: 'all', client_id: 'bob', device_id: 'all' }],
  ] as const) {
    it(`say that they were asked for as ${scope}`, async () => {
      const { ask, realms } = await opened()
      const granted = { permissions: ['service.issue'], roles: ['staff'], match: 'exact' }
      const grants = [{ ...granted, uri: `service.ticket.scope.${scope}` }]
      await realms.load({ ...realm, grants })
      const { value } = await ask('ticket.issue', [60, scope], bob)
      expect(value).to.deep.include({ scope: expected })
    })
  }

  it('live 30 days unless another time is asked for', async () => {
    const { value } = await (await opened()).ask('ticket.issue', [], bob)
    const { issued_at, expires_at } = value as { issued_at: number; expires_at: number }
    expect(expires_at - issued_at).to.equal(2_592_000)
  })

  it('have no more roles than the credentials that they were asked for with', async () => {
    const { ask, code } = await opened()
    const as = (...roles: string[]) => ({
      ...bob,
      user: { realm_uri: uri, authid: 'bob', roles },
    })
    const { value } = await ask('ticket.issue', [], as('staff', 'lost'))
    expect(value).to.deep.include({ authroles: ['staff'] })
    expect(await code('ticket.issue', [], as('guests'))).to.equal(denied)
  })

  it('end with the token that they were asked for with', async () => {
    const { ask, management } = await opened()
    const now = Math.floor(management.clock.now() / 1000)
    const user = { realm_uri: uri, authid: 'bob', expires_at: now + 90 }
    const { value } = await ask('ticket.issue', [], { ...bob, user })
    const { issued_at, expires_at } = value as { issued_at: number; expires_at: number }
    expect(expires_at - issued_at).to.equal(90)
  })

  for (const [what, args, user, expected] of [
    ['nobody in particular', [], undefined, denied],
    ['somebody who is no user', [], { realm_uri: uri, authid: 'eve' }, denied],
    ['a user who is disabled', [], { realm_uri: uri, authid: 'off' }, denied],
    ['a scope that is not granted', [60, 'sso'], bob.user, denied],
    ['an unknown scope', [60, 'global'], bob.user, invalid],
    ['no time', [0], bob.user, invalid],
    ['too long a time', [2_592_001], bob.user, invalid],
  ] as const) {
    it(`are not issued to ${what}`, async () => {
      const caller = { by: 'x', access: 'load', ...(user && { user }) } as const
      expect(await (await opened()).code('ticket.issue', args, caller)).to.equal(expected)
    })
  }

  it('end when their user, or who manages the realm, says so', async () => {
    const { ask, code, management } = await opened()
    const manager = { by: 'm', access: 'load', within: uri } as const
    for (const caller of [
      bob,
      { ...manager, user: { realm_uri: uri, authid: 'manager' } },
    ] as Caller[]) {
      const { value } = await ask('ticket.issue', [], bob)
      const { ticket, id } = value as { ticket: string; id: string }
      const eve = { ...bob, user: { realm_uri: uri, authid: 'eve' } }
      expect(await code('ticket.revoke', [ticket], eve)).to.equal(denied)
      expect((await management.tickets.verify(ticket, uri)).id).to.equal(id)
      expect((await ask('ticket.revoke', [ticket], caller)).value).to.deep.equal({ id })
      expect(() => management.tickets.verify(ticket, uri)).to.throw('revoked')
      expect(await code('ticket.revoke', [ticket], caller)).to.equal(invalid)
    }
  })

  it('end by their id for who manages everything, and nobody else', async () => {
    const { ask, code, management } = await opened()
    const { value } = await ask('ticket.issue', [], bob)
    const { ticket, id } = value as { ticket: string; id: string }
    await management.tickets.verify(ticket, uri)
    for (const caller of [bob, { ...bob, access: 'load', within: uri }] as Caller[]) {
      expect(await code('ticket.revoke', [id], caller)).to.equal(denied)
    }
    await ask('ticket.revoke', [id])
    expect(() => management.tickets.verify(ticket, uri)).to.throw('revoked')
  })

  it('are not taken for ended by what is no id, which may be another secret', async () => {
    const { code } = await opened()
    for (const text of ['', 'gk_secret', 'x'.repeat(36)]) {
      expect(await code('ticket.revoke', [text])).to.equal(invalid)
    }
  })
})
