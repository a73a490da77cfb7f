/** The hash last loaded from each file, so that a restart does not undo later loads. */
import type { Run } from './database.ts'

/** The table of files. Methods throw ServiceError `service.error.unavailable`. */
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
