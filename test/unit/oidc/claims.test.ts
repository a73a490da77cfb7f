/** From claims to authid and roles: what a provider can make of somebody, and what it cannot. */
import { expect } from 'chai'
import {
  authidOf,
  type Claims,
  chosenClaims,
  claimAt,
  lostPaths,
  rolesOf,
} from '#component/oidc/claims.ts'
import { settingsOf } from '#component/oidc/settings.ts'
import type { OidcError } from '#component/oidc-error.ts'
import { realmsOf } from './settings-fixture.ts'

const settingsWith = (more: object) =>
  settingsOf(
    realmsOf({ mock: { issuer: 'https://idp.example.com', client_id: 'app', ...more } }),
    'r',
    'mock',
  )

const authid = (claims: Claims, more: object = {}): string => {
  try {
    return authidOf(claims, settingsWith(more))
  } catch (error) {
    return (error as OidcError).code
  }
}

const roles = (claims: Claims, more: object = {}) => rolesOf(claims, settingsWith(more))

describe('the authid of a login', () => {
  const sub = 'sub-1'
  for (const [claims, more, expected] of [
    [{ sub, preferred_username: 'ada' }, {}, 'ada'],
    [{ sub }, {}, sub],
    [{ sub, preferred_username: null }, {}, sub],
    [
      { sub, email: 'ada@example.com', email_verified: true },
      { authid_claim: 'email' },
      'ada@example.com',
    ],
    [
      { sub, email: 'ada@example.com', email_verified: 'true' },
      { authid_claim: 'email' },
      'ada@example.com',
    ],
    [{ sub, user: { name: 'ada' } }, { authid_claim: 'user.name' }, 'ada'],
    [{ sub, 'user.name': 'ada', user: { name: 'eve' } }, { authid_claim: 'user.name' }, 'ada'],
    [{ sub, user: 'ada' }, { authid_claim: 'user.length' }, sub],
    [{ sub }, { authid_claim: 'constructor.name' }, sub],
    [{ sub, preferred_username: 'Ada Löwe 李' }, {}, 'Ada Löwe 李'],
    [{ sub, preferred_username: 'a'.repeat(256) }, {}, 'a'.repeat(256)],
  ] as const) {
    it(`is ${expected.slice(0, 20)} of ${JSON.stringify(claims).slice(0, 70)}`, () => {
      expect(authid(claims, more)).to.equal(expected)
    })
  }

  for (const email_verified of [undefined, null, false, 'false', 'True', '', 1, [true], {}]) {
    it(`is no e-mail address with email_verified ${JSON.stringify(email_verified)}`, () => {
      const claims = { sub, email: 'ada@example.com', email_verified }
      expect(authid(claims, { authid_claim: 'email' })).to.equal('missing_authid_claim')
    })
  }

  for (const authid_claim of [['email'], '"email"']) {
    it(`is a confirmed address by the path ${JSON.stringify(authid_claim)}, too`, () => {
      expect(authid({ sub, email: 'ada@example.com' }, { authid_claim })).to.equal(
        'missing_authid_claim',
      )
    })
  }

  it('is not the subject where it is to be a verified e-mail address', () => {
    expect(authid({ sub: 'ada@example.com' }, { authid_claim: 'email' })).to.equal(
      'missing_authid_claim',
    )
  })

  for (const value of [
    ['ada'],
    5,
    true,
    { name: 'ada' },
    '',
    ' ',
    ' ada',
    'ada ',
    'a\u0000b',
    'a\nb',
    'a\u200bb',
    'a\u202eb',
    'a\u00a0b',
    '\ud800',
    'a'.repeat(257),
    'a'.repeat(10_000),
  ]) {
    it(`is none of ${JSON.stringify(value).slice(0, 30)}`, () => {
      expect(authid({ sub, preferred_username: value })).to.equal('missing_authid_claim')
    })
  }
})

