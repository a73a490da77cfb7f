/** What the store says of itself, each thing once and for all. */
import type { Run } from './database.ts'

/** The table of such sayings. Methods throw ServiceError `service.error.unavailable`. */
export class MetaStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /**
   * Keeps a value unless there is one of that name.
   * @returns the one that is there: of several that were given at once, to whatever process, the same one everywhere
   */
  async keep(name: string, value: string): Promise<string> {
    const found = await this.#find(name)
    if (found !== undefined) return found
    await this.#run((db) =>
      db
        .insertInto('meta')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute(),
    )
    return (await this.#find(name)) ?? value
  }

  async #find(name: string): Promise<string | undefined> {
    const row = await this.#run((db) =>
      db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst(),
    )
    return row?.value
  }
}
