/** A PostgreSQL that hangs: what the store promises then. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openStore, type Store } from '#component/store/database.ts'
import type { Family } from '#component/store/family-store.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { holdsWithin } from './cluster.ts'

const uriOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'answered',
    (reason: unknown) => (reason instanceof Error && 'uri' in reason ? reason.uri : String(reason)),
  )

/** How long a busy machine may take to notice; test/contract/store/health.test.ts has the times. Milliseconds. */
const generous = 60_000

const unavailable = 'service.error.unavailable'

describe('a PostgreSQL that hangs', () => {
  let server: Postgres
  let store: Store

  before(async () => {
    server = await startPostgres()
  })
  after(() => server.remove())
  afterEach(() => store.close())

  it('is away, and what waits for it is refused', async () => {
    store = await openStore(await server.database(), systemClock)
    await store.entries.since(0)
    server.pause()
    const waiting = uriOf(store.entries.since(0))
    expect(await holdsWithin(generous, async () => store.health.isAway)).to.equal(true)
    expect(await waiting).to.equal(unavailable)
    expect(await uriOf(store.entries.since(0))).to.equal(unavailable)
    server.resume()
    expect(await holdsWithin(generous, async () => !store.health.isAway)).to.equal(true)
    expect(await uriOf(store.entries.since(0))).to.equal('answered')
  })

  it('does not use up a refresh token when it goes on after nobody has waited for it', async () => {
    store = await openStore(await server.database(), systemClock)
    const now = Date.now()
    const family: Family = {
      ...{ id: 'f', realm_uri: 'com.example', authid: 'joe', client_id: 'app', device_id: 'phone' },
      ...{ scope: [], authmethod: 'password', generation: 0 },
      ...{ created_at: now, rotated_at: now, expires_at: now + 3_600_000 },
    }
    const at = { nowMs: now, graceMs: 10_000, expiresAtMs: now + 3_600_000 }
    await store.families.create(family, 25)
    // the update is what hangs: it is sent when the row has been read
    const find = store.families.find.bind(store.families)
    store.families.find = async (id) => {
      const found = await find(id)
      server.pause()
      return found
    }
    expect(await uriOf(store.families.rotate('f', 0, at))).to.equal(unavailable)
    store.families.find = find
    server.resume()
    expect(await holdsWithin(generous, async () => !store.health.isAway)).to.equal(true)
    // time for it to work off what it had been told before
    await server.run('select pg_sleep(1)')
    expect((await store.families.find('f'))?.generation).to.equal(0)
  })
})
