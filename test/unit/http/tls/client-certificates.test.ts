/** Certificates that proxies pass on, as time passes and the authorities change. */
import { expect } from 'chai'
import type { ClientAuthority } from '#http/tls/client-authority.ts'
import { ClientCertificates } from '#http/tls/client-certificates.ts'
import { Authority } from '#test/support/tls/authority.ts'
import { fieldOf } from '#test/support/tls/client-gateway.ts'

const root = new Authority('Root')
const middle = new Authority('Middle', root)
const end = Date.UTC(2030, 0, 1)
const pair = root.issue({ name: 'a', usage: 'client', notAfter: '20300101000000Z' })
const viaMiddle = middle.issue({ name: 'b', usage: 'client' })

describe('certificates of clients', () => {
  let now: number
  let clients: ClientAuthority | undefined
  let certificates: ClientCertificates
  beforeEach(() => {
    now = Date.UTC(2026, 10, 24)
    clients = { file: 'ca.pem', ca: [root.cert], crl: [] }
    const contexts = {
      get setup() {
        return { pairs: [], refused: [], ...(clients && { clients }) }
      },
    }
    certificates = new ClientCertificates(contexts, { now: () => now })
  })

  const of = (cert: string, chain?: string, isFromProxy = true) =>
    certificates.of({
      transport: { connection: null as never },
      headers: {
        'client-cert': fieldOf(cert),
        ...(chain !== undefined && { 'client-cert-chain': fieldOf(chain) }),
      },
      isFromProxy,
    })

  it('are the same object at each request, without another judgement', async () => {
    const first = await of(pair.cert)
    const second = of(pair.cert)
    expect(second).to.not.be.instanceOf(Promise)
    expect(second).to.deep.equal(first)
    expect(first).to.have.nested.property('certificate.expiresAt', end)
  })

  it('are refused when they end', async () => {
    await of(pair.cert)
    now = end
    expect(await of(pair.cert)).to.deep.equal({ refused: 'a certificate has expired' })
  })

  it('are judged again when a revocation list has ended', async () => {
    clients = { file: 'ca.pem', ca: [root.cert], crl: [root.revocations([], '20261124010000Z')] }
    expect(await of(pair.cert)).to.have.property('certificate')
    now += 3_600_000
    expect(await of(pair.cert)).to.deep.equal({
      refused: 'an authority has no revocation list that is valid now',
    })
  })

  it('are judged by the authorities of now', async () => {
    await of(pair.cert)
    clients = { file: 'ca.pem', ca: [new Authority('Next').cert], crl: [] }
    expect(await of(pair.cert)).to.have.property('refused')
  })

  it('need no chain once a client has shown it', async () => {
    expect(await of(viaMiddle.cert)).to.have.property('refused')
    expect(await of(viaMiddle.cert, middle.cert)).to.have.property('certificate')
    const other = middle.issue({ name: 'c', usage: 'client' })
    expect(await of(other.cert)).to.have.property('certificate')
  })

  it('are none where no authority is known', () => {
    clients = undefined
    expect(of(pair.cert)).to.equal(undefined)
  })
})
