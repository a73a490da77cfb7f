/** Values of the store itself, such as a check of its key; each is written once. */
import type { Run } from './database.ts'

/** The table of these values. Methods throw ServiceError `service.error.unavailable`. */
export class MetaStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /**
   * Keeps a value unless there is one of that name.
   * @returns the kept value: the same for all processes, also when several keep one at once
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
