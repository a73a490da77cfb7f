/** Answers of providers that are odd and legal: logins, checks and logouts go on as with any other provider. */
import { expect } from 'chai'
import { reasonOf } from '#test/unit/token/doubles.ts'
import { client_id, type Twist } from './fake-provider.ts'
import { browser, clock, freshLogins, node, provider, realm_uri } from './login-fixture.ts'

type Json = Readonly<Record<string, unknown>>

/** What a user is at a moment. */
interface Standing {
  readonly authid?: string
  readonly roles?: readonly string[]
  readonly claims?: Json
}

/** One kind of provider, and what is not ordinary about the user that it tells of. */
interface Odd {
  readonly settings?: Json
  readonly person?: Json
  readonly twist?: Twist
  /** What the provider tells from the login on until it is asked again. */
  readonly later?: { readonly person?: Json; readonly twist?: Twist }
  readonly atLogin?: Standing
  /** After it was asked again; absent: as at the login. */
  readonly checked?: Standing
  /** Of its logout token. */
  readonly logout?: { readonly claims?: Json; readonly header?: Json }
  /** Where the browser goes when it logs out here; absent: to the provider's own logout. */
  readonly isLogoutLocal?: true
}

const interval = 60
const ordinary = { sub: 'sub-1', sid: 's1', preferred_username: 'ada' }
const noIdToken = { id_token: undefined }
const silentUserinfo = { userinfo: { name: undefined } }

const rows: Readonly<Record<string, Odd>> = {
  'no ID token at a refresh': { twist: { refreshed: noIdToken } },
  'an ID token of null at a refresh': { twist: { refreshed: { id_token: null } } },
  'roles of a client whose id has dots': {
    settings: { role_claim: 'resource_access."com.example.app".roles' },
    person: { ...ordinary, resource_access: { 'com.example.app': { roles: ['staff'] } } },
    twist: { refreshed: noIdToken },
  },
  'roles of a client whose id has dots, by a list of names, from userinfo': {
    settings: { role_claim: ['resource_access', 'com.example.app', 'roles'] },
    person: ordinary,
    twist: {
      refreshed: noIdToken,
      userinfo: { resource_access: { 'com.example.app': { roles: ['staff'] } } },
    },
  },
  'roles as keys of a map': {
    settings: { role_claim: 'urn:zitadel:iam:org:project:roles' },
    person: { ...ordinary, 'urn:zitadel:iam:org:project:roles': { staff: { 1: 'example.com' } } },
    twist: { refreshed: noIdToken },
  },
  'no ID token and no userinfo at a refresh': {
    twist: { metadata: { userinfo_endpoint: undefined }, refreshed: noIdToken },
  },
  'no ID token at a refresh, roles in both before, others in userinfo now': {
    twist: { refreshed: noIdToken, userinfo: { roles: ['of userinfo'] } },
    checked: { roles: ['of userinfo'] },
  },
  'no ID token at a refresh, roles in userinfo before, none now': {
    twist: { refreshed: noIdToken, userinfo: { roles: ['staff'] } },
    later: { twist: { refreshed: noIdToken } },
    checked: { roles: [] },
  },
  'no ID token at a refresh, roles in userinfo alone': {
    person: ordinary,
    twist: { refreshed: noIdToken, userinfo: { roles: ['staff'] } },
    later: { twist: { refreshed: noIdToken, userinfo: { roles: ['admins'] } } },
    checked: { roles: ['admins'] },
  },
  'no ID token at a refresh, claims in both places': {
    settings: { claims: ['email', 'name', 'address.country'] },
    person: { ...ordinary, roles: ['staff'], email: 'a@example.com', address: { country: 'DE' } },
    twist: { refreshed: noIdToken },
    later: { twist: { refreshed: noIdToken, userinfo: { name: 'Ada L.' } } },
    atLogin: { claims: { email: 'a@example.com', name: 'Ada', address: { country: 'DE' } } },
    checked: { claims: { email: 'a@example.com', name: 'Ada L.', address: { country: 'DE' } } },
  },
  'no ID token at a refresh, roles behind a path': {
    settings: { role_claim: 'realm_access.roles' },
    person: { ...ordinary, realm_access: { roles: ['staff'] } },
    twist: { refreshed: noIdToken, ...silentUserinfo },
  },
  'an ID token without roles at a refresh': {
    later: { person: ordinary },
    checked: { roles: [] },
  },
  'refresh_token, scope and expires_in of null': {
    twist: {
      tokens: { scope: null, expires_in: null, error: null },
      refreshed: { scope: null, expires_in: null, refresh_token: null },
    },
  },
  'expires_in as a text': {
    twist: { tokens: { expires_in: '600' }, refreshed: { expires_in: '600' } },
  },
  'another member of null in the token answer': {
    twist: { tokens: { 'not-before-policy': 0, session_state: null, device_secret: null } },
  },
  'an end_session_endpoint of null': {
    twist: { metadata: { end_session_endpoint: null } },
    isLogoutLocal: true,
  },
  'a userinfo_endpoint of null': { twist: { metadata: { userinfo_endpoint: null } } },
  'token_endpoint_auth_methods_supported of null': {
    twist: { metadata: { token_endpoint_auth_methods_supported: null } },
  },
  'all optional metadata of null': {
    twist: {
      metadata: Object.fromEntries(
        [
          ...['pushed_authorization_request_endpoint', 'require_pushed_authorization_requests'],
          ...['code_challenge_methods_supported', 'scopes_supported', 'grant_types_supported'],
          ...['token_endpoint_auth_signing_alg_values_supported', 'userinfo_endpoint'],
          ...['authorization_response_iss_parameter_supported', 'end_session_endpoint'],
          ...['mtls_endpoint_aliases', 'acr_values_supported', 'registration_endpoint'],
        ].map((name) => [name, null]),
      ),
    },
    isLogoutLocal: true,
  },
  'keys with members of null': {
    twist: {
      jwks: ([key]) => [{ ...key, use: null, key_ops: null, x5c: null, x5t: null, alg: null }],
    },
  },
  'claims of null in userinfo': {
    settings: { claims: ['email', 'locale'] },
    twist: { userinfo: { email: null, roles: null, locale: null } },
    atLogin: { claims: {} },
  },
  'claims of null in the ID token, which userinfo tells': {
    settings: { claims: ['email', 'nickname'] },
    person: { ...ordinary, roles: null, email: null, nickname: null },
    twist: { userinfo: { roles: ['staff'], email: 'a@example.com' } },
    atLogin: { claims: { email: 'a@example.com' } },
  },
  'roles of null beside the claim that stands in for them': {
    person: { ...ordinary, roles: null, role: 'staff' },
  },
  'a name of null': {
    person: { ...ordinary, preferred_username: null, roles: ['staff'] },
    atLogin: { authid: 'sub-1' },
  },
  'at_hash, azp, acr and sid of null': {
    twist: { claims: { at_hash: null, azp: null, acr: null } },
  },
  'auth_time of null': { twist: { claims: { auth_time: null } } },
  'nbf of null': { twist: { claims: { nbf: null } } },
  'jti, amr, c_hash, s_hash, nbf and auth_time of null, and no typ': {
    twist: {
      claims: { jti: null, amr: null, c_hash: null, s_hash: null, nbf: null, auth_time: null },
      header: { typ: undefined },
    },
  },
  'sid and auth_time of null': {
    person: { ...ordinary, sid: null, roles: ['staff'] },
    twist: { claims: { auth_time: null } },
    logout: { claims: { sid: null } },
  },
  'auth_time, email and groups of null, which userinfo tells': {
    settings: { claims: ['email'], role_claim: 'groups' },
    person: { ...ordinary, email: null, groups: null },
    twist: {
      claims: { auth_time: null },
      userinfo: { groups: ['staff'], email: 'a@example.com' },
    },
    atLogin: { claims: { email: 'a@example.com' } },
  },
  'auth_time and a claim on a path of null': {
    settings: { role_claim: 'realm_access.roles', role_claim_fallback: 'roles' },
    person: { ...ordinary, realm_access: null, roles: ['staff'] },
    twist: { claims: { auth_time: null } },
  },
  'auth_time, acr, azp and email_verified of null': {
    twist: { claims: { auth_time: null, acr: null, azp: null, email_verified: null } },
  },
  'an ID token for a list of one audience': { twist: { claims: { aud: [client_id] } } },
  'an ID token for several, authorized for the gateway': {
    twist: { claims: { aud: [client_id, 'other'], azp: client_id } },
  },
  'an ID token without at_hash and typ': {
    twist: { claims: { at_hash: undefined }, header: { typ: undefined } },
  },
  'a logout token of the type JWT': { logout: { header: { typ: 'JWT' } } },
  'a logout token without a type': { logout: { header: {} } },
  'a logout token of a subject, its session of null': { logout: { claims: { sid: null } } },
  'an ID token of the type JWT': { twist: { header: { typ: 'JWT' } } },
}

