/** Two gateways that speak HTTP/2 themselves, behind HAProxy that passes TCP on, are replaced in turn under a client in Go: no request fails. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { clusterKey, holdsWithin, postJson } from '#test/cluster/cluster.ts'
import { ClusterNode } from '#test/cluster/cluster-node.ts'
import { startHaproxy } from '#test/cluster/haproxy.ts'
import { startRouterProcess } from '#test/cluster/router-process.ts'
import { rollingDocument } from '#test/cluster/steady-load.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { freePort } from '#test/support/free-port.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { buildGoClient } from './go-client.ts'

/** Longer than HAProxy takes to notice: two checks of 200 ms; milliseconds. */
const noticed = 1000
const restarts = rounds(3, 20)

const configurationOf = (port: number, nodes: readonly ClusterNode[]) => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 60s
  timeout server 60s
frontend tls
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  retries 2
  option redispatch 1
  option httpchk GET /ready
  default-server check inter 200 fall 2 rise 2
${nodes
  .map(({ name, url, adminUrl }) => {
    return `  server ${name} ${new URL(url).host} port ${new URL(adminUrl).port}\n`
  })
  .join('')}`

describe('a rolling restart under a client of HTTP/2', function () {
  this.timeout(600_000)

  it(`fails no request of net/http while two nodes are replaced ${restarts} times`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-http2-'))
    const { cert, key } = writeCertificate(folder)
    const router = await startRouterProcess()
    const settings = {
      ...{ 'wamp.url': router.url, 'cluster.key': clusterKey },
      ...{ 'gateway.tls.cert': cert, 'gateway.tls.key': key },
      'gateway.drain_delay': String(noticed),
    }
    const nodes = await Promise.all(
      [1, 2].map((number) => ClusterNode.make({ name: `gateway-${number}`, settings })),
    )
    for (const node of nodes) await node.start()
    expect((await postJson(`${nodes[0]?.adminUrl}/api_specs`, rollingDocument)).status).to.equal(
      201,
    )
    const port = await freePort()
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, configurationOf(port, nodes))
    const haproxy = await startHaproxy(file)
    // both have the document, and HAProxy has found both
    await new Promise((resolve) => setTimeout(resolve, 2 * noticed))
    const client = spawn(
      buildGoClient(folder),
      [`https://127.0.0.1:${port}/rolling`, '16', '0', '20'],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    const said = text(client.stdout)
    try {
      for (let round = 0; round < restarts; round++) {
        for (const node of nodes) {
          expect(await node.end('SIGTERM')).to.equal(0)
          await node.start()
          const isReady = async () => (await fetch(`${node.adminUrl}/ready`)).ok
          expect(await holdsWithin(60_000, isReady)).to.equal(true)
          await new Promise((resolve) => setTimeout(resolve, noticed))
        }
      }
    } finally {
      const exited = once(client, 'exit')
      client.stdin.end()
      await exited
      haproxy.kill('SIGTERM')
      for (const node of nodes) await node.discard()
      await router.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    const { answered, failures } = JSON.parse(await said)
    process.stdout.write(`        ${answered} answers, ${failures.length} failures\n`)
    expect(failures).to.deep.equal([])
    expect(answered).to.be.at.least(restarts * 500)
  })
})
