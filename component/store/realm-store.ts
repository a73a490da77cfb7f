/** Realm documents in the store. */
import type { Run } from './database.ts'
import { readDocument, type StoredDocument, writeDocument } from './stored-json.ts'

/** The newest document of a realm. */
export interface RealmEntry {
  readonly uri: string
  /** Milliseconds since the epoch. */
  readonly ts: number
  /** The node that loaded it. */
  readonly node: string
  /** Passwords are replaced by what checks them. */
  readonly document: StoredDocument
}

/** The table of realms. Methods throw ServiceError `service.error.unavailable`. */
export class RealmStore {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  /** Keeps all of them or none, in the place of the documents before; on the disk when it resolves. */
  async put(entries: readonly RealmEntry[]): Promise<void> {
    if (entries.length === 0) return
    const rows = entries.map(({ uri, ts, node, document }) => ({
      uri,
      ms: ts,
      node,
      document: writeDocument(document),
    }))
    await this.#run((db) =>
      db
        .insertInto('realms')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('uri').doUpdateSet((row) => ({
            ms: row.ref('excluded.ms'),
            node: row.ref('excluded.node'),
            document: row.ref('excluded.document'),
          })),
        )
        .execute(),
    )
  }

  /** Every realm, by URI. */
  async all(): Promise<RealmEntry[]> {
    const rows = await this.#run((db) =>
      db.selectFrom('realms').selectAll().orderBy('uri').execute(),
    )
    return rows.map(({ uri, ms, node, document }) => ({
      uri,
      ts: ms,
      node,
      document: readDocument(document),
    }))
  }
}
