/** Path and query of a forward: the document's text stands, values of a request stay one segment or one value. */
import { expect } from 'chai'
import { readTarget } from '#component/action/forward/target.ts'
import { compileSpec } from '#component/compile/compile.ts'
import type { ApiSpec } from '#component/spec/model.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { bodyOf, documentOf, serve } from './fake-exchange.ts'

const variables = {
  base: '/api/v2',
  filter: '/items?kind=a/b&limit=5',
  order: '/orders/{{request.body.id}}',
  nested: '{{variables.order}}/lines',
  tail: '{{request.body.id}}',
  free: '{{request.body.id |> url:raw}}',
  names: { a: 'alpha/1', b: 'beta' },
  query: 'q={{request.body.id}}&sort=asc',
  marked: '?q={{request.body.id}}',
  mark: '?',
  empty: '',
}

/** A forward of `POST /v1/in/<binding>` whose fields and body are given: the target that goes out, or the refusal. */
async function targetOf(fields: object, body: unknown, line = 'POST /v1/in/b') {
  const served = serve(
    documentOf(
      {
        '/in/:id': {
          post: { action: { type: 'forward', host: 'http://up', ...fields }, response: {} },
        },
      },
      { variables },
    ),
    ({ fields: evaluated, run }) => ({
      result: { status_code: 200, headers: {}, body: '', uri: readTarget(evaluated, run) },
      answer: {
        status_code: 200,
        headers: {},
        body: Buffer.from(readTarget(evaluated, run)),
        length: undefined,
      },
    }),
  )
  const reply = await served.ask(line, { body: JSON.stringify(body) })
  if (reply.status === 200) return String(bodyOf(reply))
  return `${reply.status} ${reply.error?.uri}`
}

const refused = '400 service.error.bad_request'
const failed = '400 service.error.http_gateway.invalid_request'

/** `$id` is `{{request.body.id}}`. */
const filled = (text: string) => text.replaceAll('$id', '{{request.body.id}}')

