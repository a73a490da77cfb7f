/** Two small tables of names and values: of the store itself, and of the files that were loaded. */
import type { Clock } from '#component/clock.ts'
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

/** The last load of a file. */
export interface FileLoad {
  /** Of the document. */
  readonly hash: string
  /** Milliseconds since the epoch; null: not known. */
  readonly ms: number | null
}

/** The last load of each file, so that a restart does not undo later loads. Methods throw as those of {@link MetaStore}. */
export class FileStore {
  readonly #run: Run
  readonly #clock: Pick<Clock, 'now'>

  constructor(run: Run, clock: Pick<Clock, 'now'>) {
    this.#run = run
    this.#clock = clock
  }

  /** The last loads of files, by their absolute paths; one that was never loaded is absent. */
  async lastLoads(paths: readonly string[]): Promise<ReadonlyMap<string, FileLoad>> {
    const rows = await this.#run((db) =>
      db.selectFrom('files').select(['path', 'hash', 'ms']).where('path', 'in', paths).execute(),
    )
    return new Map(rows.map(({ path, ...load }) => [path, load]))
  }

  /** Keeps the hashes of the documents that were loaded from files just now, by their absolute paths. */
  async setLoadedHashes(hashes: ReadonlyMap<string, string>): Promise<void> {
    if (hashes.size === 0) return
    const ms = this.#clock.now()
    const rows = Array.from(hashes, ([path, hash]) => ({ path, hash, ms }))
    await this.#run((db) =>
      db
        .insertInto('files')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('path').doUpdateSet(({ ref }) => ({ hash: ref('excluded.hash'), ms })),
        )
        .execute(),
    )
  }
}
