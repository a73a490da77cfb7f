/** Selects the documents that are served, by stamp alone, so that nodes with the same documents serve the same. */
import type { DescribedVersion } from '#component/gateway/api.ts'
import type { Entry } from '#component/replica/entry.ts'
import { compareStamps, type Stamp } from '#component/replica/stamp.ts'
import { claimsOf } from '#component/routes/entry-patterns.ts'
import { type Clash, type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import type { Steps } from '#component/yielding.ts'

/** The parts of a compiled document that the registry uses. */
export interface Served<R> {
  readonly id: string
  /** What a gateway must know in order to serve it. */
  readonly features: readonly string[]
  readonly entries: readonly RouteEntry<R>[]
  /** The active versions, for what describes them. */
  readonly versions?: readonly DescribedVersion[]
}

/** A version that is not deleted. */
export type LiveEntry = Entry & {
  readonly document: NonNullable<Entry['document']>
  readonly hash: string
}

/** A document as this node knows it. */
export interface Known<R> {
  /** The newest version, compiled or not. */
  readonly entry: LiveEntry
  /** The newest version that compiles here; it is served unless its routes belong to another document. */
  readonly good:
    | { readonly stamp: Stamp; readonly hash: string; readonly api: Served<R> }
    | undefined
  /** The routes that the newest version would serve, as far as they can be read, where it does not compile on this node. */
  readonly places?: readonly RouteEntry<never>[]
}

/** Why a version is not served: all of its routes are left to documents with a greater stamp. */
export interface Loss {
  /** Of the version that lost. */
  readonly stamp: Stamp
  /** The id that one of its routes belongs to. */
  readonly other: string
  /** JSON Pointer of that route in the version that lost. */
  readonly path: string
}

/** The table that is served, and the documents that are left out. */
export interface Selection<R> {
  readonly table: RoutingTable<R>
  readonly losses: ReadonlyMap<string, Loss>
  /** A later document against an earlier one. */
  readonly clashes: readonly Clash[]
  /** The ids of documents that may be served otherwise than by the table before it; absent: all may. */
  readonly touched?: readonly string[]
}

/**
 * The greatest stamp first, each document as a whole: a load that was acknowledged last is always served, and never
 * half a document. One that is left out serves again as soon as those that have its routes are gone. Nodes give each
 * stamp once; should two documents have one all the same, the id decides.
 * @param first is put before all others, whatever their stamps: a load that has none yet
 */
export function* select<R>(
  known: Iterable<Known<R>>,
  first?: Pick<Served<R>, 'id' | 'entries'>,
): Steps<Selection<R>> {
  const good = [...known]
    .flatMap((one) => one.good ?? [])
    .filter(({ api }) => api.id !== first?.id)
    .sort((a, b) => compareStamps(b.stamp, a.stamp) || (a.api.id < b.api.id ? -1 : 1))
  const apis = good.map(({ api }) => api.entries)
  const all = first ? [first.entries, ...apis] : apis
  const { table, clashes } = yield* RoutingTable.buildingWhole(all)
  const stamps = new Map(good.map(({ api, stamp }) => [api.id, stamp]))
  const losses = new Map<string, Loss>()
  for (const { api, otherApi, path } of clashes) {
    const stamp = stamps.get(api)
    if (stamp && !losses.has(api)) losses.set(api, { stamp, other: otherApi, path })
  }
  return { table, losses, clashes }
}

/**
 * The selection with other entries of one document, at a cost that does not grow with the documents. undefined: others may be served
 * or left out because of it, or for another reason, which {@link select} finds out.
 * @param entries none: nothing of it is served
 * @param lostEntries of a document that is left out
 */
export function* reselect<R>(
  { table, losses, touched = [] }: Omit<Selection<R>, 'clashes'>,
  id: string,
  entries: readonly RouteEntry<R>[],
  lostEntries: (id: string) => readonly RouteEntry<R>[],
): Steps<Selection<R> | undefined> {
  const left = new Map(losses)
  left.delete(id)
  const claims = new Set(left.size > 0 ? entries.flatMap(claimsOf) : [])
  for (const [lost, { other }] of left) {
    yield
    const isOver = (entry: RouteEntry<R>) => claimsOf(entry).some((claim) => claims.has(claim))
    if (other === id || lostEntries(lost).some(isOver)) return undefined
  }
  const replaced = yield* table.replacing(id, entries)
  return replaced && { table: replaced, losses: left, clashes: [], touched: [...touched, id] }
}
