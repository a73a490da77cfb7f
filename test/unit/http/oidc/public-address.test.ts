/** Which documents have callbacks at an address that nobody has fixed. */
import { expect } from 'chai'
import { isGuessedFor, publicPath } from '#http/oidc/public-address.ts'

describe('the address of callbacks', () => {
  for (const [pattern, hasPublicUrl, isLocal, isGuessed] of [
    ['_', false, true, false],
    ['_', false, false, true],
    ['_', true, false, false],
    [':x.example.com', false, true, true],
    ['api.example.com', false, false, false],
    ['[www.]example.com', false, false, false],
  ] as const) {
    it(`is ${isGuessed ? 'guessed' : 'known'} for ${pattern}, ${hasPublicUrl ? 'with' : 'without'} public_base_url, on a listener of ${isLocal ? 'this machine' : 'a network'}`, () => {
      expect(isGuessedFor(pattern, { hasPublicUrl, isLocal })).to.equal(isGuessed)
    })
  }

  it('has the path that a proxy takes away', () => {
    expect(
      ['https://a', 'https://a/', 'https://a/b', 'https://a/b/c/', ''].map(publicPath),
    ).to.deep.equal(['', '', '/b', '/b/c', ''])
  })
})
