/** The eight types of security over doubles, and what a request brings of each. */

import { createHmac } from 'node:crypto'
import { csrfOf } from '#component/oidc/csrf.ts'
import type { Realm } from '#component/realm/documents/model.ts'
import { SecretBox } from '#component/secret-box.ts'
import type { AlternativesPorts } from '#component/security/alternatives/authenticate.ts'
import type { ClientProof } from '#component/security/client-proof.ts'
import type { SecurityType } from '#component/security/kinds.ts'
import type { AuthAnswer } from '#component/security/passed-answer.ts'
import { openSchemes } from '#component/security/schemes.ts'
import { csrfCookie, ticketCookie } from '#component/token/ticket-cookie.ts'
import { TokenError } from '#component/token/token-error.ts'
import { FakeAttempts, FakeLogins, realm_uri, userNamed } from './doubles.ts'

const own = 'https://api.example.com/v1'
const corp = 'https://corp.example.com'
const secret = 'a secret of the sender'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token as it looks; `ok` is what the doubles believe. */
export const tokenOf = (typ: string, claims: object): string =>
  `${part({ typ, alg: 'ES256' })}.${part(claims)}.c2ln`

const claimsIn = (text: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(text.split('.')[1] ?? 'e30', 'base64url').toString())

/** What becomes of a credential. */
export type Given = 'none' | 'right' | 'wrong'

/** What a request has of one type. */
export interface Brings {
  readonly headers?: Readonly<Record<string, string>>
  readonly certificate?: ClientProof
}

