/** The realm and the APIs of the test that looks for leaked secrets: secrets wherever documents may have them. */

/** Part of every secret that the test makes up. */
export const secretProbe = 'cAnArY7qXwZk'

/** Told wherever something is told: what the search must find. */
export const planted = 'planted5v7jmr'

/** A secret that holds what is changed by one encoding or another. */
const secret = (name: string) => `${name} ${secretProbe} +/%"&=ü`

export const realm = 'com.example.probe'

/** Passwords by user. `eve` is who is guessed at; `ada`, `app` and `bas` are not. */
export const passwords = {
  app: secret('app'),
  ada: secret('ada'),
  bas: secret('bas'),
  eve: secret('eve'),
} as const

/** What an API sends to an upstream: documents are stored as they were loaded. */
export const upstreamToken = 'uPsTrEaM9kQz'

/** A secret that nobody has been given. */
export const wrong = secret('wrong')

/** A secret that the environment of the gateway holds, and its name there. */
export const inEnvironment = { name: 'TEST_CANARY', value: secret('environment') } as const

const from = (usernames: string | readonly string[], authmethod: string) => ({
  usernames,
  authmethod,
  cidr: '127.0.0.0/8',
})

const methods = ['wampcra', 'ticket', 'password', 'oauth2']

/** The realm document; `description` and names are no secrets. */
export const realmDocument = {
  uri: realm,
  description: planted,
  authmethods: [...methods, 'anonymous'],
  users: [
    { username: 'app', password: passwords.app, groups: ['api_clients'] },
    { username: 'ada', password: passwords.ada, groups: ['resource_owners', 'staff'] },
    { username: 'bas', password: passwords.bas, groups: ['staff'] },
    { username: 'eve', password: passwords.eve, groups: ['resource_owners', 'api_clients'] },
    { username: 'env', password: `\${${inEnvironment.name}}`, groups: ['staff'] },
  ],
  sources: methods.map((method) => from('all', method)),
  grants: [
    {
      permissions: ['service.issue'],
      uri: 'service.ticket.scope.local',
      match: 'exact',
      roles: ['staff'],
    },
    { permissions: ['wamp.call'], uri: 'com.example.', match: 'prefix', roles: ['staff'] },
    {
      permissions: ['wamp.register'],
      uri: 'com.example.',
      match: 'prefix',
      roles: ['api_clients'],
    },
  ],
  info: {
    oidc_providers: {
      login: {
        issuer: 'https://login.example',
        client_id: 'gateway',
        client_secret: secret('client_secret'),
      },
    },
    smtp: { password: secret('nested'), api_keys: [secret('api_key')] },
  },
  private_keys: [{ kid: 'a', pem: secret('private_key') }],
}

const on = { on_result: {}, on_error: {} }
const told = {
  on_result: { body: '{{action.result.args |> head}}' },
  on_error: {
    status_code: '{{status_codes |> get({{action.error.error_uri}}, 500) |> integer}}',
    body: '{{action.error.kwargs |> put(code, {{action.error.error_uri}})}}',
  },
}

const fixed = (body: unknown) => ({ action: { type: 'static', body }, response: on })
const call = (action: object) => ({ action: { type: 'wamp_call', ...action }, response: told })

/** All of a request that may be a secret, handed to a backend. */
const handedOver = {
  query: '{{request.query_params}}',
  headers: '{{request.headers}}',
  body: '{{request.body}}',
}

const forward = (host: string, path = '/{{request.bindings.rest}}') => ({
  action: {
    type: 'forward',
    host,
    path,
    query_string: '{{request.query_string}}',
    timeout: 300,
    retries: 0,
  },
  response: on,
})

const document = (id: string, base_path: string, paths: object, security?: object) => ({
  id: `com.example.${id}`,
  host: '_',
  realm_uri: realm,
  defaults: { schemes: ['http'], ...(security && { security }) },
  versions: { '1.0.0': { base_path, paths } },
})

/** Bases of upstreams by what they do. */
export interface Upstreams {
  readonly closed: string
  readonly hangsUp: string
  readonly mumbles: string
  readonly silent: string
  readonly failing: string
}

