/** A folder of API Specifications and realms beside the documents of the gateway: which differ, and in which members. */

import type { AdminClient } from '#component/cli/admin-client.ts'
import { listOf, pathOf, realmPath, withoutTs } from '#component/cli/documents.ts'
import { hashOf } from '#component/replica/entry.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { mapOrEmpty } from '#component/syntax/values.ts'
import { type FolderDocument, ownerOf } from './folder.ts'

/** A document of the folder that the gateway has with other content. */
export interface ChangedDocument {
  readonly source: FolderDocument
  /** Of the gateway's version. */
  readonly hash: string
  /** The gateway's version. */
  readonly current: JsonMap
}

/** The outcome of comparing; documents of the folder in its order, others by id. */
export interface Comparison {
  /** The gateway does not have them. */
  readonly created: readonly FolderDocument[]
  readonly changed: readonly ChangedDocument[]
  readonly same: readonly FolderDocument[]
  /** Ids of the owner's documents that the folder lacks. */
  readonly deleted: readonly string[]
  /** Ids of the other documents that the folder lacks. */
  readonly unmanaged: readonly string[]
  /** Every API Specification of the gateway, without `ts`. */
  readonly served: ReadonlyMap<string, JsonMap>
}

/** Compares by hashes. Realms that the folder lacks are left out: none is ever deleted. @param owner whose documents are deleted when the folder lacks them; undefined: none are */
export async function compare(
  client: AdminClient,
  documents: readonly FolderDocument[],
  owner: string | undefined,
): Promise<Comparison> {
  const { body } = await client.request('GET', '/api_specs')
  const served = new Map(listOf(body).map((each) => [String(each.id), withoutTs(each)]))
  const created: FolderDocument[] = []
  const changed: ChangedDocument[] = []
  const same: FolderDocument[] = []
  for (const source of documents) {
    const found = source.isRealm ? undefined : served.get(source.id)
    if (found && hashOf(found) === source.hash) {
      same.push(source)
      continue
    }
    const current = found || source.isRealm ? await readDocument(client, source) : undefined
    if (!current) created.push(source)
    else if (source.isRealm && hashOf(current.current) === source.hash) same.push(source)
    // a list of versions is shown as a map: only the gateway's own hash says whether it is the same
    else if (current.hash === source.hash) same.push(source)
    else changed.push({ source, ...current })
  }
  const ids = new Set(documents.flatMap(({ id, isRealm }) => (isRealm ? [] : [id])))
  const others = [...served.keys()].filter((id) => !ids.has(id))
  const isOwned = (id: string) => owner !== undefined && ownerOf(served.get(id) ?? {}) === owner
  return {
    ...{ created, changed, same, served },
    deleted: others.filter(isOwned),
    unmanaged: others.filter((id) => !isOwned(id)),
  }
}

/** Reads the current document of the gateway and its hash; undefined when the gateway does not have the id. */
export async function readDocument(
  client: AdminClient,
  { id, isRealm }: Pick<FolderDocument, 'id' | 'isRealm'>,
): Promise<{ readonly current: JsonMap; readonly hash: string } | undefined> {
  const path = isRealm ? realmPath(id) : pathOf(id)
  const answer = await client.request('GET', path, undefined, undefined, [404])
  if (answer.status === 404) return undefined
  return { current: withoutTs(mapOrEmpty(answer.body)), hash: answer.hash ?? '' }
}
