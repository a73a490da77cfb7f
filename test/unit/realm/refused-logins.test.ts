/** What the log says when an external router asks about a login that is refused. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import type { LoginRefusal } from '#component/login-refusal.ts'
import { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { Attempts } from '#component/security/attempts.ts'
import { TrustedProxies } from '#http/peer.ts'
import { policyOver, realmsWith } from './doubles.ts'

const realm = 'com.example.realm'
const document = {
  uri: realm,
  authmethods: ['ticket', 'wampcra'],
  users: [
    { username: 'ada', password: 'lovelace' },
    { username: 'off', password: 'lovelace', enabled: false },
  ],
  sources: ['ticket', 'wampcra'].map((authmethod) => ({
    ...{ usernames: 'all', authmethod, cidr: '192.0.2.0/24' },
  })),
}
const [inside, outside] = ['192.0.2.1', '198.51.100.1']

/** What is refused, the claims of the client, and the line; undefined: only the router can refuse it. */
const rows: readonly (readonly [
  what: string,
  claims: readonly [realm: string, authid: string | null, method: string, ticket: string],
  address: string,
  line: LoginRefusal | undefined,
])[] = [
  ['a right ticket', [realm, 'ada', 'ticket', 'lovelace'], inside, undefined],
  ['a signature', [realm, 'ada', 'wampcra', ''], inside, undefined],
  [
    'a wrong ticket',
    [realm, 'ada', 'ticket', 'wrong'],
    inside,
    { realm, authmethod: 'ticket', authid: 'ada', reason: 'wrong ticket or password' },
  ],
  [
    'an unknown user',
    [realm, 'joe', 'wampcra', ''],
    inside,
    { realm, authmethod: 'wampcra', reason: 'unknown user' },
  ],
  [
    'a disabled user',
    [realm, 'off', 'wampcra', ''],
    inside,
    { realm, authmethod: 'wampcra', authid: 'off', reason: 'the user is disabled' },
  ],
  [
    'a forbidden address',
    [realm, 'ada', 'wampcra', ''],
    outside,
    {
      ...{ realm, authmethod: 'wampcra', authid: 'ada' },
      reason: 'no source admits the user or the address by wampcra',
    },
  ],
  [
    'no authid',
    [realm, null, 'wampcra', ''],
    inside,
    { realm, authmethod: 'wampcra', reason: 'HELLO has no authid' },
  ],
  [
    'a method that the realm does not serve',
    [realm, 'ada', 'cryptosign', ''],
    inside,
    {
      ...{ realm, authmethod: 'cryptosign', authid: 'ada' },
      reason: 'the realm does not serve the authmethod cryptosign',
    },
  ],
  [
    'a method that nobody knows',
    [realm, 'ada', 'CANARY', ''],
    inside,
    { realm, authmethod: 'unknown', reason: 'the realm does not serve the authmethods offered' },
  ],
  [
    'a realm that does not exist',
    ['com.example.nowhere', 'ada', 'wampcra', ''],
    inside,
    { authmethod: 'wampcra', reason: 'the realm does not exist' },
  ],
]

describe('a router that asks about a login', () => {
  for (const [what, [uri, authid, authmethod, ticket], address, line] of rows) {
    it(`with ${what} has ${line ? 'one line' : 'no line'} in the log`, async () => {
      const { realms } = await realmsWith()
      await realms.load(document)
      const told: (readonly [LoginRefusal, string])[] = []
      const policy = policyOver(realms, false, {
        attempts: new Attempts({ user_failures: 9, address_failures: 9 }),
        log: { refused: (refusal, from) => void told.push([refusal, from]) },
      })
      const log = { warn: () => undefined, error: () => undefined }
      const proxies = new TrustedProxies([])
      const auth = new CrossbarAuthenticator({ policy, realms, proxies, clock: systemClock, log })
      const transport = { peer: `tcp4:${address}:5000`, http_headers_received: {} }
      await auth
        .authenticate(uri, authid, { authmethod, ticket, session: 7, transport })
        .catch(() => undefined)
      const expected = line && { realm: undefined, authid: undefined, ...line }
      const found = told.map(([refusal, from]) => [
        { realm: undefined, authid: undefined, ...refusal },
        from,
      ])
      expect(found).to.deep.equal(expected ? [[expected, address]] : [])
    })
  }
})
