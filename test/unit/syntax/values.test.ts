/** What counts as a map of data. */
import { expect } from 'chai'
import { isMap, memberOf } from '#component/syntax/values.ts'

describe('a map', () => {
  for (const [what, value, expected] of [
    ['an object', { a: 1 }, true],
    ['an empty object', {}, true],
    ['an object without prototype', Object.create(null), true],
    ['a frozen object', Object.freeze({}), true],
    ['an object of JSON with __proto__', JSON.parse('{"__proto__":{"a":1}}'), true],
    ['null', null, false],
    ['nothing', undefined, false],
    ['a text', 'a', false],
    ['a number', 1, false],
    ['an integer of 64 bits', 1n, false],
    ['a list', [], false],
    ['bytes', new Uint8Array(1), false],
    ['a Buffer', Buffer.from('a'), false],
    ['an ArrayBuffer', new ArrayBuffer(1), false],
    ['a date', new Date(0), false],
    ['a Map', new Map(), false],
    ['an error', new Error('a'), false],
    ['an object that inherits another', Object.create({ a: 1 }), false],
    ['a function', () => 1, false],
  ] as const) {
    it(`${expected ? 'is' : 'is not'} ${what}`, () => {
      expect(isMap(value)).to.equal(expected)
    })
  }

  for (const [what, value, key, expected] of [
    ['of its own key', { a: 1 }, 'a', 1],
    ['of no other key', { a: 1 }, 'b', undefined],
    ['of no inherited key', {}, 'constructor', undefined],
    ['of the key __proto__ of JSON', JSON.parse('{"__proto__":1}'), '__proto__', 1],
    ['of no __proto__ that it inherits', {}, '__proto__', undefined],
    ['of no list', [1], '0', undefined],
    ['of no text', 'abc', 'length', undefined],
    ['of null', null, 'a', undefined],
  ] as const) {
    it(`has the member ${what}`, () => {
      expect(memberOf(value, key)).to.equal(expected)
    })
  }
})
