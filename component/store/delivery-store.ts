/** The table of events that were accepted for HTTP endpoints: accepted, claimed for an attempt, over. */
import { type RawBuilder, sql } from 'kysely'
import { inSizes, RowsQuery } from './rows-query.ts'
import { type DeliveryRow, type Run, rowStates } from './tables.ts'

/** Names a row. */
export type DeliveryRowKey = Pick<DeliveryRow, 'delivery' | 'endpoint' | 'webhook_id'>

/** A row without its event. */
export type DeliveryRowHead = Omit<DeliveryRow, 'sealed'>

/** What a process needs to know of a row that waits. */
export type WaitingRow = Pick<
  DeliveryRow,
  'delivery' | 'endpoint' | 'webhook_id' | 'seq' | 'key' | 'due_at' | 'lease_until' | 'accepted_at'
>

/** A row that was claimed for an attempt. */
export type ClaimedRow = Pick<
  DeliveryRow,
  'delivery' | 'endpoint' | 'webhook_id' | 'attempts' | 'sealed'
>

/** What becomes of a row after an attempt. */
export type DeliveryRowEnd = DeliveryRowKey &
  Pick<DeliveryRow, 'state' | 'due_at' | 'status' | 'error' | 'reason' | 'epoch' | 'attempts'>

/** Who claims. */
export interface DeliveryOwner {
  readonly realm_uri: string
  readonly holder: string
  readonly epoch: number
}

/** Rows of one delivery: of these ids, or of a state. */
export type RowSelection =
  | { readonly webhook_ids: readonly string[] }
  | { readonly states: readonly DeliveryRow['state'][] }

/** How many rows a delivery has in a state, and their bytes. */
export type RowCount = Pick<DeliveryRow, 'delivery' | 'state'> & {
  readonly rows: number
  readonly bytes: number
}

const heads = [
  ...([
    'delivery',
    'endpoint',
    'webhook_id',
    'publication',
    'topic',
    'seq',
    'key',
    'state',
  ] as const),
  ...(['due_at', 'attempts', 'lease_until', 'epoch', 'status', 'error', 'reason'] as const),
  ...(['accepted_at', 'bytes'] as const),
] satisfies (keyof DeliveryRowHead)[]

const waiting = [
  ...(['delivery', 'endpoint', 'webhook_id', 'seq', 'key', 'due_at', 'lease_until'] as const),
  'accepted_at',
] satisfies (keyof WaitingRow)[]

/** Rows that one statement changes or removes, so that others have their turn. */
const rowsAtOnce = 1_000

const bigint = (value: number | null) => sql`cast(${value} as bigint)`

/** An expression for the time of the store; milliseconds since the epoch. */
export type StoreNow = () => RawBuilder<number>

