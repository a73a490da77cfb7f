/** The certificate of a listener and its key: read together. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readKeyPair, validityProblem } from '#http/tls/key-pair.ts'
import { writeCertificate } from '#test/support/certificate.ts'

describe('a certificate and its key', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-key-pair-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are read as they are, with the hosts and the times of the certificate', () => {
    const { cert, key } = writeCertificate(folder, '20300102030405Z')
    expect(readKeyPair({ cert, key })).to.deep.equal({
      file: cert,
      hosts: ['localhost'],
      startsAt: Date.UTC(2020, 0, 1),
      cert: readFileSync(cert, 'utf8'),
      key: readFileSync(key, 'utf8'),
      expiresAt: Date.UTC(2030, 0, 2, 3, 4, 5),
    })
  })

  it('are for the configured hosts, where there are some', () => {
    const files = writeCertificate(folder, undefined, ['A.example.com', '*.example.org'])
    expect(readKeyPair(files).hosts).to.deep.equal(['a.example.com', '*.example.org'])
    expect(readKeyPair({ ...files, hosts: ['B.example.com'] }).hosts).to.deep.equal([
      'b.example.com',
    ])
  })

  it('are not valid before and after the times of the certificate', () => {
    const pair = readKeyPair(writeCertificate(folder, '20300102030405Z'))
    expect(validityProblem(pair, Date.UTC(2029, 0))).to.equal(undefined)
    expect(validityProblem(pair, Date.UTC(2019, 0))).to.equal(
      `${pair.file}: it is not valid before 2020-01-01T00:00:00.000Z`,
    )
    expect(validityProblem(pair, Date.UTC(2031, 0))).to.equal(
      `${pair.file}: it expired at 2030-01-02T03:04:05.000Z`,
    )
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
