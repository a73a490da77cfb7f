/** The table of quotas: what each gateway has used of them, in windows of time. */
import { sql } from 'kysely'
import type { QuotaRow, Run } from './tables.ts'

/** What names one use, whichever gateways have it. Times are milliseconds since the epoch. */
type UseName = Pick<QuotaRow, 'rule' | 'window_start' | 'key'>

/** Rows that are removed by one statement. */
const removedAtOnce = 500

/** Methods throw ServiceError `service.error.unavailable`. */
export class QuotaStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /**
   * Adds units to rows, which come to exist where they don't: several processes may have one row.
   * @param rows `used` is what is added; no row comes twice
   */
  async add(rows: readonly QuotaRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#run((db) =>
      db
        .insertInto('quota_usage')
        // one order for all writers: on PostgreSQL two that lock the same rows do not wait for each other
        .values(rows.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1)))
        .onConflict((conflict) =>
          conflict
            .columns(['rule', 'window_start', 'key', 'node'])
            .doUpdateSet({ used: sql`quota_usage.used + excluded.used` }),
        )
        .execute(),
    )
  }

  /** The units of all gateways, in the order of the names; 0 where there are none. */
  async sums(names: readonly UseName[]): Promise<number[]> {
    if (names.length === 0) return []
    const these = names.map(
      ({ rule, window_start, key }) => sql`(${rule}, cast(${window_start} as bigint), ${key})`,
    )
    const rows = await this.#run((db) =>
      db
        .selectFrom('quota_usage')
        .select(['rule', 'window_start', 'key', sumOfUsed.as('used')])
        .where(sql<boolean>`(rule, window_start, key) in (values ${sql.join(these)})`)
        .groupBy(['rule', 'window_start', 'key'])
        .execute(),
    )
    const sums = new Map(rows.map((row) => [textOf(row), row.used]))
    return names.map((name) => sums.get(textOf(name)) ?? 0)
  }

  /** Who has used most of a quota in a window, the greatest first. */
  greatest(
    rule: string,
    window_start: number,
    limit: number,
  ): Promise<Pick<QuotaRow, 'key' | 'sharer' | 'used'>[]> {
    return this.#run((db) =>
      db
        .selectFrom('quota_usage')
        .select(['key', sql<string>`min(sharer)`.as('sharer'), sumOfUsed.as('used')])
        .where('rule', '=', rule)
        .where('window_start', '=', window_start)
        .groupBy('key')
        .orderBy('used', 'desc')
        .orderBy('key')
        .limit(limit)
        .execute(),
    )
  }

  /**
   * Removes some of the rows whose window has ended.
   * @returns whether there may be more
   */
  async removeEnded(beforeMs: number): Promise<boolean> {
    const { numDeletedRows } = await this.#run((db) =>
      db
        .deleteFrom('quota_usage')
        .where(
          sql<boolean>`(rule, window_start, key, node) in (select rule, window_start, key, node from quota_usage where window_end < ${beforeMs} limit ${removedAtOnce})`,
        )
        .executeTakeFirst(),
    )
    return Number(numDeletedRows) === removedAtOnce
  }
}

/** A sum of integers is no integer to PostgreSQL. */
const sumOfUsed = sql<number>`cast(sum(used) as bigint)`

const textOf = ({ rule, window_start, key }: UseName): string => `${rule} ${window_start} ${key}`