/** Methods throw ServiceError `service.error.unavailable`. Times are milliseconds since the epoch, by the clock of the database. */
export class DeliveryStore {
  readonly #run: Run
  readonly #now: StoreNow
  readonly #insert = new RowsQuery<DeliveryRow>((db, rows) =>
    db
      .insertInto('deliveries')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['delivery', 'webhook_id', 'endpoint']).doNothing(),
      ),
  )
  readonly #end = new RowsQuery<DeliveryRowEnd>((db, rows) => {
    const values = rows.map(
      ({ delivery, endpoint, webhook_id, state, due_at, status, error, reason, epoch, attempts }) =>
        sql`(${delivery}, ${endpoint}, ${webhook_id}, ${state}, ${bigint(due_at)}, ${bigint(status)}, ${error}, ${reason}, ${bigint(epoch)}, ${bigint(attempts)})`,
    )
    const query = sql`with ended (delivery, endpoint, webhook_id, state, due_at, status, error, reason, epoch, attempts) as (values ${sql.join(values)})
      update deliveries set state = ended.state, due_at = ended.due_at, status = ended.status, error = ended.error,
        reason = ended.reason, attempts = ended.attempts, lease_until = 0
      from ended
      where deliveries.delivery = ended.delivery and deliveries.webhook_id = ended.webhook_id
        and deliveries.endpoint = ended.endpoint and deliveries.epoch = ended.epoch and deliveries.state = 'pending'`
    return { compile: () => query.compile(db) }
  })

  /** @param now see {@link StoreNow} */
  constructor(run: Run, now: StoreNow) {
    this.#run = run
    this.#now = now
  }

  /**
   * Keeps events.
   * @returns those that were not there: `seq` and `epoch` together tell them from others of the same key
   */
  async accept(rows: readonly DeliveryRow[]): Promise<readonly DeliveryRow[]> {
    const pieces = inSizes(rows)
    const kept = await Promise.all(
      pieces.map(async (piece) => {
        const { numAffectedRows } = await this.#run((db) => this.#insert.execute(db, piece))
        if (Number(numAffectedRows) === piece.length) return piece
        const found = await this.#namesOf(piece)
        return piece.filter((row) => found.get(textOf(row)) === nameOf(row))
      }),
    )
    return kept.flat()
  }

  async #namesOf(rows: readonly DeliveryRowKey[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.#run((db) =>
      db
        .selectFrom('deliveries')
        .select(['delivery', 'endpoint', 'webhook_id', 'seq', 'epoch'])
        .where(isOneOf(rows))
        .execute(),
    )
    return new Map(found.map((row) => [textOf(row), nameOf(row)]))
  }

  /** Makes the first of those that are held behind others of these keys due, unless one before it is not over. @returns what became due */
  async release(
    keys: readonly { readonly delivery: string; readonly key: string }[],
  ): Promise<readonly WaitingRow[]> {
    if (keys.length === 0) return []
    const these = keys.map(({ delivery, key }) => sql`(${delivery}, ${key})`)
    return await this.#run((db) =>
      db
        .updateTable('deliveries')
        .set({ state: 'pending', due_at: this.#now() })
        .where('state', '=', 'held')
        .where(
          sql<boolean>`(delivery, key, seq) in (select delivery, key, min(seq) from deliveries
            where (delivery, key) in (values ${sql.join(these)}) and key is not null and state in ('pending', 'held')
            group by delivery, key)`,
        )
        .returning(waiting)
        .execute(),
    )
  }

  /** As {@link release}, of all keys of a delivery: for a process that begins. */
  async releaseAll(delivery: string): Promise<void> {
    await this.#run((db) =>
      db
        .updateTable('deliveries')
        .set({ state: 'pending', due_at: this.#now() })
        .where('delivery', '=', delivery)
        .where('state', '=', 'held')
        .where(
          sql<boolean>`not exists (select 1 from deliveries as earlier where earlier.delivery = deliveries.delivery
            and earlier.key = deliveries.key and earlier.key is not null and earlier.state in ('pending', 'held')
            and earlier.seq < deliveries.seq)`,
        )
        .execute(),
    )
  }

  /** Takes over what other processes have accepted. @returns the rows */
  async takeNew(deliveries: readonly string[]): Promise<readonly WaitingRow[]> {
    if (deliveries.length === 0) return []
    const [found] = await this.#run((db) =>
      db
        .selectFrom('deliveries')
        .select('seq')
        .where('delivery', 'in', deliveries)
        .where('state', '=', 'new')
        .limit(1)
        .execute(),
    )
    if (!found) return []
    return await this.#run((db) =>
      db
        .updateTable('deliveries')
        .set({ state: sql`case when key is null then 'pending' else 'held' end` })
        .where('delivery', 'in', deliveries)
        .where('state', '=', 'new')
        .returning(waiting)
        .execute(),
    )
  }

  /** The pending rows that are due first. */
  due(delivery: string, limit: number): Promise<readonly WaitingRow[]> {
    return this.#run((db) =>
      db
        .selectFrom('deliveries')
        .select(waiting)
        .where('delivery', '=', delivery)
        .where('state', '=', 'pending')
        .orderBy('due_at')
        .orderBy('seq')
        .limit(limit)
        .execute(),
    )
  }

  /**
   * Claims rows for one attempt each, which is counted.
   * @returns those that are the caller's: it owns the realm, and nobody has an attempt under way
   */
  async claim(
    { realm_uri, holder, epoch }: DeliveryOwner,
    rows: readonly DeliveryRowKey[],
    leaseMs: number,
  ): Promise<readonly ClaimedRow[]> {
    if (rows.length === 0) return []
    const now = this.#now()
    return await this.#run((db) =>
      db
        .updateTable('deliveries')
        .set({
          attempts: sql`attempts + 1`,
          lease_until: sql`${now} + ${bigint(leaseMs)}`,
          epoch,
        })
        .where(isOneOf(rows))
        .where('state', '=', 'pending')
        .where('lease_until', '<=', now)
        .where(
          sql<boolean>`exists (select 1 from delivery_owners where realm_uri = ${realm_uri} and role = 'owner'
            and holder = ${holder} and delivery_owners.epoch = ${bigint(epoch)} and delivery_owners.lease_until > ${now})`,
        )
        .returning(['delivery', 'endpoint', 'webhook_id', 'attempts', 'sealed'])
        .execute(),
    )
  }

  /** Writes what became of attempts; nothing changes where another owner has claimed the row since. */
  async end(ends: readonly DeliveryRowEnd[]): Promise<void> {
    await Promise.all(
      inSizes(ends.map(inOrder)).map((piece) => this.#run((db) => this.#end.execute(db, piece))),
    )
  }

  /** Makes dead letters of some of those that were accepted too long ago. @returns their keys, and how many they were */
  async expire(
    delivery: string,
    beforeSeq: number,
    removedAt: number,
  ): Promise<readonly Pick<DeliveryRow, 'webhook_id' | 'endpoint' | 'key'>[]> {
    return await this.#run((db) =>
      db
        .updateTable('deliveries')
        .set({ state: 'dead', reason: 'expired', due_at: removedAt, lease_until: 0 })
        .where('delivery', '=', delivery)
        .where(
          sql<boolean>`(webhook_id, endpoint) in (select webhook_id, endpoint from deliveries where delivery = ${delivery}
            and state in ('pending', 'held') and seq < ${bigint(beforeSeq)} and lease_until <= ${this.#now()}
            order by seq limit ${rowsAtOnce})`,
        )
        .returning(['webhook_id', 'endpoint', 'key'])
        .execute(),
    )
  }

  /** Rows and bytes by delivery and state. */
  async counts(): Promise<readonly RowCount[]> {
    return await this.#run((db) =>
      db
        .selectFrom('deliveries')
        .select((row) => [
          ...(['delivery', 'state'] as const),
          row.fn.countAll<number>().as('rows'),
          sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as('bytes'),
        ])
        .groupBy(['delivery', 'state'])
        .execute(),
    ).then((found) => found.map((row) => ({ ...row, rows: Number(row.rows) })))
  }

  /** When the oldest event that waits was accepted. */
  async oldest(delivery: string): Promise<number | undefined> {
    const found = await Promise.all(
      (['pending', 'held', 'new'] as const).map((state) =>
        this.#run((db) =>
          db
            .selectFrom('deliveries')
            .select('accepted_at')
            .where('delivery', '=', delivery)
            .where('state', '=', state)
            .orderBy('seq')
            .limit(1)
            .executeTakeFirst(),
        ),
      ),
    )
    const times = found.flatMap((row) => row?.accepted_at ?? [])
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Rows in the order of their acceptance. @param states at least one */
  page(
    delivery: string,
    states: readonly DeliveryRow['state'][],
    { afterSeq, limit }: { readonly afterSeq: number; readonly limit: number },
  ): Promise<readonly DeliveryRowHead[]> {
    return this.#run((db) =>
      db
        .selectFrom('deliveries')
        .select(heads)
        .where('delivery', '=', delivery)
        .where('state', 'in', states)
        .where('seq', '>', afterSeq)
        .orderBy('seq')
        .limit(limit)
        .execute(),
    )
  }

  /** All rows of an id: one for each endpoint. */
  find(delivery: string, webhook_id: string): Promise<readonly DeliveryRow[]> {
    return this.#run((db) =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .where('delivery', '=', delivery)
        .where('webhook_id', '=', webhook_id)
        .orderBy('endpoint')
        .execute(),
    )
  }

  /** Makes rows that are over new again, with no attempts made. @returns how many */
  async renew(delivery: string, selection: RowSelection): Promise<number> {
    const states = ['done', 'dead'] as const
    return await this.#eachSome(delivery, within(selection, states), (some) =>
      this.#run((db) =>
        db
          .updateTable('deliveries')
          .set({ state: 'new', due_at: this.#now(), attempts: 0, reason: null, lease_until: 0 })
          .where('delivery', '=', delivery)
          .where(some)
          .executeTakeFirst()
          .then(({ numUpdatedRows }) => Number(numUpdatedRows)),
      ),
    )
  }

  /** Removes rows that no attempt is under way for. @returns how many */
  async remove(delivery: string, selection: RowSelection): Promise<number> {
    return await this.#eachSome(delivery, within(selection, rowStates), (some) =>
      this.#run((db) =>
        db
          .deleteFrom('deliveries')
          .where('delivery', '=', delivery)
          .where(some)
          .executeTakeFirst()
          .then(({ numDeletedRows }) => Number(numDeletedRows)),
      ),
    )
  }

  /** Removes the oldest rows that wait and have no attempt under way. @returns their keys */
  async removeOldest(
    delivery: string,
    count: number,
  ): Promise<readonly Pick<DeliveryRow, 'webhook_id' | 'endpoint' | 'key'>[]> {
    return await this.#run((db) =>
      db
        .deleteFrom('deliveries')
        .where('delivery', '=', delivery)
        .where(
          sql<boolean>`(webhook_id, endpoint) in (select webhook_id, endpoint from deliveries where delivery = ${delivery}
            and state in ('pending', 'held') and lease_until <= ${this.#now()} order by seq limit ${count})`,
        )
        .returning(['webhook_id', 'endpoint', 'key'])
        .execute(),
    )
  }

  /** Removes what is over and has been kept long enough, and the oldest dead letters of a delivery that has too many. */
  async sweep(delivery: string, mostDead: number): Promise<void> {
    for (const state of ['done', 'dead'] as const) {
      await this.#eachSome(
        delivery,
        sql<boolean>`state = ${state} and due_at <= ${this.#now()}`,
        (some) => this.#delete(delivery, some),
      )
    }
    const dead = await this.#run((db) =>
      db
        .selectFrom('deliveries')
        .select((row) => row.fn.countAll<number>().as('rows'))
        .where('delivery', '=', delivery)
        .where('state', '=', 'dead')
        .executeTakeFirstOrThrow(),
    )
    for (let left = Number(dead.rows) - mostDead; left > 0; left -= rowsAtOnce) {
      const count = Math.min(left, rowsAtOnce)
      await this.#delete(
        delivery,
        sql<boolean>`(webhook_id, endpoint) in (select webhook_id, endpoint from deliveries where delivery = ${delivery}
          and state = 'dead' order by seq limit ${count})`,
      )
    }
  }

  #delete(delivery: string, some: RawBuilder<boolean>): Promise<number> {
    return this.#run((db) =>
      db
        .deleteFrom('deliveries')
        .where('delivery', '=', delivery)
        .where(some)
        .executeTakeFirst()
        .then(({ numDeletedRows }) => Number(numDeletedRows)),
    )
  }

  /** In steps, so that neither the database nor the process is held up. */
  async #eachSome(
    delivery: string,
    condition: RawBuilder<boolean>,
    change: (some: RawBuilder<boolean>) => Promise<number>,
  ): Promise<number> {
    const some = sql<boolean>`(webhook_id, endpoint) in (select webhook_id, endpoint from deliveries
      where delivery = ${delivery} and lease_until <= ${this.#now()} and ${condition} order by seq limit ${rowsAtOnce})`
    let all = 0
    for (;;) {
      const count = await change(some)
      all += count
      if (count < rowsAtOnce) return all
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }
}

