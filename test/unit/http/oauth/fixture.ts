/** The OAuth2 endpoints behind a gateway, with doubles of what knows users and tokens. */

import type { OAuthKind } from '#component/gateway/api.ts'
import { LoginCounts } from '#component/login-counts.ts'
import type { User } from '#component/realm/documents/model.ts'
import type { Login } from '#component/realm/logins.ts'
import { type AttemptLimits, Attempts } from '#component/security/attempts.ts'
import { unauthorized } from '#component/security/scheme.ts'
import type { Family } from '#component/store/family-store.ts'
import type { AccessClaims } from '#component/token/access-token.ts'
import type { GrantContext, TokenForm } from '#component/token/grant.ts'
import { TokenError } from '#component/token/token-error.ts'
import { oauthEndpoints } from '#http/oauth/endpoints.ts'
import { bodyOf, documentOf, serve } from '#test/unit/gateway/fake-exchange.ts'

export const realm_uri = 'com.example.realm'

/** Name ─▶ password and groups. */
const users: Readonly<Record<string, readonly [password: string, ...groups: string[]]>> = {
  app: ['s3cret', 'api_clients'],
  'app two': ['100% +', 'api_clients'],
  'app+3': ['a%41+b', 'api_clients'],
  odd: ['\ufffd', 'api_clients'],
  ada: ['lovelace', 'resource_owners', 'staff'],
}

const loginOf = (username: string): Login | undefined => {
  const [, ...groups] = users[username] ?? []
  if (groups.length === 0) return undefined
  const user: User = { username, groups, meta: {}, password: undefined, authorized_keys: [] }
  return { user, roles: groups }
}

export const claims: AccessClaims = {
  iss: 'https://x/v1',
  sub: 'ada',
  aud: realm_uri,
  exp: 2_000_000_000,
  iat: 1_999_999_100,
  jti: 'jti-1',
  client_id: 'app',
  scope: 'staff',
  auth: {
    realm: realm_uri,
    roles: ['staff'],
    client_id: 'app',
    device_id: 'all',
    authmethod: 'oauth2',
  },
}

/** Access tokens that are valid. */
const tokens: Readonly<Record<string, AccessClaims>> = {
  good: claims,
  orphan: { ...claims, sub: 'gone' },
}

const family = (id: string, uri = realm_uri): Family => ({
  ...{ id, realm_uri: uri, authid: 'ada', client_id: 'app', device_id: 'all', scope: ['staff'] },
  ...{ authmethod: 'oauth2', generation: 0, created_at: 0, rotated_at: 0, expires_at: 1 },
})
const families: Readonly<Record<string, Family>> = {
  f1: family('f1'),
  foreign: family('foreign', 'com.other'),
}

/** A form of one of the endpoints, and what is not ordinary about the request. */
export interface FormAsk {
  /** Text, or fields that are encoded. */
  readonly form?: string | Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

export const basic = (text: string) => ({
  authorization: `Basic ${Buffer.from(text).toString('base64')}`,
})

/** Opens the endpoints under /v1. */
export function oauth({
  security = {},
  version = {},
  limits = { user_failures: 20, address_failures: 100 },
  kids = ['k1'],
  grants = async (form: TokenForm, context: GrantContext) => ({ form, context }) as never,
}: {
  readonly security?: object
  readonly version?: object
  readonly limits?: AttemptLimits
  /** Of the keys of the realm. */
  readonly kids?: readonly string[]
  readonly grants?: (form: TokenForm, context: GrantContext) => Promise<never>
} = {}) {
  const published = [...kids]
  const revoked: string[] = []
  /** What was verified: realm, name, password, address, method. */
  const tried: unknown[][] = []
  const verify = (token: string) => {
    const known = tokens[token]
    if (!known) throw new TokenError('the token is not known')
    return known
  }
  const counts = new LoginCounts()
  const table = oauthEndpoints({
    grants,
    issuerBase: () => 'https://api.example.com',
    baseOf: () => 'https://api.example.com',
    realms: { realm: () => undefined },
    counts,
    accessTokens: { verify },
    refreshTokens: {
      read: (token) =>
        token.startsWith('r-') ? { family: token.slice(2), generation: 0 } : undefined,
    },
    families: { find: async (id) => families[id] },
    revocations: {
      revokeToken: async (jti, exp) => void revoked.push(`token ${jti} ${exp}`),
      revokeFamily: async (id) => void revoked.push(`family ${id}`),
    },
    keys: {
      jwks: () => ({ keys: published.map((kid) => ({ kty: 'EC', kid })) }),
      async signingKey() {
        published.push('first')
        return { kid: 'first', key: undefined as never }
      },
    },
    logins: {
      async password(...asked) {
        tried.push(asked)
        const [, username, password] = asked
        return users[username]?.[0] === password ? loginOf(username) : undefined
      },
      user: (_realm, username) => loginOf(username),
      heldScopes: () => [],
      rolesOfScopes: () => new Set(),
      refusal: (realm, _username, _address, authmethod) => ({
        ...{ realm, authmethod, reason: 'wrong secret' },
      }),
    },
    attempts: new Attempts(limits),
    bearer: {
      authenticate(request, protection) {
        const token = request.header('authorization')?.slice('Bearer '.length)
        if (token === undefined) throw unauthorized(protection)
        if (!tokens[token]) throw unauthorized(protection, 'the token is not known')
        const authroles = ['staff', 'a,b%', 'é']
        return {
          ...{ realm_uri, authid: 'ada löve', authmethod: 'oauth2' },
          authroles,
          groups: [],
          meta: {},
        }
      },
    },
  })
  const object = { type: 'oauth2', flow: 'resource_owner_password_credentials', ...security }
  const document = documentOf({}, { defaults: { security: object } }, version)
  const { ask, handle } = serve(document, undefined, (exchange, endpoint, bindings) =>
    table[endpoint.kind as OAuthKind](exchange, endpoint, bindings),
  )
  const postTo = async (path: string, { form = {}, headers }: FormAsk = {}) => {
    const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await ask(`POST ${path}`, { body, headers: { ...type, ...headers } })
    return { ...reply, value: bodyOf(reply) as Record<string, unknown> }
  }
  return {
    handle,
    counts,
    revoked,
    tried,
    async get(line: string, headers: Readonly<Record<string, string>> = {}) {
      const reply = await ask(line, { headers })
      return { ...reply, value: bodyOf(reply) as Record<string, unknown> }
    },
    postTo,
    /** POST of a form to a path below /v1, as `/oauth/token?query`. */
    post: (path: string, asked?: FormAsk) => postTo(`/v1${path}`, asked),
  }
}
