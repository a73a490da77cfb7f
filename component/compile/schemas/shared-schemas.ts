/** What the JSON Schemas of all documents share in a process: compiled validators, and the counts of what does not fit. */
import type { Clock } from '#component/clock.ts'
import { checksOf, type Route } from '#component/gateway/api.ts'
import { Mismatches } from '#component/gateway/schemas/mismatches.ts'
import type { ValueCheck } from '#component/gateway/schemas/value-check.ts'
import type { Log } from '#component/log.ts'
import type { SeriesStock } from '#component/metrics/family.ts'
import type { RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import { Validators } from '#component/schema/validators.ts'
import type { YieldTurn } from '#component/yielding.ts'
import type { SchemaPorts } from './document-schemas.ts'

/** The dependencies of {@link SharedSchemas}. */
interface SharedPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly yieldTurn: YieldTurn
  readonly families: SeriesStock
}

/** The entries of one API. */
type Entries = readonly RouteEntry<Route>[]

/** One for each process. */
export class SharedSchemas implements SchemaPorts {
  readonly validators = new Validators()
  readonly mismatches: Mismatches
  readonly #yieldTurn: YieldTurn
  /** The table whose schemas are compiled now, or were last. */
  #table: RoutingTable<Route> | undefined
  /** APIs whose schemas have been compiled; tables share those that have not changed. */
  readonly #compiled = new WeakSet<Entries>()

  constructor(ports: SharedPorts) {
    this.#yieldTurn = ports.yieldTurn
    this.mismatches = new Mismatches(ports.clock, ports.log, ports.families)
  }

  /** Compiles the schemas of a table that is served from now on, so that its first requests rarely wait for that. Never rejects. */
  async compileAhead(table: RoutingTable<Route>): Promise<void> {
    this.#table = table
    for (const entries of table.apis) {
      if (this.#compiled.has(entries)) continue
      for (const check of this.#checksOf(table, entries)) await check.compileAhead(this.#yieldTurn)
      if (this.#table !== table) return
      this.#compiled.add(entries)
    }
  }

  /** Each check of an API once, until another table is served. */
  *#checksOf(table: RoutingTable<Route>, entries: Entries): Generator<ValueCheck> {
    const seen = new Set<ValueCheck>()
    for (const { routes } of entries) {
      for (const check of Object.values(routes).flatMap(checksOf)) {
        if (this.#table !== table) return
        if (seen.has(check)) continue
        seen.add(check)
        yield check
      }
    }
  }
}
