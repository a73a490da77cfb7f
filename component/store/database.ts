/** Opens the store from its URL, runs its queries, and turns what a database refuses into our errors. */
import { randomBytes } from 'node:crypto'
import { Kysely, sql } from 'kysely'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { AnswerStore } from './answer-store.ts'
import { DeliveryOwnerStore } from './delivery-owner-store.ts'
import { DeliveryStore } from './delivery-store.ts'
import type { Engine, Patience, StoreFault } from './engine.ts'
import { EntryStore } from './entry-store.ts'
import { FamilyStore } from './family-store.ts'
import { StoreHealth } from './health.ts'
import { FileStore, MetaStore } from './key-value-stores.ts'
import { LoginStore } from './login-store.ts'
import { migrate } from './migrations.ts'
import { QuotaStore } from './quota-store.ts'
import { SpecIndexStore } from './spec-index-store.ts'
import { sqlite } from './sqlite/driver.ts'
import type { Run, Tables } from './tables.ts'
import { TicketUseStore } from './ticket-use-store.ts'

/** How long a query is repeated, and after which failures. Milliseconds. */
interface Tries {
  readonly forMs: number
  readonly pauseMs: number
  readonly after: readonly Patience[]
}

/** The database may be starting at the same time. */
const startTries: Tries = { forMs: 60_000, pauseMs: 100, after: ['at start', 'always'] }

const queryTries: Tries = { forMs: 3_000, pauseMs: 50, after: ['always'] }

/** Seconds after which a client may try again. */
const retryAfter = '5'

const unavailable = (message: string, cause?: unknown) =>
  new ServiceError('service.error.unavailable', message, {
    cause,
    headers: { 'Retry-After': retryAfter },
  })

/** The data that outlives the process. */
export interface Store {
  readonly entries: EntryStore
  readonly files: FileStore
  readonly families: FamilyStore
  readonly answers: AnswerStore
  readonly quotas: QuotaStore
  readonly logins: LoginStore
  readonly ticketUses: TicketUseStore
  readonly specIndexes: SpecIndexStore
  readonly deliveries: DeliveryStore
  readonly deliveryOwners: DeliveryOwnerStore
  readonly meta: MetaStore
  /** Returns unused space to the file system, in short steps. Throws `service.error.unavailable`. */
  shrink(): Promise<void>
  readonly health: StoreHealth
  /** Whether several gateways may have this store, and {@link onEntries} tells of what any of them changes. */
  readonly isShared: boolean
  /** Called when entries have changed, by this process or another one, or may have. */
  onEntries: () => void
  /** Waits for what runs; after it every query fails with `service.error.unavailable`. */
  close(): Promise<void>
}

/** Characters: a document of ordinary size. Random, so that no database makes it small. */
const probeSize = 65_536

/** Resolves when the disk has space again. */
async function probeRoom(db: Kysely<Tables>): Promise<void> {
  const name = 'room'
  const value = randomBytes(probeSize / 2).toString('hex')
  await db
    .insertInto('meta')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
  await db.deleteFrom('meta').where('name', '=', name).execute()
}

/** Called with the reason why the start waits; once for each reason. */
export type OnWait = (message: string) => void

async function engineOf(url: string, connections: number): Promise<Engine> {
  if (/^postgres(ql)?:/.test(url)) {
    // loaded only when it is used: most gateways start without PostgreSQL
    const { postgres } = await import('./postgres-driver.ts')
    return postgres(url, connections)
  }
  const [, file] = /^sqlite:(.+)$/s.exec(url) ?? []
  if (file === undefined) {
    throw new TypeError(
      'store.url: expected sqlite:<file> or postgres://user:password@host:port/database',
    )
  }
  return sqlite(file)
}

/** Runs a task, repeatedly after passing failures; throws the last failure as an error of the service. */
async function persistently<T>(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  tries: Tries,
  task: () => Promise<T>,
  onFailure: OnWait = () => undefined,
): Promise<T> {
  const end = clock.now() + tries.forMs
  for (;;) {
    try {
      return await task()
    } catch (cause) {
      const condition = engine.conditionOf(cause)
      if (condition === undefined) throw cause
      const { message, patience } = condition
      if (!tries.after.includes(patience) || clock.now() >= end) throw unavailable(message, cause)
      onFailure(message)
      await new Promise<void>((resolve) => clock.after(tries.pauseMs, resolve))
    }
  }
}

