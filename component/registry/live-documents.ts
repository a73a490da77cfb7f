/** The documents of this node and the routing table made of them: every change is compiled first, then the table is swapped once. */
import type { Issue } from '#component/errors.ts'
import type { DescribedVersion } from '#component/gateway/api.ts'
import type { OpenedChange, OpenedEntry } from '#component/replica/envelope.ts'
import { compareStamps } from '#component/replica/stamp.ts'
import { type OwnedPlaces, RealmPlaces } from '#component/routes/realm-places.ts'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import { changeBetween, type TableChange } from '#component/routes/table-change.ts'
import { runSteps, type Steps } from '#component/yielding.ts'
import { FallbackDocuments } from './fallback-document.ts'
import { announceConflict, type RegistryPorts } from './registry-ports.ts'
import { type Known, type Loss, reselect, type Selection, select } from './selection.ts'
import type { SpecReplica } from './spec-replica.ts'
import type { Stage } from './stage.ts'

/** A document whose newest version is not served here. */
export interface Conflict {
  readonly id: string
  /** Of the newest version; milliseconds since the epoch. */
  readonly ts: number
  readonly hash: string
  readonly node: string
  readonly reason: 'routes_taken' | 'does_not_compile'
  /** `ts` of the older version that serves in its place; null when none does. */
  readonly serves: number | null
  /** The id that a route of it belongs to, and the JSON Pointer of that route. */
  readonly other?: string
  readonly path?: string
}

/** A route that is served for another document. */
export interface Taken {
  /** JSON Pointer of the route in the document that wants it. */
  readonly path: string
  readonly pattern: string
  readonly other: string
}

const isOfProcedure = (path: string): boolean => path.startsWith('/procedures/')

/** The issue that a load is refused with. */
export const issueOf = ({ path, pattern, other }: Taken): Issue => ({
  path,
  message: `the ${isOfProcedure(path) ? 'procedure' : 'route'} ${pattern} belongs to ${other} already`,
})

/** The effect that a document would have on the table. */
export interface Trial<R> {
  readonly selection: Selection<R>
  /** Its routes that are served for others, in its own order. */
  readonly taken: readonly Taken[]
}

/** What is known anew, by id; undefined: deleted. */
type Changed<R> = ReadonlyMap<string, Known<R> | undefined>

/** More documents that change at once are selected among all: one table costs less than many. */
const mostReplaced = 16

/** Every document that is not deleted. */
export class LiveDocuments<R> {
  readonly #ports: RegistryPorts<R>
  readonly #fallback: FallbackDocuments<R>
  readonly #known = new Map<string, Known<R>>()
  #table = RoutingTable.build<R>([]).table
  #losses: ReadonlyMap<string, Loss> = new Map()
  #places = new RealmPlaces()
  /** The expected next change, compiled and selected already. */
  #expected: Stage<R> | undefined

  constructor(ports: RegistryPorts<R>, replica: Pick<SpecReplica, 'versions'>) {
    this.#ports = ports
    this.#fallback = new FallbackDocuments(ports, replica)
  }

  /** The newest version of a document, whether it is served or not. */
  get(id: string): Known<R>['entry'] | undefined {
    return this.#known.get(id)?.entry
  }

  /** The hash of the version that is served; undefined when none is. */
  servedHash(id: string): string | undefined {
    return this.#losses.has(id) ? undefined : this.#known.get(id)?.good?.hash
  }

  /** The active versions of what is served; none when nothing is. */
  servedVersions(id: string): readonly DescribedVersion[] {
    return this.#losses.has(id) ? [] : (this.#known.get(id)?.good?.api.versions ?? [])
  }

