/** A real security configuration, unchanged: what its users may do over WAMP, on the embedded router. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import {
  joinRefusal,
  joinUser,
  type UserLogin,
  type WampAction,
} from '#test/support/peers/wamp-user.ts'
import { until } from '#test/support/running/until.ts'

const file = join(import.meta.dirname, '../../cases/specs/security_config.json')
const text = readFileSync(file, 'utf8')
/** As its comments say. */
const key = text.match(/priv key is '([0-9a-f]{128})'/)?.[1] ?? ''
const otherKey = `${'11'.repeat(32)}${key.slice(64)}`

const denied = 'wamp.error.not_authorized'
const failed = 'wamp.error.authentication_failed'
const noMethod = 'wamp.error.no_matching_auth_method'
const noRealm = 'wamp.error.no_such_realm'

const [admin, test, test1, test2, heir] = [
  ...['com.example.admin', 'com.example.test', 'com.example.test_1'],
  ...['com.example.test_2', 'com.example.test.inheritance'],
] as [string, string, string, string, string]

type Method = NonNullable<UserLogin['authmethod']>

const secrets: Readonly<Record<string, string>> = {
  ...{ 'urn:user:1': '123456', 'user3@example.com': '123456', bob: '123456', linda: '123456' },
  webapp: 'secret',
}
const loginOf = (authid: string, authmethod: Method): UserLogin =>
  authmethod === 'cryptosign'
    ? { authid, authmethod, key }
    : { authid, authmethod, secret: secrets[authid] ?? 'changethispassword' }

/** Realm, user, by which methods it joins, and by which not. */
const logins: readonly (readonly [string, string, readonly Method[], readonly Method[]])[] = [
  [admin, 'urn:user:1', ['wampcra', 'anonymous'], ['ticket', 'cryptosign']],
  [test, 'app1', ['wampcra', 'ticket'], ['cryptosign']],
  [test, 'test@example.com', ['wampcra', 'ticket'], ['cryptosign']],
  [test, 'peer1', ['wampcra', 'ticket'], ['cryptosign']],
  [test, 'peer2', ['wampcra', 'ticket'], ['cryptosign']],
  [test, 'device1', ['cryptosign'], ['wampcra', 'ticket']],
  [test, 'webapp', ['wampcra', 'ticket'], ['cryptosign']],
  [test, 'user3@example.com', ['wampcra', 'ticket', 'anonymous'], ['cryptosign']],
  [test1, 'bob', ['wampcra', 'ticket'], ['cryptosign', 'anonymous']],
  [test2, 'linda', ['wampcra', 'ticket'], ['cryptosign', 'anonymous']],
  [test2, 'app', ['cryptosign'], ['wampcra', 'ticket', 'anonymous']],
  [heir, 'linda', ['wampcra', 'ticket'], ['cryptosign', 'anonymous']],
  [heir, 'app', ['cryptosign'], ['wampcra', 'ticket', 'anonymous']],
]

const all: readonly WampAction[] = ['call', 'register', 'subscribe', 'publish']
const users: readonly WampAction[] = ['call', 'subscribe', 'publish']