describe('the roles of a login', () => {
  const role_mapping = { admins: 'spec_loader', staff: ['staff', 'buyers'], evil: 'gateway' }
  for (const [what, claims, more, expected] of [
    ['a text', { roles: 'staff' }, {}, ['staff']],
    ['a list', { roles: ['a', 'b', 'a'] }, {}, ['a', 'b']],
    ['the fallback', { role: 'staff' }, {}, ['staff']],
    ['an empty list before the fallback', { roles: [], role: 'staff' }, {}, []],
    ['a path', { realm_access: { roles: ['a'] } }, { role_claim: 'realm_access.roles' }, ['a']],
    ['a name with dots', { 'https://x.com/r': ['a'] }, { role_claim: 'https://x.com/r' }, ['a']],
    [
      'a client with dots, in quotes',
      { resource_access: { 'com.example.app': { roles: ['a'] } } },
      { role_claim: 'resource_access."com.example.app".roles' },
      ['a'],
    ],
    [
      'a client with dots, in a list of names',
      { resource_access: { 'com.example.app': { roles: ['a'] } } },
      { role_claim: ['resource_access', 'com.example.app', 'roles'] },
      ['a'],
    ],
    [
      'a namespace with a path behind it',
      { 'https://x.com/app': { roles: ['a'] } },
      { role_claim: '"https://x.com/app".roles' },
      ['a'],
    ],
    ['a name with quotes in it', { a: { 'b"c.d': 'x' } }, { role_claim: 'a."b\\"c.d"' }, ['x']],
    ['a name that is all quotes', { '"a"': 'x' }, { role_claim: '"a"' }, ['x']],
    ['a list of one name with dots', { 'a.b': 'x', a: { b: 'y' } }, { role_claim: ['a.b'] }, ['x']],
    ['a list that ends in a list', { a: ['x'] }, { role_claim: ['a', '0'] }, []],
    [
      'the keys of a map, as Zitadel has them',
      { 'urn:zitadel:iam:org:project:roles': { admin: { 1: 'x.com' }, user: { 1: 'x.com' } } },
      { role_claim: 'urn:zitadel:iam:org:project:roles' },
      ['admin', 'user'],
    ],
    ['the keys of a map that do not say no', { roles: { a: true, b: false, c: null } }, {}, ['a']],
    ['the keys of a map, mapped', { roles: { staff: {} } }, { role_mapping }, ['staff', 'buyers']],
    ['the keys of a map, none for operators', { roles: { spec_loader: {}, all: {} } }, {}, []],
    [
      'a map that holds lists',
      { realm_access: { roles: ['a'] } },
      { role_claim: 'realm_access' },
      [],
    ],
    ['an empty map before the fallback', { roles: {}, role: 'staff' }, {}, []],
    ['nothing', {}, {}, []],
    ['what is no text', { roles: [1, null, ['a'], { b: 1 }, 'c'] }, {}, ['c']],
    ['what is not printable', { roles: ['', 'a\n', ' a', 'x'.repeat(300), 'b'] }, {}, ['b']],
    ['reserved names', { roles: ['gateway', 'anonymous', 'all', 'a'] }, {}, ['a']],
    ['operators', { roles: ['spec_loader', 'spec_reader', 'a'] }, {}, ['a']],
    [
      'mapped ones',
      { roles: ['staff', 'admins'] },
      { role_mapping },
      ['staff', 'buyers', 'spec_loader'],
    ],
    [
      'those no mapping names',
      { roles: ['spec_loader', 'a', 'constructor'] },
      { role_mapping },
      [],
    ],
    ['a reserved name by mapping', { roles: ['evil'] }, { role_mapping }, []],
  ] as const) {
    it(`are ${expected.join(', ') || 'none'} of ${what}`, () => {
      expect(roles(claims, more)).to.deep.equal(expected)
    })
  }

  it('are 256 at most', () => {
    expect(roles({ roles: Array.from({ length: 999 }, (_, index) => `r${index}`) })).to.have.length(
      256,
    )
  })
})

describe('a path of claims', () => {
  it('walks own members of maps, nothing else', () => {
    const claims = { a: { b: { c: 1 } }, list: ['x'] }
    const found = ['a.b.c', 'a.b', 'list.0', 'a.toString', '__proto__', '', 'a."b', '"a"b'].map(
      (path) => claimAt(claims, path),
    )
    expect(found).to.deep.equal([1, { c: 1 }, ...Array(6)])
  })
})

describe('the paths that lead to no claim', () => {
  for (const [what, more, claims, lost] of [
    ['of a user without roles', {}, { preferred_username: 'ada' }, [['role_claim', 'roles']]],
    ['of a user with the claim that stands in', {}, { preferred_username: 'ada', role: 'a' }, []],
    ['of a user without a name', {}, { roles: [] }, [['authid_claim', 'preferred_username']]],
    [
      'of a client, a claim and a list',
      { role_claim: 'a."b.c".d', claims: ['email', ['x', 'y']] },
      { preferred_username: 'ada', a: { b: { c: { d: ['r'] } } }, x: { y: null } },
      [
        ['role_claim', 'a."b.c".d'],
        ['claims', 'email'],
        ['claims', '["x","y"]'],
      ],
    ],
  ] as const) {
    it(`are ${lost.length} ${what}`, () => {
      expect(lostPaths(claims, settingsWith(more))).to.deep.equal(lost)
    })
  }
})

describe('the claims of a ticket', () => {
  const claims = {
    email: 'ada@example.com',
    address: { country: 'AT', locality: 'Wien', street: 'x' },
    'https://example.com/team': 'blue',
    locale: null,
  }
  for (const [paths, chosen] of [
    [[], undefined],
    [['email'], { email: 'ada@example.com' }],
    [['email', 'phone', 'address.zip'], { email: 'ada@example.com' }],
    [['address.country'], { address: { country: 'AT' } }],
    [['address.country', 'address.locality'], { address: { country: 'AT', locality: 'Wien' } }],
    [['address', 'address.country'], { address: claims.address }],
    [['https://example.com/team'], { 'https://example.com/team': 'blue' }],
    [['"https://example.com/team"'], { 'https://example.com/team': 'blue' }],
    [[['https://example.com/team']], { 'https://example.com/team': 'blue' }],
    [
      ['address."country"', ['address', 'locality']],
      { address: { country: 'AT', locality: 'Wien' } },
    ],
    [['locale'], { locale: null }],
    [['constructor', '__proto__', 'email.length'], {}],
  ] as const) {
    it(`are ${JSON.stringify(chosen)} by ${JSON.stringify(paths)}`, () => {
      const before = structuredClone(claims)
      expect(chosenClaims(claims, { claims: paths })).to.deep.equal(chosen)
      expect(claims).to.deep.equal(before)
    })
  }

  it('may be named __proto__', () => {
    const hostile = JSON.parse('{"__proto__": {"x": 1}}')
    const chosen = chosenClaims(hostile, { claims: ['__proto__.x'] })
    expect(JSON.stringify(chosen)).to.equal('{"__proto__":{"x":1}}')
  })

  for (const [letters, isTooLarge] of [
    [2_036, false],
    [2_037, true],
  ] as const) {
    it(`${isTooLarge ? 'do not fit' : 'fit'} with ${letters} letters, and the log has the sizes`, () => {
      const choose = () => chosenClaims({ email: 'x'.repeat(letters) }, { claims: ['email'] })
      if (!isTooLarge) return expect(choose).to.not.throw()
      return expect(choose)
        .to.throw('have 2049 bytes, at most 2048 are allowed: email 2039')
        .with.property('code', 'claims_too_large')
    })
  }
})
