/** Streams that count publications while the document is reloaded, workers are killed and the router dies: each is seen once, or stands in a gap. */
import { expect } from 'chai'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { startCrossbar } from '#test/support/peers/crossbar.ts'
import { type KillableRouter, startKillableRouter } from '#test/support/peers/killable-router.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { until } from '#test/support/running/until.ts'
import { CountingClient } from './counting-client.ts'
import { judge } from './judge.ts'
import { Publisher } from './publisher.ts'

const realm = 'com.example.test'
const topic = 'com.example.test.number'
const clients = rounds(40, 200)
/** Publications a second. */
const rate = 100
/** Loads of the document alone; then while the router and the workers are killed. */
const loads = { calm: rounds(10, 200), harmed: rounds(10, 800) }
const kills = { router: rounds(1, 20), workers: rounds(1, 10) }
/** Milliseconds between loads, and those for which the router stays away. */
const pause = 100
const away = 400
/** How long all clients may take to be told of everything when all is well again; milliseconds. */
const recovery = 60_000

const documentOf = (version: number) => ({
  id: 'com.example.counted',
  host: '_',
  realm_uri: realm,
  variables: { version },
  versions: {
    1: {
      base_path: '/counted',
      paths: {
        '/numbers': {
          get: {
            action: { type: 'wamp_subscribe', topic, replay_events: 10_000, retry: 100 },
            response: {
              on_event: { body: '{{action.event.args |> head}}' },
              on_result: { headers: { 'x-version': '{{variables.version |> string}}' } },
              on_error: {},
            },
          },
        },
      },
    },
  },
})

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A router, a gateway of two workers, a publisher, and clients that count. */
class Count {
  readonly publisher: Publisher
  readonly clients: readonly CountingClient[]
  readonly #router: KillableRouter
  readonly #gateway: GatewayProcess
  #version = 1

  private constructor(router: KillableRouter, gateway: GatewayProcess) {
    this.#router = router
    this.#gateway = gateway
    this.publisher = new Publisher({ url: router.url, realm, topic, rate })
    const url = `${gateway.url}/counted/numbers`
    const nextNumber = () => this.publisher.next
    this.clients = Array.from({ length: clients }, () => new CountingClient(url, nextNumber))
  }

  static async start(router: KillableRouter): Promise<Count> {
    const gateway = await startGatewayProcess({
      workers: '2',
      'wamp.url': router.url,
      'limits.streams_per_address': '0',
    })
    try {
      await gateway.post('/api_specs', documentOf(1))
      return new Count(router, gateway)
    } catch (error) {
      await gateway.kill()
      throw error
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.stop()))
    await this.publisher.stop()
    await this.#gateway.kill()
  }

  /** Waits until each client has seen what is published from now on. */
  async isCalm(): Promise<void> {
    const mark = this.publisher.next
    const isTold = () => this.clients.every(({ last }) => last >= mark)
    await until(`all are told of ${mark}`, isTold, recovery)
  }

  async load(count: number): Promise<void> {
    for (let done = 0; done < count; ) {
      const loading = this.#gateway.post('/api_specs', documentOf(++this.#version))
      // the worker that was asked may have been killed, and the router be away
      const isLoaded = await loading.then(
        () => true,
        () => false,
      )
      if (isLoaded) done += 1
      await wait(pause)
    }
  }

  async killWorkers(count: number): Promise<void> {
    for (let done = 0; done < count; done++) {
      const pids = [...this.#gateway.workers().values()]
      process.kill(pids[done % pids.length] ?? 0, 'SIGKILL')
      await wait(2000)
      await until('there are two workers', () => this.#gateway.workers().size === 2)
    }
  }

  async killRouter(count: number): Promise<void> {
    for (let done = 0; done < count; done++) {
      await wait(1000)
      await this.#router.kill()
      await wait(away)
      await this.#router.restart()
      const { size } = this.publisher.acknowledged
      const isBack = () => this.publisher.acknowledged.size > size
      await until('the publisher is back', isBack, recovery)
    }
  }

  /** Judges all clients so far. @returns gaps by code, and what became of the connections */
  judge(): { readonly gaps: Record<string, number>; readonly endings: Record<string, number> } {
    const { acknowledged } = this.publisher
    const gaps: Record<string, number> = {}
    const endings: Record<string, number> = {}
    const sums = {
      deliveries: 0,
      silent: [] as string[],
      repeated: [] as string[],
      named: 0,
      again: 0,
    }
    for (const client of this.clients) {
      expect(client.troubles).to.deep.equal([])
      // the router may have lost a publication that it did not acknowledge
      const due = [...acknowledged.keys()].find((number) => number >= (client.due ?? 0))
      expect(client.noted[0], `the first number, of ${client.due}`).to.be.at.most(due ?? 0)
      const verdict = judge(client.noted, (number) => acknowledged.has(number))
      sums.silent.push(...verdict.silent)
      sums.repeated.push(...verdict.repeated)
      sums.named += verdict.named
      sums.again += verdict.again
      sums.deliveries += client.publications.size
      for (const [code, times] of verdict.gaps) gaps[code] = (gaps[code] ?? 0) + times
      for (const [what, times] of client.endings) endings[what] = (endings[what] ?? 0) + times
      for (const [number, id] of client.publications) {
        const noted = acknowledged.get(number)
        if (noted !== undefined && noted !== id) client.troubles.push(`${number} is ${id}`)
      }
      expect(client.troubles).to.deep.equal([])
    }
    const { silent, repeated, ...rest } = sums
    const told = { acknowledged: acknowledged.size, ...rest, ...gaps, ...endings }
    process.stdout.write(
      `        ${silent.length} silent losses, ${repeated.length} repeats; ${JSON.stringify(told)}\n`,
    )
    expect(silent.slice(0, 10)).to.deep.equal([])
    expect(repeated.slice(0, 10)).to.deep.equal([])
    return { gaps, endings }
  }
}

for (const [name, start] of [
  ['the embedded router', startKillableRouter],
  ['Crossbar.io', startCrossbar],
] as const) {
  describe(`${clients} streams of ${rate} publications a second on ${name}`, function () {
    this.timeout(1_200_000)
    let router: KillableRouter
    let count: Count

    before(async () => {
      router = await start()
      count = await Count.start(router)
      await count.isCalm()
      // a stream that comes back to the other worker finds there what it has seen here
      await wait(2000)
    })
    after(async () => {
      await count?.stop()
      await router?.stop()
    })

    it(`show each once, without a gap, while the document is loaded ${loads.calm} times`, async () => {
      await count.load(loads.calm)
      await count.isCalm()
      const { gaps, endings } = count.judge()
      expect(gaps).to.deep.equal({})
      expect(Object.keys(endings)).to.have.members(['status 200', 'end reloaded'])
    })

    it('show each once, or name it by a gap, while the router and workers are killed, too', async () => {
      await Promise.all([
        count.load(loads.harmed),
        count.killRouter(kills.router),
        count.killWorkers(kills.workers),
      ])
      await count.isCalm()
      const { gaps, endings } = count.judge()
      expect(gaps).to.include.keys('gap router_lost')
      expect(endings).to.include.keys('end reloaded', 'cut')
    })
  })
}