/** Realm, user, method, URI, and what it may do there; the rest is refused. */
const grants: readonly (readonly [string, string, Method, string, readonly WampAction[]])[] = [
  [admin, 'urn:user:1', 'wampcra', 'com.any', users],
  [admin, 'urn:user:1', 'anonymous', 'com.any', users],
  [test, 'app1', 'wampcra', 'com.example.any', []],
  [test, 'test@example.com', 'ticket', 'com.example.any', []],
  [test, 'peer1', 'wampcra', 'com.example.any', all],
  [test, 'peer1', 'ticket', 'com.other', []],
  [test, 'peer1', 'ticket', 'com.examples.any', ['call', 'register']],
  [test, 'peer2', 'ticket', 'com.example.any', all],
  [test, 'peer2', 'ticket', 'service.any', ['call']],
  [test, 'peer2', 'ticket', 'wamp.any', ['call']],
  [test, 'device1', 'cryptosign', 'com.example.any', []],
  [test, 'webapp', 'wampcra', 'com.example.any', []],
  [test, 'user3@example.com', 'wampcra', 'com.any', all],
  [test, 'user3@example.com', 'wampcra', 'service.any', []],
  [test, 'user3@example.com', 'wampcra', 'wamp.any', []],
  [test, 'user3@example.com', 'anonymous', 'com.any', all],
  [test1, 'bob', 'wampcra', 'com.any', all],
  [test2, 'linda', 'wampcra', 'com.any', []],
  [test2, 'linda', 'wampcra', 'wamp.any', ['call']],
  [test2, 'linda', 'wampcra', 'service.ticket.revoke', []],
  [test2, 'app', 'cryptosign', 'com.any', all],
  [heir, 'linda', 'wampcra', 'com.any', []],
  [heir, 'linda', 'wampcra', 'wamp.any', []],
  [heir, 'linda', 'wampcra', 'service.ticket.revoke', []],
  [heir, 'app', 'cryptosign', 'com.any', all],
]

const scopes = ['local', 'sso', 'client_sso'] as const

/** Realm, user, method, and for which scopes it is given tickets. */
const tickets: readonly (readonly [string, string, Method, readonly string[]])[] = [
  [test, 'app1', 'wampcra', []],
  [test, 'test@example.com', 'wampcra', []],
  [test, 'peer1', 'wampcra', scopes],
  [test, 'peer2', 'ticket', scopes],
  [test, 'device1', 'cryptosign', []],
  [test, 'user3@example.com', 'wampcra', []],
  [test, 'user3@example.com', 'anonymous', []],
  [test1, 'bob', 'wampcra', []],
  [test2, 'linda', 'wampcra', ['sso', 'client_sso']],
  [test2, 'app', 'cryptosign', ['local']],
  [heir, 'linda', 'wampcra', ['sso', 'client_sso']],
  [heir, 'app', 'cryptosign', ['local']],
]

interface Ticket {
  readonly ticket: string
  readonly authroles: readonly string[]
  readonly scope: { readonly realm: string; readonly client_id: string }
}

const issueTicket = 'service.ticket.issue'

