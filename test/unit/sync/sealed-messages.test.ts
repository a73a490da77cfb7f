/** Sealed messages of the cluster: what is opened at all; test/unit/secret-box.test.ts holds what opens nothing. */
import { expect } from 'chai'
import { nonceLength, openBox, openSealed, sealingBy } from '#component/sync/sealing.ts'

const purpose = 'service.registry.beat'
const limit = 10_000

describe('a sealed message', () => {
  const key = 'the key of the cluster'
  const sealing = sealingBy(key)
  const sealed = sealing.seal({ a: 'ä' }, purpose)

  it('opens for who has the key', () => {
    const other = sealingBy(Buffer.from(key))
    expect(openSealed(other, purpose, sealed, limit)).to.deep.equal({ a: 'ä' })
  })

  it('keeps integers of 64 bits, and keys that objects inherit', () => {
    const text = '{"n":18446744073709551615,"__proto__":{"x":1}}'
    const opened = sealing.open(openBox(key).seal(text, purpose), purpose) as { n: bigint }
    expect(opened.n).to.equal(2n ** 64n - 1n)
    expect(Object.hasOwn(opened, '__proto__')).to.equal(true)
  })

  for (const text of ['', '{', 'null', '['.repeat(400)]) {
    it(`of a gateway that cannot be read is null: ${text.slice(0, 20) || 'nothing'}`, () => {
      expect(sealing.open(openBox(key).seal(text, purpose), purpose)).to.equal(null)
    })
  }

  it('begins as no other one does', () => {
    const starts = Array.from({ length: 100 }, () =>
      sealing.seal({}, purpose).slice(0, nonceLength),
    )
    expect(new Set(starts).size).to.equal(100)
  })

  it('opens with no other key and for no other purpose', () => {
    const other = sealingBy('the key of another')
    expect(openSealed(other, purpose, sealed, limit)).to.equal(undefined)
    expect(openSealed(sealing, 'service.api_spec.on_load', sealed, limit)).to.equal(undefined)
  })

  const rubbish: readonly unknown[] = [
    ...[undefined, null, 0, true, {}, [], new Uint8Array(64)],
    ...['', 'x', 'A'.repeat(37), 'A'.repeat(100), '\0ä€😀'.repeat(20), sealed.slice(0, -1)],
  ]
  for (const value of rubbish) {
    it(`does not open ${JSON.stringify(value)?.slice(0, 40)}`, () => {
      expect(openSealed(sealing, purpose, value, limit)).to.equal(undefined)
    })
  }

  it('is not looked at when it is too long', () => {
    expect(openSealed(sealing, purpose, sealed, sealed.length)).to.deep.equal({ a: 'ä' })
    expect(openSealed(sealing, purpose, sealed, sealed.length - 1)).to.equal(undefined)
  })
})
