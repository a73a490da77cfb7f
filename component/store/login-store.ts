/** The table of logins at identity providers: their sealed tokens, and when the provider was asked about them last. */
import { sql } from 'kysely'
import type { LoginRow, Run } from './tables.ts'

/** Rows that are removed by one statement. */
const removedAtOnce = 5_000

/** Methods throw ServiceError `service.error.unavailable`. Times are milliseconds since the epoch. */
export class LoginStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /** Keeps a new login. */
  async keep(row: LoginRow): Promise<void> {
    await this.#run((db) =>
      db
        .insertInto('provider_logins')
        .values(row)
        // a transaction whose end is unknown runs again: the row may exist
        .onConflict((conflict) => conflict.column('ticket').doNothing())
        .execute(),
    )
  }

  /** @param ticket its id */
  find(ticket: string): Promise<LoginRow | undefined> {
    return this.#run((db) =>
      db.selectFrom('provider_logins').selectAll().where('ticket', '=', ticket).executeTakeFirst(),
    )
  }

  /**
   * Lets one of several processes ask the provider.
   * @param checked_at of the row that the caller has found: a login that was checked since is not leased
   * @returns whether the caller is the one
   */
  async lease(
    ticket: string,
    checked_at: number,
    nowMs: number,
    lease_until: number,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#run((db) =>
      db
        .updateTable('provider_logins')
        .set({ lease_until })
        .where('ticket', '=', ticket)
        .where('checked_at', '=', checked_at)
        .where('lease_until', '<=', nowMs)
        .executeTakeFirst(),
    )
    return numUpdatedRows === 1n
  }

  /** Keeps what the provider has said. */
  async update(
    ticket: string,
    changes: Partial<Pick<LoginRow, 'sealed' | 'checked_at' | 'lease_until'>>,
  ): Promise<void> {
    await this.#run((db) =>
      db.updateTable('provider_logins').set(changes).where('ticket', '=', ticket).execute(),
    )
  }

  async remove(ticket: string): Promise<void> {
    await this.#run((db) => db.deleteFrom('provider_logins').where('ticket', '=', ticket).execute())
  }

  /**
   * Removes the logins that a revocation ends.
   * @param id of the revocation: of a user, a subject or a session
   * @param until those that have begun by then
   */
  async removeEnded(id: string, until: number): Promise<void> {
    await this.#run((db) =>
      db
        .deleteFrom('provider_logins')
        .where('created_at', '<=', until)
        .where(({ eb, or }) =>
          or([eb('user_id', '=', id), eb('subject_id', '=', id), eb('session_id', '=', id)]),
        )
        .execute(),
    )
  }

  /** Removes the logins whose tickets have ended, and the oldest of those that are too many. */
  async sweep(nowMs: number, maxRows: number): Promise<void> {
    await this.#run((db) =>
      db.deleteFrom('provider_logins').where('expires_at', '<=', nowMs).execute(),
    )
    await this.#run((db) =>
      db
        .deleteFrom('provider_logins')
        .where(
          sql<boolean>`ticket in (select ticket from provider_logins order by created_at desc, ticket limit ${removedAtOnce} offset ${maxRows})`,
        )
        .execute(),
    )
  }
}