/** The APIs: `/open`, `/basic`, `/key`, `/own-key`, and `/api`, which is for OAuth2. */
export const apiDocuments = (upstreams: Upstreams): readonly object[] => [
  document('open', '/open', {
    '/static': { get: fixed('here') },
    [`/${planted}`]: {
      get: {
        action: { type: 'static', body: planted },
        response: { on_result: { status_code: 404, body: planted }, on_error: {} },
      },
    },
    '/echo': { post: fixed({ length: '{{request.body_length}}' }) },
    '/read': { post: fixed({ number: '{{request.body.password |> integer}}' }) },
    '/failing': { get: fixed('{{request.query_params.token |> integer}}') },
    '/missing': { get: fixed('{{request.query_params.none}}') },
    '/leaky': {
      get: {
        action: {
          type: 'forward',
          host: upstreams.failing,
          headers: {
            authorization: `Bearer ${upstreamToken} {{request.query_params.none}} ${upstreamToken}`,
          },
        },
        response: on,
      },
    },
    '/called': {
      get: call({ procedure: 'com.example.nobody', kwargs: handedOver }),
      post: call({ procedure: 'com.example.nobody', kwargs: handedOver }),
    },
    '/chosen': { get: call({ procedure: '{{request.query_params.token}}' }) },
    '/hosts': { get: forward('{{request.query_params.token}}', '/x') },
    ...Object.fromEntries(
      Object.entries(upstreams).map(([name, host]) => [
        `/${name}/:rest`,
        { get: forward(host), post: forward(host) },
      ]),
    ),
  }),
  document('basic', '/basic', { '/x': { get: fixed('in'), post: fixed('in') } }, { type: 'basic' }),
  document('key', '/key', { '/x': { get: fixed('in') } }, { type: 'api_key' }),
  document(
    'own_key',
    '/own-key',
    { '/x': { get: fixed('in') } },
    { type: 'api_key', header_name: 'X-Api-Key' },
  ),
  document(
    'bearer',
    '/api',
    {
      '/x': { get: fixed({ who: '{{security.authid}}' }), post: fixed('{{request.body}}') },
      '/failing': { get: fixed('{{request.headers.authorization |> integer}}') },
      '/called': { get: call({ procedure: 'com.example.answer', kwargs: handedOver }) },
      '/nobody': { get: call({ procedure: 'com.example.nobody', kwargs: handedOver }) },
      '/refused': { get: call({ procedure: 'org.example.refused', kwargs: handedOver }) },
      '/raising': { get: call({ procedure: 'com.example.raise', kwargs: handedOver }) },
    },
    { type: 'oauth2', flow: 'resource_owner_password_credentials' },
  ),
]

/** Documents that are refused, with secrets where they do not belong. */
export const refusedRealms: readonly unknown[] = [
  [wrong],
  wrong,
  { uri: wrong },
  { uri: realm, users: wrong },
  { uri: realm, users: [wrong] },
  { uri: realm, users: [{ password: wrong }] },
  { uri: realm, users: [{ username: 'ada', password: { text: wrong } }] },
  { uri: realm, users: [{ username: 'ada', password: [wrong] }] },
  { uri: realm, users: [{ username: 'ada', authorized_keys: [wrong] }] },
  { uri: realm, users: [{ username: 'ada', enabled: wrong, passwort: wrong }] },
  { uri: realm, users: [{ username: 'ada', groups: wrong, meta: wrong }] },
  { uri: realm, sources: [{ usernames: 'all', authmethod: wrong, cidr: wrong }] },
  { uri: realm, grants: [{ permissions: [wrong], roles: [], match: wrong }] },
  { uri: realm, info: wrong, private_keys: wrong },
  { uri: realm, oauth2: { clients: [{ client_id: 'app', client_secret: { text: wrong } }] } },
  { uri: realm, prototype_uri: wrong },
  { uri: realm, users: [{ username: 'ada', password: `\${NOBODY_HAS_SET_THIS} ${wrong}` }] },
]

const refusedApi = (paths: object, security?: object) => ({
  ...document('refused', '/refused', paths, security),
  host: 5,
})

/** The same for API Specifications: in headers, URLs, security objects and unknown keys. */
export const refusedApis: readonly unknown[] = [
  wrong,
  [wrong],
  refusedApi({}, { type: 'oauth2', flow: 'none', client_secret: wrong }),
  refusedApi({}, { type: 'basic', password: [wrong], realm_uri: 1 }),
  refusedApi({
    '/x': { get: { action: { type: 'static', password: wrong }, response: { password: wrong } } },
  }),
  ...[
    { host: `http://ada:${wrong}@host` },
    { host: `http://${secretProbe}@host` },
    { host: 'http://h', headers: wrong },
    { host: 'http://h', headers: [{ authorization: wrong }] },
    { host: 'http://h', headers: { authorization: `Bearer ${wrong}\n` } },
    { host: 'http://h', headers: { authorization: [wrong] } },
    { host: 'http://h', headers: { authorization: `${wrong} {{variables.none}} ${wrong}` } },
  ].map((action) =>
    refusedApi({
      '/x': { get: { action: { type: 'forward', ...action }, response: on } },
    }),
  ),
]
