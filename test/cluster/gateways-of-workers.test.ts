/** Gateways of two workers each on Crossbar.io, with SQLite files and with one PostgreSQL: what they cost at rest, how soon all see a change, and kill -9 of each under loads. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { randomFrom } from '#test/fuzz/random.ts'
import { type DocumentedRouter, startDocumentedRouter } from '#test/python/crossbar-page.ts'
import { send } from '#test/support/http-request.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { askJson, clusterKey, holdsWithin, postJson, shownBy } from './cluster.ts'
import { FaultGateway } from './faults/gateway.ts'

const gatewayCount = rounds(3, 8)
const restSeconds = rounds(5, 60)
const changes = rounds(5, 100)
/** Between two loads, while gateways are killed; milliseconds. */
const loadEvery = 50
/** Loads before a gateway is killed, and before it is started again. */
const loadsEach = rounds(20, 60)
const ids = 40
/** How long it may take on a busy machine until all gateways hold the same; milliseconds. */
const patience = 120_000

const realm_uri = 'com.example.realm'

const documentOf = (id: string, version: number) => ({
  ...{ id, host: '_', realm_uri, variables: { version } },
  versions: {
    1: {
      base_path: `/${id}`,
      paths: {
        '/version': {
          get: { action: { type: 'static', body: '{{variables.version}}' }, response: {} },
        },
      },
    },
  },
})

const quantile = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0)

/** Whether each of its workers, which take connections in turn, answers with the version. */
async function serves({ url }: FaultGateway, id: string, version: number): Promise<boolean> {
  const asked = [1, 2].map(() => send(url, `/${id}/version`))
  const answers = await Promise.all(asked)
  return answers.every(({ text }) => text === `${version}`)
}

/** All gateways, and the router between them. */
class Company {
  readonly gateways: readonly FaultGateway[]
  readonly #router: DocumentedRouter
  readonly #random = randomFrom(2222)
  readonly #books = new Acknowledgements()
  #version = 0

  private constructor(router: DocumentedRouter, gateways: readonly FaultGateway[]) {
    this.#router = router
    this.gateways = gateways
  }

  static async start(settings: Readonly<Record<string, string>>): Promise<Company> {
    const router = await startDocumentedRouter()
    const { authmethod, authid = '', secret = '' } = router.auth
    const all = {
      'wamp.url': router.gatewayUrl,
      'wamp.auth.authmethod': authmethod,
      'wamp.auth.authid': authid,
      'wamp.auth.secret': String(secret),
      'cluster.key': clusterKey,
      workers: '2',
      ...settings,
    }
    const names = Array.from({ length: gatewayCount }, (_, index) => `gateway-${index + 1}`)
    const gateways = await Promise.all(names.map((name) => FaultGateway.make(name, all)))
    for (const gateway of gateways) await gateway.start()
    return new Company(router, gateways)
  }

