/** The table of tickets that end when they are not used, and of API keys: when each was used last, as far as processes have told. */
import type { Run } from './tables.ts'

/** Fewer than the parameters that a database takes. */
const idsPerQuery = 1_000

/** Methods throw ServiceError `service.error.unavailable`. Times are seconds since the epoch. */
export class TicketUseStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /** Keeps the time of a use; an earlier one than the kept changes nothing. @param ticket its id, or that of an API key @param exp when the row may go */
  async note(ticket: string, used_at: number, exp: number): Promise<void> {
    await this.#run((db) =>
      db
        .insertInto('ticket_uses')
        .values({ ticket, used_at, exp })
        .onConflict((conflict) =>
          conflict
            .column('ticket')
            .doUpdateSet({ used_at, exp })
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

  /** The last uses of those that processes have told of. */
  async lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>()
    for (let at = 0; at < ids.length; at += idsPerQuery) {
      const asked = ids.slice(at, at + idsPerQuery)
      const rows = await this.#run((db) =>
        db
          .selectFrom('ticket_uses')
          .select(['ticket', 'used_at'])
          .where('ticket', 'in', asked)
          .execute(),
      )
      for (const { ticket, used_at } of rows) found.set(ticket, used_at)
    }
    return found
  }

  /** Removes the tickets that have ended. */
  async sweep(now: number): Promise<void> {
    await this.#run((db) => db.deleteFrom('ticket_uses').where('exp', '<=', now).execute())
  }
}
