/** The APIs served here: load, remove, list; each change prepares everything, then swaps one routing table. */
import type { Clock } from '#component/clock.ts'
import { InvalidSpecError, type Issue, ServiceError } from '#component/errors.ts'
import { type Clash, type RouteEntry, RoutingTable } from '#component/gateway/routing-table.ts'
import type { Log } from '#component/log.ts'
import type { JsonMap } from '#component/spec/model.ts'
import { info, represent } from '#component/spec/represent.ts'
import { type Breathe, runSteps, type Steps } from '#component/spec/steps.ts'
import type { SpecStore } from '#component/store/spec-store.ts'
import type { CompiledDocument } from './compile-document.ts'
import { hashOf, ownCopy } from './document-steps.ts'
import { announce, type PublishEvent } from './events.ts'
import { hiddenPaths } from './hidden-paths.ts'

/** What the registry needs of a compiled document. */
interface Served<R> {
  readonly id: string
  readonly entries: readonly RouteEntry<R>[]
}

/** What the registry works with. */
export interface RegistryPorts<R> {
  readonly store: Pick<SpecStore, 'put' | 'all'>
  readonly clock: Pick<Clock, 'now'>
  readonly node: string
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly compile: (document: unknown) => Promise<CompiledDocument<Served<R>>>
  /** Lets requests have their turn in the middle of long work. */
  readonly breathe: Breathe
  /** Takes the table that is served from now on. */
  readonly onSwap: (table: RoutingTable<R>) => void
  /** Is the realm declared, or does the router let the component join it? */
  readonly realmExists: (realm_uri: string) => boolean | Promise<boolean>
  readonly publishEvent: PublishEvent
  /** Does the listener of routed paths serve management, too? */
  readonly sharesListener: boolean
}

/** What a load came to. */
export interface Loaded {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly ts: number
  /** SHA-256, hex, of the document's canonical JSON. */
  readonly hash: string
  readonly warnings: readonly Issue[]
  /** False when it took the place of another version. */
  readonly isNew: boolean
}

interface Entry<R> {
  readonly document: JsonMap
  readonly ts: number
  readonly hash: string
  /** undefined: it does not compile on this node, or its routes were taken. */
  readonly api: Served<R> | undefined
}

/** A document that may be loaded, and the table that it would make. */
interface Judged<R> {
  readonly api: Served<R>
  readonly warnings: readonly Issue[]
  readonly table: RoutingTable<R>
}

