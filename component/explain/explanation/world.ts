/** The documents that a request is explained against: those of the node, and one that is not loaded in place of its id. */

import type { Surroundings } from '#component/explain/near-misses/near-misses.ts'
import { type Unserved, unservedRoutes } from '#component/explain/near-misses/unserved.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Tried } from '#component/registry/change.ts'
import type { Conflict } from '#component/registry/live-documents.ts'
import type { RoutingTable } from '#component/routes/routing-table.ts'
import { type JsonMap, memberOf } from '#component/syntax/values.ts'
import { runAtOnce } from '#component/yielding.ts'

/** The documents of a node. */
export interface Documents {
  /** The table that is served. */
  table(): RoutingTable<Route>
  /** The newest versions as they were loaded. */
  documents(): readonly JsonMap[]
  conflicts(): readonly Conflict[]
  /** The version that is served, as it was loaded. */
  served(id: string): Promise<JsonMap | undefined>
  /** Checks a document as a load would. */
  tryOut(document: unknown, within?: string): Promise<Tried<Route>>
}

/** What a request is explained against. */
export interface World extends Surroundings {
  readonly table: RoutingTable<Route>
  documentOf(id: string): Promise<JsonMap | undefined>
}

/**
 * @param document that is not loaded
 * @param within the only realm whose documents may be seen; undefined: all
 * @throws ServiceError as a load of the document
 */
export async function worldWith(
  node: Documents,
  document: JsonMap | undefined,
  within: string | undefined,
): Promise<World> {
  const tried = document && (await node.tryOut(document, within))
  const others = node.documents().filter(({ id }) => id !== tried?.id)
  const documents = tried ? [...others, tried.document] : others
  const conflicts = node.conflicts().filter(({ id }) => id !== tried?.id)
  const isVisible = (realm_uri: unknown) => within === undefined || within === realm_uri
  const realmOf = new Map(documents.map((one) => [one.id, memberOf(one, 'realm_uri')]))
  const nameOf = (id: string) => (isVisible(realmOf.get(id)) ? id : 'a document of another realm')
  const table = tried?.table ?? node.table()
  const unserved: Unserved[] = runAtOnce(unservedRoutes(documents, conflicts, nameOf))
  return {
    ...{ table, unserved, isVisible },
    // no request comes near a procedure or a delivery
    entries: table.entries.filter(({ procedure, delivery }) => !procedure && !delivery),
    documentOf: async (id) => (id === tried?.id ? tried.document : await node.served(id)),
  }
}
