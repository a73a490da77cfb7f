/** Secrets of Standard Webhooks: shared keys and public keys. */
import { expect } from 'chai'
import { readStandardSecret } from '#component/syntax/webhook-secret.ts'

const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64')

describe('a secret of Standard Webhooks', () => {
  for (const [what, text, kind, bytes] of [
    ['a shared key', `whsec_${base64(24)}`, 'hmac', 24],
    ['a shared key without its prefix', base64(32), 'hmac', 32],
    ['the longest shared key', `whsec_${base64(64)}`, 'hmac', 64],
    ['a public key', `whpk_${base64(32)}`, 'ed25519', 32],
  ] as const) {
    it(`is ${what}`, () => {
      const secret = readStandardSecret(text)
      expect([secret?.kind, secret?.bytes.length]).to.deep.equal([kind, bytes])
    })
  }

  for (const [what, text] of [
    ['the empty text', ''],
    ['a prefix alone', 'whsec_'],
    ['a shared key of 23 bytes', `whsec_${base64(23)}`],
    ['a shared key of 65 bytes', `whsec_${base64(65)}`],
    ['base64 without its padding', `whsec_${base64(32).replace('=', '')}`],
    ['base64url', `whsec_${Buffer.alloc(32, 255).toString('base64url')}`],
    ['base64 with a blank', `whsec_${base64(32)} `],
    ['base64 whose last bits are not 0', `whsec_${base64(32).replace('c=', 'd=')}`],
    ['a public key of 31 bytes', `whpk_${base64(31)}`],
    ['a private key', `whsk_${base64(32)}`],
  ] as const) {
    it(`is not ${what}`, () => {
      expect(readStandardSecret(text)).to.equal(undefined)
    })
  }
})