/** Adds the place of the database to the messages of the start; later messages go to clients, and do not name it. */
const named = (engine: Engine): Engine => ({
  ...engine,
  conditionOf(cause) {
    const condition = engine.conditionOf(cause)
    return condition && { ...condition, message: engine.place + condition.message }
  },
})

/** The tables, up to date. */
async function openTables(
  engine: Engine,
  onFailure: (cause: unknown) => void,
): Promise<Kysely<Tables>> {
  await engine.create?.((dialect) => migrate(new Kysely<Tables>({ dialect })))
  const db = new Kysely<Tables>({ dialect: engine.connect(onFailure) })
  try {
    await migrate(db)
    return db
  } catch (cause) {
    await db.destroy()
    throw cause
  }
}

/**
 * Opens `sqlite:<file>` (made if need be, with its folder), `sqlite::memory:` or `postgres://…`, tables up to date.
 * Waits up to a minute for a database that is away or locked.
 * @param connections see the option `store.pool`
 * @throws ServiceError `service.error.unavailable` when it is away, locked, full, broken, or not a database; TypeError
 *   for another kind of URL. No message shows a password.
 */
export async function openStore(
  url: string,
  clock: Clock,
  onWait: OnWait = () => undefined,
  connections = 2,
): Promise<Store> {
  const engine = await engineOf(url, connections)
  const told = new Set<string>()
  let noteFault = (_fault: StoreFault): void => undefined
  const note = (cause: unknown) => {
    const fault = engine.conditionOf(cause)?.fault
    if (fault !== undefined) noteFault(fault)
  }
  const db = await persistently(
    { engine: named(engine), clock },
    startTries,
    () => openTables(engine, note),
    (message) => {
      if (!told.has(message)) onWait(message)
      told.add(message)
    },
  )
  const health = new StoreHealth({
    clock,
    watched: engine.watch?.(() => store.onEntries()),
    async probe() {
      await probeRoom(db)
      await engine.checkpoint?.(db)
    },
    unanswered: () => unavailable('the database does not respond'),
  })
  noteFault = (fault) => health.noteFault(fault)
  let isClosed = false
  const running = new Set<Promise<unknown>>()
  const run: Run = async (query) => {
    if (isClosed) throw unavailable('the store is closed')
    const asked = async () => {
      try {
        return await query(db)
      } catch (cause) {
        note(cause)
        throw cause
      }
    }
    const task = health.guard(() => persistently({ engine, clock }, queryTries, asked))
    running.add(task)
    try {
      return await task
    } finally {
      running.delete(task)
    }
  }
  const storeNow = () => engine.now ?? sql<number>`cast(${clock.now()} as bigint)`
  const store: Store = {
    isShared: engine.signal !== undefined,
    onEntries: () => undefined,
    entries: new EntryStore(run, engine.signal),
    files: new FileStore(run, clock),
    families: new FamilyStore(run, engine.watch !== undefined),
    // one time for all gateways of a database: leases must not end early on a clock that is ahead
    answers: new AnswerStore(
      run,
      () => clock.now() + Math.round(health.clockOffsetMs ?? 0),
      engine.batch,
    ),
    quotas: new QuotaStore(run),
    logins: new LoginStore(run),
    ticketUses: new TicketUseStore(run),
    specIndexes: new SpecIndexStore(run),
    deliveries: new DeliveryStore(run, storeNow),
    deliveryOwners: new DeliveryOwnerStore(run, storeNow),
    meta: new MetaStore(run),
    async shrink() {
      const { releasePages } = engine
      if (releasePages === undefined) return
      while (await run(releasePages)) await new Promise((resolve) => setImmediate(resolve))
    },
    health,
    async close() {
      if (isClosed) return
      isClosed = true
      await health.close()
      await Promise.allSettled(running)
      await db.destroy()
    },
  }
  return store
}
