/** The table of indexes: what is known of API Specifications that were compiled, so that a start need not compile them. */
import type { Run, SpecIndexRow } from './tables.ts'

/** Rows that are read by one statement. */
const pageSize = 500

/** Methods throw ServiceError `service.error.unavailable`. */
export class SpecIndexStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /** The indexes that a maker has made, by the id of the document. */
  async all(maker: string): Promise<Map<string, SpecIndexRow>> {
    const found = new Map<string, SpecIndexRow>()
    let page: readonly SpecIndexRow[]
    let last = ''
    do {
      page = await this.#run((db) =>
        db
          .selectFrom('spec_indexes')
          .selectAll()
          .where('id', '>', last)
          .where('maker', '=', maker)
          .orderBy('id')
          .limit(pageSize)
          .execute(),
      )
      for (const row of page) found.set(row.id, row)
      last = page.at(-1)?.id ?? last
    } while (page.length === pageSize)
    return found
  }

  /** Keeps indexes, each in the place of the one of the same document. @param rows at most a few hundred, of different documents */
  async keep(rows: readonly SpecIndexRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#run((db) =>
      db
        .insertInto('spec_indexes')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(({ ref }) => ({
            hash: ref('excluded.hash'),
            maker: ref('excluded.maker'),
            text: ref('excluded.text'),
          })),
        )
        .execute(),
    )
  }

  /** Removes the indexes of documents. @param ids at most a few hundred */
  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#run((db) => db.deleteFrom('spec_indexes').where('id', 'in', ids).execute())
  }
}
