/** What a running gateway reads again besides documents: its configuration, certificates and, with `watch`, its files by itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { staticDocument } from '#test/integration/management/faces.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { ReloadFixture, workers } from './reload.setup.ts'

describe('a gateway of 2 workers that reads its files again', () => {
  let fixture: ReloadFixture
  beforeEach(() => {
    fixture = new ReloadFixture()
  })
  afterEach(() => fixture.remove())

  it('changes nothing when the configuration is wrong, and goes on serving', async () => {
    await fixture.start()
    fixture.write('a.spec.json', staticDocument('a', 'second'))
    fixture.write('gateway.json', { spec: ['nothing.json'] })
    process.kill(fixture.gateway.pid, 'SIGHUP')
    await fixture.told('the configuration was refused: nothing has changed')
    await fixture.serves('a', 'first')
    expect(fixture.gateway.output).to.include('unknown option \\"spec\\"')
  })

  it('serves another certificate to new connections, and goes on with the open ones', async () => {
    const { cert, key } = writeCertificate(fixture.folder)
    await fixture.start({ gateway: { tls: { cert, key } } })
    const { gateway } = fixture
    const { port } = new URL(gateway.url)
    const open = async () => {
      const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      return socket
    }
    const nameOf = (socket: TLSSocket) => socket.getPeerCertificate().fingerprint256
    const named = async () => {
      const sockets = await Promise.all(Array.from({ length: 4 }, open))
      const names = new Set(sockets.map(nameOf))
      for (const socket of sockets) socket.destroy()
      return names
    }
    const old = await open()
    const former = nameOf(old)

    writeFileSync(key, 'half of a key')
    process.kill(gateway.pid, 'SIGHUP')
    await fixture.told('the certificate was refused: the one before it is served on')
    expect([...(await named())]).to.deep.equal([former])

    writeCertificate(fixture.folder)
    process.kill(gateway.pid, 'SIGHUP')
    await until('all have the new certificate', async () => !(await named()).has(former))
    old.write('GET /a/body HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [answer] = await once(old, 'data')
    expect(String(answer)).to.match(/^HTTP\/1\.1 200 /)
    old.destroy()
    const metrics = await send(gateway.adminUrl, '/metrics')
    expect(metrics.text).to.include(
      `\ngateway_tls_certificate_expiry_seconds{certificate="${cert}"} 4102444799\n`,
    )
  })

  it('watches them when it is told to, also from a later reload on', async () => {
    await fixture.start()
    const watched = { ...fixture.files(), watch: true }
    fixture.write('gateway.json', { log: { level: 'info', access: false }, ...watched })
    process.kill(fixture.gateway.pid, 'SIGHUP')
    await fixture.told('"by":"SIGHUP"')
    fixture.write('a.spec.json', staticDocument('a', 'second'))
    await fixture.serves('a', 'second')
    mkdirSync(fixture.at('more'))
    fixture.write('more/b.spec.json', staticDocument('b', 'new'))
    const specs = [fixture.at('*.spec.json'), fixture.at('more/*.json')]
    fixture.write('gateway.json', { ...watched, specs })
    await fixture.serves('b', 'new')
    fixture.write('more/b.spec.json', staticDocument('b', 'newer'))
    await fixture.serves('b', 'newer')
  })

  it('obeys signals that come while it starts', async () => {
    const settings = {
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      data_dir: fixture.at('data'),
      workers,
    }
    const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    const main = ['--disable-proto=delete', 'component/cli/main.ts', 'start', ...flags]
    const child = spawn(process.execPath, main, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    let output = ''
    for await (const chunk of child.stdout) {
      const before = output
      output += chunk
      const comes = (text: string) => !before.includes(text) && output.includes(text)
      if (comes('"msg":"starting"')) child.kill('SIGHUP')
      if (comes('"by":"SIGHUP"')) child.kill('SIGTERM')
    }
    expect(await ended).to.deep.equal([0, null])
    expect(output).to.match(/"msg":"started".*"by":"SIGHUP"/s)
  })
})
