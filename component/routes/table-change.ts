/** What a routing table serves unlike the one before it, and what is found in the APIs of a table as it changes. */
import type { RouteEntry, RoutingTable } from './routing-table.ts'

/** The entries of one API; the same list as long as the API is the same. */
export type ApiEntries<R> = readonly RouteEntry<R>[]

/** Whole APIs. One that has changed is in both. */
export interface TableChange<R> {
  readonly added: readonly ApiEntries<R>[]
  readonly removed: readonly ApiEntries<R>[]
}

/**
 * Compares two tables.
 * @param ids of the APIs that may differ; undefined: all may
 */
export function changeBetween<R>(
  before: RoutingTable<R>,
  after: RoutingTable<R>,
  ids: Iterable<string> = idsOf(before, after),
): TableChange<R> {
  const added: ApiEntries<R>[] = []
  const removed: ApiEntries<R>[] = []
  for (const id of ids) {
    const [former, now] = [before.entriesOf(id), after.entriesOf(id)]
    if (former === now) continue
    if (former.length > 0) removed.push(former)
    if (now.length > 0) added.push(now)
  }
  return { added, removed }
}

function idsOf<R>(...tables: readonly RoutingTable<R>[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { apis } of tables) for (const [first] of apis) if (first) ids.add(first.api)
  return ids
}

/** What is found in each API of the table that is served. */
export class FoundInApis<R, T> {
  readonly #find: (entries: ApiEntries<R>) => readonly T[]
  /** Only APIs in which something is found. */
  readonly #found = new Map<ApiEntries<R>, readonly T[]>()

  constructor(find: (entries: ApiEntries<R>) => readonly T[]) {
    this.#find = find
  }

  /** Follows the table. @returns whether something is found anew, or no more */
  follow({ added, removed }: TableChange<R>): boolean {
    let isChanged = false
    for (const entries of removed) isChanged = this.#found.delete(entries) || isChanged
    for (const entries of added) {
      const found = this.#find(entries)
      if (found.length === 0) continue
      this.#found.set(entries, found)
      isChanged = true
    }
    return isChanged
  }

  /** All of it. */
  get all(): readonly T[] {
    return [...this.#found.values()].flat()
  }
}