describe('a value in the path of a forward', () => {
  const rows: readonly [path: string, id: unknown, expected: string][] = [
    // plain words
    ['/orders/$id', 'abc', '/orders/abc'],
    ['/orders/$id', 'A-b_c.d~1', '/orders/A-b_c.d~1'],
    ['/orders/$id', 7, '/orders/7'],
    ['/orders/$id', 7.5, '/orders/7.5'],
    ['/orders/$id', true, '/orders/true'],
    ['/orders/$id', '', '/orders/'],
    ['/a/$id/b/$id', 'x', '/a/x/b/x'],
    ['/a/v$id.json', '1.2', '/a/v1.2.json'],
    // what has a meaning in a URL has none in a value
    ['/orders/$id', 'a b', '/orders/a%20b'],
    ['/orders/$id', 'ü€', '/orders/%C3%BC%E2%82%AC'],
    ['/orders/$id', 'a?b=c', '/orders/a%3Fb%3Dc'],
    ['/orders/$id', 'a#b', '/orders/a%23b'],
    ['/orders/$id', 'a;b=c', '/orders/a%3Bb%3Dc'],
    ['/orders/$id', 'a&b=c,d', '/orders/a%26b%3Dc%2Cd'],
    ['/orders/$id', "(it's)*!", '/orders/%28it%27s%29%2A%21'],
    ['/orders/$id', '100%', '/orders/100%25'],
    ['/orders/$id', 'a%20b', '/orders/a%2520b'],
    ['/orders/$id', 'a%41', '/orders/a%2541'],
    ['/orders/$id', 'kim@example.com:8', '/orders/kim%40example.com%3A8'],
    ['/orders/$id', { a: [1] }, '/orders/%7B%22a%22%3A%5B1%5D%7D'],
    ['/orders/$id', '\t', '/orders/%09'],
    // separators and line breaks, as they are and escaped once or twice
    ...['a/b', '/', '/etc', '..\\..', 'a\\b', 'a\0', 'a\r\nb', 'a\nb'].map(
      (id): [string, string, string] => ['/orders/$id', id, refused],
    ),
    ...['%2f', '%2F', '%5c', '%5C', '%00', '%0d', '%0A', '..%2fadmin', '100%%2f'].map(
      (id): [string, string, string] => ['/orders/$id', id, refused],
    ),
    ...['%252f', '%255C', '%2500', '%250d%250a', '..%252f..%252fadmin', '%25%32%66', '%25252f'].map(
      (id): [string, string, string] => ['/orders/$id', id, refused],
    ),
    // dot segments
    ...['.', '..', '%2e', '%2E%2e', '.%2e', '%252e%252e', '%252E.', '..;x', '%2e%2e;x'].map(
      (id): [string, string, string] => ['/orders/$id/x', id, refused],
    ),
    ['/orders/.$id', '.', refused],
    ['/orders/$id$id', '.', refused],
    ['/orders/$id', '...', '/orders/...'],
    ['/orders/v$id', '..', '/orders/v..'],
    ['/orders/$id', '.well-known', '/orders/.well-known'],
    ['/orders/$id', '\ud800', refused],
    // the whole path
    ['$id', '/a/b', refused],
    ['$id', 'a', failed],
    ['$id', null, failed],
    ['$id', { a: 1 }, failed],
    // text of the document
    ['{{variables.base}}/$id', 'x y', '/api/v2/x%20y'],
    ['/a%2Fb/c d/$id', 'x', '/a%2Fb/c%20d/x'],
    ['/find?at=a/b&q=$id', 'x&y', '/find?at=a/b&q=x%26y'],
    ['/find?q=$id', 'a/b', '/find?q=a%2Fb'],
    ['{{variables.filter}}&q=$id', 'a/b', '/items?kind=a/b&limit=5&q=a%2Fb'],
    // variables that read the request
    ['{{variables.order}}', 'x y', '/orders/x%20y'],
    ['{{variables.order}}', 'x/y', refused],
    ['{{variables.order}}/lines', 'x y', '/orders/x%20y/lines'],
    ['{{variables.nested}}', 'x?y', '/orders/x%3Fy/lines'],
    ['/a/{{variables.tail}}', 'x?y', '/a/x%3Fy'],
    ['"/a/{{variables.tail}}"', 'x?y', '/a/x%3Fy'],
    // functions make another value of a value
    ["/a/{{request.body |> get(id, 'x/y')}}", 'p q', '/a/p%20q'],
    ["/a/{{request.body |> get(no, 'x y')}}", 'p', '/a/x%20y'],
    ["/a/{{request.body |> get(no, 'x/y')}}", 'p', refused],
    ['/a/{{variables.names |> get($id)}}', 'b', '/a/beta'],
    ['/a/{{variables.names |> get($id)}}', 'a', refused],
    ['/a/{{request.body.id |> base64:encode}}', 'a', '/a/YQ%3D%3D'],
    ['/a/{{request.body.id |> base64:decode}}', 'Li4v', refused],
    ['/a/{{variables.order |> string}}', 'x', refused],
    ['/a/{{request.body |> put(b, 1)}}', 'x', '/a/%7B%22id%22%3A%22x%22%2C%22b%22%3A%221%22%7D'],
    ['/a/{{request.body.id |> string}}', 'x?', '/a/x%3F'],
    // encoded by the document: not once more
    ['/a/{{request.body.id |> url:encode}}', 'x y?z', '/a/x%20y%3Fz'],
    ['/a/{{request.body.id |> url:encode}}', 'x/y', refused],
    ['/a/{{request.body.id |> url:encode}}', '..', refused],
    ['/a/{{request.body.id |> url:encode |> string}}', 'x y', '/a/x%2520y'],
    // raw on purpose
    ['/a/{{request.body.id |> url:raw}}', 'x/y', '/a/x/y'],
    ['{{request.body.id |> url:raw}}', '/x/y z', '/x/y%20z'],
    ['/a/{{variables.free}}', 'x/%41', '/a/x/%41'],
    ['/a/{{request.body.id |> url:raw}}', 'x?y=1', '/a/x%3Fy=1'],
    ['/a/{{request.body.id |> url:raw}}', 'x/../y', refused],
    ['/a/{{request.body.id |> url:raw}}', 'x/%2e%2e/y', refused],
    ['/a/{{request.body.id |> url:raw}}', 'x/%252e%252e/y', refused],
    ['/a/{{request.body.id |> url:raw}}', 'x%2fy', refused],
    ['/a/{{request.body.id |> url:raw}}', 'x%252fy', refused],
    ['/a/{{request.body.id |> url:raw}}', 'x\\y', refused],
    ['/a/{{request.body.id |> url:raw}}', 'x\r\ny', refused],
    ['/a/{{request.body.id |> url:raw |> string}}', 'x/y', refused],
  ]
  for (const [path, id, expected] of rows) {
    it(`${path} with ${JSON.stringify(id)} is ${expected}`, async () => {
      expect(await targetOf({ path: filled(path), query_string: '' }, { id })).to.equal(expected)
    })
  }
})

