/** The indexes of documents in the store: written soon after a document was compiled, and read at the start. */
import type { Clock } from '#component/clock.ts'
import type { ApiIndex } from '#component/compile/kept/api-index.ts'
import { IndexedDocument } from '#component/compile/kept/indexed-document.ts'
import type { KeptDocuments } from '#component/compile/kept/kept-documents.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Log } from '#component/log.ts'
import type { CheckedDocuments } from '#component/registry/registry-ports.ts'
import type { LiveEntry } from '#component/registry/selection.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { RoutingTable } from '#component/routes/routing-table.ts'
import type { TableChange } from '#component/routes/table-change.ts'
import type { Store } from '#component/store/database.ts'
import type { SpecIndexRow } from '#component/store/tables.ts'

/** The dependencies of {@link SpecIndexes}. */
export interface SpecIndexPorts {
  readonly store: Pick<Store, 'specIndexes'>
  readonly replica: Pick<Replica, 'damaged'>
  readonly kept: Pick<KeptDocuments, 'indexed'>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'warn'>
  /** The version of this gateway, and what else decides whether a document compiles. */
  readonly maker: string
}

/** What is served when indexes are written. */
export interface ServedNow {
  readonly table: RoutingTable<Route>
  /** The hash of the version of a document that is served. */
  hashOf(id: string): string | undefined
}

/** Changes are written together; milliseconds. */
const delayMs = 1_000

/** Rows that are written by one statement. */
const mostAtOnce = 200

const noop = () => undefined

/** Of one process. */
export class SpecIndexes implements CheckedDocuments<Route> {
  readonly #ports: SpecIndexPorts
  /** While the process starts. */
  #found: ReadonlyMap<string, SpecIndexRow> = new Map()
  #damaged: ReadonlySet<string> = new Set()
  /** The documents whose index is in the store. */
  readonly #stored = new WeakSet<IndexedDocument>()
  /** The ids of documents that have changed. */
  readonly #changed = new Set<string>()
  #stopTimer: (() => void) | undefined
  /** Set before the first change. */
  served: () => ServedNow | undefined = noop

  constructor(ports: SpecIndexPorts) {
    this.#ports = ports
  }

  async open(): Promise<void> {
    const { store, replica, log, maker } = this.#ports
    this.#damaged = new Set(replica.damaged.map(({ id }) => id))
    try {
      this.#found = await store.specIndexes.all(maker)
    } catch (err) {
      log.warn({ err }, 'the indexes of documents cannot be read: all documents are compiled')
    }
  }

  find({ id, hash, document }: LiveEntry): IndexedDocument | undefined {
    const row = this.#found.get(id)
    // what does not match its hash is another document than the one that was compiled
    if (row?.hash !== hash || this.#damaged.has(id)) return undefined
    const index = read(row.text)
    if (index === undefined) return undefined
    const indexed = this.#ports.kept.indexed(document, index)
    this.#stored.add(indexed)
    return indexed
  }

  close(): void {
    this.#found = new Map()
  }

  /** Follows the table that is served: its indexes are in the store a little later. */
  follow({ added, removed }: TableChange<Route>): void {
    for (const [first] of removed) if (first) this.#changed.add(first.api)
    for (const [first] of added) {
      if (first && !this.#isStored(first.indexed)) this.#changed.add(first.api)
    }
    if (this.#changed.size > 0) this.#begin()
  }

  /** Writes what has not been written. */
  async stop(): Promise<void> {
    this.#stopTimer?.()
    await this.#write()
  }

  #begin(): void {
    this.#stopTimer ??= this.#ports.clock.after(delayMs, () => void this.#write())
  }

  #isStored(indexed: unknown): boolean {
    return indexed instanceof IndexedDocument && this.#stored.has(indexed)
  }

  /** Never rejects: a document without an index is compiled at the next start. */
  async #write(): Promise<void> {
    const { store, log } = this.#ports
    this.#stopTimer = undefined
    const ids = [...this.#changed]
    this.#changed.clear()
    try {
      for (let at = 0; at < ids.length; at += mostAtOnce) {
        await this.#writeSome(store, ids.slice(at, at + mostAtOnce))
      }
    } catch (err) {
      log.warn({ err }, 'the indexes of documents cannot be written: the next start compiles these')
    }
  }

  async #writeSome({ specIndexes }: SpecIndexPorts['store'], ids: string[]): Promise<void> {
    const { maker } = this.#ports
    const served = this.served()
    const rows: SpecIndexRow[] = []
    for (const id of ids) {
      const [first] = served?.table.entriesOf(id) ?? []
      const hash = served?.hashOf(id)
      if (!(first?.indexed instanceof IndexedDocument) || hash === undefined) continue
      this.#stored.add(first.indexed)
      rows.push({ id, hash, maker, text: JSON.stringify(first.indexed.index) })
    }
    const kept = new Set(rows.map(({ id }) => id))
    await specIndexes.keep(rows)
    await specIndexes.remove(ids.filter((id) => !kept.has(id)))
  }
}

/** undefined for a text that cannot be read. */
function read(text: string): ApiIndex | undefined {
  try {
    return JSON.parse(text) as ApiIndex
  } catch {
    return undefined
  }
}
