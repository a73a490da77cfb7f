/** Two gateways on one PostgreSQL share a quota within the bound that docs/policies.md states. Needs Debian's PostgreSQL. */
import { expect } from 'chai'
import { Client } from 'pg'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { until } from '#test/support/running/until.ts'

const amount = 120
/** What the others serve in this time may come on top; milliseconds. */
const boundMs = 11_000
/** Between two requests at each gateway; milliseconds. */
const pauseMs = 100

const document = {
  ...{ id: 'quotas', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/quotas',
      paths: {
        '/x': {
          quota: { name: 'ever', amount, window: 2_678_400, per: 'all' },
          get: { action: { type: 'static', body: 1 }, response: { on_result: {}, on_error: {} } },
        },
      },
    },
  },
}

interface Served {
  readonly ms: number
  readonly gateway: number
}

describe('a quota of two gateways on one PostgreSQL', () => {
  let server: Postgres
  let url: string
  const gateways: TestGateway[] = []
  before(async () => {
    server = await startPostgres()
    url = await server.database()
  })
  after(async () => {
    for (const gateway of gateways) await gateway.stop()
    await server?.remove()
  })

  async function start(): Promise<TestGateway> {
    const settings = { 'store.url': url, 'store.key': 'the key of all these gateways' }
    const gateway = await startGateway(settings, { isEmbedded: true })
    gateways.push(gateway)
    return gateway
  }

  async function storedUnits(): Promise<number> {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      'select coalesce(sum(used), 0)::int as used from quota_usage',
    )
    await client.end()
    return rows[0]?.used
  }

  const ask = (gateway: TestGateway) => send(gateway.url, '/quotas/x')

  /** Asks one gateway until it has refused some times. */
  async function useUp(gateway: TestGateway, index: number, served: Served[]): Promise<void> {
    for (let refused = 0; refused < 10; ) {
      const { status } = await ask(gateway)
      if (status === 200) served.push({ ms: performance.now(), gateway: index })
      else refused += 1
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  it('is exceeded by at most what the others serve in 11 s, and a third one refuses at once', async () => {
    const first = await start()
    await first.load(document)
    const second = await start()
    const served: Served[] = []
    await Promise.all([first, second].map((one, index) => useUp(one, index, served)))
    for (const [position, { ms, gateway }] of served.entries()) {
      const late = served.filter(
        (other) => other.gateway !== gateway && other.ms <= ms && other.ms > ms - boundMs,
      )
      expect(position + 1).to.be.at.most(amount + late.length)
    }
    expect(served.length).to.be.at.least(amount)
    await until('all units are in the store', async () => (await storedUnits()) === served.length)
    expect((await ask(await start())).status).to.equal(429)
  })
})
