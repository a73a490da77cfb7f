/** Which URIs and patterns are well-formed. */
import { expect } from 'chai'
import fc from 'fast-check'
import { isUri } from '#component/router/uri.ts'

describe('isUri', () => {
  for (const [uri, exact, prefix, wildcard] of [
    ['com.example.a', true, true, true],
    ['a', true, true, true],
    ['com.Ž-x_1:y/z', true, true, true],
    ['', false, true, true],
    ['com.', false, true, true],
    ['com..a', false, false, true],
    ['.com', false, false, true],
    ['..', false, false, true],
    ['com a', false, false, false],
    ['com\ta', false, false, false],
    ['com\u00a0a', false, false, false],
    ['com\u3000', false, false, false],
    ['com.#', false, false, false],
  ] as const) {
    it(`judges ${JSON.stringify(uri)}`, () => {
      expect([isUri(uri), isUri(uri, 'prefix'), isUri(uri, 'wildcard')]).to.deep.equal([
        exact,
        prefix,
        wildcard,
      ])
    })
  }

  it('agrees with the regular expression of WAMP', () => {
    const loose = /^([^\s.#]+\.)*[^\s.#]+$/
    const text = fc.string({ unit: fc.constantFrom('a', '.', '#', ' ', '\n', 'é', '\u2028') })
    fc.assert(fc.property(text, (uri) => isUri(uri) === loose.test(uri)))
  })
})
