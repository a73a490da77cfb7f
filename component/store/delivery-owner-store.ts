/** The tables beside the events of deliveries: who accepts and sends for a realm, the state of each delivery, and its gaps. */
import { sql } from 'kysely'
import type { StoreNow } from './delivery-store.ts'
import type { DeliveryGapRow, DeliveryOwnerRow, DeliveryStateRow, Run } from './tables.ts'

/** A process that asks for a role. */
export type RoleRequest = Pick<DeliveryOwnerRow, 'realm_uri' | 'role' | 'holder' | 'node'>

/** Methods throw ServiceError `service.error.unavailable`. Times are milliseconds since the epoch, by the clock of the database. */
export class DeliveryOwnerStore {
  readonly #run: Run
  readonly #now: StoreNow

  constructor(run: Run, now: StoreNow) {
    this.#run = run
    this.#now = now
  }

  /**
   * Takes a role that nobody has, or renews it. While a process stands by, no other one becomes the owner: that one has heard the events
   * of meanwhile.
   * @returns its epoch; undefined: another process has it, or is to have it
   */
  async take(request: RoleRequest, leaseMs: number): Promise<number | undefined> {
    const until = sql<number>`${this.#now()} + cast(${leaseMs} as bigint)`
    const row = await this.#run((db) =>
      db
        .insertInto('delivery_owners')
        .values({ ...request, epoch: 1, lease_until: until })
        .onConflict((conflict) =>
          conflict
            .columns(['realm_uri', 'role'])
            .doUpdateSet(({ ref }) => ({
              holder: ref('excluded.holder'),
              node: ref('excluded.node'),
              lease_until: ref('excluded.lease_until'),
              epoch: sql<number>`case when delivery_owners.holder = excluded.holder then delivery_owners.epoch else delivery_owners.epoch + 1 end`,
            }))
            .where(
              sql<boolean>`delivery_owners.holder = excluded.holder or (delivery_owners.lease_until <= ${this.#now()}
                and not exists (select 1 from delivery_owners as standby where standby.realm_uri = excluded.realm_uri
                  and standby.role = 'standby' and standby.holder <> excluded.holder and standby.lease_until > ${this.#now()}))`,
            ),
        )
        .returning('epoch')
        .executeTakeFirst(),
    )
    return row?.epoch
  }

  /** Gives a role back; another process takes it at its next try. */
  async release({
    realm_uri,
    role,
    holder,
  }: Pick<DeliveryOwnerRow, 'realm_uri' | 'role' | 'holder'>): Promise<void> {
    await this.#run((db) =>
      db
        .updateTable('delivery_owners')
        .set({ lease_until: 0 })
        .where('realm_uri', '=', realm_uri)
        .where('role', '=', role)
        .where('holder', '=', holder)
        .execute(),
    )
  }

  /** The nodes that own, by realm. */
  async owners(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#run((db) =>
      db
        .selectFrom('delivery_owners')
        .select(['realm_uri', 'node'])
        .where('role', '=', 'owner')
        .where('lease_until', '>', this.#now())
        .execute(),
    )
    return new Map(rows.map(({ realm_uri, node }) => [realm_uri, node]))
  }

  /** Makes rows for deliveries that have none. */
  async declare(rows: readonly DeliveryStateRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#run((db) =>
      db
        .insertInto('delivery_states')
        .values(rows)
        .onConflict((conflict) => conflict.column('delivery').doNothing())
        .execute(),
    )
  }

  states(): Promise<readonly DeliveryStateRow[]> {
    return this.#run((db) => db.selectFrom('delivery_states').selectAll().execute())
  }

  async setState(
    delivery: string,
    changes: Partial<
      Pick<DeliveryStateRow, 'state' | 'reason' | 'failing_since' | 'covered_until'>
    >,
  ): Promise<void> {
    await this.#run((db) =>
      db.updateTable('delivery_states').set(changes).where('delivery', '=', delivery).execute(),
    )
  }

  /** Notes until when deliveries have heard every event; null: they do not listen. */
  async cover(deliveries: readonly string[], covered_until: number | null): Promise<void> {
    if (deliveries.length === 0) return
    await this.#run((db) =>
      db
        .updateTable('delivery_states')
        .set({ covered_until })
        .where('delivery', 'in', deliveries)
        .execute(),
    )
  }

  /** Notes that documents have these deliveries now. */
  async declared(deliveries: readonly string[], declared_at: number): Promise<void> {
    if (deliveries.length === 0) return
    await this.#run((db) =>
      db
        .updateTable('delivery_states')
        .set({ declared_at })
        .where('delivery', 'in', deliveries)
        .execute(),
    )
  }

  /** The deliveries that no document has had since a time. */
  async abandoned(
    sinceMs: number,
  ): Promise<readonly Pick<DeliveryStateRow, 'delivery' | 'endpoint' | 'declared_at'>[]> {
    return await this.#run((db) =>
      db
        .selectFrom('delivery_states')
        .select(['delivery', 'endpoint', 'declared_at'])
        .where('declared_at', '<', sinceMs)
        .execute(),
    )
  }

  /** Removes the state and the gaps of a delivery that no document has had since a time, and that has no events. */
  async forget(delivery: string, sinceMs: number): Promise<void> {
    const isAbandoned = sql<boolean>`delivery = ${delivery}
      and exists (select 1 from delivery_states as it where it.delivery = ${delivery} and it.declared_at < cast(${sinceMs} as bigint))
      and not exists (select 1 from deliveries where deliveries.delivery = ${delivery})`
    await this.#run((db) => db.deleteFrom('delivery_gaps').where(isAbandoned).execute())
    await this.#run((db) => db.deleteFrom('delivery_states').where(isAbandoned).execute())
  }

  /** Keeps gaps; one that is there grows. */
  async addGaps(rows: readonly DeliveryGapRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#run((db) =>
      db
        .insertInto('delivery_gaps')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['delivery', 'id']).doNothing())
        .execute(),
    )
  }

  /** The newest first. */
  gaps(delivery: string, limit: number): Promise<readonly DeliveryGapRow[]> {
    return this.#run((db) =>
      db
        .selectFrom('delivery_gaps')
        .selectAll()
        .where('delivery', '=', delivery)
        .orderBy('until', 'desc')
        .limit(limit)
        .execute(),
    )
  }

  /** How many each delivery has. */
  async gapCounts(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#run((db) =>
      db
        .selectFrom('delivery_gaps')
        .select((row) => ['delivery', row.fn.countAll<number>().as('count')])
        .groupBy('delivery')
        .execute(),
    )
    return new Map(rows.map(({ delivery, count }) => [delivery, Number(count)]))
  }

  /** Gaps whose message is due. */
  untold(deliveries: readonly string[], limit: number): Promise<readonly DeliveryGapRow[]> {
    return this.#run((db) =>
      db
        .selectFrom('delivery_gaps')
        .selectAll()
        .where('delivery', 'in', deliveries)
        .where('due_at', '<=', this.#now())
        .orderBy('due_at')
        .limit(limit)
        .execute(),
    )
  }

  /** The next attempt to tell a gap. @param due_at null: none */
  async setGap(
    { delivery, id }: Pick<DeliveryGapRow, 'delivery' | 'id'>,
    changes: Pick<DeliveryGapRow, 'due_at' | 'attempts'>,
  ): Promise<void> {
    await this.#run((db) =>
      db
        .updateTable('delivery_gaps')
        .set(changes)
        .where('delivery', '=', delivery)
        .where('id', '=', id)
        .execute(),
    )
  }

  /** Removes gaps that have ended before a time. */
  async sweepGaps(beforeMs: number): Promise<void> {
    await this.#run((db) => db.deleteFrom('delivery_gaps').where('until', '<', beforeMs).execute())
  }
}