describe('a provider with odd answers', () => {
  freshLogins()

  for (const [what, odd] of Object.entries(rows)) {
    const { settings, person = { ...ordinary, roles: ['staff'] }, twist = {}, later = {} } = odd
    const atLogin = { authid: 'ada', roles: ['staff'], ...odd.atLogin }
    const checked = { ...atLogin, ...odd.checked }

    it(`has its users log in, be checked and log out: ${what}`, async () => {
      Object.assign(provider, { givesRefreshTokens: true, person, twist })
      await node.declare({ recheck_interval: interval, ...settings })
      const { claims, ticket } = await node.logIn(browser())
      const standingOf = ({ authid, authroles, oidc_claims }: typeof claims) => ({
        ...{ authid, roles: authroles },
        ...(oidc_claims && { claims: oidc_claims }),
      })
      expect(standingOf(claims), 'at the login').to.deep.equal(atLogin)

      Object.assign(provider, later)
      for (let times = 0; times < 3; times++) {
        clock.ms += interval * 1_000
        const current = await node.rechecks.current(claims, () => undefined)
        expect(standingOf(current), `check ${times}`).to.deep.equal(checked)
      }
      expect(node.sessionCounts.rechecks).to.include({ failed: 0, ended: 0 })

      const { ticket: other } = await node.logIn(browser())
      const token = await provider.logoutToken(odd.logout?.claims, odd.logout?.header)
      await node.backchannelLogout.end(realm_uri, 'mock', token)
      const reasons = await Promise.all(
        [ticket, other].map((one) => reasonOf(() => node.tickets.verify(one, realm_uri))),
      )
      expect(reasons, 'its sessions end').to.not.include(undefined)

      provider.person = { ...provider.person, sid: 's2' }
      const { location } = await node.login.logout({
        ...{ realm_uri, ticket: (await node.logIn(browser())).ticket, mayRevoke: true },
        ...{ redirect_uri: '/', origin: 'https://shop.example.com' },
      })
      expect(location.startsWith(`${provider.issuer}/end?`)).to.equal(!odd.isLogoutLocal)
    })
  }
})