describe('a path that begins with a value', () => {
  for (const [path, isWarned] of [
    ['{{request.body.id}}', true],
    ['{{variables.tail}}/x', true],
    ['{{request.body |> get(id)}}/x', true],
    ['/{{request.body.id}}', false],
    ['{{variables.order}}', false],
    ['{{variables.free}}', false],
    ['{{request.path}}/x', false],
  ] as const) {
    it(`${path} is ${isWarned ? 'a warning' : 'none that is warned of'}`, () => {
      const action = { type: 'forward', host: 'http://up', path }
      const document = documentOf({ '/x': { post: { action, response: {} } } }, { variables })
      const { spec } = validateSpec(document)
      const { issues, warnings } = compileSpec(spec as ApiSpec, {
        callTimeout: 30_000,
      })
      expect(issues).to.deep.equal([])
      const at = '/versions/1.0/paths/~1x/post/action/path'
      expect(warnings.map((warning) => warning.path)).to.deep.equal(isWarned ? [at] : [])
    })
  }
})

describe('a value in the query of a forward', () => {
  const rows: readonly [query: string, id: unknown, expected: string][] = [
    ['q=$id', 'abc', 'q=abc'],
    ['q=$id', 5, 'q=5'],
    ['q=$id', false, 'q=false'],
    ['q=$id', 'a b', 'q=a%20b'],
    ['q=$id', '1&user=admin', 'q=1%26user%3Dadmin'],
    ['q=$id', 'a+b', 'q=a%2Bb'],
    ['q=$id', 'a#b?c', 'q=a%23b%3Fc'],
    ['q=$id', 'a/../b', 'q=a%2F..%2Fb'],
    ['q=$id', 'a%26b', 'q=a%2526b'],
    ['q=$id', 'a\r\nb', 'q=a%0D%0Ab'],
    ['q=$id', [1, 2], 'q=%5B1%2C2%5D'],
    ['q=$id', '\udc00', refused],
    ['$id', 'a=b', 'a%3Db'],
    ['?q=$id', 'x', 'q=x'],
    // the document may begin with a ?, which is no part of the query
    ['?a=1', 'x', 'a=1'],
    ['??a=1', 'x', '?a=1'],
    ['{{variables.marked}}', '&', 'q=%26'],
    ['{{variables.mark}}q=$id', '?', 'q=%3F'],
    ['{{variables.empty}}?q=$id', 'x', 'q=x'],
    ['{{variables.empty}}{{variables.marked}}', 'x', 'q=x'],
    ['?', 'x', '/x'],
    ['a=1&b=/x?&q=$id', '=', 'a=1&b=/x?&q=%3D'],
    ['{{variables.query}}', '&', 'q=%26&sort=asc'],
    ['{{variables.query}}&x=1', '&', 'q=%26&sort=asc&x=1'],
    ['{{request.query_string}}', 'x', 'a=1&b=%20'],
    ['{{request.query_string}}&q=$id', 'x&', 'a=1&b=%20&q=x%26'],
    ['p={{request.path}}', 'x', 'p=/v1/in/b'],
    ['m={{request.method}}&u={{security.authid}}', 'x', 'm=post&u=anonymous'],
    ['q={{request.body.id |> base64:encode}}', 'a', 'q=YQ%3D%3D'],
    ['q={{request.body.id |> url:raw}}', 'a&b=c%20', 'q=a&b=c%20'],
    ['{{request.body.id |> url:raw}}', 'a=b', 'a=b'],
    ['{{request.body.id |> url:form}}', { a: '1&b=2', c: ['x', 'y'] }, 'a=1%26b%3D2&c=x&c=y'],
    ['p=1&{{request.body.id |> url:form}}', { q: '?#' }, 'p=1&q=%3F%23'],
    ['{{request.body.id |> url:form}}', {}, '/x'],
    ['{{request.body.id |> url:form}}', { a: { b: 1 } }, failed],
    ['{{request.body.id |> url:form |> string}}', { a: 1 }, 'a%3D1'],
    ['q={{request.body.id |> url:encode}}', '/a b&c', 'q=%2Fa%20b%26c'],
    ['q={{request.body.id |> url:raw}}', 'a\r\nb', refused],
  ]
  for (const [query, id, expected] of rows) {
    it(`${query} with ${JSON.stringify(id)} is ${expected}`, async () => {
      const line = 'POST /v1/in/b?a=1&b=%20'
      const found = await targetOf({ path: '/x', query_string: filled(query) }, { id }, line)
      expect(found.startsWith('/x?') ? found.slice(3) : found).to.equal(expected)
    })
  }

  /** RFC 3986 §3.4: a query may hold `?`. */
  for (const [query, line, expected] of [
    [undefined, '??x=50', '??x=50'],
    [undefined, '???x=50', '???x=50'],
    [undefined, '?a=1&?x=50', '?a=1&?x=50'],
    [undefined, '??', '??'],
    [undefined, '?', ''],
    ['{{request.query_string}}', '??x=50', '??x=50'],
    ['?{{request.query_string}}', '??x=50', '??x=50'],
    ['?{{request.query_string}}', '?', ''],
    ['{{variables.empty}}{{request.query_string}}', '??x=50', '??x=50'],
    ['{{variables.mark}}{{request.query_string}}', '??x=50', '??x=50'],
    ["{{request.query_params |> get('?x') |> url:raw}}", '??x=?y', '??y'],
    ['{{request.query_string |> url:raw}}', '??x=50', '??x=50'],
    ['a=1&{{request.query_string}}', '??x=50', '?a=1&?x=50'],
  ] as const) {
    it(`keeps each ? of ${line} in ${query ?? 'the query by default'}`, async () => {
      const fields = query === undefined ? {} : { query_string: query }
      const found = await targetOf({ path: '/x', ...fields }, {}, `POST /v1/in/b${line}`)
      expect(found).to.equal(`/x${expected}`)
    })
  }

  for (const id of [null, { a: 1 }, [1]]) {
    it(`is no text when it is ${JSON.stringify(id)}, and the whole query`, async () => {
      const expected = id === null ? '/x' : failed
      expect(await targetOf({ path: '/x', query_string: '{{request.body.id}}' }, { id })).to.equal(
        expected,
      )
    })
  }
})

