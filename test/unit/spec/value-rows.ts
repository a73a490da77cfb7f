/** Values for the kinds of keys of a specification: some that are valid, some that are one issue. */

const stringMap = [{}, { a: 1, b: '{{request.body}}' }] as const
export const notMap = [[], 'x', null] as const
export const notString = [7, null, [], {}] as const
const types = [
  'application/json',
  'application/msgpack; charset=utf-8',
  'application/json; charset=utf-8',
  'application/msgpack',
]

/** Values for a key, and values or `[value, pointer below the key]` that are one issue. */
export interface Row {
  readonly valid: readonly unknown[]
  readonly invalid?: readonly unknown[]
  /** Invalid members: what is put, where below it the issue is. */
  readonly members?: readonly (readonly [unknown, string])[]
}

export const text: Row = { valid: ['', 'a text', '{{any}}'], invalid: notString }
export const flag: Row = { valid: [true, false], invalid: ['true', 0, null, '{{variables.x}}'] }
export const map: Row = { valid: stringMap, invalid: notMap }
const milliseconds: Row = {
  valid: [1, 15000, 15000.0, 3_600_000, '{{variables.t}}'],
  invalid: [0, -1, 1.5, 3_600_001, 1e12, 10n ** 20n, '15000', null, true, []],
}
const retry_timeout: Row = { ...milliseconds, valid: [0, 3_600_000], invalid: [-1, 3_600_001, '1'] }
const retries: Row = { valid: [0, 3, '{{variables.r}}'], invalid: [-1, 0.5, '3', null] }
const bytes: Row = { valid: [1, 25_000_000, '{{variables.b}}'], invalid: [-1, 1.5, '1', null] }
const schemes: Row = {
  valid: [['http'], ['http', 'https'], '{{variables.s}}', ['{{variables.s}}']],
  invalid: [[], 'http', null],
  members: [[['http', 'ftp'], '/1']],
}
const mediaTypes = [
  ...types,
  ...['text/html', 'image/png', 'application/vnd.api+json', 'application/x-www-form-urlencoded'],
  ...['image/*', 'application/*+json', '*/*', 'text/csv; charset=utf-8', '{{variables.t}}'],
]
const provides: Row = {
  valid: [mediaTypes, '{{variables.p}}'],
  invalid: [[], 'application/json', null],
  members: ['html', 'image/', '/png', '*', '*/png', 'ima*/png', 'image/p*', 'image/png/x', ''].map(
    (type) => [[type], '/0'],
  ),
}
const accepts: Row = {
  valid: [mediaTypes],
  invalid: [[], 7],
  members: [
    ...['image/png, image/gif', 'image /png', 'image/png;q=0.5', 'text/csv; charset=latin1'],
    ...['image/**', '*/*+json', 'application/json; charset=utf-8; v=1', 7, null],
  ].map((type) => [['image/png', type], '/1']),
}
export const headers: Row = {
  valid: [{}, '{{variables.h}}', { 'X-a': 'b', 'x-n': 1, 'x-t': true, 'x-e': '{{request.id}}\n' }],
  invalid: ['x: y', [], null],
  members: [
    ...['1\r\nSet-Cookie: a=b', 'a\0', '\u007f', 'ż', null, [], {}].map(
      (value) => [{ 'x-a': value }, '/x-a'] as const,
    ),
    ...['', 'a b', 'a:', 'x\n', 'é', '{{request.id}}'].map(
      (name) => [{ [name]: '1' }, `/${name}`] as const,
    ),
    ...[
      'Content-Length',
      'transfer-encoding',
      'Connection',
      'keep-alive',
      'TE',
      'trailer',
      'upgrade',
      'proxy-authenticate',
      'Proxy-Connection',
      'expect',
      'host',
    ].map((name) => [{ [name]: '1' }, `/${name}`] as const),
    [{ 'x-a': '1', 'X-A': '2' }, '/X-A'],
  ],
}
const security: Row = {
  valid: [
    {},
    '{{variables.oauth2}}',
    { type: '{{variables.type}}' },
    { type: 'basic', schemes: ['https'], description: '' },
    { type: 'api_key', header_name: 'x-key' },
    { type: 'api_key', schemes: '{{variables.s}}' },
    { type: 'oauth2', flow: 'client_credentials', token_path: '/t', revoke_token_path: '/r/s' },
    { type: 'oauth2', flow: '{{variables.flow}}', schemes: ['http'] },
    { type: 'oauth2', flow: 'resource_owner_password_credentials' },
    { type: 'oauth2', flow: 'implicit' },
    { type: 'oauth2', flow: 'authorization_code' },
    { type: 'oauth2', flow: 'client_credentials', scopes: ['a:b', '{{variables.s}}'] },
    { type: 'basic', roles: ['staff'], authids: ['ada', '{{variables.s}}'] },
    { type: 'mtls', authid: 'cn', roles: '{{variables.s}}', comment: 'for people' },
    { type: 'oidc', provider: 'mock', description: '' },
    { type: 'oidc' },
    { type: 'jwt', issuer: 'corp' },
    { type: 'jwt', issuer: 'corp', scopes: ['a:b', '{{variables.s}}'], schemes: ['https'] },
    { type: 'jwt', issuer: '{{variables.i}}', scopes: '{{variables.s}}' },
    { type: 'mtls', authid: 'san_dns', description: '' },
    { type: 'mtls', authid: '{{variables.s}}' },
  ],
  invalid: [null, [], 'basic', 7],
  members: [
    [{ type: 'magic' }, '/type'],
    [{ type: null }, '/type'],
    [{ schemes: ['http'] }, '/type'],
    [{ type: 'basic', schemes: ['ws'] }, '/schemes/0'],
    [{ type: 'basic', description: 7 }, '/description'],
    [{ type: 'api_key', header_name: 'a b' }, '/header_name'],
    [{ type: 'api_key', header_name: 'host' }, '/header_name'],
    [{ type: 'oauth2' }, '/flow'],
    [{ type: 'oauth2', flow: 'client_credentials', scopes: ['a b'] }, '/scopes/0'],
    [{ type: 'oauth2', flow: 'client_credentials', scopes: [] }, '/scopes'],
    [{ type: 'basic', scopes: ['a'] }, '/scopes'],
    [{ type: 'basic', roles: [] }, '/roles'],
    [{ type: 'basic', authids: [''] }, '/authids/0'],
    [{ type: 'oauth2', flow: 'password' }, '/flow'],
    [{ type: 'oauth2', flow: 'implicit', token_path: 'token' }, '/token_path'],
    [{ type: 'oauth2', flow: 'implicit', token_path: '/' }, '/token_path'],
    [{ type: 'oauth2', flow: 'implicit', token_path: '/:a' }, '/token_path'],
    [{ type: 'oauth2', flow: 'implicit', revoke_token_path: '/[a]' }, '/revoke_token_path'],
    [{ type: 'oidc', provider: 7 }, '/provider'],
    [{ type: 'jwt' }, '/issuer'],
    [{ type: 'jwt', issuer: ['corp'] }, '/issuer'],
    [{ type: 'jwt', issuer: 'corp', scopes: 'a:b' }, '/scopes'],
    [{ type: 'jwt', issuer: 'corp', scopes: [] }, '/scopes'],
    [{ type: 'jwt', issuer: 'corp', scopes: ['a b'] }, '/scopes/0'],
    [{ type: 'jwt', issuer: 'corp', scopes: [''] }, '/scopes/0'],
    [{ type: 'jwt', issuer: 'corp', scopes: [7] }, '/scopes/0'],
    [{ type: 'mtls' }, '/authid'],
    [{ type: 'mtls', authid: 'email' }, '/authid'],
  ],
}
const status_codes: Row = {
  valid: [{}, { 'com.e': 404, 'com.f': '404', 'com.g': '{{variables.s}}' }],
  invalid: [...notMap],
  members: ['teapot', 199, 600, 404.5, '4e2', null, true].map(
    (value) => [{ 'com.e': value }, '/com.e'] as const,
  ),
}
export const info: Row = { valid: ['text', { a: 1 }], invalid: [7, null, []] }
const args: Row = {
  valid: [[], [1, '{{request.body}}'], '{{request.body}}'],
  invalid: [{}, 'x', null],
}
const argumentMap: Row = { valid: [...stringMap, '{{request.body}}'], invalid: notMap }
export const uri: Row = {
  valid: [
    'com.example.get',
    'a',
    'wamp.session.count',
    'com.übung',
    '{{request.body.p}}',
    'com.{{request.bindings.p}}',
  ],
  invalid: [
    '',
    'com.my proc',
    'com.proc#',
    'com..proc',
    '.com',
    'com.',
    'com.a\u2003b',
    'com.\u0001',
    7,
    null,
  ],
}
const mode: Row = {
  valid: ['enforce', 'log', 'off', '{{variables.m}}'],
  invalid: ['on', true, null, ''],
}
const trace: Row = {
  valid: [
    ...[null, {}, { kwargs: '_trace' }, { kwargs: 'T'.repeat(64), comment: 'x' }],
    ...['{{variables.t}}', { kwargs: '{{variables.t}}' }],
  ],
  invalid: ['_trace', true, 7, []],
  members: [
    ...['', '1a', 'a b', 'a.b', 'ä', '__proto__', 'T'.repeat(65), null, 7, {}].map(
      (kwargs) => [{ kwargs }, '/kwargs'] as const,
    ),
    [{ kwarg: '_trace' }, '/kwarg'],
    [{ kwargs: '_trace', args: 0 }, '/args'],
  ],
}
/** A JSON Schema by its shape. */
const schema: Row = {
  valid: [{}, true, false, { type: 'object' }, { pattern: '^{{}}$' }],
  invalid: ['{{variables.s}}', 7, null, []],
}
export const inheritable: Record<string, Row> = {
  timeout: milliseconds,
  connect_timeout: milliseconds,
  retries,
  retry_timeout,
  schemes,
  accepts,
  provides,
  security,
  body_max_bytes: { ...bytes, valid: [0, 25_000_000] },
  multipart: {
    valid: [
      {},
      { fields: 0, files: 100, field_max_bytes: 1, file_max_bytes: 1e9, types: ['image/*'] },
      { comment: 'x' },
      '{{variables.m}}',
    ],
    invalid: [null, [], 7],
    members: [
      [{ fields: 1001 }, '/fields'],
      [{ files: 101 }, '/files'],
      [{ file_max_bytes: 0 }, '/file_max_bytes'],
      [{ types: ['png'] }, '/types/0'],
      [{ other: 1 }, '/other'],
    ],
  },
  body_max_keys: { valid: [1, 10_000, 90_000], invalid: [0, 90_001, 1.5, '1', null] },
  body_read_bytes: { ...bytes, invalid: [0, '1'] },
  body_read_seconds: milliseconds,
  validate_requests: mode,
  validate_responses: mode,
  trace,
}
export const defaults: Row = {
  valid: [{}, { timeout: 1, schemes: '{{variables.s}}' }, '{{variables.d}}'],
  invalid: [7, null, []],
  members: [
    [{ timeout: 0 }, '/timeout'],
    [{ security: { type: 'x' } }, '/security/type'],
  ],
}
export const scopes = { variables: map, status_codes }
export const attempts = {
  timeout: milliseconds,
  connect_timeout: milliseconds,
  retries,
  retry_timeout,
}
export const wamp = {
  options: argumentMap,
  args,
  kwargs: argumentMap,
  arguments: args,
  arguments_kw: argumentMap,
  trace,
  ...attempts,
}
export const anything: Row = { valid: ['', null, 0, [], { a: [1] }, '{{request.body}}'] }
const statusCode: Row = {
  valid: [200, 599, 404.0, '204', '{{status_codes |> get(x, 500)}}'],
  invalid: [99, 199, 600, 200.5, 'ok', '', '2e2', '0200', null, true, []],
}
export const declaration: Record<string, Row> = {
  status_code: statusCode,
  headers,
  body: anything,
  schema,
  uri: { valid: ['/x', '"/x/{{request.id}}"'], invalid: ['/x\r\nY: z', 7, null] },
}
export const method: Row = { valid: ['{{variables.operation}}'], invalid: [7, null, [], 'get'] }