describe('the real security configuration over WAMP', () => {
  let gateway: TestGateway
  const as = (realm: string, authid: string, method: Method) =>
    joinUser(gateway.routerUrl, realm, loginOf(authid, method))
  const refusal = (realm: string, login: UserLogin) => joinRefusal(gateway.routerUrl, realm, login)

  before(async () => {
    // who is refused on purpose so often must be refused for what it is
    const limits = ['user_failures', 'address_failures'].map((name) => [
      `rate_limits.${name}`,
      '1000',
    ])
    gateway = await startGateway(Object.fromEntries(limits), { isEmbedded: true })
    const body = JSON.parse(text)
    const { status } = await send(gateway.adminUrl, '/realms', { method: 'POST', body })
    expect(status).to.be.oneOf([200, 201])
    for (const realm of [test, test1, test2, heir]) {
      await until(`${realm} serves tickets`, async () => {
        const [, name = '', method = 'wampcra'] = tickets.find(([uri]) => uri === realm) ?? []
        const user = await as(realm, name, method)
        const found = await user.attempt('call', issueTicket)
        await user.leave()
        return found !== 'wamp.error.no_such_procedure'
      })
    }
  })
  after(() => gateway.stop())

  for (const [realm, authid, methods, others] of logins) {
    it(`lets ${authid} into ${realm} by ${methods.join(', ')} only`, async () => {
      for (const method of methods) {
        expect(await refusal(realm, loginOf(authid, method)), method).to.equal('joined')
      }
      for (const method of others) {
        const found = await refusal(realm, loginOf(authid, method))
        expect(found, method).to.be.oneOf([failed, noMethod])
      }
    })
  }

  for (const [what, realm, login, expected] of [
    ['a wrong password', test, { ...loginOf('peer1', 'wampcra'), secret: 'x' }, failed],
    ['a wrong ticket', test, { ...loginOf('peer1', 'ticket'), secret: 'x' }, failed],
    ['another key', test, { ...loginOf('device1', 'cryptosign'), key: otherKey }, failed],
    ['a stranger', test, loginOf('nobody', 'wampcra'), failed],
    ['a user of another realm', test1, loginOf('linda', 'wampcra'), failed],
    ['anybody where nobody may', 'com.example.sso', loginOf('linda', 'wampcra'), noRealm],
    ['anybody into a prototype', 'com.example.test.proto', loginOf('linda', 'wampcra'), noRealm],
  ] as const) {
    it(`does not let in ${what}`, async () => {
      expect(await refusal(realm, login)).to.equal(expected)
    })
  }

  for (const [realm, authid, method, uri, allowed] of grants) {
    const what = `${authid} on ${realm} by ${method} to ${allowed.join(', ') || 'do nothing with'}`
    it(`allows ${what} ${uri}`, async () => {
      const user = await as(realm, authid, method)
      for (const action of all) {
        const found = await user.attempt(action, `${uri}.${action}`.replace(/(revoke).*/, '$1'))
        const isAllowed = found !== denied && found !== 'wamp.error.invalid_uri'
        expect(isAllowed, `${action}: ${found}`).to.equal(allowed.includes(action))
      }
      await user.leave()
    })
  }

  it('gives what all of a group may to each of its users', async () => {
    const user = await as(test, 'peer1', 'wampcra')
    expect(await user.attempt('register', 'com.example.add')).to.equal('done')
    await user.leave()
  })

  for (const [realm, authid, method, granted] of tickets) {
    const what = granted.length > 0 ? `tickets for ${granted.join(', ')}` : 'no tickets'
    it(`gives ${authid} on ${realm} by ${method} ${what}`, async () => {
      const user = await as(realm, authid, method)
      for (const scope of scopes) {
        const found = await user.attempt('call', issueTicket, [60, scope])
        if (!granted.includes(scope)) {
          expect(found, scope).to.equal(denied)
          continue
        }
        const { ticket, scope: said } = found as Ticket
        expect(said).to.deep.equal({
          realm: scope === 'local' ? realm : 'all',
          client_id: scope === 'client_sso' ? authid : 'all',
          device_id: 'all',
        })
        const login = { authid, authmethod: 'ticket', secret: ticket } as const
        expect(await refusal(realm, login), scope).to.equal('joined')
        expect(await refusal(realm, { ...login, authid: 'nobody' })).to.equal(failed)
        for (const other of [test, test1, test2, heir].filter((uri) => uri !== realm)) {
          expect(await refusal(other, login), `${scope} on ${other}`).to.equal(failed)
        }
      }
      await user.leave()
    })
  }

  it('takes a ticket until it is revoked, which ends its session', async () => {
    const [owner, other] = [await as(test, 'peer1', 'wampcra'), await as(test, 'peer2', 'wampcra')]
    const { ticket } = (await owner.attempt('call', issueTicket, [60])) as Ticket
    const login = { authid: 'peer1', authmethod: 'ticket', secret: ticket } as const
    const user = await joinUser(gateway.routerUrl, test, login)
    expect(await user.attempt('call', 'wamp.session.count')).to.be.a('number')
    expect(await other.attempt('call', 'service.ticket.revoke', [ticket])).to.equal(denied)
    expect(await refusal(test, login)).to.equal('joined')
    const revoked = await owner.attempt('call', 'service.ticket.revoke', [ticket])
    expect(revoked).to.have.all.keys('id')
    await user.ended
    expect(await refusal(test, login)).to.equal(failed)
    expect(await owner.attempt('call', 'wamp.session.count'), 'the owner stays').to.be.a('number')
    await Promise.all([owner.leave(), other.leave()])
  })
})