  async stop(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.discard()))
    await this.#router.stop()
  }

  /** Events on the component's realm in so many seconds. */
  async countEvents(seconds: number): Promise<number> {
    const { gatewayUrl: url, auth } = this.#router
    const session = componentSession({
      ...{ serializer: 'json', clock: systemClock, log: openLog('silent'), url, auth },
      realm_uri: 'service.gateway',
    })
    await session.joined(60_000)
    let count = 0
    await session.subscribe('service.', () => void count++, { match: 'prefix' })
    await wait(seconds * 1000)
    await session.leave()
    return count
  }

  /** Loads a version at a gateway, and notes what that was told. */
  async load(gateway: FaultGateway): Promise<{ id: string; version: number; isDone: boolean }> {
    const operation = { id: `orders-${Math.floor(this.#random() * ids)}`, version: ++this.#version }
    const { id, version } = operation
    try {
      const url = `${gateway.adminUrl}/api_specs`
      const { status, body } = await postJson(url, documentOf(id, version))
      const isDone = status === 200 || status === 201
      if (isDone) this.#books.acknowledge(operation, Number(body.ts))
      return { ...operation, isDone }
    } catch {
      this.#books.doubt(operation)
      return { ...operation, isDone: false }
    }
  }

  /** Loads a version, again where a busy machine has not answered in time. */
  async loadSurely(gateway: FaultGateway): Promise<{ id: string; version: number }> {
    for (let tries = 0; tries < 10; tries++) {
      const { isDone, ...operation } = await this.load(gateway)
      if (isDone) return operation
    }
    throw new Error('no load was acknowledged')
  }

  /** Loads 20 times a second at gateways that are not struck, and kills each gateway in turn. */
  async killEach(): Promise<void> {
    const loads: Promise<unknown>[] = []
    const some = async () => {
      for (let count = 0; count < loadsEach; count++) {
        const at = Math.floor(this.#random() * this.gateways.length)
        loads.push(this.load(this.gateways[at] as FaultGateway))
        await wait(loadEvery)
      }
    }
    for (const gateway of this.gateways) {
      await some()
      await gateway.kill()
      await some()
      await gateway.start()
    }
    await Promise.all(loads)
  }

  get acknowledged(): number {
    return this.#books.count
  }

  async isConverged(): Promise<boolean> {
    const asked = this.gateways.map(({ adminUrl }) => askJson(`${adminUrl}/registry`))
    const found = (await Promise.all(asked).catch(() => [])) as { readonly digest: string }[]
    return found.length > 0 && new Set(found.map(({ digest }) => digest)).size === 1
  }

  /** What is wrong with what each gateway shows. */
  async problems(): Promise<string[]> {
    const shown = await Promise.all(this.gateways.map((gateway) => shownBy(gateway)))
    return shown.flatMap((documents) => this.#books.judge(documents))
  }
}

for (const store of ['a SQLite file each', 'one PostgreSQL'] as const) {
  describe(`${gatewayCount} gateways of two workers with ${store} on Crossbar.io`, function () {
    this.timeout(rounds(300_000, 1_500_000))
    let postgres: Postgres | undefined
    let company: Company

    before(async () => {
      postgres = store === 'one PostgreSQL' ? await startPostgres() : undefined
      company = await Company.start(postgres ? { 'store.url': await postgres.database() } : {})
      const [first] = company.gateways
      const realm = { uri: realm_uri, authmethods: [] }
      const { status } = await postJson(`${first?.adminUrl}/realms`, realm)
      expect(status).to.equal(201)
      expect(await holdsWithin(patience, () => company.isConverged())).to.equal(true)
    })

    after(async () => {
      await company.stop()
      await postgres?.remove()
    })

    it('tell each other that they are there, and that alone, while nothing happens', async () => {
      const before = company.gateways.map((gateway) => gateway.cpuSeconds)
      const events = await company.countEvents(restSeconds)
      const used = company.gateways.map(({ cpuSeconds }, at) => cpuSeconds - (before[at] ?? 0))
      const share = (100 * Math.max(...used)) / restSeconds
      console.log(
        `      at rest: ${(events / restSeconds).toFixed(1)} events a second, at most ${share.toFixed(1)} % of a core a gateway`,
      )
      // a heartbeat of each gateway every 2 s, and none of its second worker
      expect(events).to.be.within(1, restSeconds * gatewayCount)
    })

    it('all serve a change', async () => {
      const took: number[] = []
      for (let count = 0; count < changes; count++) {
        const at = company.gateways[count % gatewayCount] as FaultGateway
        const { id, version } = await company.loadSurely(at)
        const began = performance.now()
        const everywhere = company.gateways.map((gateway) =>
          holdsWithin(patience, () => serves(gateway, id, version)),
        )
        expect(await Promise.all(everywhere)).to.not.include(false)
        took.push(performance.now() - began)
      }
      took.sort((a, b) => a - b)
      console.log(
        `      all ${2 * gatewayCount} processes serve a change after ${quantile(took, 0.5)} ms (median), ${quantile(took, 0.99)} ms (p99)`,
      )
    })

    it('lose nothing that was acknowledged when each is killed in turn under 20 loads a second', async () => {
      await company.killEach()
      expect(
        await holdsWithin(patience, () => company.isConverged()),
        'all hold the same',
      ).to.equal(true)
      console.log(`      ${company.acknowledged} loads acknowledged`)
      // how many a machine has time for is not what is tested
      expect(company.acknowledged).to.be.at.least(changes + loadsEach)
      expect(await company.problems()).to.deep.equal([])
    })
  })
}
