/** Which texts are WAMP URIs: by the loose rule, as the router reads them, and in what the gateway names itself. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  isLooseUri,
  isMatch,
  isReservedUri,
  isUri,
  uriProblem,
} from '#component/syntax/wamp-uri.ts'

const ways = ['exact', 'prefix', 'wildcard'] as const

const none = [false, false, false]
const all = [true, true, true]
const onlyWildcard = [false, false, true]
const patterns = [false, true, true]

describe('a WAMP URI', () => {
  // text, what each way to match accepts
  for (const [text, accepted] of [
    ['com.example.add', all],
    ['a', all],
    ['com.Ž-x_1:y/z', all],
    ['com.example.wörld', all],
    ['com.example.😀', all],
    ['constructor:foo', all],
    ['com.example.a-b_c/d?e=%20', all],
    ['', patterns],
    ['com.', patterns],
    ['.', onlyWildcard],
    ['..', onlyWildcard],
    ['.com', onlyWildcard],
    ['com..example', onlyWildcard],
    ['com.my proc', none],
    ['com. .example', none],
    ['com.my\tproc', none],
    ['com.proc\n', none],
    ['com.\u000b', none],
    ['com.proc#', none],
    ['com.#', none],
    ['com\u00a0a', none],
    ['com.\u1680', none],
    ['com.\u2003', none],
    ['com.\u2028', none],
    ['com.\u202f', none],
    ['com.\u205f', none],
    ['com.\u3000', none],
    ['com.\ufeff', none],
  ] as const) {
    it(`is judged by both rules alike: ${JSON.stringify(text)}`, () => {
      expect(ways.map((match) => isUri(text, match))).to.deep.equal(accepted)
      expect(ways.map((match) => isLooseUri(text, match))).to.deep.equal(accepted)
    })
  }

  for (const text of [
    'com.\u0000',
    'com.\u0001',
    'com.\u001c',
    'com.\u007f',
    'com.\u0080',
    'com.\u0085',
    'com.\u009f',
    'com.\ud800',
    'com.\udc00x',
  ]) {
    it(`is accepted of clients and not named by the gateway: ${JSON.stringify(text)}`, () => {
      expect(ways.map((match) => isLooseUri(text, match))).to.deep.equal(all)
      expect(ways.map((match) => isUri(text, match))).to.deep.equal(none)
    })
  }

  it('agrees with the regular expression of WAMP under the loose rule', () => {
    const loose = /^([^\s.#]+\.)*[^\s.#]+$/
    const unit = fc.constantFrom('a', '.', '#', ' ', '\n', 'é', '\u2028', '\u0001', '\u0085')
    fc.assert(fc.property(fc.string({ unit }), (text) => isLooseUri(text) === loose.test(text)))
  })

  for (const [text, problem] of [
    ['com.example', undefined],
    ['', 'a part of it is empty'],
    ['com..example', 'a part of it is empty'],
    ['com.\u0085', 'it holds white space, "#" or a control character'],
    ['com.\ud800', 'it is not valid Unicode'],
  ] as const) {
    it(`is told apart: ${JSON.stringify(text)} ${problem ?? 'is one'}`, () => {
      expect(uriProblem(text)).to.equal(problem)
    })
  }

  it('is matched in three ways', () => {
    expect([...ways, 'glob', undefined, ''].map(isMatch)).to.deep.equal([...all, ...none])
  })

  it('is reserved under service. and wamp.', () => {
    const uris = ['wamp.session.count', 'service.x', 'wamp', 'service', 'com.wamp.x', 'wampx.y']
    expect(uris.filter(isReservedUri)).to.deep.equal(['wamp.session.count', 'service.x'])
  })
})
