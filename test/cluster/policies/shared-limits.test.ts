/** A rate limit that workers and gateways share: what the callee counts of 100 addresses is within the bound of docs/policies.md. */
import { Agent } from 'node:http'
import { expect } from 'chai'
import { Cluster, holdsWithin, postJson } from '#test/cluster/cluster.ts'
import { startRouterProcess } from '#test/cluster/router-process.ts'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'

const realm = 'com.example.test'
const procedure = 'com.example.test.count'
const addresses = Array.from({ length: 100 }, (_, index) => `198.51.100.${index + 1}`)

/** Further ones, to see whether what was used is known everywhere. */
const probes = Array.from({ length: 100 }, (_, index) => `203.0.113.${index + 1}`)

/** Of each address; one comes back in 12 seconds. */
const limit = { amount: 5, window: 60, per: 'address' }
const perSecond = limit.amount / limit.window
/** After how many seconds processes on a busy machine know of each other's use. */
const told = 5

const counted = (name: string) => ({
  rate_limit: { ...limit, name },
  get: {
    action: {
      type: 'wamp_call',
      procedure,
      args: [name, '{{request.headers.x-forwarded-for}}'],
    },
    response: { on_result: {}, on_error: {} },
  },
})

const document = {
  ...{ id: 'com.example.counted', host: '_', realm_uri: realm },
  versions: {
    one: { base_path: '/counted', paths: { '/burst': counted('burst'), '/told': counted('told') } },
  },
}

const trusted = { 'gateway.trusted_proxies': '["127.0.0.1"]' }

/** Several processes behind one address or a few, and where their callee joins. */
interface Processes {
  readonly urls: readonly string[]
  readonly routerUrl: string
  stop(): Promise<unknown>
}

async function startWorkers(workers: number): Promise<Processes> {
  const gateway = await startGatewayProcess({ workers: String(workers), ...trusted })
  await gateway.post('/api_specs', document)
  return {
    urls: [gateway.url],
    routerUrl: `${gateway.url.replace('http', 'ws')}/ws`,
    stop: () => gateway.stop(),
  }
}

async function startGateways(): Promise<Processes> {
  const router = await startRouterProcess()
  const cluster = await Cluster.start({ routerUrl: router.url, settings: trusted })
  const [first] = cluster.members
  await postJson(`${first?.node.adminUrl}/api_specs`, document)
  expect(await holdsWithin(60_000, () => cluster.isConverged())).to.equal(true)
  return {
    urls: cluster.members.map(({ node }) => node.url),
    routerUrl: router.url,
    async stop() {
      await cluster.stop()
      await router.stop()
    },
  }
}

/** Counts what it is called for, by limit and address: when, in milliseconds. */
class Counter {
  readonly #calls = new Map<string, number[]>()
  readonly #peer: RouterPeer

  private constructor(peer: RouterPeer) {
    this.#peer = peer
    void this.#serve()
  }

  static async open(url: string): Promise<Counter> {
    const peer = await RouterPeer.join({ url, realm })
    await peer.register(procedure)
    return new Counter(peer)
  }

  async #serve(): Promise<void> {
    for (;;) {
      const [code, request, , , args] = await this.#peer.next()
      if (code !== 68) continue
      this.callsOf(...(args as [string, string])).push(performance.now())
      this.#peer.send(70, request, {}, [])
    }
  }

  callsOf(name: string, address: string): number[] {
    const key = `${name} ${address}`
    const calls = this.#calls.get(key) ?? []
    this.#calls.set(key, calls)
    return calls
  }

  close(): void {
    this.#peer.cut()
  }
}

/** How many calls are beyond the bound, in the time in which they are most; at most 0: none. */
function excessOf(calls: readonly number[], processes: number): number {
  const { amount } = limit
  const inFlight = (processes - 1) * (amount + perSecond * told)
  const excesses = calls.flatMap((start, from) =>
    calls.slice(from).map((end, more) => {
      const seconds = (end - start) / 1000
      return more + 1 - (amount + perSecond * seconds + inFlight)
    }),
  )
  return Math.max(...excesses)
}

for (const [title, count, start] of [
  ['one process', 1, () => startWorkers(1)],
  ['four workers', 4, () => startWorkers(4)],
  ['three gateways', 3, startGateways],
] as const) {
  describe(`a rate limit of ${title}`, function () {
    this.timeout(180_000)
    let processes: Processes
    let counter: Counter

    before(async () => {
      processes = await start()
      counter = await Counter.open(processes.routerUrl)
    })
    after(async () => {
      counter?.close()
      await processes?.stop()
    })

    const ask = async (name: string, address: string, index: number, agent?: Agent) => {
      const url = processes.urls[index % processes.urls.length] ?? ''
      const headers = { 'x-forwarded-for': address }
      const answer = await send(url, `/counted/${name}`, { headers, ...(agent && { agent }) })
      return answer.status
    }
    /** Over as many connections, which the processes get in turn. */
    const askAtOnce = (name: string, address: string, times: number) =>
      Promise.all(Array.from({ length: times }, (_, index) => ask(name, address, index)))

    it('serves addresses that ask all processes at once their amount, and no more than the bound', async () => {
      for (const round of [1, 2]) {
        for (const address of addresses) {
          const statuses = await askAtOnce('burst', address, 4 * limit.amount)
          const others = statuses.filter((status) => status !== 200 && status !== 429)
          expect(others, `${address}, ${round}`).to.deep.equal([])
        }
      }
      const all = addresses.map((address) => counter.callsOf('burst', address))
      expect(Math.min(...all.map(({ length }) => length))).to.be.at.least(limit.amount)
      expect(Math.max(...all.map((calls) => excessOf(calls, count)))).to.be.at.most(0)
    })

    it('serves nothing more of an amount that another process has served, once that has told it', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const useUp = async (address: string) => {
        const statuses: number[] = []
        for (let request = 0; request < limit.amount; request += 1) {
          statuses.push(await ask('told', address, 0, agent))
        }
        expect(statuses, address).to.deep.equal(Array(limit.amount).fill(200))
      }
      for (const address of addresses) await useUp(address)
      for (const address of probes) await useUp(address)
      // messages arrive in order: what is known of the last ones is known of all before; each is asked for once
      let probed = 0
      const isTold = await holdsWithin(60_000, async () => {
        const statuses = await askAtOnce('told', probes[probed] ?? '', 2 * count)
        probed += 1
        return !statuses.includes(200)
      })
      expect([isTold, probed <= probes.length]).to.deep.equal([true, true])
      agent.destroy()
      for (const address of addresses) {
        await askAtOnce('told', address, 4)
        const calls = counter.callsOf('told', address)
        const seconds = ((calls.at(-1) ?? 0) - (calls[0] ?? 0)) / 1000
        expect(calls.length, address).to.be.at.least(limit.amount)
        expect(calls.length, address).to.be.at.most(limit.amount + Math.ceil(perSecond * seconds))
      }
    })
  })
}
