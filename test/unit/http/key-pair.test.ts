/** The certificate of a listener and its key: read together. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readKeyPair } from '#http/key-pair.ts'
import { writeCertificate } from '#test/support/certificate.ts'

describe('a certificate and its key', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-key-pair-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are read as they are, with the time when the certificate ends', () => {
    const { cert, key } = writeCertificate(folder, '20300102030405Z')
    expect(readKeyPair({ cert, key })).to.deep.equal({
      cert: readFileSync(cert, 'utf8'),
      key: readFileSync(key, 'utf8'),
      expiresAt: Date.UTC(2030, 0, 2, 3, 4, 5),
    })
  })

  it('are refused when they do not belong together', () => {
    const { cert } = writeCertificate(folder)
    const other = join(folder, 'other')
    mkdirSync(other)
    const { key } = writeCertificate(other)
    expect(() => readKeyPair({ cert, key })).to.throw(
      `${cert}, ${key}: the private key does not belong to the certificate`,
    )
  })

  it('are refused when one of them is no PEM, or is not there', () => {
    const { cert, key } = writeCertificate(folder)
    expect(() => readKeyPair({ cert, key: join(folder, 'none') })).to.throw('ENOENT')
    writeFileSync(cert, 'half of a file')
    expect(() => readKeyPair({ cert, key })).to.throw(`${cert}, ${key}: `)
  })
})
