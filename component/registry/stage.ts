/** Documents that are to become live together: each is judged beside those that are live, and those before it. */
import type { Document } from '#component/replica/entry.ts'
import type { OwnedPlaces, RealmPlaces } from '#component/routes/realm-places.ts'
import type { OtherRoutes } from '#component/routes/route-conflicts.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { Steps } from '#component/yielding.ts'
import type { LiveDocuments, Trial } from './live-documents.ts'
import { reselect, type Selection, type Served } from './selection.ts'

/** A document that was accepted, compiled. */
interface Staged<R> {
  readonly document: Document
  readonly api: Served<R>
}

const placesOf = <R>({ entries }: Served<R>): readonly OwnedPlaces[] => [
  { realm_uri: entries[0]?.realm_uri, places: entries },
]

/** For one change of the registry: until it is made, nothing else changes what is live. */
export class Stage<R> {
  /** What would be served with all of them. */
  selection: Selection<R>
  /** The places of all documents with all of them. */
  places: RealmPlaces
  readonly #live: LiveDocuments<R>
  readonly #staged = new Map<string, Staged<R>>()

  constructor(live: LiveDocuments<R>) {
    this.#live = live
    this.selection = live.selection
    this.places = live.places
  }

  /** How many documents were accepted. */
  get size(): number {
    return this.#staged.size
  }

  /** Accepts a document. @param selection with it */
  add(document: Document, api: Served<R>, selection: Selection<R>): void {
    const places = this.places.fork()
    places.replace(this.#placesOf(api.id), placesOf(api))
    this.places = places
    this.#staged.set(api.id, { document, api })
    this.selection = selection
  }

  /** What an accepted document was compiled to; undefined for any other one. */
  compiled(id: string, document: Document | null): Served<R> | undefined {
    const staged = this.#staged.get(id)
    return staged?.document === document ? staged?.api : undefined
  }

  /**
   * The routes that documents of other realms serve, or would serve, on hosts that a pattern overlaps.
   * @param id of a document that is left out, whatever its realm is now
   */
  others(id: string, realm_uri: string | undefined): OtherRoutes['others'] {
    const former = this.#placesOf(id)
    const isOfOther = former.some((owned) => owned.realm_uri !== realm_uri)
    const places = isOfOther ? this.places.fork() : this.places
    if (isOfOther) places.replace(former, [])
    return (host) => places.ofOthers(realm_uri, host)
  }

  #placesOf(id: string): readonly OwnedPlaces[] {
    const staged = this.#staged.get(id)
    return staged ? placesOf(staged.api) : this.#live.placesOf(id)
  }

  /**
   * Selects as if a document were loaded.
   * @returns undefined where that can only be judged once the documents before it are live
   */
  *tryOut(id: string, entries: readonly RouteEntry<R>[]): Steps<Trial<R> | undefined> {
    const lostEntries = (lost: string) => this.#live.entriesOf(lost)
    const quick = yield* reselect(this.selection, id, entries, lostEntries)
    if (quick) return { selection: quick, taken: [] }
    return this.size > 0 ? undefined : yield* this.#live.tryOutAmongAll(id, entries)
  }
}