describe('what is escaped already', () => {
  for (const [title, fields, line, expected] of [
    ['the path of the request', {}, 'POST /v1/in/a%20b%3Fc', '/v1/in/a%20b%3Fc'],
    ['its path in a path', { path: '/up{{request.path}}' }, 'POST /v1/in/a%20b', '/up/v1/in/a%20b'],
    [
      'its query in the query of a path',
      { path: '/x?{{request.query_string}}', query_string: '' },
      'POST /v1/in/b?a=/&b=%20',
      '/x?a=/&b=%20',
    ],
    [
      'its query in a path',
      { path: '/x/{{request.query_string}}', query_string: '' },
      'POST /v1/in/b?../../admin',
      refused,
    ],
    ['dots that were escaped twice', {}, 'POST /v1/in/%252e%252e', refused],
    [
      'what a function makes of the path',
      { path: '/x/{{request.path |> base64:encode}}' },
      'POST /v1/in/b',
      '/x/L3YxL2luL2I=',
    ],
    ['a binding', { path: '/x/{{request.bindings.id}}' }, 'POST /v1/in/a%20b', '/x/a%20b'],
    ['a binding of its own', { path: '/x/{{request.bindings.id}}' }, 'POST /v1/in/%252f', refused],
    ['a binding with dots', { path: '/{{request.bindings.id}}' }, 'POST /v1/in/..%252fa', refused],
  ] as const) {
    it(`${title} gives ${expected}`, async () => {
      expect(await targetOf(fields, {}, line)).to.equal(expected)
    })
  }
})
