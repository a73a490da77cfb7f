/** A pool of pg behind Kysely's PostgreSQL dialect, and what PostgreSQL's failures say. */
import {
  type Dialect,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely'
import { Client, DatabaseError, Pool, type PoolClient, type PoolConfig, types } from 'pg'
import { messageOf } from '#component/errors.ts'
import type { Condition, Engine } from './engine.ts'
import type { Watched } from './health.ts'

/** How long connecting may take, waiting for one of the connections included. Milliseconds. */
const connectTimeoutMs = 5_000

/** How long the server works on a statement, waiting for other writers included. Milliseconds. */
const statementTimeoutMs = 10_000

/** How long an answer is waited for; then the server, or the way to it, is gone. Milliseconds. */
const answerTimeoutMs = 12_000

/** How long others wait for a process that is suspended within its transaction. Milliseconds. */
const idleTransactionTimeoutMs = 5_000

/** How long the connection that only watches waits for anything. Milliseconds. */
const watchTimeoutMs = 4_000

/** How long a connection says nothing before it is probed; by default, two hours. */
const keepAliveMs = 10_000

/** Set for each connection: an acknowledgement must not depend on the defaults of the server or the URL. */
const settings = `
  set synchronous_commit = on;
  set statement_timeout = ${statementTimeoutMs};
  set idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs};
`

/** The channel of NOTIFY by which a committed transaction tells that it has changed entries. */
const channel = 'gateway_revision'

/** int8: what we keep in one is less than 2^53 (https://www.postgresql.org/docs/current/catalog-pg-type.html). */
const int8 = 20

/** SQLSTATEs, or the classes of them, that say something of the world, not of the query (PostgreSQL, Appendix A). */
const conditions: Readonly<Record<string, Condition>> = {
  '08': { message: 'the database cannot be reached', patience: 'at start' },
  '25006': { message: 'the database is read-only', patience: 'at start', fault: 'read_only' },
  '25P03': {
    message: 'the database ended an idle transaction of the gateway',
    patience: 'at start',
  },
  '28': { message: 'the database refused the login of the gateway', patience: 'never' },
  '3D': { message: 'the database does not exist', patience: 'never' },
  '40001': { message: 'too many changes at once', patience: 'always' },
  '40P01': { message: 'too many changes at once', patience: 'always' },
  '53': { message: 'the database is out of resources', patience: 'at start' },
  '53100': { message: 'the disk of the database is full', patience: 'at start', fault: 'full' },
  '53300': { message: 'the database has too many connections', patience: 'at start' },
  '55P03': { message: 'the database is locked', patience: 'always' },
  '57': { message: 'the database is stopping or starting', patience: 'at start' },
  '57014': { message: 'the database takes too long', patience: 'at start' },
  '58': {
    message: 'the database had a system error, such as a failed disk',
    patience: 'never',
    fault: 'failed',
  },
  XX: { message: 'the database is corrupt', patience: 'never' },
}

const unreachable: Condition = {
  message: 'the database cannot be reached',
  patience: 'at start',
}

/** A failure of pg without an answer of the server: sockets, names, TLS, deadlines. */
class ConnectionError extends Error {}

/** A code of the operating system, of TLS or of SQL; other texts might contain secrets. */
const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && /^\w+$/.test(String(cause.code))
    ? String(cause.code)
    : undefined

function conditionOf(cause: unknown): Condition | undefined {
  const isLost = cause instanceof ConnectionError
  const code = codeOf(isLost ? cause.cause : cause)
  const found = isLost
    ? unreachable
    : cause instanceof DatabaseError
      ? (conditions[code ?? ''] ?? conditions[code?.slice(0, 2) ?? ''])
      : undefined
  return found && code ? { ...found, message: `${found.message} (${code})` } : found
}

const lost = (cause: unknown): Error =>
  cause instanceof DatabaseError ? cause : new ConnectionError('no connection', { cause })

/** A connection that is closed, not reused, after an error that may have harmed it. */
class CheckedOut implements PostgresPoolClient {
  readonly #client: PoolClient
  readonly #underWay: Set<CheckedOut>
  #isHarmed = false
  #isReleased = false

  constructor(client: PoolClient, underWay: Set<CheckedOut>) {
    this.#client = client
    this.#underWay = underWay
    underWay.add(this)
  }

  readonly query = (async <R>(text: string, parameters: readonly unknown[]) => {
    // a connection that was given up within a transaction must not run more queries
    if (this.#isReleased) throw new ConnectionError('the connection was given up')
    try {
      return (await this.#client.query(text, [...parameters])) as unknown as PostgresQueryResult<R>
    } catch (cause) {
      const error = lost(cause)
      const patience = conditionOf(error)?.patience
      if (patience !== undefined && patience !== 'always') this.#isHarmed = true
      throw error
    }
  }) as PostgresPoolClient['query']

  release(destroy?: boolean): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#underWay.delete(this)
    this.#client.release(destroy || this.#isHarmed)
  }
}

/** The connections of a process for queries. */
class QueryPool implements PostgresPool {
  readonly options = {}
  readonly #pool: Pool
  readonly #underWay = new Set<CheckedOut>()
  /** Connections that were made before the last {@link renew}. */
  #old = new WeakSet<PoolClient>()
  readonly #known = new Set<PoolClient>()

  constructor(config: PoolConfig) {
    this.#pool = quietPool(config)
    this.#pool.on('connect', (client) => this.#known.add(client))
    this.#pool.on('remove', (client) => this.#known.delete(client))
  }

  async connect(): Promise<CheckedOut> {
    try {
      for (;;) {
        const client = await this.#pool.connect()
        if (!this.#old.has(client)) return new CheckedOut(client, this.#underWay)
        client.release(true)
      }
    } catch (cause) {
      throw lost(cause)
    }
  }

  /** Uses none of the connections for another query: the address may lead to another server by now. */
  renew(): void {
    this.#old = new WeakSet(this.#known)
  }

  /** Closes the connections of all queries that are under way. */
  abandon(): void {
    for (const connection of [...this.#underWay]) connection.release(true)
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}

/** Without a listener, the loss of an idle connection would end the process. */
function quietPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** A URL whose parts cannot be confused: secrets stand before the `@`, and nowhere else. */
const shape = /^postgres(?:ql)?:\/\/[^/?#]*(?:[/?](?!.*[?&]password=)[^@#]*)?$/

/**
 * A database by its URL; the password may be percent-encoded, or given as `PGPASSWORD`.
 * @param connections most that a process has at once, beside the one that watches
 * @throws TypeError for a malformed URL; the message does not show it
 */
export function postgres(url: string, connections: number): Engine {
  if (!shape.test(url)) {
    throw new TypeError(
      'store.url: expected postgres://user:password@host:port/database, the characters @ / ? # of a password written as %40 %2F %3F %23',
    )
  }
  const config: PoolConfig = {
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    fallback_application_name: 'wamp-gateway',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 && format !== 'binary' ? Number : types.getTypeParser(oid, format),
    },
    async onConnect(client) {
      await client.query(settings)
    },
  }
  const { database, host, port } = parsed(config)
  let queries: QueryPool | undefined
  return {
    place: `database ${database} at ${host}:${port}: `,
    connect(): Dialect {
      queries = new QueryPool(config)
      return new PostgresDialect({ pool: queries })
    },
    watch: (onSignal) => watchOver(config, () => queries, onSignal),
    now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
    signal: sql`pg_notify(${sql.lit(channel)}, '')`,
    // each statement needs a connection: what comes during one goes together
    batch: { items: 100, writes: 1 },
    conditionOf,
  }
}

/**
 * Reads the server's time, and hears of changes, over a connection of its own, which is closed after a failure. Where the server takes
 * no writes, all connections are made anew: after a failover the address leads to another one.
 */
function watchOver(
  config: PoolConfig,
  queries: () => QueryPool | undefined,
  onSignal: () => void,
): Watched {
  const pool = quietPool({
    ...config,
    ...{ connectionTimeoutMillis: watchTimeoutMs, query_timeout: watchTimeoutMs },
    max: 1,
    async onConnect(client) {
      client.on('notification', onSignal)
      await client.query(`${settings} listen ${channel};`)
      // what was told while there was no connection
      onSignal()
    },
  })
  let wasReadOnly = false
  return {
    abandon: () => queries()?.abandon(),
    async ask() {
      const client = await pool.connect()
      try {
        const { rows } = await client.query<{ ms: string; access: string }>(
          "select extract(epoch from clock_timestamp()) * 1000 as ms, current_setting('transaction_read_only') as access",
        )
        const isReadOnly = rows[0]?.access === 'on'
        // the first answer of the other one: what was opened since the last one may lead to the former
        if (isReadOnly || wasReadOnly) queries()?.renew()
        wasReadOnly = isReadOnly
        client.release(isReadOnly)
        return { now: Number(rows[0]?.ms), isReadOnly }
      } catch (cause) {
        client.release(true)
        throw cause
      }
    },
    close: () => pool.end(),
  }
}

/** The host, port and database that pg reads from the URL and the environment, without connecting. */
function parsed(config: PoolConfig): Pick<Client, 'database' | 'host' | 'port'> {
  try {
    return new Client(config)
  } catch (cause) {
    const found = messageOf(cause)
    throw new TypeError(`store.url: ${found}`)
  }
}
