/** A realm, an API and the logins that they refuse, each with what the log says. */
import type { HttpRequest } from '#test/support/http-request.ts'
import type { UserLogin } from '#test/support/peers/wamp-user.ts'

/** The realm of all rows. */
export const realm = 'com.example.doors'
/** What only clients send; no line may hold it. */
export const canary = 'CANARY-correct-horse'
/** The address of the client that sends all requests. */
export const office = '192.0.2.7'
/** The password of all users. */
export const proof = 'secret of ada'
const source = 'no source admits the user or the address by wampcra, password'

/** Users of all sorts. */
export const realmDocument = {
  uri: realm,
  authmethods: ['wampcra', 'ticket', 'password', 'oauth2', 'oidcrp'],
  users: [
    { username: 'ada', password: proof, groups: ['resource_owners', 'spec_reader'] },
    { username: 'app', password: proof, groups: ['api_clients'] },
    { username: 'off', password: proof, groups: ['resource_owners'], enabled: false },
    { username: 'far', password: proof },
  ],
  sources: ['wampcra', 'ticket', 'password', 'oauth2'].map((authmethod) => ({
    ...{ usernames: ['ada', 'app', 'off', 'bob'], authmethod, cidr: '0.0.0.0/0' },
  })),
  info: {
    oidc_providers: {
      default: {
        ...{ issuer: 'https://id.example.com', client_id: 'gateway', client_secret: 'x' },
        redirect_uri: 'https://api.example.com/doors/oidc/default/callback',
      },
    },
  },
}
const operation = { action: { type: 'static', body: 'in' }, response: {} }
const flow = 'resource_owner_password_credentials'
/** A path for each security scheme. */
export const document = {
  ...{ id: 'com.example.doors', name: 'doors', host: '_', realm_uri: realm },
  defaults: { schemes: ['http'] },
  versions: {
    '1.0': {
      base_path: '/doors',
      paths: {
        '/basic': { security: { type: 'basic' }, get: operation },
        '/key': { security: { type: 'api_key', header_name: 'x-key' }, get: operation },
        '/token': { security: { type: 'oauth2', flow }, get: operation },
        '/ticket': { security: { type: 'oidc' }, get: operation },
      },
    },
  },
}

/** The header of a login by password. */
export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
/** The header of a login by token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** What is refused, the request, its answer, and the line without what every line has. */
export type Row = readonly [
  what: string,
  request: (world: World) => readonly [target: string, request: HttpRequest],
  status: number,
  line: Readonly<Record<string, unknown>>,
]

/** What was issued before. */
export interface World {
  readonly expired: string
  readonly used: string
}

