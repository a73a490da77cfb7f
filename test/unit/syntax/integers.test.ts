/** Integers of 64 bits: their bounds. */
import { expect } from 'chai'
import { isInteger64, maxInteger, minInteger } from '#component/syntax/integers.ts'

describe('an integer of 64 bits', () => {
  for (const [value, expected] of [
    [0n, true],
    [-(2n ** 63n), true],
    [-(2n ** 63n) - 1n, false],
    [2n ** 63n, true],
    [2n ** 64n - 1n, true],
    [2n ** 64n, false],
  ] as const) {
    it(`${expected ? 'is' : 'is not'} ${value}`, () => {
      expect(isInteger64(value)).to.equal(expected)
    })
  }

  it('lies between the least int64 and the greatest uint64', () => {
    expect([minInteger, maxInteger]).to.deep.equal([
      -9_223_372_036_854_775_808n,
      18_446_744_073_709_551_615n,
    ])
  })
})
