/** Which certificate a client gets, by the host that it names. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { TlsContexts } from '#http/tls/tls-contexts.ts'
import { readTls } from '#http/tls/tls-setup.ts'
import { writeCertificate } from '#test/support/certificate.ts'

describe('the contexts of several certificates', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-contexts-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const write = (name: string, ...hosts: string[]) => {
    mkdirSync(join(folder, name), { recursive: true })
    return writeCertificate(join(folder, name), undefined, hosts)
  }
  const read = (certificates: Parameters<typeof readTls>[0]['certificates']) =>
    readTls({ certificates })

  it('are found by the exact name first, then by a wildcard for one label, in any case', () => {
    const contexts = new TlsContexts(
      read([write('any', '*.example.com'), write('one', 'api.example.com')]),
      systemClock,
    )
    const [any, one] = ['b.example.com', 'api.example.com'].map((name) => contexts.contextFor(name))
    expect(any).to.not.equal(undefined)
    expect(one).to.not.equal(any)
    expect(contexts.contextFor('API.Example.COM')).to.equal(one)
    expect(contexts.contextFor('c.Example.com')).to.equal(any)
    for (const other of ['a.b.example.com', 'example.com', 'com', '', 'example.org', '*']) {
      expect(contexts.contextFor(other), other).to.equal(undefined)
    }
  })

  it('are those of the first certificate where several have a name', () => {
    const contexts = new TlsContexts(
      read([write('a', 'a.example'), write('b', 'a.example', 'b.example')]),
      systemClock,
    )
    expect(contexts.contextFor('a.example')).to.not.equal(contexts.contextFor('b.example'))
  })

  it('stay the same when nothing has changed that is served', () => {
    const setup = read([write('a', 'a.example')])
    const contexts = new TlsContexts(setup, systemClock)
    const before = contexts.contextFor('a.example')
    contexts.use({ ...setup, refused: ['a'] })
    expect(contexts.contextFor('a.example')).to.equal(before)
    contexts.use(read([write('a', 'a.example')]))
    expect(contexts.contextFor('a.example')).to.not.equal(before)
  })
})
