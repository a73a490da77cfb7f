/** Several processes with another router, and with TLS: each of them has its own session, and its own handshakes. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectSecurely } from 'node:tls'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { send } from '#test/support/http-request.ts'
import { readMetric } from '#test/support/load.ts'
import { openRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'
import { startWorkers } from '#test/support/worker-gateway.ts'

describe('a gateway of 2 workers on another router', () => {
  it('joins it with each of them, and calls whoever is there', async () => {
    const router = await openRouter()
    const gateway = await startWorkers(2, { 'wamp.url': router.url })
    try {
      const peer = await RouterPeer.join({ url: router.url, realm: 'com.example.test' })
      await peer.register('com.example.test.called')
      const haveJoined = async () =>
        (await readMetric(gateway.adminUrl, 'gateway_wamp_sessions')) === 2
      await until('both have joined the realm of the API', haveJoined)
      for (let at = 0; at < 4; at++) {
        const asked = send(gateway.url, '/workers/called')
        const [, request] = await peer.next()
        peer.send(70, request, {}, [at])
        expect((await asked).json()).to.equal(at)
      }
      peer.cut()
      expect(await gateway.stop()).to.equal(0)
    } finally {
      await gateway.kill()
      await router.stop()
    }
  })
})

describe('a gateway of 2 workers that serves HTTPS', () => {
  it('does so on each of them, and WAMP beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'))
    const { cert, key } = writeCertificate(folder)
    const gateway = await startWorkers(2, { 'gateway.tls': `{cert: ${cert}, key: ${key}}` })
    try {
      const ca = readFileSync(cert)
      const { hostname, port } = new URL(gateway.url)
      for (let at = 0; at < 4; at++) {
        const socket = connectSecurely({
          host: hostname,
          port: Number(port),
          ca,
          servername: 'localhost',
        })
        socket.end('GET /workers/static HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
        expect(await text(socket)).to.match(/^HTTP\/1\.1 200 .*"here"$/s)
      }
      expect(gateway.routerUrl).to.equal(`wss://${hostname}:${port}/ws`)
      const url = gateway.routerUrl.replace(hostname, 'localhost')
      const session = new WebSocket(url, ['wamp.2.json'], { ca })
      await once(session, 'open')
      session.terminate()
    } finally {
      await gateway.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
