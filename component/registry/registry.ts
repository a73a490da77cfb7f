/** The API Specifications of this node: load, remove, list, and go back; live and on the disk when a change resolves. */
import { ServiceError } from '#component/errors.ts'
import type { DescribedVersion } from '#component/gateway/api.ts'
import { type LoadedDocument, loadingDocument } from '#component/replica/document-text.ts'
import type { Change, Document, Entry } from '#component/replica/entry.ts'
import { type Conditions, checkConditions } from '#component/replica/history.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { info, represent } from '#component/spec/represent.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { inTurn, runSteps, type Steps } from '#component/yielding.ts'
import { examine, idOf, judge } from './candidate.ts'
import {
  checkWithin,
  isWithin,
  type Loaded,
  type Removed,
  type Shown,
  type Tried,
  unknownId,
} from './change.ts'
import { type Conflict, LiveDocuments } from './live-documents.ts'
import { Loading } from './loading.ts'
import { announceLost, type RegistryPorts } from './registry-ports.ts'
import type { LiveEntry } from './selection.ts'
import { SpecHistory } from './spec-history.ts'
import { SpecReplica } from './spec-replica.ts'
import { Stage } from './stage.ts'

const someone = 'the gateway'

/** The document of a file, with its hash. */
export interface FileDocument {
  readonly document: unknown
  /** Names the file, for the log. */
  readonly by: string
  readonly hash: string
}

const isThere = (reason: unknown): boolean =>
  reason instanceof ServiceError && reason.uri === 'service.error.conflict'

/** Every API Specification known here. */
export class Registry<R = unknown> {
  /** Loads since the start, whichever way they came. */
  readonly counts = { loaded: 0, refused: 0 }
  /** The versions that documents have had. */
  readonly history: SpecHistory
  /** Called once changes are live here, whichever node has made them. */
  onChanged: (changes: readonly Change[]) => void = () => undefined
  readonly #ports: RegistryPorts<R>
  readonly #replica: SpecReplica
  readonly #live: LiveDocuments<R>
  readonly #loading: Loading<R>
  /** Changes run one after the other. */
  readonly #serially = inTurn()

