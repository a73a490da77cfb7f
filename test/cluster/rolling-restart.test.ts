/** Gateways behind the HAProxy of docs/clustering.md, replaced one after the other under load: no request fails. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'yaml'
import { freePort } from '#test/support/free-port.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { clusterKey, holdsWithin, postJson } from './cluster.ts'
import { ClusterNode } from './cluster-node.ts'
import { configurationFor, startHaproxy } from './haproxy.ts'
import { startRouterProcess } from './router-process.ts'
import { rollingDocument, SteadyLoad } from './steady-load.ts'

/** Longer than HAProxy takes to notice, also on a busy machine: two checks of 200 ms; milliseconds. */
const noticed = 3000

const root = join(import.meta.dirname, '../..')

/** What the pods of the Helm chart are started with, and how long Kubernetes lets them end. */
const values = parse(readFileSync(join(root, 'deploy/chart/values.yaml'), 'utf8'))

interface Rolling {
  readonly title: string
  readonly nodes: number
  /** Options by dotted key, beside those that every cluster has. */
  readonly settings: Readonly<Record<string, string>>
  /** How often all nodes are replaced, at least. */
  readonly rounds: number
  /** Answers before the last round ends, at least. */
  readonly answers: number
  /** Milliseconds from SIGTERM to the end of the process, at most. */
  readonly grace: number
  /** Whether what takes the place of the sources is the package as it is published. */
  readonly isUpgrade: boolean
}

const restarts = rounds(3, 20)

const rollings: readonly Rolling[] = [
  {
    title: `three nodes ${restarts} times`,
    nodes: 3,
    settings: { 'gateway.drain_delay': String(noticed) },
    rounds: restarts,
    answers: restarts * 3 * 300,
    grace: 60_000,
    isUpgrade: false,
  },
  {
    title: 'two nodes by the published package, with the times of the Helm chart',
    nodes: 2,
    settings: {
      'gateway.drain_delay': String(values.config.gateway.drain_delay),
      'gateway.drain_timeout': String(values.config.gateway.drain_timeout),
      'limits.keep_alive_timeout': String(values.config.limits.keep_alive_timeout),
    },
    rounds: 1,
    answers: rounds(5_000, 100_000),
    grace: values.terminationGracePeriodSeconds * 1000,
    isUpgrade: true,
  },
]

/** Milliseconds that the slow upstream takes: longer than HAProxy needs to give up a node whose health check finds nothing. */
const slow = 4 * noticed

describe('a rolling restart behind HAProxy', function () {
  this.timeout(1_200_000)

  it('lets a request end that takes longer than the drain delay', async () => {
    const upstream = createServer((_request, response) => {
      setTimeout(() => response.end('slow'), slow)
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const router = await startRouterProcess()
    const shared = { 'wamp.url': router.url, 'cluster.key': clusterKey }
    const settings = { ...shared, 'gateway.drain_delay': String(noticed) }
    const node = await ClusterNode.make({ name: 'gateway-1', settings })
    await node.start()
    const { port: upstreamPort } = upstream.address() as AddressInfo
    const host = `http://127.0.0.1:${upstreamPort}`
    const paths = {
      '/slow': { get: { action: { type: 'forward', host, path: '/' }, response: {} } },
    }
    const document = { ...rollingDocument, versions: { 1: { base_path: '/rolling', paths } } }
    expect((await postJson(`${node.adminUrl}/api_specs`, document)).status).to.equal(201)
    const port = await freePort()
    const folder = mkdtempSync(join(tmpdir(), 'gateway-haproxy-'))
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, configurationFor(port, [node]))
    const haproxy = await startHaproxy(file)
    try {
      const base = `http://127.0.0.1:${port}`
      const isRouted = async () =>
        (await fetch(`${base}/none`).catch(() => undefined))?.status === 404
      expect(await holdsWithin(60_000, isRouted)).to.equal(true)
      const asked = fetch(`${base}/rolling/slow`)
      await once(upstream, 'request')
      const ended = node.end('SIGTERM')
      const answer = await asked
      expect([answer.status, await answer.text()]).to.deep.equal([200, 'slow'])
      expect(await ended).to.equal(0)
    } finally {
      haproxy.kill('SIGTERM')
      await node.discard()
      await router.stop()
      upstream.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  for (const rolling of rollings) {
    it(`fails no request while it replaces ${rolling.title}`, async () => {
      if (rolling.isUpgrade) await promisify(execFile)('npm', ['run', 'pack'], { cwd: root })
      const router = await startRouterProcess()
      const shared = { 'wamp.url': router.url, 'cluster.key': clusterKey, ...rolling.settings }
      const nodes: ClusterNode[] = []
      // the address of the health check
      const checks: { readonly url: string; readonly adminUrl: string }[] = []
      for (let number = 1; number <= rolling.nodes; number++) {
        const health = `127.0.0.1:${await freePort()}`
        const settings = { ...shared, 'health.listen': health }
        const node = await ClusterNode.make({ name: `gateway-${number}`, settings })
        nodes.push(node)
        checks.push({ url: node.url, adminUrl: `http://${health}` })
        await node.start()
      }
      const folder = mkdtempSync(join(tmpdir(), 'gateway-haproxy-'))
      expect((await postJson(`${nodes[0]?.adminUrl}/api_specs`, rollingDocument)).status).to.equal(
        201,
      )
      const port = await freePort()
      const file = join(folder, 'haproxy.cfg')
      writeFileSync(file, configurationFor(port, checks))
      const haproxy = await startHaproxy(file)
      const base = `http://127.0.0.1:${port}`
      const isOk = async (url: string) => (await fetch(url).catch(() => undefined))?.ok === true
      expect(await holdsWithin(60_000, () => isOk(`${base}/rolling/0`))).to.equal(true)
      const load = new SteadyLoad(base)
      const endings: number[] = []
      try {
        for (let round = 0; round < rolling.rounds || load.answered < rolling.answers; round++) {
          for (const [index, node] of nodes.entries()) {
            const began = performance.now()
            expect(await node.end('SIGTERM')).to.equal(0)
            if (rolling.isUpgrade) node.upgrade(join(root, 'dist/package'))
            endings.push(performance.now() - began)
            await node.start()
            const ready = `${checks[index]?.adminUrl}/ready`
            expect(await holdsWithin(60_000, () => isOk(ready))).to.equal(true)
            // HAProxy believes in it after two checks
            await new Promise((resolve) => setTimeout(resolve, noticed))
          }
        }
      } finally {
        await load.stop()
        haproxy.kill('SIGTERM')
        for (const node of nodes) await node.discard()
        await router.stop()
        rmSync(folder, { recursive: true, force: true })
      }
      process.stdout.write(`        ${load.answered} answers, ${load.failures.length} failures\n`)
      expect(load.failures).to.deep.equal([])
      expect(load.answered).to.be.at.least(rolling.answers)
      expect(Math.max(...endings)).to.be.below(rolling.grace)
    })
  }
})
