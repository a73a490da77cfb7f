/** The open streams of events of a process, which end when their credentials or their document do, and when the process stops. */
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { Identity } from '#component/identity.ts'
import type { RoutingTable } from '#component/routes/routing-table.ts'
import type { ApiEntries, TableChange } from '#component/routes/table-change.ts'
import type { Reauthentication } from '#component/security/reauthentication.ts'
import { endAll } from './end-all.ts'

/** Why streams end here; `reloaded`: another version of the document is served, `gone`: none has the path. */
export type Ending = 'unauthorized' | 'reloaded' | 'gone' | 'draining'

/** A stream, as those see it who end it. */
export interface Endable {
  /** Tells the client why, and ends; nothing when it has ended. Never throws. */
  end(reason: Ending): void
}

/** The dependencies of {@link OpenStreams}. */
export interface OpenStreamsPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly reauthentication: Pick<Reauthentication, 'follow'>
}

/** The request of a stream, and what it was found to reach. */
interface Opened {
  readonly exchange: Pick<Exchange, 'host' | 'path' | 'method'>
  readonly operation: CompiledOperation
  readonly stream: Endable
}

/** Streams of a document that changes end within this time, so that their clients do not come back all at once; milliseconds. */
const reloadSpread = 2_000

/** Every stream of events, from its begin to its end. */
export class OpenStreams {
  readonly #ports: OpenStreamsPorts
  readonly #open = new Set<Opened>()
  #table: RoutingTable<Route> | undefined
  /** The operations of an API whose answers are streams; tables share the APIs that have not changed. */
  readonly #streamed = new WeakMap<ApiEntries<Route>, ReadonlySet<CompiledOperation>>()
  /** Those of earlier tables: a stream of one may begin yet. */
  readonly #retired = new WeakSet<CompiledOperation>()
  #isDraining = false

  constructor(ports: OpenStreamsPorts) {
    this.#ports = ports
  }

  /** @throws ServiceError `service.error.unavailable` while the process stops */
  admit(): void {
    if (!this.#isDraining) return
    throw new ServiceError('service.error.unavailable', 'this node is stopping', {
      headers: { 'retry-after': '1' },
    })
  }

  /**
   * Takes a stream that begins.
   * @param identity of the request when it passed
   * @returns what must be called when the stream has ended, whoever ended it
   */
  add(
    exchange: Exchange,
    operation: CompiledOperation,
    identity: Identity,
    stream: Endable,
  ): () => void {
    const opened: Opened = { exchange, operation, stream }
    this.#open.add(opened)
    if (this.#isDraining || this.#retired.has(operation)) {
      const reason = this.#isDraining ? 'draining' : this.#endingOf(opened)
      // the caller has to know how it is released first
      this.#ports.clock.after(0, () => stream.end(reason))
    }
    const { protection } = operation.inherited
    const unfollow =
      protection &&
      this.#ports.reauthentication.follow(exchange, protection, identity, () =>
        stream.end('unauthorized'),
      )
    return () => {
      this.#open.delete(opened)
      unfollow?.()
    }
  }

  /** Ends the streams of operations that this table does not have; it is served from now on. */
  follow(table: RoutingTable<Route>, { removed }: TableChange<Route>): void {
    for (const entries of removed) {
      for (const operation of this.#streamedOf(entries)) this.#retired.add(operation)
    }
    this.#table = table
    const ending = new Map<Endable, Ending>()
    for (const opened of this.#open) {
      const { operation, stream } = opened
      const entries = table.entriesOf(operation.path.version.api)
      if (!this.#streamedOf(entries).has(operation)) ending.set(stream, this.#endingOf(opened))
    }
    void endAll(this.#ports.clock, ending, reloadSpread)
  }

  /** Ends all streams and admits no more. @param withinMs it resolves after at most that time, when all have been told */
  drain(withinMs: number): Promise<void> {
    this.#isDraining = true
    const all = Array.from(this.#open, ({ stream }) => [stream, 'draining'] as const)
    return endAll(this.#ports.clock, new Map(all), withinMs)
  }

  /** An indexed API has no streams of events. */
  #streamedOf(entries: ApiEntries<Route>): ReadonlySet<CompiledOperation> {
    if (entries[0]?.indexed) return none
    const known = this.#streamed.get(entries)
    if (known) return known
    const found = new Set(entries.flatMap(({ routes }) => Object.values(routes).filter(isStreamed)))
    this.#streamed.set(entries, found)
    return found
  }

  /** Where a client that comes back with the same request would find a stream, its document was loaded again. */
  #endingOf({ exchange: { host, path, method } }: Opened): Ending {
    const found = this.#table?.match(host, path, method)
    return found?.kind === 'match' && isStreamed(found.route) ? 'reloaded' : 'gone'
  }
}

const none: ReadonlySet<CompiledOperation> = new Set()

const isStreamed = (route: Route): route is CompiledOperation =>
  route.kind === undefined && route.streams?.kind === 'events'
