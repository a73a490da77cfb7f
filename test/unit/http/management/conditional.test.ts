/** If-Match and If-None-Match: what they say of hashes, and what they must look like. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { isKnown, readConditions } from '#http/management/conditional.ts'

describe('If-Match', () => {
  for (const [value, hashes] of [
    ['"a"', ['a']],
    ['*', '*'],
    [' * ', '*'],
    ['"a", "b"', ['a', 'b']],
    ['"a","b"\t, "c"', ['a', 'b', 'c']],
    [', "a", ,', ['a']],
    ['"a,b", "*"', ['a,b', '*']],
    ['W/"a"', []],
    ['W/"a", "b"', ['b']],
    ['""', ['']],
    ['"\u00e9"', ['\u00e9']],
    ['', []],
  ] as const) {
    it(`of ${JSON.stringify(value)} names ${JSON.stringify(hashes)}`, () => {
      expect(readConditions({ 'if-match': value })).to.deep.equal({ ifMatch: hashes })
    })
  }

  for (const value of [
    'a',
    '"a',
    'a"',
    '"a" "b"',
    '"a"b',
    'w/"a"',
    'W/a',
    'W/ "a"',
    '"a b"',
    '"a\x7f"',
    '*, "a"',
    '"a", *',
    "'a'",
    '"a";',
  ]) {
    it(`of ${JSON.stringify(value)} is malformed`, () => {
      for (const name of ['if-match', 'if-none-match']) {
        expect(() => readConditions({ [name]: value }))
          .to.throw(ServiceError)
          .with.property('uri', 'service.error.bad_request')
      }
    })
  }

  it('is nothing when it is absent', () => {
    expect(readConditions({ host: 'x' })).to.deep.equal({})
  })
})

describe('If-None-Match', () => {
  it('takes weak tags for what they stand for', () => {
    const conditions = readConditions({ 'if-none-match': 'W/"a", "b"' })
    expect(conditions).to.deep.equal({ ifNoneMatch: ['a', 'b'] })
    expect(isKnown('"a"', conditions)).to.equal(true)
    expect(isKnown('"c"', conditions)).to.equal(false)
    expect(isKnown(undefined, conditions)).to.equal(false)
  })

  it('of * is whatever is there', () => {
    expect(isKnown('"a"', readConditions({ 'if-none-match': '*' }))).to.equal(true)
    expect(isKnown('"a"', {})).to.equal(false)
  })
})
