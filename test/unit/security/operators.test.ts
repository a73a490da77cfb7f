/** Operators: users who may manage by an access token or an API key, because they have a role for it. */
import { expect } from 'chai'
import { RefusedLogin } from '#component/login-refusal.ts'
import { Logins } from '#component/realm/logins.ts'
import { type Operator, Operators } from '#component/security/operators.ts'
import type { AccessClaims } from '#component/token/access-token.ts'
import { TokenError } from '#component/token/token-error.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const [admin, tenant, component] = ['com.admin', 'com.tenant', 'service.gateway']

const users = [
  { username: 'lou', groups: ['spec_loader', 'spec_reader', 'staff'] },
  { username: 'rita', groups: ['spec_reader'] },
  { username: 'bob', groups: ['staff'] },
  { username: 'off', groups: ['spec_loader'], enabled: false },
]

/** A token as only its realm and user are looked at; the double of verification knows those of the realm. */
const tokenOf = (aud: unknown, sub: string, ...roles: string[]) => {
  const payload = Buffer.from(JSON.stringify({ aud, sub, roles })).toString('base64url')
  return `e30.${payload}.good`
}

async function operatorsOf() {
  const { realms } = await realmsWith()
  await realms.load([admin, tenant, component].map((uri) => ({ uri, users })))
  const asked: string[] = []
  const operators = new Operators({
    logins: new Logins({ realms }),
    adminRealm: admin,
    componentRealm: component,
    apiKeys: {
      find: (text) => {
        const [start, realm_uri = '', username = ''] = text.split(' ')
        return start === 'gk' ? { id: 'k', realm_uri, username } : undefined
      },
    },
    accessTokens: {
      verify(token, realm_uri) {
        asked.push(realm_uri)
        const [, payload = '', signature] = token.split('.')
        const { aud, sub, roles } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
        if (signature !== 'good' || aud !== realm_uri) throw new TokenError('not good')
        return { sub, auth: { roles }, exp: 1_900_000_000 } as unknown as AccessClaims
      },
    },
  })
  return { operators, asked }
}

describe('an operator', () => {
  for (const [what, text, expected] of [
    ['an API key of a loader', 'gk com.tenant lou', { access: 'load', within: tenant }],
    ['an API key of a reader', 'gk com.tenant rita', { access: 'read', within: tenant }],
    ['an API key of another user', 'gk com.tenant bob', { access: undefined, within: tenant }],
    ['an API key of admin.realm', 'gk com.admin lou', { access: 'load' }],
    [
      'a token of a loader',
      tokenOf(tenant, 'lou', 'spec_loader'),
      { access: 'load', within: tenant },
    ],
    ['a token of admin.realm', tokenOf(admin, 'rita', 'spec_reader'), { access: 'read' }],
    [
      'a token with fewer roles',
      tokenOf(tenant, 'lou', 'spec_reader'),
      { access: 'read', within: tenant },
    ],
    [
      'a token with a role that the user has lost',
      tokenOf(tenant, 'bob', 'spec_loader', 'staff'),
      { access: undefined, within: tenant },
    ],
    [
      "a loader of the component's realm",
      tokenOf(component, 'lou', 'spec_loader'),
      { access: undefined, within: component },
    ],
  ] as const) {
    it(`with ${what} may ${JSON.stringify(expected)}`, async () => {
      const found = await (await operatorsOf()).operators.authenticate(text)
      const { access, within } = found as Operator
      expect({ access, ...(within && { within }) }).to.deep.equal(expected)
      expect(found).to.include.all.keys('realm_uri', 'authid', 'roles')
    })
  }

  const gone = 'the user of the credentials is disabled or deleted'
  const neither = 'neither a valid API key nor an access token'
  for (const [what, text, reason] of [
    ['an API key of somebody disabled', 'gk com.tenant off', gone],
    ['an API key of a realm that is gone', 'gk com.nowhere lou', gone],
    ['a token of somebody disabled', tokenOf(tenant, 'off', 'spec_loader'), gone],
    ['a token of another signature', `${tokenOf(tenant, 'lou', 'spec_loader')}?`, 'not good'],
    ['a token for several realms', tokenOf([tenant], 'lou', 'spec_loader'), neither],
    ['a token for no realm', tokenOf(undefined, 'lou', 'spec_loader'), neither],
    [
      'a payload that is no object',
      `e30.${Buffer.from('null').toString('base64url')}.good`,
      neither,
    ],
    ['text that is no token', 'a.b.c', neither],
    ['no text', '', neither],
  ] as const) {
    it(`is nobody with ${what}`, async () => {
      const found = await (await operatorsOf()).operators.authenticate(text)
      expect(found).to.be.instanceOf(RefusedLogin)
      expect(found).to.have.nested.property('refusal.reason', reason)
    })
  }

  it('is looked for in the realm that the token names, which then verifies it', async () => {
    const { operators, asked } = await operatorsOf()
    await operators.authenticate(tokenOf(tenant, 'lou'))
    expect(asked).to.deep.equal([tenant])
  })

  it('is not refused for a failure of ours', async () => {
    const { realms } = await realmsWith()
    const broken = new Operators({
      logins: new Logins({ realms }),
      adminRealm: undefined,
      componentRealm: component,
      apiKeys: { find: () => undefined },
      accessTokens: { verify: () => Promise.reject(new Error('broken')) },
    })
    const failure = await broken
      .authenticate(tokenOf(tenant, 'lou'))
      .catch((cause: unknown) => cause)
    expect(String(failure)).to.equal('Error: broken')
  })
})
