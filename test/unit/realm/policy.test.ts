/** What realm documents allow a WAMP client: to join, and to act. */
import { expect } from 'chai'
import type { RealmPolicy } from '#component/router/ports.ts'
import { credentials } from '#component/wamp/join-auth.ts'
import { policyOf, securityConfig } from './doubles.ts'
import { anonymous, join, outside } from './joining.ts'

const key = '4ffddd896a530ce5ee8c86b83b0d31835490a97a9cd718cb2f09c9fd31c4a7d7'

describe('joining a realm', () => {
  let policy: RealmPolicy
  before(async () => {
    policy = await policyOf(securityConfig)
  })

  for (const [what, realm, auth, expected] of [
    [
      'ticket',
      'com.example.test',
      { authmethod: 'ticket', authid: 'peer1', secret: 'changethispassword' },
      ['microservices', 'account_user'],
    ],
    [
      'wampcra',
      'com.example.test',
      { authmethod: 'wampcra', authid: 'peer2', secret: 'changethispassword' },
      ['microservices'],
    ],
    [
      'cryptosign',
      'com.example.test',
      { authmethod: 'cryptosign', authid: 'device1', key },
      ['devices'],
    ],
    [
      'wampcra of a user without groups',
      'com.example.test_1',
      { authmethod: 'wampcra', authid: 'bob', secret: '123456' },
      ['bob'],
    ],
    [
      'ticket of an inherited realm',
      'com.example.test.inheritance',
      { authmethod: 'ticket', authid: 'linda', secret: '123456' },
      ['users'],
    ],
    [
      'ticket of a client of an old file',
      'com.example.test',
      { authmethod: 'ticket', authid: 'webapp', secret: 'secret' },
      ['admin', 'api_clients'],
    ],
  ] as const) {
    it(`works by ${what}`, async () => {
      expect(await join(policy, realm, auth)).to.deep.equal({
        kind: 'welcome',
        authid: auth.authid,
        authroles: expected,
      })
    })
  }

  it('works without credentials where the realm says so', async () => {
    expect(await join(policy, 'com.example.test', anonymous)).to.deep.equal({
      kind: 'welcome',
      authid: 'anonymous',
      authroles: ['anonymous'],
    })
  })

  const failed = 'wamp.error.authentication_failed'
  for (const [what, realm, auth, expected] of [
    [
      'a wrong ticket',
      'com.example.test',
      { authmethod: 'ticket', authid: 'peer1', secret: 'x' },
      'wrong',
    ],
    [
      'an unknown user',
      'com.example.test',
      { authmethod: 'ticket', authid: 'nobody', secret: 'x' },
      'wrong',
    ],
    [
      'a wrong WAMP-CRA secret',
      'com.example.test',
      { authmethod: 'wampcra', authid: 'peer1', secret: 'x' },
      'wrong',
    ],
    [
      'an unknown user by WAMP-CRA',
      'com.example.test',
      { authmethod: 'wampcra', authid: 'nobody', secret: 'x' },
      'wrong',
    ],
    [
      "a key that is not the user's",
      'com.example.test',
      { authmethod: 'cryptosign', authid: 'device1', key: '01'.repeat(32) },
      'wrong',
    ],
    [
      'a key of another user',
      'com.example.test',
      { authmethod: 'cryptosign', authid: 'peer1', key },
      'wrong',
    ],
    ['a method the realm does not serve', 'com.example.test_1', anonymous, failed],
    [
      'a method no source admits',
      'com.example.admin',
      { authmethod: 'ticket', authid: 'urn:user:1', secret: '123456' },
      failed,
    ],
    [
      'a user no source admits',
      'com.example.test',
      { authmethod: 'cryptosign', authid: 'app', key },
      'wrong',
    ],
    ['a prototype', 'com.example.test.proto', anonymous, 'wamp.error.no_such_realm'],
    ['a realm that takes no connections', 'com.example.sso', anonymous, 'wamp.error.no_such_realm'],
    ['a realm that is not declared', 'com.nowhere', anonymous, 'wamp.error.no_such_realm'],
  ] as const) {
    it(`fails with ${what}`, async () => {
      expect(await join(policy, realm, auth)).to.equal(expected)
    })
  }

  it('finds the user of a key that names nobody', async () => {
    const client = credentials({ authmethod: 'cryptosign', authid: 'x', key })
    const { authextra } = client
    const answer = await policy.authenticate({
      realm: 'com.example.test',
      session: 1,
      authid: undefined,
      authmethod: 'cryptosign',
      authextra,
      peer: outside,
    })
    if (answer.kind !== 'challenge') throw new Error(answer.kind)
    const signature = await client.answer('cryptosign', answer.extra)
    expect(await answer.check(signature)).to.include({ authid: 'device1' })
    expect(await answer.check('00')).to.equal(undefined)
  })

  it('challenges an unknown user in the same way each time, so that nobody learns who exists', async () => {
    const salts = await Promise.all(
      ['nobody', 'nobody', 'peer1'].map(async (authid) => {
        const answer = await policy.authenticate({
          realm: 'com.example.test',
          session: 1,
          authid,
          authmethod: 'wampcra',
          authextra: {},
          peer: outside,
        })
        return answer.kind === 'challenge' ? String(answer.extra.salt) : answer.kind
      }),
    )
    expect(salts[0]).to.equal(salts[1])
    expect(salts[0]).to.have.length(salts[2]?.length ?? 0)
  })

  it('offers the methods of the document that WAMP knows', () => {
    expect(policy.authmethods('com.example.test', outside)).to.deep.equal([
      'cryptosign',
      'wampcra',
      'anonymous',
      'ticket',
    ])
    expect(policy.authmethods('com.nowhere', outside)).to.deep.equal([])
  })

  it('is possible from the network of a source only', async () => {
    const near = await policyOf({
      uri: 'r',
      authmethods: ['anonymous'],
      sources: [{ usernames: 'all', authmethod: 'anonymous', cidr: '10.0.0.0/8' }],
    })
    for (const [address, kind] of [
      ['10.9.8.7', 'welcome'],
      ['::ffff:10.9.8.7', 'welcome'],
      ['11.9.8.7', 'refuse'],
      ['::1', 'refuse'],
      ['nonsense', 'refuse'],
    ] as const) {
      const answer = await near.authenticate({
        realm: 'r',
        session: 1,
        authid: undefined,
        authmethod: 'anonymous',
        authextra: {},
        peer: { address, isInProcess: false },
      })
      expect(answer.kind, address).to.equal(kind)
    }
  })
})
