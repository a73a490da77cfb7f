/** Sealed texts: only the same secret makes, reads and changes them, each for one purpose; and secrets derived from one. */
import { expect } from 'chai'
import { SecretBox } from '#component/secret-box.ts'

describe('a secret box', () => {
  const box = new SecretBox('the secret of the store')
  const sealed = box.seal('a text', 'a purpose')

  it('opens what it has sealed', () => {
    expect(box.open(sealed, 'a purpose')).to.equal('a text')
    expect(sealed).to.not.include('a text')
  })

  it('takes the bytes of a secret as its text', () => {
    const same = new SecretBox(Buffer.from('the secret of the store'))
    expect(same.open(sealed, 'a purpose')).to.equal('a text')
  })

  it('opens nothing that differs in text, purpose, secret or scope', () => {
    const opened = {
      purpose: box.open(sealed, 'another purpose'),
      secret: new SecretBox('the secret of another store').open(sealed, 'a purpose'),
      scope: new SecretBox('the secret of the store', 'cluster').open(sealed, 'a purpose'),
      short: box.open('v1.AAAA', 'a purpose'),
      version: box.open(sealed.replace('v1.', 'v2.'), 'a purpose'),
      empty: box.open('', 'a purpose'),
    }
    expect(Object.values(opened)).to.deep.equal(Array(6).fill(undefined))
  })

  it('opens nothing when one character is another', () => {
    // the last character holds bits that are not used
    for (let at = 0; at < sealed.length - 1; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      expect(box.open(changed, 'a purpose'), `character ${at}`).to.equal(undefined)
    }
  })

  it('shows nothing of what it seals, and seals it differently each time', () => {
    const bytes = Buffer.from(sealed.slice(3), 'base64url').toString('latin1')
    expect(bytes).to.not.include('text')
    const nonces = Array.from({ length: 1000 }, () => box.seal('x', 'a purpose').slice(0, 19))
    expect(new Set(nonces).size).to.equal(1000)
  })

  it('derives one secret for one purpose and the same texts', () => {
    const secrets = [
      box.derive('salt', 'a', 'b'),
      box.derive('salt', 'ab'),
      box.derive('mac', 'a', 'b'),
      new SecretBox('the secret of another store').derive('salt', 'a', 'b'),
    ].map((secret) => secret.toString('hex'))
    expect(new Set(secrets)).to.have.lengthOf(4)
    expect(box.derive('salt', 'a', 'b').toString('hex')).to.equal(secrets[0])
  })
})
