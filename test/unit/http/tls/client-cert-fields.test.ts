/** The fields of RFC 9440, well-formed and not. */
import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { readClientCert } from '#http/tls/client-cert-fields.ts'
import { Authority } from '#test/support/tls/authority.ts'

const root = new Authority('Root')
const { cert } = root.issue({ name: 'a', usage: 'client' })
const bytes = new X509Certificate(cert).raw
const base64 = bytes.toString('base64')
const field = `:${base64}:`
const authority = `:${new X509Certificate(root.cert).raw.toString('base64')}:`
const sequence = (content: Buffer | string) => `:${Buffer.from(content).toString('base64')}:`

describe('Client-Cert and Client-Cert-Chain', () => {
  for (const [title, leaf, chain, count] of [
    ['a certificate', field, undefined, 0],
    ['a certificate among blanks', ` ${field} `, undefined, 0],
    ['a certificate and its chain', field, authority, 1],
    ['a chain with blanks and several certificates', field, `${authority} , ${authority}`, 2],
  ] as const) {
    it(`are read: ${title}`, () => {
      const told = readClientCert(leaf, chain)
      expect(told?.leaf.fingerprint256).to.equal(new X509Certificate(cert).fingerprint256)
      expect(told?.others).to.have.length(count)
    })
  }

  for (const [title, leaf, chain] of [
    ['nothing', ''],
    ['an empty byte sequence', '::'],
    ['base64 without colons', base64],
    ['one colon', `:${base64}`],
    ['two fields joined', `${field}, ${field}`],
    ['parameters', `${field};a=1`],
    ['a character that is not of base64', `:${base64.slice(0, 8)}-${base64.slice(9)}:`],
    ['base64 without its end', `:${base64.slice(0, -5)}:`],
    ['base64 with a blank in it', `:${base64.slice(0, 8)} ${base64.slice(8)}:`],
    ['PEM', sequence(cert)],
    ['PEM as nginx escapes it', encodeURIComponent(cert)],
    ['a half of a certificate', sequence(bytes.subarray(0, 100))],
    ['bytes after the certificate', sequence(Buffer.concat([bytes, Buffer.from('x')]))],
    ['two certificates in one', sequence(Buffer.concat([bytes, bytes]))],
    ['something else', sequence('hello')],
    ['a chain that is empty', field, ''],
    ['a chain with an empty member', field, `${authority},`],
    ['a chain with something else', field, `${authority}, ${sequence('hello')}`],
    ['a chain that is too long', field, Array.from({ length: 9 }, () => authority).join(', ')],
  ] as const) {
    it(`are refused: ${title}`, () => {
      expect(readClientCert(leaf, chain)).to.equal(undefined)
    })
  }
})
