/** Certificates that are renewed again and again under load: new connections get the new one, and no request fails. */
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { staticDocument } from '#test/integration/management/faces.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { type Answer, type Ask, type Load, startLoad } from '#test/support/load.ts'
import { isLong, rounds } from '#test/support/running/rounds.ts'
import { until } from '#test/support/running/until.ts'
import { Authority } from '#test/support/tls/authority.ts'
import { servedCertificate } from '#test/support/tls/openssl.ts'
import { certbotFolder, type Renewals, secretFolder } from '#test/support/tls/renewals.ts'

const renewals = rounds(3, 100)

/** How long a new certificate may take to be served on a busy machine; milliseconds. */
const patience = 30_000

/** The hosts of the certificate that certbot renews, and of the one in a Secret. */
const hosts = ['api.example.com', 'shop.example.org']

/** How long renewals took until every connection had the new certificate. */
function summary(waits: readonly number[]): string {
  const sorted = waits.toSorted((one, other) => one - other)
  const [median = 0, most = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  const late = sorted.filter((ms) => ms > 2_000).length
  return `served after ${Math.round(median)} ms (median), at most ${Math.round(most)} ms; ${late} of ${waits.length} after more than 2 s`
}

const workers = 2

describe(`a gateway of ${workers} workers whose certificates are renewed ${renewals} times under load`, function () {
  this.timeout(600_000)
  const root = new Authority('Authority of the tests')
  let folder: string
  let gateway: GatewayProcess
  let loads: readonly Load[]
  let waits: number[]

  const issue = (host = '') => root.issue({ name: host, dns: [host], usage: 'server' })

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-renewals-'))
    const places: Renewals[] = [
      certbotFolder(folder, 'api.example.com'),
      secretFolder(join(folder, 'secret')),
    ]
    for (const [at, place] of places.entries()) place.renew(issue(hosts[at]))
    const at = (name: string) => join(folder, name)
    writeFileSync(at('realm.json'), '[{"uri": "com.example.test"}]')
    writeFileSync(at('a.spec.json'), JSON.stringify(staticDocument('a', 'here')))
    const tls = places.map(({ cert, key }) => ({ cert, key }))
    const config = {
      ...{ workers, watch: true, log: { access: false } },
      ...{ specs: [at('*.spec.json')], realms: [at('realm.json')], gateway: { tls } },
    }
    writeFileSync(at('gateway.json'), JSON.stringify(config))
    gateway = await startGatewayProcess({ 'log.level': 'info' }, [], at('gateway.json'))

    const ask = (): Ask => ({ url: `${gateway.url}/a/body` })
    const onAnswer = ({ status, body }: Answer) => expect(status, body).to.equal(200)
    // some keep their connection, and others resume their session on a new one each time
    loads = hosts.flatMap((servername) =>
      [true, false].map((keepAlive) =>
        startLoad({
          ...{ clients: 2, pause: 50, ask, onAnswer },
          tls: { ca: root.cert, servername, keepAlive },
        }),
      ),
    )
    waits = []
    for (let round = 0; round < renewals; round += 1) {
      for (const [at, place] of places.entries()) {
        const { cert, ...pair } = issue(hosts[at])
        const { fingerprint256 } = new X509Certificate(cert)
        place.renew({ cert, ...pair })
        const begun = performance.now()
        await until(
          `renewal ${round} of ${hosts[at]} is served everywhere`,
          async () => {
            const all = Array.from({ length: workers * 2 }, () =>
              servedCertificate(gateway.url, hosts[at]),
            )
            return (await Promise.all(all)).every((one) => one.fingerprint256 === fingerprint256)
          },
          patience,
        )
        waits.push(performance.now() - begun)
      }
    }
  })

  after(async () => {
    await Promise.all(loads.map((load) => load.stop()))
    await gateway.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    if (isLong) console.log(`      ${summary(waits)}`)
  })

  it('loses no request', () => {
    expect(loads.flatMap(({ failures }) => failures)).to.deep.equal([])
    for (const { answered } of loads) expect(answered).to.be.above(renewals)
  })

  it('refuses none of the certificates', () => {
    expect(gateway.output).to.not.include('the certificate was refused')
    expect(waits).to.have.length(2 * renewals)
  })

  it('serves the first one to clients that name another host, or none', async () => {
    const names = await Promise.all(
      [undefined, 'unknown.example', hosts[1], hosts[0]].map(async (host) => {
        const { subject } = await servedCertificate(gateway.url, host)
        return subject
      }),
    )
    expect(names).to.deep.equal([
      'CN=api.example.com',
      'CN=api.example.com',
      'CN=shop.example.org',
      'CN=api.example.com',
    ])
  })

  it('tells when each of them ends', async () => {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    const files = ['live/api.example.com/fullchain.pem', 'secret/tls.crt']
    for (const file of files) {
      expect(metrics).to.include(
        `gateway_tls_certificate_expiry_seconds{certificate="${join(folder, file)}"} 4102444799`,
      )
    }
  })
})