/** A request to the token endpoint. */
export const tokenRequest = (
  fields: Readonly<Record<string, string>>,
  client = basic('app', proof),
) =>
  [
    '/doors/oauth/token',
    {
      method: 'POST',
      headers: { ...client, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    },
  ] as const
/** A login of a resource owner by the client. */
export const owner = (username: string, password: string) =>
  tokenRequest({ grant_type: 'password', username, password })

/** Logins over HTTP. */
export const httpRows: readonly Row[] = [
  [
    'a wrong password',
    () => ['/doors/basic', { headers: basic('ada', canary) }],
    401,
    { authmethod: 'basic', authid: 'ada', reason: 'wrong secret' },
  ],
  [
    'a password in the field of the user',
    () => ['/doors/basic', { headers: basic(canary, '') }],
    401,
    { authmethod: 'basic', reason: 'unknown user' },
  ],
  [
    'malformed credentials',
    () => ['/doors/basic', { headers: { authorization: `Basic ${canary}` } }],
    401,
    { authmethod: 'basic', reason: 'the credentials are malformed' },
  ],
  [
    'a disabled user',
    () => ['/doors/basic', { headers: basic('off', proof) }],
    401,
    { authmethod: 'basic', authid: 'off', reason: 'the user is disabled' },
  ],
  [
    'a user whom no source admits',
    () => ['/doors/basic', { headers: basic('far', proof) }],
    401,
    { authmethod: 'basic', authid: 'far', reason: source },
  ],
  [
    'an unknown API key',
    () => ['/doors/key', { headers: { 'x-key': `gk_${canary}` } }],
    401,
    { authmethod: 'api_key', reason: 'the API key is unknown, expired or revoked' },
  ],
  [
    'a malformed token',
    () => ['/doors/token', { headers: bearer(canary) }],
    401,
    { authmethod: 'oauth2', reason: 'the token is malformed' },
  ],
  [
    'an expired token',
    ({ expired }) => ['/doors/token', { headers: bearer(expired) }],
    401,
    { authmethod: 'oauth2', reason: 'the token has expired' },
  ],
  [
    'a malformed ticket',
    () => ['/doors/ticket', { headers: { cookie: `service_ticket_${realm}=${canary}` } }],
    401,
    { authmethod: 'oidc', reason: 'the token is malformed' },
  ],
  [
    'a wrong secret of a client',
    () => tokenRequest({ grant_type: 'password' }, basic('app', canary)),
    401,
    { authmethod: 'oauth2', authid: 'app', reason: 'wrong secret' },
  ],
  [
    'a user who is no client',
    () => tokenRequest({ grant_type: 'password' }, basic('ada', proof)),
    401,
    {
      ...{ authmethod: 'oauth2', authid: 'ada' },
      reason: 'the user is not in the group api_clients',
    },
  ],
  [
    'a wrong password of an owner',
    () => owner('ada', canary),
    400,
    { authmethod: 'oauth2', authid: 'ada', reason: 'wrong secret' },
  ],
  [
    'an unknown owner',
    () => owner(canary, canary),
    400,
    { authmethod: 'oauth2', reason: 'unknown user' },
  ],
  [
    'a disabled owner',
    () => owner('off', proof),
    400,
    { authmethod: 'oauth2', authid: 'off', reason: 'the user is disabled' },
  ],
  [
    'an unknown refresh token',
    () => tokenRequest({ grant_type: 'refresh_token', refresh_token: canary }),
    400,
    { authmethod: 'oauth2', reason: 'the refresh token is unknown' },
  ],
  [
    'a refresh token that is used twice',
    ({ used }) => tokenRequest({ grant_type: 'refresh_token', refresh_token: used }),
    400,
    {
      ...{ authmethod: 'oauth2', authid: 'ada' },
      reason: 'the refresh token was used twice: everything of its login is revoked',
    },
  ],
  [
    'a callback without the login of this browser',
    () => [`/doors/oidc/default/callback?code=${canary}&state=${canary}`, {}],
    400,
    { authmethod: 'oidc', reason: 'no login of this browser has this state' },
  ],
]

/** What is refused, the realm, the login, the reason URI for the client, and the line. */
export const wampRows: readonly (readonly [
  what: string,
  realm: string,
  login: UserLogin,
  refusal: string,
  line: Readonly<Record<string, unknown>>,
])[] = [
  [
    'a realm that does not exist',
    `com.${canary.toLowerCase()}`,
    {},
    'wamp.error.no_such_realm',
    { authmethod: 'anonymous', reason: 'the realm does not exist' },
  ],
  [
    'a method that the realm does not serve',
    realm,
    {},
    'wamp.error.no_matching_auth_method',
    { realm, authmethod: 'anonymous', reason: 'the realm does not serve the authmethod anonymous' },
  ],
  [
    'a wrong secret of wampcra',
    realm,
    { authmethod: 'wampcra', authid: 'ada', secret: canary },
    'wamp.error.authentication_failed',
    { realm, authmethod: 'wampcra', authid: 'ada', reason: 'wrong secret' },
  ],
  [
    'an unknown user of wampcra',
    realm,
    { authmethod: 'wampcra', authid: canary, secret: canary },
    'wamp.error.authentication_failed',
    { realm, authmethod: 'wampcra', reason: 'unknown user' },
  ],
  [
    'a wrong ticket',
    realm,
    { authmethod: 'ticket', authid: 'ada', secret: canary },
    'wamp.error.authentication_failed',
    { realm, authmethod: 'ticket', authid: 'ada', reason: 'wrong ticket or password' },
  ],
  [
    'a disabled user with a ticket',
    realm,
    { authmethod: 'ticket', authid: 'off', secret: proof },
    'wamp.error.authentication_failed',
    { realm, authmethod: 'ticket', authid: 'off', reason: 'the user is disabled' },
  ],
  [
    'a user whom no source admits',
    realm,
    { authmethod: 'wampcra', authid: 'far', secret: proof },
    'wamp.error.authentication_failed',
    {
      realm,
      authmethod: 'wampcra',
      authid: 'far',
      reason: 'no source admits the user or the address by wampcra',
    },
  ],
]
