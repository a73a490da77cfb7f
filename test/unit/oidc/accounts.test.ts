/** Whose an authid is: of whoever had it first, never of somebody the realm itself knows by a credential or a grant. */
import { expect } from 'chai'
import type { ServiceError } from '#component/errors.ts'
import { Accounts } from '#component/oidc/accounts.ts'
import type { OidcError } from '#component/oidc-error.ts'
import { Realms } from '#component/realm/realms.ts'
import { exchange, openTokens, realm_uri } from '#test/unit/token/doubles.ts'
import { codeOf } from './login-fixture.ts'

const ada = { issuer: 'https://idp.example.com', sub: 'sub-1' }
const eve = { ...ada, sub: 'sub-2' }
const foreign = { ...ada, issuer: 'https://other.example.com' }

async function openAccounts(name = 'a') {
  const tokens = await openTokens({ name })
  const { replica, box, revocations } = tokens
  const lines: unknown[][] = []
  const note = (...line: unknown[]) => void lines.push(line)
  const log = { info: note, warn: note, error: note }
  const realms = new Realms({ replica, log, environment: {}, box })
  realms.start()
  const accounts = new Accounts({ replica, realms, revocations, clock: tokens.clock, log })
  accounts.start()
  const declare = (more: object = {}) => realms.load({ uri: realm_uri, ...more })
  await declare()
  const bind = (authid: string, person = ada, isOpen = true) =>
    codeOf(() => accounts.bind(realm_uri, authid, person, isOpen))
  const isKnown = (authid: string) => accounts.isKnown(realm_uri, authid)
  return { ...tokens, accounts, lines, declare, bind, isKnown }
}

