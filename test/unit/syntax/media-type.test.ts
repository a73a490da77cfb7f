/** Media types: without parameters, as JSON, and as text in UTF-8. */
import { expect } from 'chai'
import { essenceOf, isJsonType, isUtf8Type } from '#component/syntax/media-type.ts'

describe('a media type', () => {
  for (const [type, essence] of [
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    [' text/plain ;a=b;c', 'text/plain'],
    [';', ''],
    ['', ''],
  ] as const) {
    it(`of ${JSON.stringify(type)} is ${essence || 'empty'}`, () => {
      expect(essenceOf(type)).to.equal(essence)
    })
  }

  for (const [essence, isJson] of [
    ['application/json', true],
    ['application/problem+json', true],
    ['text/json', false],
    ['application/msgpack', false],
    ['application/jsonl', false],
  ] as const) {
    it(`${isJson ? 'is' : 'is not'} JSON: ${essence}`, () => {
      expect(isJsonType(essence)).to.equal(isJson)
    })
  }

  for (const [type, isUtf8] of [
    ['a/b', true],
    ['a/b; charset=utf-8', true],
    ['a/b;CHARSET=UTF-8', true],
    ['a/b; charset="utf-8"', true],
    ['a/b; charset=utf8', true],
    ['a/b; charset = utf-8', true],
    ['a/b; q=1; charset=utf-8', true],
    ['a/b; charset=latin1', false],
    ['a/b; charset="utf-8', false],
    ['a/b; charset=', false],
    ['a/b; charset', false],
    ['a/b; charset=utf-16', false],
  ] as const) {
    it(`${isUtf8 ? 'is' : 'is not'} UTF-8: ${type}`, () => {
      expect(isUtf8Type(type)).to.equal(isUtf8)
    })
  }
})
