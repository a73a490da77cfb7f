/** PostgreSQL tells all processes of a change as soon as it is committed; and how many connections a process has. Needs Debian's package. */
import { expect } from 'chai'
import { Client } from 'pg'
import { systemClock } from '#component/clock.ts'
import { openStore } from '#component/store/database.ts'
import { version } from '#test/contract/store/documents.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { untilHolds } from '#test/support/running/until.ts'

describe('processes on one PostgreSQL', () => {
  let server: Postgres
  before(async () => {
    server = await startPostgres()
  })
  after(() => server?.remove())

  it('are told of each change once it is committed, also after its connections were cut', async () => {
    const url = await server.database()
    const name = new URL(url).pathname.slice(1)
    const stores = await Promise.all([openStore(url, systemClock), openStore(url, systemClock)])
    const told = stores.map(() => 0)
    for (const [index, store] of stores.entries()) {
      store.onEntries = () => {
        told[index] = (told[index] ?? 0) + 1
      }
    }
    const untilTold = async (before: readonly number[]) =>
      untilHolds(() => told.every((count, index) => count > (before[index] ?? 0)))
    // both listen
    await untilTold([0, 0])
    for (const ms of [1, 2, 3]) {
      const before = [...told]
      await stores[0].entries.replace([version(`${ms}`, ms)])
      await untilTold(before)
      expect((await stores[1].entries.since(0)).entries).to.have.length(ms)
    }
    const before = [...told]
    await server.run(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
    await untilTold(before)
    await untilHolds(() =>
      stores[0].entries.merge([version('after', 9)]).then(
        () => true,
        () => false,
      ),
    )
    expect(stores[0].isShared).to.equal(true)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('have as many connections as were asked for, and one that watches', async () => {
    const url = await server.database()
    const name = new URL(url).pathname.slice(1)
    const store = await openStore(url, systemClock, undefined, 3)
    await Promise.all(
      Array.from({ length: 50 }, (_, ms) => store.entries.merge([version(`${ms}`, ms)])),
    )
    const count = `select count(*)::int as count from pg_stat_activity where application_name = 'wamp-gateway' and datname = '${name}'`
    const client = new Client({ connectionString: url })
    await client.connect()
    await untilHolds(async () => {
      const { rows } = await client.query<{ count: number }>(count)
      return rows[0]?.count === 4
    })
    await client.end()
    await store.close()
  })
})