describe('an account', () => {
  it('belongs to the person who comes first', async () => {
    const { bind, isKnown, replica } = await openAccounts()
    expect(isKnown('ada')).to.equal(false)
    expect(await bind('ada')).to.equal(undefined)
    expect(isKnown('ada')).to.equal(true)
    const entries = replica.entries('oidc_user')
    expect(await bind('ada')).to.equal(undefined)
    expect([await bind('ada', eve), await bind('ada', foreign)]).to.deep.equal(
      Array(2).fill('ticket_issue_failed'),
    )
    expect(replica.entries('oidc_user'), 'nothing has changed').to.deep.equal(entries)
  })

  it('ends with its realm, and with no other: another person may have the name then', async () => {
    const { accounts, bind, isKnown } = await openAccounts()
    await bind('ada')
    await accounts.removeOfRealm('com.example.another')
    expect(isKnown('ada')).to.equal(true)
    await accounts.removeOfRealm(realm_uri)
    expect(isKnown('ada')).to.equal(false)
    expect(await bind('ada', foreign)).to.equal(undefined)
  })

  it('is not that of a user whom the provider has made anew, until the name is freed', async () => {
    const { accounts, bind, isKnown } = await openAccounts()
    await bind('ada')
    const refusal = (person: typeof eve) =>
      accounts.bind(realm_uri, 'ada', person, true).catch((error: OidcError) => error)
    const told = (await refusal(eve)) as OidcError
    expect(told).to.deep.include({ code: 'ticket_issue_failed' })
    expect(told.status).to.equal(409)
    expect(told.toJSON().message).to.include('service.forget_account')
    await accounts.forget(realm_uri, 'ada')
    expect(isKnown('ada')).to.equal(false)
    expect(await bind('ada', eve)).to.equal(undefined)
    const nobody = await accounts.forget(realm_uri, 'bob').catch((error: ServiceError) => error.uri)
    expect(nobody).to.equal('service.error.not_found')
  })

  for (const [whose, person] of [
    ['another subject of the issuer', { issuer: ada.issuer, sub: 'sub-9' }],
    ['the same subject of another issuer', { issuer: 'https://new.example', sub: ada.sub }],
    ['another subject of another issuer', foreign],
    ['the issuer at another path', { issuer: `${ada.issuer}/realms/b`, sub: ada.sub }],
    ['the issuer with a slash', { issuer: `${ada.issuer}/`, sub: ada.sub }],
    ['the issuer over http', { issuer: ada.issuer.replace('https', 'http'), sub: ada.sub }],
  ] as const) {
    it(`is refused with 409 and a way out to ${whose}, until the name is freed`, async () => {
      const { accounts, bind } = await openAccounts()
      await bind('ada')
      const told = await accounts
        .bind(realm_uri, 'ada', person, true)
        .catch((error: OidcError) => error)
      expect(told).to.deep.include({ code: 'ticket_issue_failed', status: 409 })
      expect((told as OidcError).toJSON().message).to.include('service.forget_account')
      await accounts.forget(realm_uri, 'ada')
      expect(await bind('ada', person)).to.equal(undefined)
    })
  }

  it('that is freed on one node is free on all', async () => {
    const [a, b] = [await openAccounts('a'), await openAccounts('b')]
    await a.bind('ada')
    await exchange(a, b)
    b.pass(1)
    await b.accounts.forget(realm_uri, 'ada')
    await exchange(a, b)
    expect(a.isKnown('ada')).to.equal(false)
    expect(await a.bind('ada', eve)).to.equal(undefined)
  })

  it('goes to one of two who come at once', async () => {
    const { bind } = await openAccounts()
    const codes = await Promise.all([bind('ada'), bind('ada', eve)])
    expect(codes).to.deep.equal([undefined, 'ticket_issue_failed'])
  })

  for (const [what, more, authid] of [
    ['a user with a password', { users: [{ username: 'root', password: 'pw' }] }, 'root'],
    [
      'a user with a key',
      { users: [{ username: 'root', authorized_keys: ['a'.repeat(64)] }] },
      'root',
    ],
    ['a user who is disabled', { users: [{ username: 'ada', enabled: false }] }, 'ada'],
    [
      'an OAuth2 client',
      { oauth2: { clients: [{ client_id: 'app', client_secret: 'x' }] } },
      'app',
    ],
    ['a role', { grants: [{ permissions: 'wamp.call', roles: ['ops'], uri: 'x' }] }, 'ops'],
    ['the gateway', {}, 'gateway'],
    ['the anonymous', {}, 'anonymous'],
    ['everybody', {}, 'all'],
    ['operators', {}, 'spec_loader'],
  ] as const) {
    it(`is never that of ${what}`, async () => {
      const { bind, declare, isKnown, replica } = await openAccounts()
      await declare(more)
      expect(await bind(authid)).to.equal('ticket_issue_failed')
      expect(isKnown(authid)).to.equal(false)
      expect(replica.entries('oidc_user')).to.deep.equal([])
    })

    if (Object.keys(more).length === 0) continue
    it(`holds no more once it is that of ${what}`, async () => {
      const { bind, declare, isKnown } = await openAccounts()
      expect(await bind(authid)).to.equal(undefined)
      await declare(more)
      expect(isKnown(authid)).to.equal(false)
      expect(await bind(authid)).to.equal('ticket_issue_failed')
    })
  }

  it('may be that of a user of the document without credentials, whatever grants name it', async () => {
    const { bind, declare, isKnown } = await openAccounts()
    const grants = [{ permissions: 'wamp.call', roles: ['ada'], uri: 'x' }]
    await declare({ users: [{ username: 'ada' }], grants })
    expect(await bind('ada')).to.equal(undefined)
    expect(isKnown('ada')).to.equal(true)
  })

  it('is made for users of the document only where auto_provision is false', async () => {
    const { bind, declare } = await openAccounts()
    await declare({ users: [{ username: 'ada' }] })
    expect(await bind('ada', ada, false)).to.equal(undefined)
    expect(await bind('bob', eve, false)).to.equal('ticket_issue_failed')
    expect(await bind('bob', eve, true)).to.equal(undefined)
    expect(await bind('bob', eve, false), 'is bound').to.equal(undefined)
  })

  it('is there on all nodes', async () => {
    const [a, b] = [await openAccounts('a'), await openAccounts('b')]
    await a.bind('ada')
    await exchange(a, b)
    expect(b.isKnown('ada')).to.equal(true)
    expect(await b.bind('ada', eve)).to.equal('ticket_issue_failed')
  })

  it('that parted nodes gave to two persons ends what the name was issued', async () => {
    const [a, b] = [await openAccounts('a'), await openAccounts('b')]
    await a.bind('ada')
    b.pass(1)
    await b.bind('ada', eve)
    a.pass(2)
    const before = a.now()
    await exchange(a, b)
    await a.replica.refresh()
    expect(a.revocations.notBefore(realm_uri, 'ada')).to.be.at.least(before)
    expect(await a.bind('ada')).to.equal('ticket_issue_failed')
    expect(await a.bind('ada', eve)).to.equal(undefined)
  })
})
