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
      changed: box.open(`${sealed.slice(0, -4)}AAAA`, 'a purpose'),
      short: box.open('v1.AAAA', 'a purpose'),
      version: box.open(sealed.replace('v1.', 'v2.'), 'a purpose'),
      empty: box.open('', 'a purpose'),
    }
    expect(Object.values(opened)).to.deep.equal(Array(7).fill(undefined))
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
