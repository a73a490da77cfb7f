/** Three gateways behind the HAProxy of docs/clustering.md, restarted one after the other under load: no request fails. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '#test/support/free-port.ts'
import { send } from '#test/support/load.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { clusterKey, holdsWithin, postJson } from './cluster.ts'
import { ClusterNode } from './cluster-node.ts'
import { configurationFor, startHaproxy } from './haproxy.ts'
import { startRouterProcess } from './router-process.ts'

const restarts = rounds(3, 20)
/** Requests in each tick: 300 a second. */
const tick = 20
const perTick = 6
/** Longer than HAProxy takes to notice: two checks of 200 ms; milliseconds. */
const drainDelay = 1000

const document = {
  id: 'com.example.rolling',
  host: '_',
  realm_uri: 'com.example.test',
  versions: {
    '1.0.0': {
      base_path: '/rolling',
      paths: {
        '/:n': {
          get: { action: { type: 'static', body: { n: '{{request.bindings.n}}' } }, response: {} },
          post: { action: { type: 'static', body: { n: '{{request.body.n}}' } }, response: {} },
        },
      },
    },
  },
}

/** 300 requests a second: GET and POST, on connections kept alive and on new ones. */
class SteadyLoad {
  readonly failures: string[] = []
  answered = 0
  readonly #base: string
  readonly #keptAlive = new Agent({ keepAlive: true, maxSockets: 64 })
  readonly #timer: NodeJS.Timeout
  readonly #pending = new Set<Promise<void>>()
  #sent = 0

  constructor(base: string) {
    this.#base = base
    this.#timer = setInterval(() => {
      for (let index = 0; index < perTick; index++) this.#ask()
    }, tick)
  }

  #ask(): void {
    const n = ++this.#sent
    const isPost = n % 2 === 0
    const agent = n % 4 < 2 ? this.#keptAlive : new Agent({ keepAlive: false })
    const ask = { url: `${this.#base}/rolling/${n}`, ...(isPost ? { body: { n: String(n) } } : {}) }
    const asked = send(ask, agent).then(
      ({ status, body }) => {
        if (status !== 200 || body !== JSON.stringify({ n: String(n) })) {
          this.failures.push(`${n}: ${status} ${body.slice(0, 100)}`)
        }
        this.answered++
      },
      (cause: unknown) => {
        this.failures.push(`${n}: ${String(cause)}`)
      },
    )
    this.#pending.add(asked)
    void asked.finally(() => this.#pending.delete(asked))
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#pending)
    this.#keptAlive.destroy()
  }
}

describe('a rolling restart behind HAProxy', function () {
  this.timeout(1_200_000)

  it(`fails no request in ${restarts} rounds of three nodes`, async () => {
    const router = await startRouterProcess()
    const settings = {
      'wamp.url': router.url,
      'cluster.key': clusterKey,
      'gateway.drain_delay': String(drainDelay),
    }
    const names = ['gateway-1', 'gateway-2', 'gateway-3']
    const nodes = await Promise.all(names.map((name) => ClusterNode.make({ name, settings })))
    const folder = mkdtempSync(join(tmpdir(), 'gateway-haproxy-'))
    for (const node of nodes) await node.start()
    expect((await postJson(`${nodes[0]?.adminUrl}/api_specs`, document)).status).to.equal(201)
    const port = await freePort()
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, configurationFor(port, nodes))
    const haproxy = await startHaproxy(file)
    const base = `http://127.0.0.1:${port}`
    const answers = async () =>
      (await fetch(`${base}/rolling/0`).catch(() => undefined))?.ok === true
    expect(await holdsWithin(10_000, answers)).to.equal(true)
    const load = new SteadyLoad(base)
    try {
      for (let round = 0; round < restarts; round++) {
        for (const node of nodes) {
          await node.end('SIGTERM')
          await node.start()
          // HAProxy believes in it after two checks
          await new Promise((resolve) => setTimeout(resolve, drainDelay))
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
    expect(load.answered).to.be.greaterThan(restarts * 3 * 300)
  })
})