  /** The ids, in alphabetical order. */
  get ids(): string[] {
    return [...this.#known.keys()].sort()
  }

  get size(): number {
    return this.#known.size
  }

  /** The routes of all documents that they serve, or would serve as soon as they compile or other documents leave them free. */
  get places(): RealmPlaces {
    return this.#places
  }

  /** What is served now. */
  get selection(): Selection<R> {
    return { table: this.#table, losses: this.#losses, clashes: [], touched: [] }
  }

  /** The routes of a document's newest version that compiles, whether they are served or not. */
  entriesOf(id: string): readonly RouteEntry<R>[] {
    return this.#known.get(id)?.good?.api.entries ?? []
  }

  /** Keeps the results of compiling documents for the next change, if that changes these documents. */
  expect(stage: Stage<R>): void {
    this.#expected = stage
  }

  /**
   * Makes changes live. What does not compile, or has its routes taken, is reported and kept; it never hides others.
   * @param isNews false at the start: conflicts from before are logged, and not announced again
   */
  async take(changes: readonly OpenedChange[], isNews = true): Promise<void> {
    const known = new Map<string, Known<R> | undefined>()
    const stage = this.#expected
    this.#expected = undefined
    const compiled = ({ id, document }: OpenedEntry) => stage?.compiled(id, document)
    const isExpected =
      changes.length === stage?.size && changes.every(({ entry }) => compiled(entry) !== undefined)
    for (const { entry, before } of changes) {
      const { id, stamp, hash } = entry
      const former = known.has(id) ? known.get(id) : this.#known.get(id)
      const api = isExpected ? compiled(entry) : undefined
      known.set(id, await this.#fallback.of(entry, former, api))
      if (!isNews || stamp.node === this.#ports.node) continue
      const line = { api_spec: id, from: stamp.node, hash, old_hash: before?.hash }
      this.#ports.log.info(
        line,
        hash === null ? 'deleted on another node' : 'received from another node',
      )
    }
    const { selection, places } = isExpected ? stage : await this.#staged(known)
    const change = changeBetween(this.#table, selection.table, selection.touched)
    await this.#ports.prepare(change)
    this.#places = places
    this.#swap(known, selection, change, isNews)
  }

  async #staged(known: Changed<R>): Promise<Pick<Stage<R>, 'selection' | 'places'>> {
    const selection = await runSteps(this.#selectWith(known), this.#ports.yieldTurn)
    const places = this.#places.fork()
    for (const [id, one] of known) places.replace(this.placesOf(id), one ? ownedPlaces(one) : [])
    return { selection, places }
  }

  /** Selects once these documents are known anew: one by one, or among all where that is not possible or costs less. */
  *#selectWith(changed: Changed<R>): Steps<Selection<R>> {
    const quick = changed.size > mostReplaced ? undefined : yield* this.#reselectEach(changed)
    if (quick) return quick
    const all = new Map<string, Known<R> | undefined>([...this.#known, ...changed])
    return yield* select([...all.values()].filter((one) => one !== undefined))
  }

  *#reselectEach(changed: Changed<R>): Steps<Selection<R> | undefined> {
    let selection: Selection<R> | undefined = this.selection
    const known = (id: string) => (changed.has(id) ? changed.get(id) : this.#known.get(id))
    const entriesOf = (id: string) => known(id)?.good?.api.entries ?? []
    for (const id of changed.keys()) {
      if (selection) selection = yield* reselect(selection, id, entriesOf(id), entriesOf)
    }
    return selection
  }

  #swap(
    changed: Changed<R>,
    selection: Selection<R>,
    change: TableChange<R>,
    isNews: boolean,
  ): void {
    const before = this.#losses
    for (const [id, known] of changed) {
      if (known) this.#known.set(id, known)
      else this.#known.delete(id)
    }
    this.#table = selection.table
    this.#losses = selection.losses
    this.#ports.onSwap(selection.table, change)
    for (const [id, loss] of selection.losses) {
      if (!isSameStamp(loss, before.get(id))) this.#tellLoss(id, loss, isNews)
    }
    for (const [id, loss] of before) {
      const isBack = !selection.losses.has(id) && isSameStamp(this.#known.get(id)?.good, loss)
      if (isBack)
        this.#ports.log.info(
          { api_spec: id },
          'the routes of the document are free again: it is served',
        )
    }
  }

  #tellLoss(id: string, { stamp, other, path }: Loss, isNews: boolean): void {
    const { log, node } = this.#ports
    log.error({ api_spec: id, other, path }, 'routes of the document are taken: it is not served')
    // the node that made the version publishes the event, so that there is one
    if (!isNews || stamp.node !== node) return
    const hash = this.#known.get(id)?.good?.hash
    announceConflict(this.#ports, { id, ts: stamp.ms, hash, node, other, path })
  }

  /** Selects as if a document were loaded, among all; returns the selection, and the routes that are taken. */
  *tryOutAmongAll(id: string, entries: readonly RouteEntry<R>[]): Steps<Trial<R>> {
    const losses = this.#losses
    const selection = yield* select(this.#known.values(), { id, entries })
    const takers = new Map<string, Set<string>>()
    for (const { api, otherApi, otherPath, otherPattern } of selection.clashes) {
      if (otherApi !== id || losses.has(api)) continue
      const key = `${otherPath} ${otherPattern}`
      takers.set(key, (takers.get(key) ?? new Set()).add(api))
    }
    if (takers.size === 0) return { selection, taken: [] }
    const taken = entries.flatMap(({ path, pattern }) =>
      Array.from(takers.get(`${path} ${pattern}`) ?? [], (other) => ({ path, pattern, other })),
    )
    return { selection, taken }
  }

  /** The places of a document, by the realm that they belong to. */
  placesOf(id: string): readonly OwnedPlaces[] {
    const known = this.#known.get(id)
    return known ? ownedPlaces(known) : []
  }

  /** The documents whose newest version is not served, by id. */
  conflicts(): Conflict[] {
    return this.ids.flatMap((id): Conflict[] => {
      const { entry, good } = this.#known.get(id) ?? {}
      if (!entry) return []
      const loss = this.#losses.get(id)
      const isCompiled = isSameStamp(good, entry)
      if (isCompiled && !loss) return []
      const { stamp, hash } = entry
      return [
        {
          ...{ id, ts: stamp.ms, hash, node: stamp.node },
          reason: isCompiled ? 'routes_taken' : 'does_not_compile',
          serves: good && !loss ? good.stamp.ms : null,
          ...(loss && { other: loss.other, path: loss.path }),
        },
      ]
    })
  }
}

/** By realm: what is served may be of another one than the newest version, until that compiles. */
function ownedPlaces<R>({ entry, good, places = [] }: Known<R>): readonly OwnedPlaces[] {
  const { realm_uri: newest } = entry.document
  const realm_uri = typeof newest === 'string' ? newest : undefined
  const entries = good?.api.entries ?? []
  const isMoved = entries[0]?.realm_uri !== realm_uri
  return [
    { realm_uri, places },
    { realm_uri: isMoved ? undefined : realm_uri, places: entries },
  ].filter((owned) => owned.places.length > 0)
}

type Stamped = Pick<Loss, 'stamp'>

const isSameStamp = (a: Stamped | undefined, b: Stamped | undefined): boolean =>
  a !== undefined && b !== undefined && compareStamps(a.stamp, b.stamp) === 0
