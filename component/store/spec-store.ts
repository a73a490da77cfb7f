/** API Specifications in the store: the newest version of each id, and tombstones of the deleted ones. */
import type { Run } from './database.ts'
import { readDocument, type StoredDocument, writeDocument } from './stored-json.ts'

/** The newest version of an id. */
export interface SpecEntry {
  readonly id: string
  /** Milliseconds since the epoch; greater than that of every version before. */
  readonly ts: number
  /** The node that loaded it. */
  readonly node: string
  /** SHA-256, hex, of the document's canonical JSON; null in a tombstone. */
  readonly hash: string | null
  /** Null in a tombstone. */
  readonly document: StoredDocument | null
}

/** The table of API Specifications. Methods throw ServiceError `service.error.unavailable`. */
export class SpecStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /** Keeps the version in the place of the id's version before; on the disk when it resolves. */
  async put(entry: SpecEntry): Promise<void> {
    const row = {
      ms: entry.ts,
      node: entry.node,
      hash: entry.hash,
      document: entry.document && writeDocument(entry.document),
    }
    await this.#run((db) =>
      db
        .insertInto('api_specs')
        .values({ id: entry.id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute(),
    )
  }

  /** Every entry, tombstones included, oldest first. */
  async all(): Promise<SpecEntry[]> {
    const rows = await this.#run((db) =>
      db.selectFrom('api_specs').selectAll().orderBy('ms').orderBy('id').execute(),
    )
    return rows.map(({ id, ms, node, hash, document }) => ({
      id,
      ts: ms,
      node,
      hash,
      document: document === null ? null : readDocument(document),
    }))
  }
}
