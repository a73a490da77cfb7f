/** Two small tables of names and values: of the store itself, and of the files that were loaded. */
import type { Run } from './tables.ts'

/** Values of the store itself, such as a check of its key; each is written once. Methods throw ServiceError `service.error.unavailable`. */
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

/** The hash last loaded from each file, so that a restart does not undo later loads. Methods throw as those of {@link MetaStore}. */
export class FileStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /**
   * The hash that was last loaded from a file; undefined when nothing was.
   * @param path absolute
   */
  async loadedHash(path: string): Promise<string | undefined> {
    const row = await this.#run((db) =>
      db.selectFrom('files').select('hash').where('path', '=', path).executeTakeFirst(),
    )
    return row?.hash
  }

  /** Keeps the hash of the document that was loaded from a file. */
  async setLoadedHash(path: string, hash: string): Promise<void> {
    await this.#run((db) =>
      db
        .insertInto('files')
        .values({ path, hash })
        .onConflict((conflict) => conflict.column('path').doUpdateSet({ hash }))
        .execute(),
    )
  }
}
