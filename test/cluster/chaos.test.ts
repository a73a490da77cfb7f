/** Three gateways under random loads and harm come to one registry; each with its own SQLite file, or with one PostgreSQL. */
import { startCrossbar } from '#test/support/peers/crossbar.ts'
import { startPostgres } from '#test/support/peers/postgres.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { Chaos, type ChaosPlan } from './chaos.ts'
import { Cluster } from './cluster.ts'
import { startRouterProcess } from './router-process.ts'

/** A router or a database of the run. */
interface Service {
  readonly url: string
  stop(): Promise<void>
}

async function startDatabase(): Promise<Service> {
  const server = await startPostgres()
  return { url: await server.database(), stop: () => server.remove() }
}

const cases: readonly {
  readonly title: string
  readonly router: () => Promise<Service>
  readonly store?: () => Promise<Service>
  readonly plan: ChaosPlan
}[] = [
  {
    title: 'the embedded router in a process of its own, a SQLite file each',
    router: () => startRouterProcess(),
    plan: { operations: rounds(150, 3000), seed: 4001, isHarmful: true },
  },
  {
    title: 'Crossbar.io, a SQLite file each',
    router: startCrossbar,
    plan: { operations: rounds(150, 3000), seed: 4002, isHarmful: true },
  },
  {
    title: 'the embedded router in a process of its own, one PostgreSQL',
    router: () => startRouterProcess(),
    store: startDatabase,
    plan: { operations: rounds(150, 3000), seed: 4003, isHarmful: true },
  },
  {
    title: 'a router that drops every event of a change',
    router: () => startRouterProcess('--drop-changes'),
    plan: { operations: rounds(50, 300), seed: 4004, isHarmful: false },
  },
]

describe('three gateways', function () {
  this.timeout(600_000)

  for (const { title, router, store, plan } of cases) {
    it(`agree on what was acknowledged: ${title}`, async () => {
      const services: Service[] = [await router()]
      if (store) services.push(await store())
      const [routerUrl = '', storeUrl] = services.map(({ url }) => url)
      const cluster = await Cluster.start({
        routerUrl,
        ...(storeUrl === undefined ? {} : { storeUrl }),
      })
      try {
        const chaos = new Chaos(cluster, plan)
        await chaos.run()
        await chaos.judge()
      } finally {
        await cluster.stop()
        for (const service of services) await service.stop()
      }
    })
  }
})