const bearer = (token: string): Brings => ({ headers: { authorization: `Bearer ${token}` } })
const basic = (password: string): Brings => ({
  headers: { authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` },
})

const box = new SecretBox('a store key of the tests')
/** A ticket of a user, as its cookie. */
export const ticketOf = (authid: string, provider = 'main'): string =>
  tokenOf('ticket+jwt', { iss: own, sub: authid, oidc_provider: provider })
const cookieOf = (ticket: string): Brings => ({
  headers: { cookie: `${ticketCookie(realm_uri)}=${ticket}` },
})

/** The CSRF value of a ticket, as a page sends it. */
export const withCsrf = (ticket: string): Readonly<Record<string, string>> => {
  const value = csrfOf(box, realm_uri, `of ${claimsIn(ticket).sub}`)
  const cookie = `${ticketCookie(realm_uri)}=${ticket}; ${csrfCookie(realm_uri)}=${value}`
  return { cookie, 'x-csrf-token': value }
}

const certificateOf = (name: string): Brings => ({
  certificate: {
    certificate: { fingerprint: name, commonNames: [name], dns: [], uri: [], expiresAt: 5_000_000 },
  },
})
const signed = (body: string): Brings => {
  const mac = createHmac('sha256', secret).update(body).digest('hex')
  return { headers: { 'x-hub-signature-256': `sha256=${mac}` } }
}

/** Security objects of each type, of one realm. */
export const objects: Readonly<Record<SecurityType, Readonly<Record<string, unknown>>>> = {
  api_key: { type: 'api_key', header_name: 'x-api-key' },
  oauth2: { type: 'oauth2', flow: 'client_credentials' },
  jwt: { type: 'jwt', issuer: 'corp' },
  oidc: { type: 'oidc', provider: 'main' },
  basic: { type: 'basic' },
  mtls: { type: 'mtls', authid: 'cn' },
  webhook: { type: 'webhook', sender: 'hub' },
  forward_auth: { type: 'forward_auth', url: 'https://auth.example.com/verify' },
}

/** What a request brings, by type; the user is `ada`. */
export const brought: Readonly<Record<SecurityType, Readonly<Record<Given, Brings>>>> = {
  api_key: {
    none: {},
    right: { headers: { 'x-api-key': 'gk_ada' } },
    wrong: { headers: { 'x-api-key': 'gk_no' } },
  },
  oauth2: {
    none: {},
    right: bearer(tokenOf('at+jwt', { iss: own, sub: 'ada', ok: true })),
    wrong: bearer(tokenOf('at+jwt', { iss: own, sub: 'ada' })),
  },
  jwt: {
    none: {},
    right: bearer(tokenOf('JWT', { iss: corp, sub: 'ada', ok: true })),
    wrong: bearer(tokenOf('JWT', { iss: corp, sub: 'ada' })),
  },
  oidc: { none: {}, right: cookieOf(ticketOf('ada')), wrong: cookieOf(ticketOf('eve')) },
  basic: { none: {}, right: basic('pass:word'), wrong: basic('no') },
  mtls: { none: {}, right: certificateOf('ada'), wrong: certificateOf('eve') },
  webhook: {
    none: {},
    right: signed(''),
    wrong: { headers: { 'x-hub-signature-256': 'sha256=00' } },
  },
  forward_auth: {
    none: {},
    right: { headers: { 'x-auth': 'right' } },
    wrong: { headers: { 'x-auth': 'wrong' } },
  },
}

/** The schemes, and what was asked of the doubles. */
export function openSeveral(alternatives: AlternativesPorts = {}) {
  const logins = new FakeLogins()
  logins.change({ ada: userNamed('ada'), joe: userNamed('joe', []) }, 'pass:word')
  const attempts = new FakeAttempts(1_000_000)
  const info: Record<string, unknown> = {
    jwt_issuers: { corp: { issuer: corp, audience: ['api'] } },
    webhook_senders: { hub: { scheme: 'github', secret, username: 'ada' } },
  }
  const authmethods: string[] = ['jwt']
  const state = {
    realm: { isPrototype: false, authmethods, info, disabled: new Set<string>() },
    verified: 0,
    isRevoked: false,
  }
  const verifyOwn = (text: string) => {
    state.verified += 1
    const { sub, ok, iss } = claimsIn(text)
    if (!ok || state.isRevoked) throw new TokenError('the token has expired')
    const auth = { realm: realm_uri, roles: ['staff'], client_id: 'app', device_id: 'd' }
    return {
      ...{ iss: String(iss), sub: String(sub), aud: realm_uri, exp: 2_000, iat: 1_000, jti: 'j' },
      ...{ client_id: 'app', scope: 'staff', auth: { ...auth, authmethod: 'password' } },
    }
  }
  const verifyForeign = (text: string) => {
    state.verified += 1
    const { sub, ok, scopes = [] } = claimsIn(text)
    if (!ok || state.isRevoked) throw new TokenError('the token has expired')
    return { sub: String(sub), scopes: scopes as string[] }
  }
  const schemes = openSchemes({
    logins,
    attempts,
    alternatives,
    accessTokens: { verify: verifyOwn as never },
    apiKeys: {
      find: (text) =>
        text === 'gk_ada' ? ({ id: 'k', realm_uri, username: 'ada' } as never) : undefined,
    },
    realms: {
      realm: (uri) => (uri === realm_uri ? (state.realm as unknown as Realm) : undefined),
      openSecret: async (_uri, value) => String(value),
    },
    clock: { now: () => 0 },
    authService: {
      fieldsOf: ({ headers }) => ({ 'x-auth': headers['x-auth'] ?? '' }),
      async ask(_url, fields): Promise<AuthAnswer> {
        const status = fields['x-auth'] === 'right' ? 200 : 401
        const headers = status === 200 ? { 'x-user': 'ada' } : { 'www-authenticate': 'Other' }
        return { status, headers, body: Buffer.of(), repeated: new Set() }
      },
    },
    tickets: {
      verify: ((text: string) => {
        state.verified += 1
        const { sub, oidc_provider } = claimsIn(text)
        const authid = String(sub)
        if (authid !== 'ada' || state.isRevoked) throw new TokenError('the ticket has expired')
        return {
          ...{ id: `of ${authid}`, authid, authmethod: 'oidcrp', authroles: ['staff'] },
          ...{ oidc_provider, scope: { client_id: 'spa' }, exp: 3_000 },
        }
      }) as never,
    },
    accounts: { isKnown: () => true },
    box,
    foreignTokens: { verify: verifyForeign as never },
    foreignUsers: {
      identityOf: ((token: { sub: string }) => ({
        ...{ realm_uri, authid: token.sub, username: token.sub, authmethod: 'jwt' },
        ...{ authroles: ['staff'], groups: [], meta: {} },
      })) as never,
    },
    issuers: { isTrusted: (_api, iss) => iss === own },
  })
  return { schemes, attempts, state }
}