/** Every API Specification known here, and the routing table made of them. */
export class Registry<R = unknown> {
  /** Loads since the start, whichever way they came. */
  readonly counts = { loaded: 0, refused: 0 }
  readonly #ports: RegistryPorts<R>
  #entries: ReadonlyMap<string, Entry<R>> = new Map()
  #table: RoutingTable<R> = RoutingTable.build<R>([]).table
  /** The greatest `ts` ever given or seen, tombstones included. */
  #lastTs = 0
  /** Changes run one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(ports: RegistryPorts<R>) {
    this.#ports = ports
  }

  /**
   * Compiles everything in the store, oldest first, and swaps once. A document that does not compile, or whose routes
   * are taken, is reported and kept; it never hides others.
   */
  async start(): Promise<void> {
    const entries = new Map<string, Entry<R>>()
    const served: Served<R>[] = []
    for (const { id, ts, hash, document } of await this.#ports.store.all()) {
      this.#lastTs = Math.max(this.#lastTs, ts)
      if (document === null) continue
      const api = await this.#revive(id, document)
      entries.set(id, { document, ts, hash: hash ?? (await this.#run(hashOf(document))), api })
      if (api) served.push(api)
    }
    for (const { api, otherApi, path } of tableOf(served).clashes) {
      const entry = entries.get(api)
      if (api === otherApi || entry?.api === undefined) continue
      entries.set(api, { ...entry, api: undefined })
      this.#ports.log.error({ api_spec: api, other: otherApi, path }, 'its routes are taken')
      this.#announce('on_conflict', { id: api, other: otherApi, path })
    }
    const left = [...entries.values()].flatMap(({ api }) => api ?? [])
    this.#swap(entries, tableOf(left).table)
  }

  async #revive(id: string, document: JsonMap): Promise<Served<R> | undefined> {
    try {
      const { api, issues } = await this.#ports.compile(document)
      if (api) return api
      this.#ports.log.error({ api_spec: id, issues: issues.slice(0, 10) }, 'it does not compile')
    } catch (err) {
      this.#ports.log.error({ api_spec: id, err }, 'it does not compile')
    }
    return undefined
  }

  /**
   * Loads a document: live and on the disk when it resolves.
   * @param by who asked, for the log
   * @throws InvalidSpecError with every issue, of `service.error.already_exists` when all that is wrong is that routes
   *   are another's; ServiceError `service.error.unavailable` when the store is away; then nothing has changed
   */
  async load(document: unknown, by = 'the gateway'): Promise<Loaded> {
    try {
      const copy = this.#run(ownCopy(document))
      // whose turn comes later may have failed by then
      copy.catch(() => undefined)
      const loaded = await this.#load(copy, by)
      this.counts.loaded++
      return loaded
    } catch (error) {
      this.counts.refused++
      throw error
    }
  }

  #load(copy: Promise<unknown>, by: string): Promise<Loaded> {
    return this.#serially(async () => {
      const kept = await copy
      const { api, warnings, table } = await this.#judge(kept, (id, { otherApi, path }) => {
        this.#ports.log.warn(
          { api_spec: id, by, other: otherApi, path },
          'refused: a route is taken',
        )
        this.#announce('on_conflict', { id, other: otherApi, path })
      })
      const { id } = api
      const before = this.#entries.get(id)
      const accepted = kept as JsonMap // a document that compiles is a map
      const hash = await this.#run(hashOf(accepted))
      const entry = { document: accepted, ts: this.#nextTs(), hash, api }
      const { ts } = entry
      const { node, store, log } = this.#ports
      await store.put({ id, ts, node, hash, document: accepted })
      this.#lastTs = ts
      this.#swap(new Map(this.#entries).set(id, entry), table)
      log.info({ api_spec: id, by, hash, old_hash: before?.hash }, 'loaded')
      this.#announce('on_load', { id, ts, hash })
      return { id, ts, hash, warnings, isNew: before === undefined }
    })
  }

  /** Everything that load does, and nothing is kept. Throws the same. */
  async validate(document: unknown): Promise<{ id: string; warnings: readonly Issue[] }> {
    const { api, warnings } = await this.#judge(await this.#run(ownCopy(document)))
    return { id: api.id, warnings }
  }

  /** Compiles, asks for the realm, looks for clashes with the other documents; throws all it found. */
  async #judge(
    document: unknown,
    onClash: (id: string, clash: Clash) => void = () => undefined,
  ): Promise<Judged<R>> {
    const { api, realm_uri, places, issues, warnings } = await this.#ports.compile(document)
    const found = [...issues]
    const hasRealm = realm_uri === undefined || found.some(({ path }) => path === '/realm_uri')
    if (!hasRealm && !(await this.#ports.realmExists(realm_uri))) {
      found.push({ path: '/realm_uri', message: 'there is no such realm' })
    }
    const { table, clashes } = await this.#tableWith(
      api?.id ?? places[0]?.api,
      api?.entries ?? places,
    )
    if (api && found.length === 0) {
      const [clash] = clashes
      if (clash) {
        onClash(api.id, clash)
        throw new InvalidSpecError(clashes.map(issueOf), 'service.error.already_exists')
      }
      const hidden = this.#ports.sharesListener ? hiddenPaths(api.entries) : []
      return { api, warnings: [...warnings, ...hidden], table }
    }
    throw new InvalidSpecError([...found, ...clashes.map(issueOf)])
  }

  /** The table with these entries in the place of the document's, and where they are those of another document. */
  async #tableWith(id: string | undefined, entries: readonly RouteEntry<R>[]) {
    const { table, clashes } = await runSteps(this.#table.replace(id, entries), this.#ports.breathe)
    return { table, clashes: clashes.filter(({ api, otherApi }) => api === id && otherApi !== id) }
  }

  /** Removes an API: its routes are gone when it resolves. @throws ServiceError `service.error.not_found` */
  remove(id: string, by = 'the gateway'): Promise<void> {
    return this.#serially(async () => {
      const before = this.#entry(id)
      const ts = this.#nextTs()
      const { node, store, log } = this.#ports
      await store.put({ id, ts, node, hash: null, document: null })
      this.#lastTs = ts
      const entries = new Map(this.#entries)
      entries.delete(id)
      const { table } = await this.#tableWith(id, [])
      this.#swap(entries, table)
      log.info({ api_spec: id, by, old_hash: before.hash }, 'deleted')
      this.#announce('on_delete', { id, ts, hash: null })
    })
  }

  /** The full document with `ts`, and its hash. @throws ServiceError `service.error.not_found` */
  get(id: string): { readonly document: JsonMap; readonly hash: string } {
    const { document, ts, hash } = this.#entry(id)
    return { document: represent(document, ts), hash }
  }

  /** id, name, host, realm_uri, meta, as far as the document has them, and ts. Throws as {@link get} does. */
  info(id: string): JsonMap {
    const { document, ts } = this.#entry(id)
    return info(document, ts)
  }

  /** The full documents, by id. */
  list(): JsonMap[] {
    const ids = [...this.#entries.keys()].sort()
    return ids.map((id) => this.get(id).document)
  }

  /** How many documents there are. */
  get size(): number {
    return this.#entries.size
  }

  #entry(id: string): Entry<R> {
    const entry = this.#entries.get(id)
    if (entry) return entry
    throw new ServiceError('service.error.not_found', 'there is no API Specification of this id')
  }

  #swap(entries: ReadonlyMap<string, Entry<R>>, table: RoutingTable<R>): void {
    this.#entries = entries
    this.#table = table
    this.#ports.onSwap(table)
  }

  #run<T>(steps: Steps<T>): Promise<T> {
    return runSteps(steps, this.#ports.breathe)
  }

  #nextTs(): number {
    return Math.max(this.#ports.clock.now(), this.#lastTs + 1)
  }

  #announce(event: 'on_load' | 'on_delete' | 'on_conflict', kwargs: Record<string, unknown>): void {
    const { publishEvent, log, node } = this.#ports
    announce(publishEvent, log, `service.api_spec.${event}`, { ...kwargs, node })
  }

  #serially<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined) // whoever asked is told; the next one runs all the same
    return result
  }
}

/** A route that belongs to another document. */
const issueOf = ({ path, pattern, otherApi }: Clash): Issue => ({
  path,
  message: `the route ${pattern} belongs to ${otherApi} already`,
})

const tableOf = <R>(apis: readonly Pick<Served<R>, 'entries'>[]) =>
  RoutingTable.build(apis.flatMap(({ entries }) => entries))
