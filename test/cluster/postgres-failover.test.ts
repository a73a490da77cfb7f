/** A failover: the server of a store becomes a replica, which takes no writes, and its address leads to another one. */
import { expect } from 'chai'
import { Client } from 'pg'
import { systemClock } from '#component/clock.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { version } from '#test/contract/store/documents.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { TcpProxy } from '#test/support/peers/tcp-proxy.ts'
import { untilHolds } from '#test/support/running/until.ts'

describe('a failover of PostgreSQL', () => {
  let former: Postgres
  let next: Postgres
  let proxy: TcpProxy
  let store: Store
  let told: unknown[]
  beforeEach(async () => {
    ;[former, next] = await Promise.all([startPostgres(), startPostgres()])
    const urls = await Promise.all([former.database(), next.database()])
    const names = urls.map((url) => new URL(url).pathname)
    expect(new Set(names).size, 'both servers have a database of this name').to.equal(1)
    // the replica has the tables
    await (await openStore(urls[1] ?? '', systemClock)).close()
    proxy = await TcpProxy.open(former.port)
    const url = urls[0]?.replace(`:${former.port}`, `:${proxy.port}`) ?? ''
    store = await openStore(url, systemClock, undefined, 3)
    told = []
    store.health.onFault = (fault) => told.push(fault)
    await Promise.all([1, 2, 3].map(() => store.entries.since(0)))
  })
  afterEach(async () => {
    await store.close()
    await proxy.close()
    await Promise.all([former.remove(), next.remove()])
  })

  const becomesReplica = () =>
    former.run('alter system set default_transaction_read_only = on', 'select pg_reload_conf()')

  /** Connections of gateways. */
  async function connectionsTo({ port }: Postgres): Promise<number> {
    const client = new Client({
      connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    })
    await client.connect()
    const { rows } = await client.query(
      "select count(*)::int as count from pg_stat_activity where application_name = 'wamp-gateway'",
    )
    await client.end()
    return Number(rows[0]?.count)
  }

  it('is told without a write, and over when the address leads to a server that takes writes', async () => {
    await becomesReplica()
    await untilHolds(() => store.health.fault === 'read_only')
    expect(told).to.deep.equal(['read_only'])
    // it reads what the replica has
    await store.entries.since(0)
    proxy.redirect(next.port)
    await untilHolds(() => store.health.fault === undefined)
    expect(told).to.deep.equal(['read_only', undefined])
    await store.entries.merge([version('a', 1)])
    await Promise.all([1, 2, 3].map(() => store.entries.since(0)))
    expect(await connectionsTo(former)).to.equal(0)
    expect(await connectionsTo(next)).to.be.at.least(2)
  })

  it('is told by the first write that is refused, and the failed write can be repeated', async () => {
    await becomesReplica()
    let tried = 0
    const refused: unknown = await untilRefused(() => store.entries.merge([version('a', ++tried)]))
    expect(refused).to.include({ message: 'the database is read-only (25006)' })
    expect(store.health.fault).to.equal('read_only')
    proxy.redirect(next.port)
    await untilHolds(() => store.health.fault === undefined)
    await store.entries.merge([version('a', tried + 1)])
    const { entries } = await store.entries.since(0)
    expect(entries.map(({ stamp }) => stamp.ms)).to.deep.equal([tried + 1])
  })
})

/** A server takes a moment to read its configuration again. @param task writes something else each time: what is known is not written */
async function untilRefused(task: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    const failure: unknown = await task().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (failure !== undefined) return failure
  }
}
