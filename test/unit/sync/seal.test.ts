/** Sealed messages: only the gateways of one cluster can make, read and change them, and each opens for one purpose. */
import { expect } from 'chai'
import { nonceOf, Seal } from '#component/sync/seal.ts'

const purpose = 'service.registry.beat'
const limit = 10_000

describe('a sealed message', () => {
  const seal = new Seal('the key of the cluster')
  const sealed = seal.seal(purpose, '{"a":"ä"}')

  it('opens for who has the key', () => {
    expect(new Seal(Buffer.from('the key of the cluster')).open(purpose, sealed, limit)).to.equal(
      '{"a":"ä"}',
    )
    expect(seal.open(purpose, seal.seal(purpose, ''), limit)).to.equal('')
  })

  it('opens for nobody with another key', () => {
    expect(new Seal('the key of another').open(purpose, sealed, limit)).to.equal(undefined)
  })

  it('opens for nothing but its purpose', () => {
    expect(seal.open('service.api_spec.on_load', sealed, limit)).to.equal(undefined)
  })

  it('does not open when one character is another', () => {
    // the last character holds bits that are not used
    for (let at = 0; at < sealed.length - 1; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      expect(seal.open(purpose, changed, limit), `character ${at}`).to.equal(undefined)
    }
  })

  it('says nothing of what it holds, and is another one each time', () => {
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).to.not.include('"a"')
    const nonces = new Set(Array.from({ length: 1000 }, () => nonceOf(seal.seal(purpose, 'x'))))
    expect(nonces.size).to.equal(1000)
  })

  const rubbish: readonly unknown[] = [
    ...[undefined, null, 0, true, {}, [], new Uint8Array(64)],
    ...['', 'x', 'A'.repeat(37), 'A'.repeat(100), '\0ä€😀'.repeat(20), sealed.slice(0, -1)],
  ]
  for (const value of rubbish) {
    it(`does not open ${JSON.stringify(value)?.slice(0, 40)}`, () => {
      expect(seal.open(purpose, value, limit)).to.equal(undefined)
    })
  }

  it('is not looked at when it is too long', () => {
    expect(seal.open(purpose, sealed, sealed.length)).to.equal('{"a":"ä"}')
    expect(seal.open(purpose, sealed, sealed.length - 1)).to.equal(undefined)
  })
})
