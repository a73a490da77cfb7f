/** The names in a certificate, as Node shows them. */
import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { readAltNames } from '#component/syntax/alt-names.ts'
import { Authority } from '#test/support/tls/authority.ts'

describe('the alternative names of a certificate', () => {
  for (const [text, names] of [
    [undefined, { dns: [], uri: [] }],
    ['DNS:a.example, DNS:*.b.example', { dns: ['a.example', '*.b.example'], uri: [] }],
    ['IP Address:10.0.0.1, URI:spiffe://a/b, email:a@b', { dns: [], uri: ['spiffe://a/b'] }],
    ['URI:"urn:a, DNS:evil.example", DNS:b', { dns: ['b'], uri: ['urn:a, DNS:evil.example'] }],
    ['DNS:"a\\"b"', { dns: ['a"b'], uri: [] }],
    ['othername:<unsupported>, DNS:a', { dns: ['a'], uri: [] }],
    ['DNS:a, ', { dns: ['a'], uri: [] }],
    ['DNS:a,DNS:b', undefined],
    ['DNS:"a', undefined],
    ['DNS:"\\x"', undefined],
    ['a.example', undefined],
  ] as const) {
    it(`of ${JSON.stringify(text)} are ${JSON.stringify(names)}`, () => {
      expect(readAltNames(text)).to.deep.equal(names)
    })
  }

  it('stay apart when one of them looks like several, in a real certificate', () => {
    const uri = ['urn:a, DNS:evil.example', 'urn:"b"', 'urn:c']
    const { cert } = new Authority('Root').issue({ name: 'a', dns: ['a.example'], uri })
    expect(readAltNames(new X509Certificate(cert).subjectAltName)).to.deep.equal({
      dns: ['a.example'],
      uri,
    })
  })
})
