/** HMAC by one-shot hashes, beside that of node:crypto. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { HmacKey } from '#component/security/webhook/hmac.ts'

const bytes = (length: number): Buffer => Buffer.alloc(length, Uint8Array.of(7, 0, 255, 128, 36))

/** Shorter and longer than the blocks of all hashes, and as long. */
const secrets = [0, 1, 32, 63, 64, 65, 127, 128, 129, 300].map(bytes)

/** The last ones are longer than what is put together without a buffer of its own. */
const bodies = [0, 1, 2_000, 65_400, 65_536, 200_000].map(bytes)

describe('the HMAC of a message', () => {
  for (const algorithm of ['sha256', 'sha384', 'sha512'] as const) {
    it(`is that of node:crypto: ${algorithm}`, () => {
      for (const secret of secrets) {
        const key = new HmacKey(algorithm, secret)
        for (const body of bodies) {
          for (const prefix of ['', 'msg_1.1700000000.']) {
            for (const encoding of ['hex', 'base64'] as const) {
              const expected = createHmac(algorithm, secret).update(prefix).update(body)
              expect(key.sign(prefix, body, encoding)).to.equal(expected.digest(encoding))
            }
          }
        }
      }
    })
  }

  it('holds whatever other keys have signed in between', () => {
    const [one, other] = [new HmacKey('sha256', bytes(32)), new HmacKey('sha512', bytes(40))]
    const first = one.sign('a.', bytes(3_000), 'hex')
    other.sign('b.', bytes(5_000), 'hex')
    one.sign('c.', bytes(10), 'hex')
    expect(one.sign('a.', bytes(3_000), 'hex')).to.equal(first)
  })
})
