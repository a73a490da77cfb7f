/** Path and query of an upstream request. */
import { expect } from 'chai'
import { readTarget } from '#component/action/forward/target.ts'
import { runOf } from './doubles.ts'

const target = (fields: object, computed: readonly string[] = [], request: object = {}) => {
  const { run } = runOf({ computed: new Set(computed) })
  return readTarget({ ...fields }, { ...run, request: { ...run.request, ...request } })
}

describe('the target of a forward', () => {
  for (const [title, given, expected] of [
    [
      'is that of the request by default',
      target({}, [], { query_string: 'a=1&b=%20' }),
      '/things?a=1&b=%20',
    ],
    ['is the root for the root', target({}, [], { path: '' }), '/'],
    ['is what the fields say', target({ path: '/x', query_string: 'y=1' }), '/x?y=1'],
    ['keeps a ? before the query', target({ path: '/x', query_string: '?y=1' }), '/x??y=1'],
    [
      'keeps a ? before the query of the request',
      target({}, [], { query_string: '?y' }),
      '/things??y',
    ],
    ['keeps a lone ?', target({}, [], { query_string: '?' }), '/things??'],
    [
      'has no query when the field is empty',
      target({ query_string: '' }, [], { query_string: 'a' }),
      '/things',
    ],
    ['keeps a query in a fixed path', target({ path: '/x?y=1', query_string: 'z' }), '/x?y=1&z'],
    ['keeps a query in a computed path', target({ path: '/x?y=/../z' }, ['path']), '/x?y=/../z'],
    ['escapes # everywhere', target({ path: '/x#y', query_string: 'a#b' }), '/x%23y?a%23b'],
    [
      'escapes blanks and letters beyond ASCII',
      target({ path: '/Jürgen Müller/漢😀' }),
      '/J%C3%BCrgen%20M%C3%BCller/%E6%BC%A2%F0%9F%98%80',
    ],
    [
      'keeps escapes and escapes a lone %',
      target({ path: '/%41/100%/%zz/😀%4' }),
      '/%41/100%25/%25zz/%F0%9F%98%80%254',
    ],
    ['escapes backslashes', target({ path: '/a\\..\\b' }), '/a%5C..%5Cb'],
    ['keeps dot segments that the author wrote', target({ path: '/a/../b' }), '/a/../b'],
    ['keeps dots inside names', target({ path: '/a/..b/c..;x/.d' }, ['path']), '/a/..b/c..;x/.d'],
  ] as const) {
    it(title, () => {
      expect(given).to.equal(expected)
    })
  }

  for (const fields of [
    { path: '' },
    { path: 'x' },
    { path: '//evil.com/x' },
    { path: '/\\evil.com/x' },
    { path: 'http://evil.com/x' },
    { path: '/a\r\nX: y' },
    { path: '/a\u0000' },
    { path: '/a\tb' },
    { path: '/a\u007f' },
    { path: '/\ud800' },
    { path: 5 },
    { path: null },
    { query_string: 'a\r\nb' },
    { query_string: { a: 1 } },
  ]) {
    it(`${JSON.stringify(fields)} is 500 before anything is sent`, () => {
      expect(() => target(fields))
        .to.throw()
        .with.property('uri', 'service.error.http_gateway.invalid_expression')
    })
  }

  for (const path of [
    '/a/../b',
    '/..',
    '/a/.',
    '/%2e%2E/b',
    '/.%2e',
    '/a/..;x/b',
    '/a/%252e./b',
    '/%25252E',
  ]) {
    it(`${path}, computed, is 400`, () => {
      expect(() => target({ path }, ['path']))
        .to.throw()
        .with.property('uri', 'service.error.bad_request')
    })
  }
})
