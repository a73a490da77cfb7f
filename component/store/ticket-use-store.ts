/** The table of tickets that end when they are not used: when each was used last, as far as processes have told. */
import type { Run } from './tables.ts'

/** Methods throw ServiceError `service.error.unavailable`. Times are seconds since the epoch. */
export class TicketUseStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /** Keeps the time of a use; an earlier one than the kept changes nothing. @param exp when the ticket ends in any case */
  async note(ticket: string, used_at: number, exp: number): Promise<void> {
    await this.#run((db) =>
      db
        .insertInto('ticket_uses')
        .values({ ticket, used_at, exp })
        .onConflict((conflict) =>
          conflict
            .column('ticket')
            .doUpdateSet({ used_at })
            .where('ticket_uses.used_at', '<', used_at),
        )
        .execute(),
    )
  }

  /** When the ticket was used last; undefined where no process has told. */
  async lastUse(ticket: string): Promise<number | undefined> {
    const row = await this.#run((db) =>
      db
        .selectFrom('ticket_uses')
        .select('used_at')
        .where('ticket', '=', ticket)
        .executeTakeFirst(),
    )
    return row?.used_at
  }

  /** Removes the tickets that have ended. */
  async sweep(now: number): Promise<void> {
    await this.#run((db) => db.deleteFrom('ticket_uses').where('exp', '<=', now).execute())
  }
}