  constructor(ports: RegistryPorts<R>) {
    this.#ports = ports
    this.#replica = new SpecReplica(ports.replica, ports.yieldTurn)
    this.#live = new LiveDocuments(ports, this.#replica)
    this.#loading = new Loading(ports, this.#replica, this.#live)
    this.history = new SpecHistory(this.#replica)
  }

  /** Makes the documents of the replica live, and from then on their changes; called before the first change. */
  async start(): Promise<void> {
    this.#replica.watch(async (changes) => {
      await this.#live.take(changes)
      this.onChanged(changes)
    })
    const entries = this.#replica.entries()
    const { checked } = this.#ports
    await checked?.open()
    await this.#live.take(
      entries.map((entry) => ({ entry, before: undefined })),
      false,
    )
    checked?.close()
  }

  /**
   * Loads a document: live and on the disk when it resolves; a small one that is asked for later waits for a large one.
   * @param document copied at once, a large one in steps: it must not be changed meanwhile
   * @param by the operator, for the log
   * @param within the realm that both the document and the one in its place must belong to
   * @throws InvalidSpecError with every issue, of `service.error.already_exists` when all that is wrong is that routes
   *   are another's; ServiceError `service.error.conflict` when a condition does not hold, `wamp.error.not_authorized`
   *   for what is not within the realm or reaches beyond it, `service.error.unavailable` when the store is away; then nothing has changed
   */
  load(
    document: unknown,
    by = someone,
    conditions: Conditions = {},
    within?: string,
  ): Promise<Loaded> {
    return this.#counted(() =>
      this.#withCopy(document, (kept) =>
        this.#loading.load({ read: () => kept, by, conditions, within }),
      ),
    )
  }

  /**
   * Loads the documents of files, each unless it is the current version: of several processes that start on one store, one loads it.
   * @param files with different ids; nothing else may change their documents
   * @returns the result of each, in their order; undefined when it was there, else rejected with what {@link load} throws
   */
  loadUnlessThere(
    files: readonly FileDocument[],
  ): Promise<PromiseSettledResult<Loaded | undefined>[]> {
    return this.#serially(async () => {
      const results = await this.#loading.loadAll(
        files.map(({ document, by, hash }) => ({
          read: () => this.#run(loadingDocument(document)),
          ...{ by, conditions: { ifNoneMatch: [hash] } },
        })),
      )
      return results.map((result): PromiseSettledResult<Loaded | undefined> => {
        if (result.status === 'fulfilled') this.counts.loaded++
        else if (isThere(result.reason)) return { status: 'fulfilled', value: undefined }
        else this.counts.refused++
        return result
      })
    })
  }

  /**
   * Loads a document of the history once more, also of an id that was deleted.
   * @param hash of the version
   * @throws ServiceError `service.error.not_found`, and whatever {@link load} throws
   */
  rollback(
    id: string,
    hash: string,
    by = someone,
    conditions: Conditions = {},
    within?: string,
  ): Promise<Loaded> {
    const task = async () => {
      const { document } = await this.history.find(id, hash, within)
      const read = () => this.#run(loadingDocument(document))
      return this.#loading.load({ read, by, conditions, within })
    }
    return this.#counted(() => this.#serially(task))
  }

  /** Checks a document as {@link load} does, without keeping it, and tells what would be served with it. Throws the same. */
  async tryOut(document: unknown, within?: string): Promise<Tried<R>> {
    const kept = await this.#run(loadingDocument(document))
    checkWithin(kept.value, within)
    const candidate = await examine(kept, this.#ports)
    checkWithin(this.#live.get(idOf(candidate) ?? '')?.document, within)
    const { managementPaths } = this.#ports
    const around = { live: new Stage(this.#live), managementPaths, isWithin: within !== undefined }
    const accepted = await this.#run(judge(candidate, around))
    if (accepted === undefined) throw new TypeError('nothing was accepted before the document')
    const { api, warnings } = accepted
    const { table } = accepted.selection
    return { id: api.id, document: kept.value as Document, warnings, table } // what compiles is a map
  }

  /** Compiles the newest version of a document again, and serves that: what was known of it is not what it compiles to. */
  async recompile(id: string): Promise<void> {
    await this.#replica.change(async () => {
      const entry = this.#live.get(id)
      if (entry) await this.#live.take([{ entry, before: entry }], false)
      return []
    })
  }

  /**
   * Tells that a change made on this node has lost against one made without knowing it; the loser stays in the history.
   * @param loser of any kind
   */
  tellLost(loser: Entry, winner: Entry): void {
    announceLost(this.#ports, loser, winner)
  }

  /**
   * Removes an API: its routes are gone when it resolves.
   * @throws ServiceError `service.error.not_found`, `service.error.conflict`, `wamp.error.not_authorized`,
   *   `service.error.unavailable`
   */
  remove(id: string, by = someone, conditions: Conditions = {}, within?: string): Promise<Removed> {
    return this.#serially(async () => {
      const [change] = await this.#replica.change(async () => {
        checkWithin(this.#live.get(id)?.document, within)
        checkConditions(this.#live.get(id)?.hash, conditions)
        this.#entry(id)
        return [{ id, document: null, by }]
      })
      if (change === undefined) throw new TypeError('the replica has lost a change')
      await this.#ports.registered?.(id)
      this.#ports.log.info({ api_spec: id, by, old_hash: change.before?.hash }, 'deleted')
      return { id, ts: change.entry.stamp.ms }
    })
  }

  /**
   * The full document with `ts`, and its hash.
   * @param within the realm that it must belong to
   * @throws ServiceError `service.error.not_found`, `wamp.error.not_authorized`
   */
  get(id: string, within?: string): Shown {
    const { document, stamp, hash } = this.#entry(id, within)
    return { document: represent(document, stamp.ms), hash }
  }

  /** id, name, host, realm_uri, meta, as far as the document has them, and ts. Throws as {@link get} does. */
  info(id: string, within?: string): JsonMap {
    const { document, stamp } = this.#entry(id, within)
    return info(document, stamp.ms)
  }

  /** The full documents, by id. @param within the realm whose documents are meant; all when absent */
  list(within?: string): JsonMap[] {
    const all = this.#live.ids.map((id) => this.get(id).document)
    return all.filter((document) => isWithin(document, within))
  }

  /** The newest versions as they were loaded, by id, whether they are served or not. */
  documents(): JsonMap[] {
    return this.#live.ids.map((id) => this.#entry(id).document)
  }

  /** The hash of the version that this node serves; undefined when it serves none. */
  servedHash(id: string): string | undefined {
    return this.#live.servedHash(id)
  }

  /** The version that this node serves, as it was loaded; undefined when it serves none. */
  async served(id: string): Promise<JsonMap | undefined> {
    const hash = this.#live.servedHash(id)
    const newest = this.#live.get(id)
    if (hash === undefined) return undefined
    if (hash === newest?.hash) return newest.document
    return (await this.history.find(id, hash)).document
  }

  /** The active versions of what this node serves of a document. Throws as {@link get} does. */
  versions(id: string, within?: string): readonly DescribedVersion[] {
    this.#entry(id, within)
    return this.#live.servedVersions(id)
  }

  /** The routes of a document's newest version that compiles; none for an unknown id. */
  entriesOf(id: string): readonly RouteEntry<R>[] {
    return this.#live.entriesOf(id)
  }

  /** The documents whose newest version is not served here, by id. */
  conflicts(): Conflict[] {
    return this.#live.conflicts()
  }

  /** How many documents there are, deleted ones not counted. */
  get size(): number {
    return this.#live.size
  }

  /** How many ids are remembered as deleted. */
  get tombstones(): number {
    return this.#replica.entries().length - this.size
  }

  #entry(id: string, within?: string): LiveEntry {
    const entry = this.#live.get(id)
    checkWithin(entry?.document, within)
    if (entry) return entry
    throw unknownId()
  }

  async #counted<T extends Loaded | undefined>(load: () => Promise<T>): Promise<T> {
    try {
      const loaded = await load()
      if (loaded) this.counts.loaded++
      return loaded
    } catch (error) {
      this.counts.refused++
      throw error
    }
  }

  /** Copies the document at once, and does something with it in its turn: a small one does not overtake a large one. */
  #withCopy<T>(document: unknown, task: (kept: LoadedDocument) => Promise<T>): Promise<T> {
    const copying = this.#run(loadingDocument(document))
    copying.catch(() => undefined) // told when it is its turn
    return this.#serially(async () => task(await copying))
  }

  #run<T>(steps: Steps<T>): Promise<T> {
    return runSteps(steps, this.#ports.yieldTurn)
  }
}
