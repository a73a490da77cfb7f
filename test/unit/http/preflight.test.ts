/** The preflight: what is well-formed, what is refused, and that it costs next to nothing. */
import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import fc from 'fast-check'
import { preflight, Refusal, type Target } from '#http/preflight.ts'

const judge = (
  method: string,
  url: string,
  headers: readonly string[] = ['Host', 'a.example'],
  httpVersion = '1.1',
) => preflight({ method, url, ...asNodeReads(headers), httpVersion } as unknown as IncomingMessage)

/** node:http keeps the first of some fields that repeat; of the others nothing here depends on. */
function asNodeReads(rawHeaders: readonly string[]) {
  const headers = new Map<string, string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!headers.has(name)) headers.set(name, rawHeaders[at + 1] ?? '')
  }
  return { rawHeaders, headers: Object.fromEntries(headers) }
}

const statusOf = (verdict: Target | Refusal) => (verdict instanceof Refusal ? verdict.status : 200)

const host = (text: string) => ['Host', text]

describe('preflight', () => {
  for (const [what, url, status] of [
    ['a path', '/a/b', 200],
    ['a query', '/a?b=c&d[]=/?', 200],
    ['what URLs leave as it is', '/|[]{}^`?|[]{}^`\\', 200],
    ['a backslash in a path', '/a\\b', 400],
    ['a double quote', '/a"b', 400],
    ['angle brackets', '/a<b>', 400],
    ['a blank', '/a b', 400],
    ['a raw letter', '/é', 400],
    ['a percent sign alone', '/100%', 400],
    ['a double quote in a query', '/a?"', 400],
    ['a blank in a query', '/a?b c', 400],
    ['absolute-form of the same host', 'http://a.example/x', 200],
    ['absolute-form without path', 'http://A.example', 200],
    ['absolute-form of another host', 'http://evil.com/x', 400],
    ['absolute-form of another scheme', 'ftp://a.example/x', 400],
    ['an authority', 'a.example:80', 400],
    ['a dot segment', '/a/./b', 400],
    ['a fragment', '/a#b', 400],
    ['a bad escape in the query', '/a?b=%zz', 400],
    ['nothing', '', 400],
    ['a bare asterisk', '*', 400],
  ] as const) {
    it(`answers ${status} to ${what} as target`, () => {
      expect(statusOf(judge('GET', url))).to.equal(status)
    })
  }

  for (const [what, headers, status, version] of [
    ['one Host', host('a'), 200],
    ['a port', host('a:8080'), 200],
    ['no Host', [], 400],
    ['no Host in HTTP/1.0', [], 200, '1.0'],
    ['an empty Host', host(''), 400],
    ['two Hosts', [...host('a'), ...host('a')], 400],
    ['user information', host('good.com@evil.com'), 400],
    ['chunks', [...host('a'), 'Transfer-Encoding', 'Chunked'], 200],
    ['chunks in HTTP/1.0', [...host('a'), 'Transfer-Encoding', 'chunked'], 400, '1.0'],
    ['another coding', [...host('a'), 'Transfer-Encoding', 'gzip, chunked'], 400],
    [
      'two codings',
      [...host('a'), 'Transfer-Encoding', 'chunked', 'transfer-encoding', 'chunked'],
      400,
    ],
    ['both framings', [...host('a'), 'Transfer-Encoding', 'chunked', 'Content-Length', '1'], 400],
    ['a signed length', [...host('a'), 'Content-Length', '+1'], 400],
    ['an empty length', [...host('a'), 'Content-Length', ''], 400],
    ['a list of lengths', [...host('a'), 'Content-Length', '1, 1'], 400],
    ['a length of 20 digits', [...host('a'), 'Content-Length', '1'.repeat(20)], 400],
    ['two types', [...host('a'), 'Content-Type', 'a/b', 'content-type', 'a/c'], 400],
    ['two CSRF tokens', [...host('a'), 'X-CSRF-Token', 'a', 'x-csrf-token', 'a'], 400],
    ['two of another field', [...host('a'), 'X-A', '1', 'x-a', '2'], 200],
    ['100 fields', [...host('a'), ...Array.from({ length: 198 }, () => 'x')], 200],
    ['101 fields', [...host('a'), ...Array.from({ length: 200 }, () => 'x')], 431],
    ['HTTP/0.9', [], 400, '0.9'],
    ['HTTP/2.0', host('a'), 505, '2.0'],
  ] as const) {
    it(`answers ${status} to ${what}`, () => {
      expect(statusOf(judge('GET', '/', headers, version))).to.equal(status)
    })
  }

  it('refuses methods beyond the seven, and tells which there are', () => {
    const verdict = judge('TRACE', '/')
    expect(statusOf(verdict)).to.equal(405)
    expect((verdict as Refusal).error.headers.allow).to.equal(
      'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
    )
  })

  it('takes the request apart', () => {
    const headers = [
      'HOST',
      'A.Example:81',
      'X-A',
      '1',
      'x-a',
      '2',
      'cookie',
      'a=1',
      'Cookie',
      'b=2',
    ]
    expect(judge('POST', '/a/?b=%20', headers)).to.deep.equal({
      method: 'post',
      path: '/a/',
      hasEscapedSlash: false,
      query_string: 'b=%20',
      authority: { host: 'a.example', port: '81' },
      headers: Object.assign(Object.create(null), {
        host: 'A.Example:81',
        'x-a': '1, 2',
        cookie: 'a=1; b=2',
      }),
    })
  })

  for (const [values, joined] of [
    [['a', 'b'], 'a, b'],
    [['a', ''], 'a,'],
    [['', 'a'], ', a'],
    [['', ''], ','],
    [['a', '', ''], 'a,,'],
    [['a', '', 'b'], 'a,, b'],
  ] as const) {
    it(`joins ${JSON.stringify(values)} without a blank at the end, which no recipient keeps`, () => {
      const headers = [...host('a.example'), ...values.flatMap((value) => ['X-A', value])]
      expect((judge('GET', '/', headers) as Target).headers['x-a']).to.equal(joined)
    })
  }

  it('never lets a path through that could be read in two ways', () => {
    const part = fc.constantFrom(
      '/',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      '\\',
      ';',
      'a',
      '%c0%af',
      '//',
    )
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const verdict = judge('GET', `/${parts.join('')}`)
        if (verdict instanceof Refusal) return
        const segments = decodeURIComponent(verdict.path).split('/')
        expect(verdict.path.toLowerCase()).to.not.match(/%2f|%5c|\\/)
        for (const segment of segments) expect(segment.split(';')[0]).to.not.match(/^\.\.?$/)
      }),
      { numRuns: 1000 },
    )
  })
})
