/** What the JSON Schemas of all documents share in a process: compiled validators, and the counts of what does not fit. */
import type { Clock } from '#component/clock.ts'
import type { Route } from '#component/gateway/api.ts'
import { Mismatches } from '#component/gateway/schemas/mismatches.ts'
import type { ValueCheck } from '#component/gateway/schemas/value-check.ts'
import type { Log } from '#component/log.ts'
import type { SeriesStock } from '#component/metrics/family.ts'
import type { ApiEntries, TableChange } from '#component/routes/table-change.ts'
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

/** CPU time of the thread, in milliseconds: what other processes take of it makes no check longer. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** One for each process. */
export class SharedSchemas implements SchemaPorts {
  readonly validators: Validators
  readonly mismatches: Mismatches
  readonly #yieldTurn: YieldTurn
  /** APIs that are served, and whose schemas have not been compiled. */
  readonly #uncompiled = new Set<ApiEntries<Route>>()
  #isCompiling = false

  constructor(ports: SharedPorts) {
    this.#yieldTurn = ports.yieldTurn
    this.validators = new Validators({ now: cpuMs, yieldTurn: ports.yieldTurn })
    this.mismatches = new Mismatches(ports.clock, ports.log, ports.families)
  }

  /** Compiles the schemas of APIs that are served from now on, so that their first requests rarely wait for that. Never rejects. */
  async compileAhead({ added, removed }: TableChange<Route>): Promise<void> {
    for (const entries of removed) this.#uncompiled.delete(entries)
    for (const entries of added) {
      if (entries[0]?.indexed?.isCompiled !== false) this.#uncompiled.add(entries)
    }
    if (this.#isCompiling) return
    this.#isCompiling = true
    // those that are added meanwhile come, too
    for (const entries of this.#uncompiled) {
      for (const check of this.#checksOf(entries)) await check.compileAhead(this.#yieldTurn)
      this.#uncompiled.delete(entries)
    }
    this.#isCompiling = false
  }

  /** Each check of an API once, while it is served and compiled. */
  *#checksOf(entries: ApiEntries<Route>): Generator<ValueCheck> {
    const seen = new Set<ValueCheck>()
    for (const entry of entries) {
      if (entry.indexed?.isCompiled === false) return
      for (const check of Object.values(entry.routes).flatMap(checksOf)) {
        if (!this.#uncompiled.has(entries)) return
        if (seen.has(check)) continue
        seen.add(check)
        yield check
      }
    }
  }
}

/** The schemas that requests and answers of a route are checked against. */
function checksOf(route: Route): readonly ValueCheck[] {
  if (route.kind === 'mcp') return route.tools.tools.map(({ input }) => input)
  if (route.kind !== undefined) return []
  const { checks, on_result, on_error } = route
  const answers = [on_result, on_error].flatMap(({ check }) => check?.check ?? [])
  return checks ? [...checks.parts.map(({ check }) => check), ...answers] : answers
}
