/** Every key of every object of a specification, with values that are valid and values that are one issue. */
import {
  anything,
  attempts,
  declaration,
  defaults,
  flag,
  headers,
  info,
  inheritable,
  map,
  method,
  notMap,
  notString,
  type Row,
  scopes,
  text,
  uri,
  wamp,
} from './value-rows.ts'

/** The JSON Pointer of the path in the small document. */
export const path = '/versions/1/paths/~1x'

/** JSON Pointer of an object: key: row. */
export const tables: Record<string, Record<string, Row>> = {
  '': {
    id: {
      valid: ['a', 'com.example:a_b-c', 'two words', 'x'.repeat(255), '__proto__'],
      invalid: ['', ' a', 'a ', 'a/b', 'ä', 'x'.repeat(256), '{{variables.id}}', ...notString],
    },
    host: {
      valid: ['example.com', '[www.]a.b', 'api.:_', '_'],
      invalid: ['https://a.com', 'a.com@b', '{{variables.h}}', ...notString],
    },
    realm_uri: {
      valid: ['com.example', 'realm1'],
      invalid: ['', 'a b', 'a#', '{{variables.r x}}', ...notString],
    },
    name: text,
    meta: map,
    schemas: {
      valid: [{}, { A: {}, 'b.C-1_2': { pattern: '^{{2}$' } }],
      invalid: notMap,
      members: [
        [{ '': {} }, '/'],
        [{ 'a b': {} }, '/a b'],
        [{ ['x'.repeat(101)]: {} }, `/${'x'.repeat(101)}`],
        [{ A: 7 }, '/A'],
      ],
    },
    defaults,
    ...scopes,
    versions: { valid: [], invalid: [{}, [], 'x', null] },
    ts: { valid: [1, 1.5] },
  },
  '/defaults': { ...inheritable, headers },
  '/versions/1': {
    base_path: {
      valid: ['/', '/v1/', '/[v1]', '/a/:b/[c]'],
      invalid: ['', 'v1', '/a//b', '/[', '/[...]', '/[a/[...]]', ...notString],
    },
    paths: { valid: [{}], invalid: notMap },
    is_active: flag,
    is_deprecated: flag,
    deprecated_at: {
      valid: ['2026-11-30', '2028-02-29T10:00:00Z', '2026-11-30t12:00:00.5+02:00'],
      invalid: [
        ...['', 'soon', '2026', '2026-02-30', '2026-02-29T10:00:00Z', '2026-13-01'],
        ...['2026-11-30T12:00:00', '2026-11-30 12:00:00Z', '2026-11-30T25:00:00Z'],
        ...['Wed, 30 Jun 2027 00:00:00 GMT', '{{variables.d}}', ...notString],
      ],
    },
    cors: {
      valid: [
        { origins: '*' },
        { origins: [], methods: '*', headers: '*', expose: '*', max_age: 0, comment: 'x' },
        { origins: ['https://shop.example.com', 'http://[::1]:3000'], credentials: true },
        { origins: '*', methods: ['GET', 'PURGE'], headers: ['x-a'], expose: [] },
      ],
      invalid: notMap,
      members: [
        [{}, '/origins'],
        [{ origins: 'https://shop.example.com' }, '/origins'],
        [{ origins: ['*'] }, '/origins/0'],
        [{ origins: ['null'] }, '/origins/0'],
        [{ origins: ['https://Shop.example.com'] }, '/origins/0'],
        [{ origins: ['https://shop.example.com/'] }, '/origins/0'],
        [{ origins: '*', credentials: true }, '/origins'],
        [{ origins: [], credentials: true, headers: '*' }, '/headers'],
        [{ origins: [], credentials: 'yes' }, '/credentials'],
        [{ origins: [], methods: ['GET PUT'] }, '/methods/0'],
        [{ origins: [], expose: ['a b'] }, '/expose/0'],
        [{ origins: [], max_age: 86_401 }, '/max_age'],
        [{ origins: [], allow: [] }, '/allow'],
      ],
    },
    problem_base: {
      valid: ['https://errors.example.com/', 'urn:example:error:'],
      invalid: ['', '/errors/', 'errors.example.com', 'https://é.example/', ...notString],
    },
    pool_size: { valid: [1, 200], invalid: [0, -1, 1.5, '200', null, '{{variables.p}}'] },
    info: {
      valid: [{}, { title: 'a', description: 'b', sunset: '2030-01-01' }],
      invalid: notMap,
      members: [
        [{ title: 7 }, '/title'],
        [{ description: [] }, '/description'],
        [{ sunset: 7 }, '/sunset'],
      ],
    },
    defaults,
    ...scopes,
    languages: {
      valid: [['en'], ['de-CH', 'zh-Hant-TW']],
      invalid: [[], 'en', null],
      members: ['', 'e1', 'en_US', 'toolonglanguage', 'en-', 7].map(
        (tag) => [['en', tag], '/1'] as const,
      ),
    },
    version: text,
  },
  [path]: {
    summary: text,
    description: text,
    is_collection: flag,
    request: {
      valid: [{}, { bindings: {}, query_params: true, headers: {}, comment: 'x' }],
      invalid: [...notMap, '{{variables.r}}'],
      members: [
        [{ body: {} }, '/body'],
        [{ query: {} }, '/query'],
      ],
    },
    headers,
    ...inheritable,
    ...scopes,
    defaults,
    delete: method,
    get: method,
    head: method,
    options: method,
    patch: method,
    post: method,
    put: method,
  },
  [`${path}/get`]: {
    action: {
      valid: ['{{variables.a}}'],
      invalid: [7, null, []],
      members: [
        [{}, '/type'],
        [{ type: 'exec', cmd: 1 }, '/type'],
      ],
    },
    response: { valid: [{}, '{{variables.r}}'], invalid: [7, null, []] },
    request: {
      valid: [{}, { body: { pattern: '{{' } }, { body: {}, body_required: false }],
      invalid: [...notMap, '{{variables.r}}'],
      members: [
        [{ body: '{{variables.s}}' }, '/body'],
        [{ body_required: 1 }, '/body_required'],
        [{ query_parms: {} }, '/query_parms'],
      ],
    },
    info,
    summary: text,
    description: text,
    ...inheritable,
    ...scopes,
    defaults,
  },
  [`${path}/options`]: { action: { valid: [{}, { type: 'static' }], invalid: [[], null] } },
  [`${path}/get/action`]: {
    type: { valid: ['static', '{{variables.t}}'], invalid: ['exec', null, 7] },
    headers,
    body: anything,
  },
  [`${path}/put/action`]: {
    http_method: {
      valid: ['get', 'patch', '{{request.method}}'],
      invalid: ['trace', 'GET', 7, null],
    },
    host: {
      valid: ['up', 'http://localhost:8080', '{{request.headers.x}}'],
      invalid: ['file:///etc', '169.254.169.254', ...notString],
    },
    path: {
      valid: ['/', '/a/b;c=1', '{{request.path}}', '/a/{{request.id}}'],
      invalid: ['', 'a', '/a b', '/a?b', '/a#b', '/ä', '/a\r\n', ...notString],
    },
    strip_prefix: {
      valid: ['/v1', '/v1/a%20b/', '{{variables.p}}'],
      invalid: ['', '/', 'v1', '/:a', '/[v1]', '/[...]', '/a?b', ...notString],
    },
    query_string: {
      valid: ['', 'a=1&b=%20?', '{{request.query_string}}'],
      invalid: ['a b', 'a#b', 'a\n', ...notString],
    },
    headers,
    body: anything,
    ...attempts,
  },
  [`${path}/post/action`]: { procedure: uri, ...wamp },
  [`${path}/patch/action`]: { topic: uri, ...wamp },
  [`${path}/get/response`]: {
    on_result: { valid: [{}, '{{variables.r}}'], invalid: [7, null, []] },
    on_error: { valid: [{}, '{{variables.r}}'], invalid: ['x', null, []] },
  },
  [`${path}/get/response/on_result`]: declaration,
  [`${path}/get/response/on_error`]: declaration,
}

/** A value for a title. */
export const show = (value: unknown): string =>
  (JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v)) ?? '').slice(0, 60)
