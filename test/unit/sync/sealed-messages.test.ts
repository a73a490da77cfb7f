/** Sealed messages: only the gateways of one cluster can make, read and change them, and each opens for one purpose. */
import { expect } from 'chai'
import { openBox, openSealed } from '#component/sync/wire.ts'

const purpose = 'service.registry.beat'
const limit = 10_000

describe('a sealed message', () => {
  const box = openBox('the key of the cluster')
  const sealed = box.seal('{"a":"ä"}', purpose)

  it('opens for who has the key', () => {
    expect(
      openSealed(openBox(Buffer.from('the key of the cluster')), purpose, sealed, limit),
    ).to.equal('{"a":"ä"}')
    expect(openSealed(box, purpose, box.seal('', purpose), limit)).to.equal('')
  })

  it('opens for nobody with another key', () => {
    expect(openSealed(openBox('the key of another'), purpose, sealed, limit)).to.equal(undefined)
  })

  it('opens for nothing but its purpose', () => {
    expect(openSealed(box, 'service.api_spec.on_load', sealed, limit)).to.equal(undefined)
  })

  it('does not open when one character is another', () => {
    // the last character holds bits that are not used
    for (let at = 0; at < sealed.length - 1; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      expect(openSealed(box, purpose, changed, limit), `character ${at}`).to.equal(undefined)
    }
  })

  it('says nothing of what it holds, and is another one each time', () => {
    expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).to.not.include('"a"')
    const nonces = new Set(Array.from({ length: 1000 }, () => box.seal('x', purpose).slice(0, 19)))
    expect(nonces.size).to.equal(1000)
  })

  const rubbish: readonly unknown[] = [
    ...[undefined, null, 0, true, {}, [], new Uint8Array(64)],
    ...['', 'x', 'A'.repeat(37), 'A'.repeat(100), '\0ä€😀'.repeat(20), sealed.slice(0, -1)],
  ]
  for (const value of rubbish) {
    it(`does not open ${JSON.stringify(value)?.slice(0, 40)}`, () => {
      expect(openSealed(box, purpose, value, limit)).to.equal(undefined)
    })
  }

  it('is not looked at when it is too long', () => {
    expect(openSealed(box, purpose, sealed, sealed.length)).to.equal('{"a":"ä"}')
    expect(openSealed(box, purpose, sealed, sealed.length - 1)).to.equal(undefined)
  })
})
