/** The requests that examples describe. */
import { expect } from 'chai'
import { requestOf } from '#component/examples/request.ts'
import { parseHostPattern } from '#component/syntax/host-pattern.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import type { JsonMap } from '#component/syntax/values.ts'

function ask(pattern: string, written: JsonMap, host = '_') {
  const path = parsePathPattern(pattern)
  const hosts = parseHostPattern(host)
  if ('problem' in path || 'problem' in hosts) throw new Error('the pattern is broken')
  return requestOf(written, { host: hosts, forms: path.forms, pattern }, '/request')
}

function urlOf(pattern: string, written: JsonMap, host?: string): string {
  const request = ask(pattern, written, host)
  if ('issue' in request) return `${request.issue.path}: ${request.issue.message}`
  const { scheme, path, query_string } = request
  return `${scheme}://${request.host}${path}${query_string && `?${query_string}`}`
}

describe('the request of an example', () => {
  for (const [pattern, written, url] of [
    ['/a', {}, 'https://localhost/a'],
    ['/[v1.0]/a', {}, 'https://localhost/v1.0/a'],
    ['/a/:id', { bindings: { id: 7 } }, 'https://localhost/a/7'],
    ['/a/:id', { bindings: { id: 'ä b%:@' } }, 'https://localhost/a/%C3%A4%20b%25:@'],
    ['/a/[:id]/b', {}, 'https://localhost/a/b'],
    ['/a/[:id]/b', { bindings: { id: 'x' } }, 'https://localhost/a/x/b'],
    ['/a/[...]', {}, 'https://localhost/a'],
    ['/a/[...]', { bindings: { rest: 'b/ä' } }, 'https://localhost/a/b/%C3%A4'],
    ['/a/:_', {}, 'https://localhost/a/any'],
    ['/a/{id}.json', { bindings: { id: 'ä' } }, 'https://localhost/a/%C3%A4.json'],
    ['/a/{_}:{b}', { bindings: { b: 7 } }, 'https://localhost/a/any:7'],
    [
      '/a/{x}-{y}',
      { bindings: { x: 1 } },
      '/request/bindings: the path pattern /a/{x}-{y} needs a value for y',
    ],
    ['/a/{x}-{y}', { bindings: { x: '1-2', y: 3 } }, 'https://localhost/a/1-2-3'],
    [
      '/a/{x}-{y}',
      { bindings: { x: 1, y: '2-3' } },
      '/request/bindings: no request can have these values: "1-2-3" is read with x as "1-2"',
    ],
    ['/a', { path: '/b/%20?c=1&d' }, 'https://localhost/b/%20?c=1&d'],
    ['/a', { path: '/b' }, 'https://localhost/b'],
    ['/a', { scheme: 'http', host: 'b.example' }, 'http://b.example/a'],
    [
      '/a',
      { query_params: { a: 'x y', b: [1, '&'], c: true, d: '' } },
      'https://localhost/a?a=x%20y&b=1&b=%26&c&d=',
    ],
    [
      '/a',
      { bindings: { id: 7 } },
      '/request/bindings/id: the path pattern /a has no binding of this name',
    ],
    [
      '/a/:id/:n',
      { bindings: { n: 7 } },
      '/request/bindings: the path pattern /a/:id/:n needs a value for id',
    ],
    [
      '/a/:id',
      { bindings: { id: 'b/c' } },
      '/request/bindings: no request can have these values: the path holds an escaped slash or backslash',
    ],
    [
      '/a/:id',
      { bindings: { id: '..' } },
      '/request/bindings: no request can have these values: the path holds a dot segment',
    ],
    [
      '/a/:id',
      { bindings: { id: '' } },
      '/request/bindings/id: a binding is a segment of the path, which is never empty',
    ],
  ] as const) {
    it(`${pattern} with ${JSON.stringify(written)}: ${url}`, () => {
      expect(urlOf(pattern, written)).to.equal(url)
    })
  }

  for (const [host, url] of [
    ['api.example.com', 'https://api.example.com/a'],
    ['[www.]example.com', 'https://www.example.com/a'],
    ['api.:_', 'https://api.any/a'],
  ] as const) {
    it(`goes to a host that ${host} matches`, () => {
      expect(urlOf('/a', {}, host)).to.equal(url)
    })
  }

  it('has its headers in lower case, and a body only if one is written', () => {
    const request = ask('/a', { headers: { 'X-N': 7 }, body: null })
    expect(request).to.include({ body: null }).and.to.have.deep.property('headers', { 'x-n': '7' })
    expect(ask('/a', {})).to.not.have.property('body')
  })
})