/** With its keys in the order of the statement. */
const inOrder = (end: DeliveryRowEnd): DeliveryRowEnd => {
  const { delivery, endpoint, webhook_id, state, due_at, status, error, reason, epoch } = end
  const { attempts } = end
  return {
    ...{ delivery, endpoint, webhook_id, state, due_at, status, error, reason, epoch, attempts },
  }
}

/** Which process has accepted it, and when. */
const nameOf = ({ seq, epoch }: Pick<DeliveryRow, 'seq' | 'epoch'>): string => `${seq} ${epoch}`

const textOf = ({ delivery, endpoint, webhook_id }: DeliveryRowKey): string =>
  `${delivery} ${webhook_id} ${endpoint}`

const isOneOf = (rows: readonly DeliveryRowKey[]): RawBuilder<boolean> =>
  sql<boolean>`(delivery, webhook_id, endpoint) in (values ${sql.join(
    rows.map(
      ({ delivery, webhook_id, endpoint }) => sql`(${delivery}, ${webhook_id}, ${endpoint})`,
    ),
  )})`

/** A condition of the selection, within states. */
function within(
  selection: RowSelection,
  states: readonly DeliveryRow['state'][],
): RawBuilder<boolean> {
  if ('states' in selection) {
    const some = selection.states.filter((state) => states.includes(state))
    return some.length === 0 ? sql`1 = 0` : sql`state in (${sql.join(some)})`
  }
  const { webhook_ids } = selection
  if (webhook_ids.length === 0) return sql`1 = 0`
  return sql`state in (${sql.join(states)}) and webhook_id in (${sql.join(webhook_ids)})`
}
