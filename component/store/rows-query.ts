/** Writes of many rows by one statement, whose SQL is compiled once for each number of rows. */
import { type Compilable, CompiledQuery, type Kysely, type QueryResult } from 'kysely'
import type { Tables } from './tables.ts'

/** One kind of write to one database. Its SQL is compiled once for each number of rows; compiling takes a fifth of the time of the write. */
export class RowsQuery<Row extends object> {
  readonly #build: (db: Kysely<Tables>, rows: readonly Row[]) => Compilable
  readonly #texts = new Map<number, string>()

  /** @param build the query; its parameters are the values of the rows, in their order and that of their keys */
  constructor(build: (db: Kysely<Tables>, rows: readonly Row[]) => Compilable) {
    this.#build = build
  }

  /** @param rows all with their keys in the same order */
  execute<Result = unknown>(
    db: Kysely<Tables>,
    rows: readonly Row[],
  ): Promise<QueryResult<Result>> {
    const text = this.#texts.get(rows.length) ?? this.#build(db, rows).compile().sql
    this.#texts.set(rows.length, text)
    return db.executeQuery(CompiledQuery.raw(text, rows.flatMap(Object.values)))
  }
}

/** Rows of one statement, so that few texts are kept of writes of any size; 256 rows of 20 values are fewer than the 32,766 that SQLite takes. */
const sizes = [256, 64, 16, 4, 1] as const

/** The rows in pieces of these sizes. */
export function inSizes<Row>(rows: readonly Row[]): Row[][] {
  const pieces: Row[][] = []
  let at = 0
  for (const size of sizes) {
    for (; rows.length - at >= size; at += size) pieces.push(rows.slice(at, at + size))
  }
  return pieces
}
