/** Which texts are WAMP URIs. */
import { expect } from 'chai'
import { isWampUri } from '#component/wamp/uris.ts'

describe('isWampUri', () => {
  for (const [text, isUri] of [
    ['com.example.add', true],
    ['a', true],
    ['com.example.wörld', true],
    ['com.example.😀', true],
    ['constructor:foo', true],
    ['com.example.a-b_c/d?e=%20', true],
    ['', false],
    ['.', false],
    ['.com', false],
    ['com.', false],
    ['com..example', false],
    ['com.my proc', false],
    ['com.my\tproc', false],
    ['com.proc\n', false],
    ['com.proc#', false],
    ['com.\u0000', false],
    ['com.\u001c', false],
    ['com.\u007f', false],
    ['com.\u0085', false],
    ['com.\u00a0', false],
    ['com.\u1680', false],
    ['com.\u2003', false],
    ['com.\u2028', false],
    ['com.\u3000', false],
    ['com.\ufeff', false],
    ['com.\ud800', false],
    ['com.\udc00x', false],
  ] as const) {
    it(`${isUri ? 'accepts' : 'refuses'} ${JSON.stringify(text)}`, () => {
      expect(isWampUri(text)).to.equal(isUri)
    })
  }

  for (const [text, isPattern] of [
    ['com.', true],
    ['com..example', true],
    ['', true],
    ['com. .example', false],
    ['com.#', false],
  ] as const) {
    it(`${isPattern ? 'accepts' : 'refuses'} ${JSON.stringify(text)} as a pattern`, () => {
      expect(isWampUri(text, true)).to.equal(isPattern)
    })
  }

  it('agrees with the loose pattern of WAMP on random texts', () => {
    const letters = ['a', 'b.', '.', '#', ' ', 'é', '\t', '/']
    for (let round = 0; round < 2000; round++) {
      let text = ''
      for (let n = round % 7; n > 0; n--) text += letters[Math.floor(Math.random() * 8)]
      expect(isWampUri(text), JSON.stringify(text)).to.equal(/^([^\s.#]+\.)*[^\s.#]+$/.test(text))
    }
  })
})
