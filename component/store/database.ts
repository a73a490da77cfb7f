/** Opens the store from its URL, runs its queries, and turns what a database refuses into our errors. */
import { Kysely } from 'kysely'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { FileStore } from './file-store.ts'
import { migrate, type Tables } from './migrations.ts'
import { RealmStore } from './realm-store.ts'
import { SpecStore } from './spec-store.ts'
import { openSqlite } from './sqlite-driver.ts'

/** How long a query waits for another process to finish writing, and between two tries. Milliseconds. */
const lockPatienceMs = 3_000
const lockPauseMs = 50

/** Seconds after which a client may try again. */
const retryAfter = '5'

/** Primary result codes of SQLite that say something of the world, not of the query (https://sqlite.org/rescode.html). */
const conditions: Readonly<Record<number, string>> = {
  5: 'the store is locked by another process',
  6: 'the store is locked',
  8: 'the store is read-only',
  10: 'the disk of the store failed',
  11: 'the store is corrupt',
  13: 'the disk of the store is full',
  14: 'the store cannot be opened',
  26: 'the file of the store is no database',
}

const locked = new Set([5, 6])

/** The primary result code; undefined when SQLite did not refuse. */
function resultCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause)) return undefined
  return typeof cause.errcode === 'number' ? cause.errcode & 0xff : undefined
}

const unavailable = (message: string, cause?: unknown) =>
  new ServiceError('service.error.unavailable', message, {
    cause,
    headers: { 'Retry-After': retryAfter },
  })

/** What may be wrong with files and folders: `EACCES`, `ENOSPC`, `EROFS`, … */
const isFileError = (cause: unknown) =>
  cause instanceof Error && 'syscall' in cause && typeof cause.syscall === 'string'

function translate(cause: unknown): unknown {
  const condition = conditions[resultCode(cause) ?? 0]
  if (condition !== undefined) return unavailable(condition, cause)
  if (isFileError(cause)) return unavailable('the file of the store cannot be opened', cause)
  return cause
}

/** Runs one query; what it wrote is on the disk when it resolves. */
export type Run = <T>(query: (db: Kysely<Tables>) => Promise<T>) => Promise<T>

/** What outlives the process. */
export interface Store {
  readonly specs: SpecStore
  readonly realms: RealmStore
  readonly files: FileStore
  /** Waits for what runs; after it every query fails with `service.error.unavailable`. */
  close(): Promise<void>
}

async function patiently<T>(clock: Clock, task: () => Promise<T>): Promise<T> {
  const end = clock.now() + lockPatienceMs
  for (;;) {
    try {
      return await task()
    } catch (cause) {
      if (!locked.has(resultCode(cause) ?? 0) || clock.now() >= end) throw translate(cause)
      await new Promise<void>((resolve) => clock.after(lockPauseMs, resolve))
    }
  }
}

const scheme = 'sqlite:'

/**
 * Opens `sqlite:<file>` (made if need be, with its folder) or `sqlite::memory:`, tables up to date.
 * @throws ServiceError `service.error.unavailable` when it is locked, full, broken, or not a database; TypeError for
 *   another kind of URL
 */
export async function openStore(url: string, clock: Clock): Promise<Store> {
  if (!url.startsWith(scheme) || url.length === scheme.length) {
    throw new TypeError('store.url: expected sqlite:<file>')
  }
  const db = await patiently(clock, async () => {
    const opened = new Kysely<Tables>({ dialect: openSqlite(url.slice(scheme.length)) })
    try {
      await migrate(opened)
      return opened
    } catch (cause) {
      await opened.destroy()
      throw cause
    }
  })
  let isClosed = false
  const running = new Set<Promise<unknown>>()
  const run: Run = async (query) => {
    if (isClosed) throw unavailable('the store is closed')
    const task = patiently(clock, () => query(db))
    running.add(task)
    try {
      return await task
    } finally {
      running.delete(task)
    }
  }
  return {
    specs: new SpecStore(run),
    realms: new RealmStore(run),
    files: new FileStore(run),
    async close() {
      if (isClosed) return
      isClosed = true
      await Promise.allSettled(running)
      await db.destroy()
    },
  }
}
