/** Tokens, values of fields, statuses and credentials. */
import { expect } from 'chai'
import {
  credentialsOf,
  fieldValueProblem,
  isToken,
  readStatus,
} from '#component/syntax/http-field.ts'

describe('a token', () => {
  for (const text of ['a', 'X-Request-Id', "!#$%&'*+-.^_`|~", '0', '__proto__']) {
    it(`is ${text}`, () => {
      expect(isToken(text)).to.equal(true)
    })
  }

  for (const text of [
    '',
    ' ',
    'a b',
    'a:',
    'a\n',
    'ä',
    'a/b',
    '(a)',
    'a\u007f',
    '"a"',
    'a\u0100',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      expect(isToken(text)).to.equal(false)
    })
  }
})

describe('the value of a field', () => {
  for (const text of ['', 'a b', 'a\tb', '~', '\u0080', 'ÿ', '"\\']) {
    it(`may be ${JSON.stringify(text)}`, () => {
      expect(fieldValueProblem(text)).to.equal(undefined)
    })
  }

  for (const [text, problem] of [
    ['a\n', 'there is a control character in column 2'],
    ['\r', 'there is a control character in column 1'],
    ['\u0000', 'there is a control character in column 1'],
    ['ab\u007f', 'there is a control character in column 3'],
    ['Ā', 'there is a character beyond Latin-1 in column 1'],
    ['a😀', 'there is a character beyond Latin-1 in column 2'],
  ] as const) {
    it(`may not be ${JSON.stringify(text)}`, () => {
      expect(fieldValueProblem(text)).to.equal(problem)
    })
  }
})

describe('a status', () => {
  for (const [value, status] of [
    [200, 200],
    [599, 599],
    ['404', 404],
    [199, undefined],
    [600, undefined],
    [200.5, undefined],
    ['0404', undefined],
    ['2e2', undefined],
    ['', undefined],
    [null, undefined],
    [200n, undefined],
  ] as const) {
    it(`of ${typeof value} ${value} is ${status}`, () => {
      expect(readStatus(value)).to.equal(status)
    })
  }
})

describe('credentials', () => {
  for (const [field, scheme, credentials] of [
    ['Bearer abc', 'bearer', 'abc'],
    ['bearer abc', 'bearer', 'abc'],
    ['BEARER abc ', 'bearer', 'abc'],
    ['Bearer  abc', 'bearer', 'abc'],
    ['Bearer abc def', 'bearer', 'abc def'],
    ['Bearer', 'bearer', undefined],
    ['Bearer ', 'bearer', undefined],
    ['Bearer\tabc', 'bearer', undefined],
    ['Bearerabc', 'bearer', undefined],
    ['Basic abc', 'bearer', undefined],
    ['Basic abc', 'basic', 'abc'],
    ['', 'bearer', undefined],
    [undefined, 'bearer', undefined],
  ] as const) {
    it(`of ${scheme} in ${JSON.stringify(field)} are ${credentials ?? 'absent'}`, () => {
      expect(credentialsOf(field, scheme)).to.equal(credentials)
    })
  }
})
