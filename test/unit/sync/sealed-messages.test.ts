/** Sealed messages of the cluster: what is opened at all; test/unit/secret-box.test.ts holds what opens nothing. */
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

  it('opens with no other key and for no other purpose', () => {
    expect(openSealed(openBox('the key of another'), purpose, sealed, limit)).to.equal(undefined)
    expect(openSealed(box, 'service.api_spec.on_load', sealed, limit)).to.equal(undefined)
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
