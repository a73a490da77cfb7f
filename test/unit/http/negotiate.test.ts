/** Negotiation of type and language, and which bodies are accepted. */
import { expect } from 'chai'
import { isAcceptedType, negotiateLanguage, negotiateType } from '#http/negotiate.ts'

const json = 'application/json'
const msgpack = 'application/msgpack'
const both = [msgpack, json]

describe('negotiateType', () => {
  for (const [accept, provides, type] of [
    [undefined, both, json],
    ['', both, json],
    ['*/*', both, json],
    ['application/*', both, json],
    [msgpack, both, msgpack],
    [`${json};q=0.5, ${msgpack}`, both, msgpack],
    [`${json};q=0.5, ${msgpack};q=0.5`, both, json],
    [`${json};q=0, */*`, both, msgpack],
    [`*/*;q=0.1, ${msgpack}`, both, msgpack],
    [`${json};q=0.1, application/*;q=0.9`, both, msgpack],
    ['text/html', both, undefined],
    ['*/*;q=0', both, undefined],
    ['text/html, */*;q=0.1', both, json],
    ['APPLICATION/JSON', both, json],
    [`${json}; charset=utf-8`, both, json],
    [json, [`${json}; charset=utf-8`], `${json}; charset=utf-8`],
    [`${json};q=2, ${msgpack};q=0.1`, both, msgpack],
    ['*/*', [msgpack], msgpack],
    [undefined, ['text/plain', msgpack], 'text/plain'],
    ['application/problem+json', [...both, 'application/problem+json'], 'application/problem+json'],
    ['*/*', [...both, 'application/problem+json'], json],
    [json, [], undefined],
    ['image/png', ['image/*'], 'image/*'],
    ['image/*', ['image/png', json], 'image/png'],
    ['image/webp;q=0.4, application/json;q=0.5', ['image/*', json], json],
    ['text/html', ['image/*'], undefined],
    ['image/png;q=0', ['image/png'], undefined],
    ['application/vnd.api+json', ['application/vnd.api+json'], 'application/vnd.api+json'],
    [json, ['application/vnd.api+json'], undefined],
  ] as const) {
    it(`gives ${type} of ${provides.join(' and ') || 'nothing'} for Accept: ${accept}`, () => {
      expect(negotiateType(accept, provides)).to.equal(type)
    })
  }
})

describe('negotiateLanguage', () => {
  for (const [accept, languages, language] of [
    [undefined, ['en', 'de'], 'en'],
    ['de', ['en', 'de'], 'de'],
    ['de-AT, en;q=0.5', ['en', 'de'], 'de'],
    ['de', ['en', 'de-AT'], 'de-AT'],
    ['fr, de;q=0.5', ['en', 'de'], 'de'],
    ['en;q=0.1, de;q=0.9', ['en', 'de'], 'de'],
    ['fr', ['en', 'de'], 'en'],
    ['de;q=0', ['en', 'de'], 'en'],
    ['*', ['en', 'de'], 'en'],
    ['en;q=0, *', ['en', 'de'], 'de'],
    ['en;q=0, fr', ['en', 'de'], 'en'],
    ['en-US', ['en-GB', 'en'], 'en'],
    ['de-AT;q=0, de', ['de-AT', 'de-CH'], 'de-CH'],
    ['DE', ['en', 'de'], 'de'],
    ['de', [], 'en'],
  ] as const) {
    it(`gives ${language} of ${languages.join(', ')} for ${accept}`, () => {
      expect(negotiateLanguage(accept, languages)).to.equal(language)
    })
  }
})

describe('isAcceptedType', () => {
  for (const [type, accepts, isAccepted] of [
    [json, both, true],
    ['Application/JSON; charset=UTF-8', both, true],
    [`${json}; charset="utf-8"`, both, true],
    [`${json}; charset=latin1`, both, false],
    [json, [`${json}; charset=utf-8`], true],
    ['text/xml', both, false],
    [undefined, both, false],
    [undefined, ['*/*'], true],
    [undefined, ['application/octet-stream'], true],
    [undefined, ['image/*'], false],
    [`${json}; charset=us-ascii`, both, true],
    [`${json}; charset=utf-16`, ['*/*'], false],
    ['application/vnd.api+json', both, false],
    ['application/vnd.api+json', ['application/*+json'], true],
    ['application/json', ['application/*+json'], false],
    ['application/+json', ['application/*+json'], false],
    ['IMAGE/PNG', ['image/*'], true],
    ['image/png; charset=binary', ['image/*'], true],
    ['image', ['image/*'], false],
    ['images/png', ['image/*'], false],
    ['text/csv; charset=shift_jis', ['text/csv'], true],
    ['text/csv; charset=klingon', ['text/csv'], false],
    ['text/csv; charset=iso-2022-kr', ['text/*'], false],
    ['multipart/form-data; boundary=x', ['multipart/form-data'], true],
    ['', ['*/*'], true],
  ] as const) {
    it(`${isAccepted ? 'accepts' : 'refuses'} ${type} of ${accepts.join(' and ')}`, () => {
      expect(isAcceptedType(type, accepts)).to.equal(isAccepted)
    })
  }
})
