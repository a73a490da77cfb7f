/** The request target and the Host field: which are valid, which are refused. */
import { expect } from 'chai'
import {
  decodeEscapes,
  escapePath,
  parseAuthority,
  pathProblem,
  percentDecode,
  plainPath,
  queryProblem,
} from '#component/syntax/request-target.ts'

const escapedSlash = 'the path holds an escaped slash or backslash'
const character = 'the path holds a character that must be escaped'
const badEscape = 'the path holds a bad escape'
const dotSegment = 'the path holds a dot segment'

describe('a path', () => {
  for (const [what, path, problem] of [
    ['segments', '/a/b', undefined],
    ['a trailing slash', '/a/', undefined],
    ['sub-delimiters', "/a!$&'()*+,;=:@-._~", undefined],
    ['escapes', '/%C3%A9%20', undefined],
    ['a name that begins with a dot', '/.well-known/x', undefined],
    ['three dots', '/...', undefined],
    ['a dot segment', '/a/./b', dotSegment],
    ['a double dot segment', '/a/../b', dotSegment],
    ['dots at the end', '/a/..', dotSegment],
    ['encoded dots', '/a/%2e%2E/b', dotSegment],
    ['half-encoded dots', '/a/.%2e', dotSegment],
    ['dots with parameters', '/a/..;x=y/b', dotSegment],
    ['an encoded slash', '/a%2fb', escapedSlash],
    ['an encoded backslash', '/a%5cb', escapedSlash],
    ['a backslash', '/a\\b', character],
    ['a blank', '/a b', character],
    ['a brace', '/{a}', character],
    ['a control character', '/a\u0001', character],
    ['a raw letter beyond ASCII', '/é', character],
    ['half an escape', '/a%4', badEscape],
    ['an escape of no digits', '/a%zz', badEscape],
    ['overlong UTF-8', '/%c0%ae', badEscape],
    ['an encoded surrogate', '/%ed%a0%80', badEscape],
    ['an encoded NUL', '/a%00', badEscape],
    ['no slash at the beginning', 'a', 'the target is no path'],
  ] as const) {
    it(`with ${what} is ${problem === undefined ? 'valid' : 'refused'}`, () => {
      expect(pathProblem(path)).to.equal(problem)
    })

    it(`with ${what} is plain only where it is valid and stays as it is`, () => {
      const isValid = problem === undefined && escapePath(path) === path
      expect(isValid || !plainPath.test(path)).to.equal(true)
    })
  }

  for (const path of ['/', '/a/b', '/a/', '//', "/a!$&'()*+,;=:@-._~", '/a.b/c..']) {
    it(`is plain: ${path}`, () => {
      expect(plainPath.test(path)).to.equal(true)
    })
  }
})

describe('a query', () => {
  for (const [what, query, problem] of [
    ['brackets and a question mark', 'b=c&d[]=/?', undefined],
    ['an encoded slash', 'b=%2F', undefined],
    ['a bad escape', 'b=%zz', 'the query holds a bad escape'],
    ['invalid UTF-8', 'b=%ff', 'the query holds a bad escape'],
    ['an encoded NUL', 'b=%00', 'the query holds a bad escape'],
    ['a fragment', 'b#c', 'the query holds a character that must be escaped'],
  ] as const) {
    it(`with ${what} is ${problem === undefined ? 'valid' : 'refused'}`, () => {
      expect(queryProblem(query)).to.equal(problem)
    })
  }
})

describe('a Host field', () => {
  for (const [text, authority] of [
    ['A.example', { host: 'a.example', port: '' }],
    ['a:8080', { host: 'a', port: '8080' }],
    ['[::1]:8080', { host: '[::1]', port: '8080' }],
    ['', undefined],
    ['good.com@evil.com', undefined],
    ['a/b', undefined],
    ['a b', undefined],
    ['a,b', undefined],
    ['a:b', undefined],
    ['a:99999', undefined],
    ['a:000080', undefined],
    ['[::1', undefined],
    ['[::1]x', undefined],
    ['[evil]', undefined],
  ] as const) {
    it(`of "${text}" is ${authority ? 'read' : 'refused'}`, () => {
      expect(parseAuthority(text)).to.deep.equal(authority)
    })
  }
})

describe('percent-decoding', () => {
  it('takes NUL only where it may stand', () => {
    expect(decodeEscapes('a%00')).to.equal('a\0')
    expect(percentDecode('a%00')).to.equal(undefined)
    expect(percentDecode('a\0')).to.equal(undefined)
  })

  it('gives nothing for escapes that are not UTF-8', () => {
    for (const text of ['%', '%4', '%zz', '%c0%ae', '%ed%a0%80', '%ff']) {
      expect(decodeEscapes(text), text).to.equal(undefined)
    }
  })
})
