/** Tokens as well-known issuers make them: which user, roles and scopes they give, by the settings that docs/cookbook.md shows. */
import { expect } from 'chai'
import type { Identity } from '#component/identity.ts'
import { answerTo, type Foreign, openForeign } from './fixture.ts'

interface Shape {
  readonly issuer: string
  readonly settings: object
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly authid: string
  readonly authroles: readonly string[]
  readonly client_id: string
  /** What the token allows, and something that it does not. */
  readonly scopes: readonly string[]
  readonly lacks: string
}

const tid = '5f0a1c2e-0000-4000-8000-000000000000'

const shapes: readonly Shape[] = [
  {
    issuer: 'Keycloak',
    settings: {
      audience: ['account'],
      authid_claim: 'preferred_username',
      role_claim: 'realm_access.roles',
      role_mapping: { editor: ['staff', 'editors'] },
      required_claims: { typ: 'Bearer', azp: ['shop-web', 'shop-app'] },
    },
    header: { typ: 'JWT' },
    claims: {
      ...{ typ: 'Bearer', azp: 'shop-web', aud: 'account', preferred_username: 'ada' },
      realm_access: { roles: ['editor', 'offline_access'] },
      resource_access: { account: { roles: ['view-profile'] } },
      ...{ client_id: undefined, scope: 'openid email profile' },
    },
    authid: 'corp|ada',
    authroles: ['staff', 'editors', 'corp|offline_access'],
    client_id: 'shop-web',
    scopes: ['openid', 'profile'],
    lacks: 'orders:read',
  },
  {
    issuer: 'Zitadel',
    settings: {
      audience: ['2'],
      role_claim: ['urn:zitadel:iam:org:project:2:roles'],
      role_mapping: { admin: 'staff' },
    },
    header: { typ: 'JWT' },
    claims: {
      ...{ aud: ['2'], client_id: 'shop', scope: 'openid', jti: 'z1' },
      'urn:zitadel:iam:org:project:2:roles': { admin: { 1: 'x.com' }, user: { 1: 'x.com' } },
    },
    authid: 'corp|ada',
    authroles: ['staff', 'corp|user'],
    client_id: 'shop',
    scopes: ['openid'],
    lacks: 'orders:read',
  },
  {
    issuer: 'Keycloak with a client whose id has dots',
    settings: {
      audience: ['com.example.app'],
      role_claim: 'resource_access."com.example.app".roles',
      scope_claim: ['resource_access', 'com.example.app', 'roles'],
      required_claims: { 'resource_access."com.example.app".active': true },
    },
    header: { typ: 'JWT' },
    claims: {
      aud: 'com.example.app',
      resource_access: { 'com.example.app': { roles: ['editor'], active: true } },
    },
    authid: 'corp|ada',
    authroles: ['corp|editor'],
    client_id: 'app',
    scopes: ['editor'],
    lacks: 'orders:read',
  },
  {
    issuer: 'Entra ID',
    settings: {
      audience: ['api://orders', '11111111-0000-4000-8000-000000000000'],
      authid_claim: 'oid',
      role_claim: 'roles',
      required_claims: { tid, ver: '2.0' },
      role_mapping: { 'Orders.Admin': 'spec_loader' },
    },
    header: { typ: 'JWT', x5t: 'nOo3ZDrODXEK1jKWhXslHR_KXEg' },
    claims: {
      ...{ aud: '11111111-0000-4000-8000-000000000000', tid, ver: '2.0', oid: 'o-1' },
      ...{ azp: 'c-1', roles: ['Orders.Admin', 'spec_reader'], scp: 'Orders.Read Orders.Write' },
      ...{ client_id: undefined, scope: undefined, jti: undefined, uti: 'u1' },
    },
    authid: 'corp|o-1',
    authroles: ['spec_loader', 'corp|spec_reader'],
    client_id: 'c-1',
    scopes: ['Orders.Read', 'Orders.Write'],
    lacks: 'Orders.Delete',
  },
  {
    issuer: 'Auth0, with permissions',
    settings: {
      role_claim: 'https://shop.example.com/roles',
      scope_claim: 'permissions',
    },
    header: { typ: 'at+jwt' },
    claims: {
      ...{ sub: 'auth0|5f7c8ec7c33c6c004bbafe82', aud: ['orders', 'https://x.auth0.com/userinfo'] },
      ...{ azp: 'c-2', client_id: undefined, scope: 'openid', gty: 'password' },
      'https://shop.example.com/roles': ['staff'],
      permissions: ['read:orders', 'write:orders'],
    },
    authid: 'corp|auth0|5f7c8ec7c33c6c004bbafe82',
    authroles: ['corp|staff'],
    client_id: 'c-2',
    scopes: ['read:orders', 'write:orders'],
    lacks: 'openid',
  },
  {
    issuer: 'Auth0, with scopes',
    settings: {},
    header: { typ: 'JWT' },
    claims: { sub: 'c-3@clients', gty: 'client-credentials', scope: 'read:orders all gateway' },
    authid: 'corp|c-3@clients',
    authroles: ['corp|read:orders', 'corp|all', 'corp|gateway'],
    client_id: 'app',
    scopes: ['read:orders'],
    lacks: 'write:orders',
  },
  {
    issuer: 'Okta',
    settings: { authid_claim: 'uid', role_claim: 'groups', role_mapping: { Everyone: 'all' } },
    header: { typ: undefined },
    claims: {
      ...{ ver: 1, cid: 'c-4', uid: 'u-1', sub: 'ada@example.com', client_id: undefined },
      ...{ scp: ['orders:read', 'openid'], scope: undefined, groups: ['Everyone', 'Staff'] },
    },
    authid: 'corp|u-1',
    authroles: ['corp|Staff'],
    client_id: 'c-4',
    scopes: ['orders:read'],
    lacks: 'orders:write',
  },
]

describe('a token of', () => {
  let node: Foreign
  before(async () => {
    node = await openForeign('corp')
  })
  after(() => node.close())

  for (const { issuer, settings, header, claims, scopes, lacks, ...expected } of shapes) {
    it(`${issuer} gives its user, roles and scopes`, async () => {
      await node.declare(settings)
      const token = await node.server.token({ header, claims })
      const identity: Identity = await node.ask(token, 'corp', { scopes })
      const { authid, authroles, client_id, authmethod } = identity
      expect({ authid, authroles, client_id }).to.deep.equal(expected)
      expect(authmethod).to.equal('jwt')
      const refusal = await answerTo(() => node.ask(token, 'corp', { scopes: [...scopes, lacks] }))
      const all = [...scopes, lacks].join(' ')
      expect(refusal).to.equal(`403 the token lacks a scope of this path: ${all}`)
    })
  }
})
