/** PostgreSQL passes the contract of stores, and outlives restarts, crashes and late starts of its server. Needs Debian's package. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { Client } from 'pg'
import { systemClock } from '#component/clock.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { impatientClock } from '#test/contract/session/fast-clock.ts'
import { describeAnswers } from '#test/contract/store/answers.contract.ts'
import { describeDeliveries } from '#test/contract/store/deliveries.contract.ts'
import { stampOf, version } from '#test/contract/store/documents.ts'
import { describeFamilies } from '#test/contract/store/families.contract.ts'
import { describeForgetting } from '#test/contract/store/forgetting.contract.ts'
import { describeLogins } from '#test/contract/store/logins.contract.ts'
import { describeQuotas } from '#test/contract/store/quotas.contract.ts'
import { describeSince } from '#test/contract/store/since.contract.ts'
import { describeSpecIndexes } from '#test/contract/store/spec-indexes.contract.ts'
import { describeStore } from '#test/contract/store/store.contract.ts'
import { describeTicketUses } from '#test/contract/store/ticket-uses.contract.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { TcpProxy } from '#test/support/peers/tcp-proxy.ts'
import { untilHolds } from '#test/support/running/until.ts'

describe('PostgreSQL', () => {
  let server: Postgres
  before(async () => {
    server = await startPostgres()
  })
  after(() => server?.remove())

  const all = async ({ entries }: Store) => (await entries.since(0)).entries

  /** What a promise is rejected with. */
  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (reason: unknown) => reason,
    )

  /** Tries until it succeeds, as a client does that was told `Retry-After`. */
  async function eventually(task: () => Promise<unknown>): Promise<void> {
    for (let tries = 0; (await failure(task())) !== undefined; tries++) {
      if (tries === 100) throw new Error('it does not work again')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async function queryOne(url: string, text: string): Promise<unknown> {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query({ text, rowMode: 'array' })
    await client.end()
    return rows[0]?.[0]
  }

  describe('opened by several processes at once', () => {
    it('is made once, and serves all of them', async () => {
      const url = await server.database()
      const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(url, systemClock)))
      await Promise.all(
        stores.map(({ entries }, index) => entries.replace([version(`${index}`, index)])),
      )
      for (const store of stores) expect(await all(store)).to.have.length(4)
      await Promise.all(stores.map((store) => store.close()))
    })

    it('tries again what an operator made serializable', async () => {
      const url = await server.database()
      const name = new URL(url).pathname.slice(1)
      await server.run(`alter database ${name} set default_transaction_isolation to 'serializable'`)
      const stores = await Promise.all([openStore(url, systemClock), openStore(url, systemClock)])
      const writes = stores.flatMap(({ entries }, writer) =>
        Array.from({ length: 20 }, (_, ms) => entries.merge([version(`${writer}-${ms}`, ms)])),
      )
      await Promise.all(writes)
      expect(await all(stores[0])).to.have.length(40)
      await Promise.all(stores.map((store) => store.close()))
    })
  })

  describe('going away', () => {
    let store: Store
    let url: string
    beforeEach(async () => {
      url = await server.database()
      store = await openStore(url, systemClock)
      await store.entries.merge([version('a', 1)])
    })
    afterEach(async () => {
      await server.start()
      await store.close()
    })

    for (const way of ['stop', 'kill'] as const) {
      it(`answers 503 after ${way}, and works again when the server is back`, async () => {
        await server[way]()
        for (const operation of [
          () => store.entries.since(0),
          () => store.entries.replace([version('b', 2)]),
          () => store.entries.merge([version('b', 2)]),
          () => store.files.lastLoads(['/a.json']),
        ]) {
          const error = await failure(operation())
          expect(error).to.include({ uri: 'service.error.unavailable' })
          expect(error).to.have.nested.property('headers.Retry-After', '5')
        }
        await server.start()
        await eventually(() => store.entries.merge([version('b', 2)]))
        expect(await all(store)).to.deep.equal([version('a', 1), version('b', 2)])
      })

      it(`keeps all that it acknowledged before ${way}, in the middle of writing`, async () => {
        const acknowledged: string[] = []
        let isAway = false
        const writing = [0, 1, 2].map(async (writer) => {
          for (let ms = 1; !isAway; ms++) {
            const id = `${writer}-${ms}`
            if ((await failure(store.entries.merge([version(id, ms)]))) === undefined) {
              acknowledged.push(id)
            } else isAway = true
          }
        })
        await untilHolds(() => acknowledged.length >= 50 || isAway)
        await server[way]()
        await Promise.all(writing)
        await server.start()
        await eventually(() => store.entries.since(0))
        const kept = new Set((await all(store)).map(({ id }) => id))
        expect(acknowledged.length).to.be.at.least(50)
        expect(acknowledged.filter((id) => !kept.has(id))).to.deep.equal([])
      })
    }

    it('ends with all of its connections, and they are not used again', async () => {
      const name = new URL(url).pathname.slice(1)
      const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
      await Promise.all(Array.from({ length: 5 }, () => store.entries.since(0)))
      for (let round = 2; round < 6; round++) {
        await server.run(cut)
        await eventually(() => store.entries.merge([version('a', round)]))
      }
      expect((await all(store)).map(({ stamp }) => stamp)).to.deep.equal([stampOf(5)])
    })

    it('answers 503 while it is read-only, and works again after', async () => {
      const name = new URL(url).pathname.slice(1)
      const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
      await server.run(`alter database ${name} set default_transaction_read_only to on`, cut)
      await eventually(() => store.entries.since(0))
      const error = await failure(store.entries.merge([version('a', 2)]))
      expect(error).to.include({
        uri: 'service.error.unavailable',
        message: 'the database is read-only (25006)',
      })
      // what was read-only may be so for old connections only: they are not kept
      await server.run(`alter database ${name} reset default_transaction_read_only`)
      await eventually(() => store.entries.merge([version('a', 2)]))
    })

    it('is waited for at the start, and the reason is told once', async () => {
      await server.stop()
      const told: string[] = []
      let tries = 0
      const opened = openStore(
        url,
        {
          ...systemClock,
          after(ms, callback) {
            tries++
            return systemClock.after(ms, callback)
          },
        },
        (message) => void told.push(message),
      )
      await untilHolds(() => tries >= 3)
      await server.start()
      const late = await opened
      expect(await all(late)).to.deep.equal([version('a', 1)])
      expect(told[0]).to.match(
        /^database gateway_\d+ at 127\.0\.0\.1:\d+: the database cannot be reached \(ECONNREFUSED\)$/,
      )
      expect(new Set(told)).to.have.property('size', told.length)
      await late.close()
    })

    it('is waited for at the start for a minute, and not longer', async () => {
      await server.stop()
      const error = await failure(openStore(url, impatientClock()))
      expect(error).to.include({ uri: 'service.error.unavailable' })
    })
  })

  it('commits to the disk before it answers, whatever an operator or the URL has set', async () => {
    const url = await server.database()
    const name = new URL(url).pathname.slice(1)
    await server.run(`alter database ${name} set synchronous_commit to off`)
    const store = await openStore(`${url}?options=-c%20synchronous_commit%3Doff`, systemClock)
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`create table seen (value text);
      create function look() returns trigger language plpgsql as $$ begin
        insert into seen values (current_setting('synchronous_commit')); return new; end $$;
      create trigger look after insert on entries for each row execute function look()`)
    await store.entries.replace([version('a', 1)])
    const { rows } = await client.query('select value from seen')
    expect(rows).to.deep.equal([{ value: 'on' }])
    await client.end()
    await store.close()
  })

  it('gives a process up that stands still in the middle of a transaction', async () => {
    const url = await server.database()
    const store = await openStore(url, systemClock)
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query('begin; lock table entries in exclusive mode')
    const script = fileURLToPath(import.meta.resolve('#test/contract/store/writer.ts'))
    const writer = spawn(process.execPath, [script, url, 'n1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface(writer.stdout)
    const said: string[] = []
    lines.on('line', (line) => said.push(line))
    const waiting = `select count(*)::int from pg_locks where not granted`
    try {
      await untilHolds(async () => (await queryOne(url, waiting)) !== 0)
      writer.kill('SIGSTOP')
      await other.query('rollback')
      await store.entries.merge([version('a', 1)])
      writer.kill('SIGCONT')
      await Promise.all([once(writer, 'exit'), once(lines, 'close')])
      expect(said).to.deep.equal(['service.error.unavailable'])
      expect(await all(store)).to.deep.equal([version('a', 1)])
    } finally {
      writer.kill('SIGKILL')
      await other.end()
    }
    await store.close()
  })

  it('answers 503 when it is locked for longer than a client waits, and works again after', async () => {
    const url = await server.database()
    const store = await openStore(url, systemClock)
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query('begin; update revision set value = value')
    expect(await failure(store.entries.merge([version('a', 1)]))).to.include({
      uri: 'service.error.unavailable',
      message: 'the database takes too long (57014)',
    })
    expect(await all(store)).to.deep.equal([])
    await other.query('rollback')
    await other.end()
    await store.entries.merge([version('a', 1)])
    await store.close()
  })

  it('answers 503 when nothing comes back from the network, and works again after', async () => {
    const proxy = await TcpProxy.open(server.port)
    const url = await server.database()
    const store = await openStore(url.replace(`:${server.port}`, `:${proxy.port}`), systemClock)
    proxy.hold()
    const operations = [
      () => store.entries.since(0),
      () => store.entries.merge([version('a', 1)]),
      () => store.entries.replace([version('b', 1)]),
    ]
    for (const error of await Promise.all(operations.map((operation) => failure(operation())))) {
      expect(error).to.include({ uri: 'service.error.unavailable' })
    }
    // what was waiting is not used again, even though it is not told that it is lost
    const next = failure(store.entries.since(0))
    proxy.heal()
    await next
    await eventually(() => store.entries.merge([version('c', 1)]))
    await store.close()
    await proxy.close()
  })

  // last of all: each of its databases makes a stop in good order slower
  for (const describeContract of [
    describeStore,
    describeSince,
    describeForgetting,
    describeFamilies,
    describeAnswers,
    describeLogins,
    describeTicketUses,
    describeSpecIndexes,
    describeQuotas,
    describeDeliveries,
  ]) {
    describeContract('It', async () => {
      const url = await server.database()
      return { open: () => openStore(url, systemClock) }
    })
  }
})
