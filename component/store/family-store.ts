/** Families of refresh tokens: one for each login, with the generation of the token that can be used. */
import type { Transaction } from 'kysely'
import type { FamilyRow, Run, Tables } from './tables.ts'

/** A family, with the roles that were granted. */
export type Family = Omit<FamilyRow, 'scope'> & { readonly scope: readonly string[] }

/**
 * The result of using a token. `rotated`: it was used now. `repeated`: it was used just before, and the answer may have been
 * lost. `late`: it was used while the request waited in a suspended process. `reused`: it was used long before, so that it has
 * been copied. `unknown`: there is no such family.
 */
export type Rotation =
  | { readonly kind: 'rotated' | 'repeated'; readonly family: Family }
  | { readonly kind: 'late' | 'reused' | 'unknown' }

/** The times of a rotation. Milliseconds. */
interface RotationTime {
  readonly nowMs: number
  /** How long a token that was used may be used again, with the same outcome. */
  readonly graceMs: number
  /** When the next token ends. */
  readonly expiresAtMs: number
  /** Since when the request may have waited in a suspended process; undefined when it has not. */
  readonly waitsSinceMs?: number | undefined
}

const rowOf = (family: Family): FamilyRow => ({ ...family, scope: JSON.stringify(family.scope) })

const familyOf = (row: FamilyRow): Family => ({ ...row, scope: JSON.parse(row.scope) as string[] })

/**
 * Whether the newest token was made after the request arrived: then its client may have repeated the request at another node, and
 * got that token there. The clocks of nodes may differ by at most the grace.
 */
export const hasWaited = (
  { rotated_at }: Pick<Family, 'rotated_at'>,
  { graceMs, waitsSinceMs }: Pick<RotationTime, 'graceMs' | 'waitsSinceMs'>,
): boolean => waitsSinceMs !== undefined && rotated_at >= waitsSinceMs - graceMs

/** The table of families. Each change is a transaction. Methods throw ServiceError `service.error.unavailable`. */
export class FamilyStore {
  readonly #run: Run
  readonly #isServer: boolean

  /** @param isServer the database is another process, which may hang */
  constructor(run: Run, isServer: boolean) {
    this.#run = run
    this.#isServer = isServer
  }

  /**
   * Keeps a new family, and of the others of its user in its realm those that were used last, and have not expired.
   * @param max how many families of the user are left, this one included
   */
  async create(family: Family, max: number): Promise<void> {
    const { realm_uri, authid, created_at } = family
    // later than every login of the user, also those of a node whose clock is ahead: one order for all nodes
    const rotated_at = Math.max(family.rotated_at, (await this.#lastUse(family)) + 1)
    await this.#run((db) =>
      db
        .insertInto('refresh_families')
        .values({ ...rowOf(family), rotated_at })
        // a transaction whose end is unknown runs again: the row may exist
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute(),
    )
    // not in the transaction of the new one: of several logins at once, the last one sees all of them
    await this.#run((db) =>
      db
        .deleteFrom('refresh_families')
        .where('realm_uri', '=', realm_uri)
        .where('authid', '=', authid)
        .where('id', 'not in', (query) =>
          query
            .selectFrom('refresh_families')
            .select('id')
            .where('realm_uri', '=', realm_uri)
            .where('authid', '=', authid)
            .where('expires_at', '>', created_at)
            .orderBy('rotated_at', 'desc')
            .orderBy('id', 'desc')
            .limit(max),
        )
        .execute(),
    )
  }

  /** When a user has logged in, or used a token, last. Milliseconds since the epoch; 0: it has no families. */
  async #lastUse({ realm_uri, authid }: Family): Promise<number> {
    const row = await this.#run((db) =>
      db
        .selectFrom('refresh_families')
        .select('rotated_at')
        .where('realm_uri', '=', realm_uri)
        .where('authid', '=', authid)
        .orderBy('rotated_at', 'desc')
        .limit(1)
        .executeTakeFirst(),
    )
    return row?.rotated_at ?? 0
  }

  /** A family, also an expired one; undefined if it does not exist. */
  async find(id: string): Promise<Family | undefined> {
    const row = await this.#run((db) =>
      db.selectFrom('refresh_families').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row && familyOf(row)
  }

  /**
   * Uses the token of a generation. Of several requests at once, in any processes, one is `rotated`. A client that lost its
   * answer repeats the request and gets `repeated`. `reused` removes the family; `late` changes nothing.
   */
  async rotate(id: string, generation: number, at: RotationTime): Promise<Rotation> {
    const before = await this.find(id)
    // a token of another generation writes nothing
    if (before?.generation === generation) {
      const family = await this.#advance(id, generation, at)
      if (family) return { kind: 'rotated', family }
    }
    const family = before?.generation === generation ? await this.find(id) : before
    if (family === undefined || family.expires_at <= at.nowMs) return { kind: 'unknown' }
    const isFresh = Math.abs(at.nowMs - family.rotated_at) <= at.graceMs
    if (generation === family.generation - 1 && isFresh) return { kind: 'repeated', family }
    if (hasWaited(family, at)) return { kind: 'late' }
    await this.remove(id)
    return { kind: 'reused' }
  }

  /**
   * The family in its next generation; undefined when another request was faster, or it has expired. On a database server the
   * update is a transaction of its own: if the server hangs and continues after the request was given up, no COMMIT follows, and
   * the token stays usable.
   */
  async #advance(id: string, generation: number, at: RotationTime): Promise<Family | undefined> {
    const update = (db: Pick<Transaction<Tables>, 'updateTable'>) =>
      db
        .updateTable('refresh_families')
        .set({
          generation: generation + 1,
          rotated_at: at.nowMs,
          expires_at: at.expiresAtMs,
        })
        .where('id', '=', id)
        .where('generation', '=', generation)
        .where('expires_at', '>', at.nowMs)
        .returningAll()
        .executeTakeFirst()
    const row = await this.#run((db) =>
      this.#isServer ? db.transaction().execute(update) : update(db),
    )
    return row && familyOf(row)
  }

  /** Removes a family; returns whether it existed. */
  async remove(id: string): Promise<boolean> {
    const row = await this.#run((db) =>
      db.deleteFrom('refresh_families').where('id', '=', id).returning('id').executeTakeFirst(),
    )
    return row !== undefined
  }

  /** @param beforeMs those that were created before it; milliseconds since the epoch */
  async removeOfUser(realm_uri: string, authid: string, beforeMs: number): Promise<void> {
    await this.#run((db) =>
      db
        .deleteFrom('refresh_families')
        .where('realm_uri', '=', realm_uri)
        .where('authid', '=', authid)
        .where('created_at', '<', beforeMs)
        .execute(),
    )
  }

  async removeOfRealm(realm_uri: string): Promise<void> {
    await this.#run((db) =>
      db.deleteFrom('refresh_families').where('realm_uri', '=', realm_uri).execute(),
    )
  }

  async removeExpired(nowMs: number): Promise<void> {
    await this.#run((db) =>
      db.deleteFrom('refresh_families').where('expires_at', '<=', nowMs).execute(),
    )
  }
}
