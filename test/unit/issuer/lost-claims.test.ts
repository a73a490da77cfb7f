/** Tokens of other issuers without the claims that the settings name, and with claims of null, which say what absence says. */
import { expect } from 'chai'
import type { Identity } from '#component/identity.ts'
import { answerTo, type Foreign, openForeign, realm_uri } from './fixture.ts'

const message = 'the path of this setting leads to no claim of a token of the issuer'

type Json = Readonly<Record<string, unknown>>
type Lost = readonly (readonly [setting: string, path: string])[]

const rows: readonly (readonly [what: string, settings: Json, claims: Json, lost: Lost])[] = [
  ['a name', { role_claim: 'groups' }, {}, [['role_claim', 'groups']]],
  [
    'a path to a claim that is no map',
    { role_claim: 'realm_access.roles' },
    { realm_access: 'x' },
    [['role_claim', 'realm_access.roles']],
  ],
  [
    'a path with a misspelt end',
    { role_claim: 'realm_access.role' },
    { realm_access: { roles: ['staff'] } },
    [['role_claim', 'realm_access.role']],
  ],
  [
    'a list of names',
    { role_claim: ['resource_access', 'com.example.app', 'roles'] },
    { resource_access: { 'com.example.other': { roles: ['staff'] } } },
    [['role_claim', '["resource_access","com.example.app","roles"]']],
  ],
  ['a claim of null', { role_claim: 'groups' }, { groups: null }, [['role_claim', 'groups']]],
  ['scopes', { scope_claim: 'permissions' }, { scope: 'a' }, [['scope_claim', 'permissions']]],
  [
    'roles and scopes',
    { role_claim: 'groups', scope_claim: 'permissions' },
    {},
    [
      ['role_claim', 'groups'],
      ['scope_claim', 'permissions'],
    ],
  ],
  ['nothing', { role_claim: 'groups', scope_claim: 'scp' }, { groups: [], scp: '' }, []],
]

describe('a token of another issuer', () => {
  let node: Foreign
  beforeEach(async () => {
    node = await openForeign('corp', 'other')
  })
  afterEach(() => node.close())

  const told = () => node.logged.filter(([, text]) => text === message).map(([line]) => line)

  for (const [what, settings, claims, lost] of rows) {
    it(`has the paths that lead to no claim told in the log once: ${what}`, async () => {
      await node.declare(settings)
      for (const jti of ['1', '2']) {
        const token = await node.server.token({ claims: { ...claims, jti } })
        expect(await answerTo(() => node.ask(token))).to.equal('ok corp|ada')
      }
      const at = { realm_uri, issuer: 'corp' }
      expect(told()).to.deep.equal(lost.map(([setting, path]) => ({ ...at, setting, path })))
    })
  }

  it('has a path told for each issuer', async () => {
    const [, other] = node.servers
    for (const [name, server] of [
      ['corp', node.server],
      ['other', other],
    ] as const) {
      const token = await server?.token({ claims: { scope: undefined } })
      await node.ask(token ?? '', name)
    }
    expect(told().map((line) => (line as Json).issuer)).to.deep.equal(['corp', 'other'])
  })

  it('has nothing told that nobody has signed', async () => {
    const token = await node.server.token({ claims: { scope: undefined } })
    const forged = token.replace(/\.[^.]*$/, `.${'A'.repeat(86)}`)
    expect(await answerTo(() => node.ask(forged))).to.match(/^401/)
    expect(told()).to.deep.equal([])
  })

  for (const [what, claims, expected] of [
    ['nbf', { nbf: null }, 'ok corp|ada'],
    ['iat', { iat: null }, 'ok corp|ada'],
    [
      'nbf, iat, jti, azp, acr, auth_time',
      { nbf: null, iat: null, jti: null, azp: null, acr: null, auth_time: null },
      'ok corp|ada',
    ],
    ['sub', { sub: null }, '401 the claim that names the user is missing or malformed'],
    ['exp', { exp: null }, '401 a time claim of the token is missing or malformed'],
    ['iss', { iss: null }, '401 the token comes from another issuer'],
    ['aud', { aud: null }, '401 the token was issued for another audience'],
  ] as const) {
    it(`with ${what} of null is one without: ${expected}`, async () => {
      const token = await node.server.token({ claims })
      expect(await answerTo(() => node.ask(token))).to.equal(expected)
    })
  }

  for (const [what, claims, client_id, scopes] of [
    ['client_id', { client_id: null, azp: 'shop' }, 'shop', ['a']],
    ['client_id and azp', { client_id: null, azp: null, cid: 'shop' }, 'shop', ['a']],
    ['scope', { client_id: 'shop', scope: null, scp: ['b'] }, 'shop', ['b']],
  ] as const) {
    it(`with ${what} of null is read by the claim that stands in for it`, async () => {
      const token = await node.server.token({ claims: { scope: 'a', ...claims } })
      const identity: Identity = await node.ask(token, 'corp', { scopes })
      expect(identity.client_id).to.equal(client_id)
    })
  }
})
