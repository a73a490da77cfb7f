/** Answers to challenges: known values, and what is refused before a connection is made. */
import { createPublicKey, verify } from 'node:crypto'
import { expect } from 'chai'
import { credentials, type JoinAuth } from '#component/wamp/join-auth.ts'

describe('credentials', () => {
  it('answer a ticket challenge with the ticket', async () => {
    const { answer } = credentials({ authmethod: 'ticket', authid: 'a', secret: 't' })
    expect(await answer('ticket', {})).to.equal('t')
  })

  it('ask for a secret at each challenge where a function gives it', async () => {
    let count = 0
    const secret = () => `ticket ${++count}`
    const { answer } = credentials({ authmethod: 'ticket', authid: 'a', secret })
    expect(count).to.equal(0)
    expect([await answer('ticket', {}), await answer('ticket', {})]).to.deep.equal([
      'ticket 1',
      'ticket 2',
    ])
  })

  it('sign a WAMP-CRA challenge by HMAC-SHA256', async () => {
    const { answer } = credentials({ authmethod: 'wampcra', authid: 'a', secret: 'key' })
    // RFC 4231 style value: HMAC-SHA256("key", "The quick brown fox jumps over the lazy dog")
    const challenge = 'The quick brown fox jumps over the lazy dog'
    expect(await answer('wampcra', { challenge })).to.equal(
      Buffer.from(
        'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
        'hex',
      ).toString('base64'),
    )
  })

  it('derive the key of a salted WAMP-CRA secret by PBKDF2', async () => {
    // RFC 7914 §11, the first 32 bytes
    const derived = '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc'
    const secret = Buffer.from(derived, 'hex').toString('base64')
    const { answer } = credentials({ authmethod: 'wampcra', authid: 'a', secret: 'passwd' })
    const { answer: answerDerived } = credentials({ authmethod: 'wampcra', authid: 'a', secret })
    const salted = { challenge: 'c', salt: 'salt', iterations: 1, keylen: 32 }
    expect(await answer('wampcra', salted)).to.equal(
      await answerDerived('wampcra', { challenge: 'c' }),
    )
  })

  it('sign a cryptosign challenge with the Ed25519 key, and announce the public one', async () => {
    // RFC 8032 §7.1, test 1
    const key = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
    const { answer, authextra } = credentials({ authmethod: 'cryptosign', authid: 'a', key })
    const challenge = 'ab'.repeat(32)
    const signature = await answer('cryptosign', { challenge })
    expect(signature).to.have.length(192)
    expect(signature.slice(128)).to.equal(challenge)
    const spki = Buffer.from(`302a300506032b6570032100${String(authextra.pubkey)}`, 'hex')
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    const bytes = Buffer.from(signature.slice(0, 128), 'hex')
    expect(verify(null, Buffer.from(challenge, 'hex'), publicKey, bytes)).to.equal(true)
  })

  it('refuse a challenge of another method', async () => {
    const { answer } = credentials({ authmethod: 'cryptosign', authid: 'a', key: '11'.repeat(32) })
    const error: unknown = await answer('ticket', {}).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(TypeError)
  })

  for (const [what, auth] of [
    ['a ticket without authid', { authmethod: 'ticket', secret: 't' }],
    ['a ticket without secret', { authmethod: 'ticket', authid: 'a' }],
    ['wampcra without secret', { authmethod: 'wampcra', authid: 'a' }],
    ['cryptosign without key', { authmethod: 'cryptosign', authid: 'a' }],
    ['a cryptosign key of 3 bytes', { authmethod: 'cryptosign', authid: 'a', key: 'abcdef' }],
  ] as const satisfies readonly (readonly [string, JoinAuth])[]) {
    it(`refuse ${what}`, () => {
      expect(() => credentials(auth)).to.throw(TypeError)
    })
  }
})
