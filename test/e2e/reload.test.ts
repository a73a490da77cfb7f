/** What a running gateway reads again on SIGHUP and, with `watch`, by itself: in all its processes, without losing a connection. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { staticDocument } from '#test/integration/management/faces.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'

/** How long a reload may take on a busy machine; milliseconds. */
const patience = 30_000

for (const workers of [1, 2]) {
  describe(`a gateway of ${workers === 1 ? 'one process' : '2 workers'} that reads its files again`, function () {
    this.timeout(120_000)
    let folder: string
    let gateway: GatewayProcess

    const at = (name: string) => join(folder, name)
    const write = (name: string, value: unknown) =>
      writeFileSync(at(name), typeof value === 'string' ? value : JSON.stringify(value))

    const start = async (settings: object = {}) => {
      const own = { specs: [at('*.spec.json')], realms: [at('realm.json')], workers, ...settings }
      write('gateway.json', { log: { level: 'info', access: false }, ...own })
      gateway = await startGatewayProcess({ 'log.level': 'info' }, [], at('gateway.json'))
    }

    /** What clients get on several connections, so that each worker is asked. */
    const bodiesOf = async (name: string) => {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => send(gateway.url, `/${name}/body`)),
      )
      return new Set(
        answers.map(({ status, text }) => (status === 200 ? JSON.parse(text) : status)),
      )
    }
    const serves = (name: string, body: unknown) =>
      until(
        `${name} is ${JSON.stringify(body)} everywhere`,
        async () => {
          const bodies = await bodiesOf(name)
          return bodies.size === 1 && bodies.has(body)
        },
        patience,
      )
    const told = (text: string) =>
      until(`the log says ${text}`, () => gateway.output.includes(text), patience)

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'gateway-reload-'))
      write('realm.json', [{ uri: 'com.example.test', authmethods: ['anonymous'] }])
      write('a.spec.json', staticDocument('a', 'first'))
    })
    afterEach(async () => {
      await gateway.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    })

    it('loads changed and new ones on SIGHUP, keeps what is gone, and names what is refused', async () => {
      await start()
      await serves('a', 'first')
      write('a.spec.json', staticDocument('a', 'second'))
      write('b.spec.json', staticDocument('b', 'new'))
      write('c.spec.json', '{"id":')
      process.kill(gateway.pid, 'SIGHUP')
      await serves('a', 'second')
      await serves('b', 'new')
      await told('"by":"SIGHUP","loaded":2,"refused":1')
      for (let asked = 0; asked < 4; asked += 1) {
        const ready = await send(gateway.adminUrl, '/ready')
        expect(ready.text).to.include(`the file ${at('c.spec.json')} was refused: 1 issue`)
      }
      rmSync(at('b.spec.json'))
      rmSync(at('c.spec.json'))
      process.kill(gateway.pid, 'SIGHUP')
      await told('the file is gone; what was loaded from it is served on')
      await serves('b', 'new')
      await until(
        'no file is refused',
        async () => {
          const answers = await Promise.all(
            Array.from({ length: 4 }, () => send(gateway.adminUrl, '/ready')),
          )
          return answers.every(({ text }) => text === 'ready')
        },
        patience,
      )
    })

    it('changes nothing when the configuration is wrong, and goes on serving', async () => {
      await start()
      write('a.spec.json', staticDocument('a', 'second'))
      write('gateway.json', { spec: ['nothing.json'] })
      process.kill(gateway.pid, 'SIGHUP')
      await told('the configuration was refused: nothing has changed')
      await serves('a', 'first')
      expect(gateway.output).to.include('unknown option \\"spec\\"')
    })

    it('serves another certificate to new connections, and goes on with the open ones', async () => {
      const { cert, key } = writeCertificate(folder)
      await start({ gateway: { tls: { cert, key } } })
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
      await told('the certificate was refused: the one before it is served on')
      expect([...(await named())]).to.deep.equal([former])

      writeCertificate(folder)
      process.kill(gateway.pid, 'SIGHUP')
      await until(
        'all have the new certificate',
        async () => !(await named()).has(former),
        patience,
      )
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
      await start()
      const watched = {
        specs: [at('*.spec.json')],
        realms: [at('realm.json')],
        workers,
        watch: true,
      }
      write('gateway.json', { log: { level: 'info', access: false }, ...watched })
      process.kill(gateway.pid, 'SIGHUP')
      await told('"by":"SIGHUP"')
      write('a.spec.json', staticDocument('a', 'second'))
      await serves('a', 'second')
      mkdirSync(at('more'))
      write('more/b.spec.json', staticDocument('b', 'new'))
      write('gateway.json', { ...watched, specs: [...watched.specs, at('more/*.json')] })
      await serves('b', 'new')
      write('more/b.spec.json', staticDocument('b', 'newer'))
      await serves('b', 'newer')
    })
  })

  it(`a gateway of ${workers} obeys signals that come while it starts`, async () => {
    const data_dir = mkdtempSync(join(tmpdir(), 'gateway-early-'))
    const settings = {
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      data_dir,
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
    rmSync(data_dir, { recursive: true })
  }).timeout(120_000)
}
