/** The dependencies of the registry, and its conflict event; component/sync publishes loads and deletions. */
import type { CompiledDocument } from '#component/compile/compile-document.ts'
import type { Issue } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import type { Entry } from '#component/replica/entry.ts'
import { opened } from '#component/replica/envelope.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { RoutingTable } from '#component/routes/routing-table.ts'
import type { TableChange } from '#component/routes/table-change.ts'
import type { YieldTurn } from '#component/yielding.ts'
import type { LiveEntry, Served } from './selection.ts'

/** The documents that an equal gateway has compiled before, and that the store knows: none of them is compiled again at the start. */
export interface CheckedDocuments<R> {
  /** Reads which there are. Never rejects. */
  open(): Promise<void>
  /** The document as it is served; undefined: it must be compiled. */
  find(entry: LiveEntry): Served<R> | undefined
  /** Forgets which there are: the start is over. */
  close(): void
}

/** One object for all parts of the registry. */
export interface RegistryPorts<R> {
  readonly replica: Pick<Replica, 'change' | 'watch' | 'entries' | 'versions'>
  /** The name of this node. */
  readonly node: string
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /**
   * Validates and compiles; a big document may take its time.
   * @param length of the document, where it is known; characters of JSON
   */
  readonly compile: (
    document: unknown,
    length?: number,
  ) => CompiledDocument<Served<R>> | Promise<CompiledDocument<Served<R>>>
  /** Absent: every document is compiled at the start. */
  readonly checked?: CheckedDocuments<R>
  /** Whether the realm is declared, or the router lets the component join it. */
  readonly realmExists: (realm_uri: string) => boolean | Promise<boolean>
  /** Opens the sessions that APIs need, before they are served. Never rejects. */
  readonly prepare: (change: TableChange<R>) => Promise<void>
  /** Takes the table that is served from now on, and what it serves unlike the one before it. */
  readonly onSwap: (table: RoutingTable<R>, change: TableChange<R>) => void
  /**
   * Called once a load or a deletion is live. Absent: nothing is registered.
   * @returns warnings of the load
   */
  readonly registered?: (id: string) => Promise<readonly Issue[]>
  /** Publishes on the component's realm; may fail or reject. */
  readonly publishEvent: (topic: string, kwargs: Readonly<Record<string, unknown>>) => unknown
  /** Path patterns of management, where the listener of routed paths serves them, too; else none. */
  readonly managementPaths: readonly string[]
  /** The other gateways that do not know all of some features; absent: there are no others. */
  readonly nodesWithout?: (features: readonly string[]) => readonly string[]
  /** Yields during long work. */
  readonly yieldTurn: YieldTurn
}

const onConflict = 'service.api_spec.on_conflict'

/** Publishes without waiting: a failure is logged, and never fails the change. */
export function announceConflict<R>(
  { log, publishEvent }: RegistryPorts<R>,
  kwargs: Readonly<Record<string, unknown>>,
): void {
  new Promise((resolve) => resolve(publishEvent(onConflict, kwargs))).catch((err: unknown) => {
    log.warn({ err, topic: onConflict }, 'an event was not published')
  })
}

/** Tells that a change of this node has lost against one made without knowing it, unless both are the same document. @param loser of any kind */
export function announceLost<R>(ports: RegistryPorts<R>, loser: Entry, winner: Entry): void {
  const { kind, id, hash } = opened(loser)
  const other_hash = opened(winner).hash
  // nodes that start at once load the same files
  if (hash === other_hash) return
  const { node, ms: ts } = loser.stamp
  ports.log.warn(
    { [kind]: id, hash, other_hash, other_node: winner.stamp.node },
    'a change was overwritten: another node changed the document without knowing of it',
  )
  if (kind === 'api_spec') announceConflict(ports, { id, ts, hash, node, other: id })
}
