/** Explains what a request, or a call of a procedure, would do: which route it reaches, what is checked, what the action is told, and the answer. */
import type { Clock } from '#component/clock.ts'
import { pointer } from '#component/codec/json.ts'
import type { CompilePorts } from '#component/compile/compile.ts'
import { InvalidSpecError } from '#component/errors.ts'
import {
  type CalledTool,
  calledTool,
  endpointTable,
  pathOf,
  toldTool,
} from '#component/explain/called-tool.ts'
import { nearMisses } from '#component/explain/near-misses/near-misses.ts'
import type { Recorded } from '#component/explain/record.ts'
import { redact } from '#component/explain/redaction/redaction.ts'
import { type Circumstances, type RehearsalPorts, Rehearser } from '#component/explain/rehearsal.ts'
import { unusedIn } from '#component/explain/unused-outcome.ts'
import { watchPath } from '#component/explain/watched-path.ts'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { Log } from '#component/log.ts'
import {
  type Match,
  type Missed,
  type RouteEntry,
  RoutingTable,
} from '#component/routes/routing-table.ts'
import { membersOf } from '#component/security/scheme.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'
import { type AskingPorts, schemesFor } from './asking.ts'
import { calledProcedure, matchedProcedure } from './called-procedure.ts'
import { type ExplainedEvent, explainEvent, readEvent } from './explained-event.ts'
import type { ExplainedRun, Explanation, Matched } from './explanation.ts'
import { type Asked, type AskedOfCall, type Given, readAsked } from './read-asked.ts'
import { rulesInForce } from './rules-in-force.ts'
import {
  type CalleesOf,
  callRunOf,
  malformed,
  nothingRan,
  runOf,
  uncalled,
  unmatched,
} from './run.ts'
import { bounded } from './size.ts'
import { type Documents, type World, worldWith } from './world.ts'

/** What an explanation needs of a gateway. */
export interface ExplainerPorts extends AskingPorts {
  readonly documents: Documents
  readonly compile: CompilePorts
  readonly rehearsal: RehearsalPorts
  readonly callees: CalleesOf
  /** `explain.redact` */
  readonly secretNames: readonly string[]
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info'>
  readonly yieldTurn?: YieldTurn
}

/** Who wants to know. */
export interface ExplainCaller {
  /** For the log. */
  readonly by: string
  /** The only realm whose documents may be seen; absent: all. */
  readonly within?: string
}

/** Explained requests are equal when they are explained twice. */
const requestId = '00000000-0000-7000-8000-000000000000'

type Found = Match<Route> | Missed<Route>

/** Explains requests; nothing is performed. */
export class Explainer {
  readonly #ports: ExplainerPorts

  constructor(ports: ExplainerPorts) {
    this.#ports = ports
  }

  /**
   * Explains one request, or one call of a procedure.
   * @param value `{request, as, outcome, api_spec}` or `{invocation, outcome, api_spec}`
   * @throws ServiceError `wamp.error.invalid_argument` with all that is wrong with it, and whatever a load of `api_spec` throws
   */
  async explain(value: unknown, { by, within }: ExplainCaller): Promise<Explanation> {
    const asked = readAsked(value)
    const { documents, rehearsal, clock, log } = this.#ports
    const world = await worldWith(documents, asked.api_spec, within)
    if ('invocation' in asked) return this.#call(asked, world, by)
    const stillClock = { now: () => clock.now(), after: () => () => undefined, random: () => 0 }
    const keepsSlashes = (host: string, path: string) => world.table.keepsSlashes(host, path)
    const exchange = rehearsal.http.read(asked.request, requestId, stillClock, keepsSlashes)
    if ('status' in exchange) return this.#safely(malformed(exchange), asked, undefined, undefined)
    const found = world.table.match(exchange.host, exchange.path, exchange.method)
    const isSeen = found !== undefined && world.isVisible(found.entry.realm_uri)
    const place = isSeen ? { api_spec: found.entry.api, route: found.entry.pattern } : {}
    log.info({ by, ...place }, 'a request was explained')
    const misses = nearMisses(exchange, found, world)
    const near_misses = await runSteps(misses, this.#ports.yieldTurn)
    const endpoint = isSeen && found.kind === 'match' && found.route.kind === 'mcp' && found.route
    const called = endpoint ? await calledTool(exchange, endpoint) : undefined
    const explained = isSeen ? await this.#found(asked, found, world, called) : unmatched(found)
    const matched = isSeen ? matchedOf(found, exchange, called) : null
    return this.#safely({ matched, near_misses, ...explained }, asked, exchange, found)
  }

  /**
   * Explains what deliveries would make of an event.
   * @param event `{topic, args, kwargs, details, publication, accepted_at}`
   * @param api_spec a document that is not loaded; undefined: none
   * @throws ServiceError `wamp.error.invalid_argument` for a malformed event, and whatever a load of `api_spec` throws
   */
  async explainEvent(
    event: unknown,
    api_spec: JsonMap | undefined,
    { by, within }: ExplainCaller,
  ): Promise<ExplainedEvent> {
    const read = readEvent(event)
    const { documents, rehearsal, secretNames, log } = this.#ports
    const world = await worldWith(documents, api_spec, within)
    log.info({ by }, 'an event was explained')
    return explainEvent(read, world, rehearsal.codec, secretNames)
  }

  async #call(asked: AskedOfCall, world: World, by: string): Promise<Explanation> {
    const { invocation } = asked
    const found = calledProcedure(world, invocation)
    const place = found ? { api_spec: found.api, procedure: found.pattern } : {}
    this.#ports.log.info({ by, ...place }, 'a call was explained')
    const explained = found ? await this.#answering(asked, found, world) : uncalled()
    const procedure = found ? matchedProcedure(found) : null
    const told = { matched: null, procedure, near_misses: [], ...explained }
    const { secretNames: names } = this.#ports
    return bounded(
      redact(told, { names, headers: [], request: { described: invocation } }) as Explanation,
    )
  }

  async #answering(
    asked: AskedOfCall,
    entry: RouteEntry<Route>,
    world: World,
  ): Promise<Omit<Explanation, 'matched' | 'near_misses'>> {
    await entry.indexed?.compiling()
    const document = await world.documentOf(entry.api)
    const watched = document && watchPath(document, entry.path, this.#ports.compile)
    const [own = entry] = watched?.table.entries ?? []
    const table = watched?.table ?? RoutingTable.build([entry]).table
    const rehearser = new Rehearser(table, this.#ports.rehearsal, watched?.recorder)
    const route = Object.values(own.routes)[0] as CompiledOperation
    refuseUnused(asked, route)
    const { explained, first } = await this.#runs(
      asked,
      (circumstances) => rehearser.call(own, { call: asked.invocation, ...circumstances }),
      callRunOf,
    )
    return { checks: first.checks, rules: rulesInForce(route, first.expressions), ...explained }
  }

  /** Rehearses each outcome that is asked for. */
  async #runs<R extends Recorded>(
    { outcome, outcomes }: Given,
    rehearse: (circumstances: Circumstances) => Promise<R>,
    tell: (rehearsal: R, isSample: boolean, callees: CalleesOf) => Promise<ExplainedRun>,
  ): Promise<{
    readonly explained: ExplainedRun & Pick<Explanation, 'outcomes'>
    readonly first: R
  }> {
    const all: readonly (readonly [string, Given['outcome']])[] = outcomes
      ? Object.entries(outcomes)
      : [['', outcome]]
    const isSample = outcomes === undefined && outcome === undefined
    const runs: [string, ExplainedRun][] = []
    let first: R | undefined
    for (const [name, each] of all) {
      const now = this.#ports.clock.now()
      const rehearsal = await rehearse({ outcome: each, id: requestId, now, seed: requestId })
      runs.push([name, await tell(rehearsal, isSample, this.#ports.callees)])
      first ??= rehearsal
    }
    const [[, run] = []] = runs
    if (!first || !run) throw new TypeError('an explanation has at least one outcome')
    return { explained: { ...run, ...(outcomes && { outcomes: Object.fromEntries(runs) }) }, first }
  }

  async #found(
    asked: Asked,
    found: Found,
    world: World,
    called: CalledTool | undefined,
  ): Promise<Omit<Explanation, 'matched' | 'near_misses'>> {
    const route = found.kind === 'match' ? found.route : undefined
    if (route?.kind !== undefined && !called) return nothingRan
    const { entry } = found
    const document = await world.documentOf(entry.api)
    const path = called ? pathOf(called) : entry.path
    const watched = document && watchPath(document, path, this.#ports.compile)
    const table =
      watched && called && route?.kind === 'mcp'
        ? endpointTable(entry, route, called, watched)
        : (watched?.table ?? RoutingTable.build([entry]).table)
    const rehearser = new Rehearser(table, this.#ports.rehearsal, watched?.recorder)
    const asOperation = route?.kind === undefined ? route : called?.tool.operation
    if (asOperation) refuseUnused(asked, asOperation)
    const { explained, first } = await this.#runs(
      asked,
      (circumstances) =>
        rehearser.run({
          ...{ request: asked.request, schemes: schemesFor(asked.as, this.#ports) },
          ...circumstances,
        }),
      runOf,
    )
    const { operation, checks, expressions } = first
    const rules = operation ? rulesInForce(operation, expressions) : {}
    return { checks, rules, ...explained }
  }

  /** Without secrets, and not too large. */
  #safely(
    explanation: Explanation,
    { request }: Asked,
    exchange: Exchange | undefined,
    found: Found | undefined,
  ): Explanation {
    const bindings = found?.bindings
    const seen = exchange && {
      headers: exchange.headers,
      query_params: exchange.query_params,
      query_lists: exchange.query_lists,
    }
    const shown = redact(explanation, {
      names: this.#ports.secretNames,
      headers: headerNames(found),
      request: { described: request, ...seen, bindings },
    })
    return bounded(shown as Explanation)
  }
}

/** @throws InvalidSpecError for outcomes that the actions of the route cannot come to */
function refuseUnused({ outcome, outcomes }: Given, route: CompiledOperation): void {
  const at = '/outcome'
  const unused = outcomes
    ? Object.entries(outcomes).flatMap(([name, each]) => unusedIn(each, route, pointer(at, name)))
    : unusedIn(outcome, route, at)
  if (unused.length > 0) throw new InvalidSpecError(unused)
}

/** The header fields in which the security of the route expects credentials. */
export function headerNames(found: Found | undefined): string[] {
  const routes = found ? Object.values(found.entry.routes) : []
  const protections = routes.flatMap((route) => {
    if (route.kind === undefined) return [route.inherited.protection]
    const ofTools = route.kind === 'mcp' ? route.tools.groups : []
    return [route.path.inherited.protection, ...ofTools.map(({ protection }) => protection)]
  })
  return protections.flatMap(membersOf).flatMap(({ object: { header_name: name } }) => {
    return typeof name === 'string' ? [name] : []
  })
}

/** The route that answers; null where the path lacks the method. */
export function matchedOf(found: Found, { method }: Exchange, called?: CalledTool): Matched | null {
  if (found.kind !== 'match') return null
  const { entry, route, bindings } = found
  const { api: id, host, pattern, path } = entry
  return {
    ...{ id, version: route.path.version.label, host, pattern, path },
    method: entry.routes[method] ? method : 'get',
    bindings,
    ...(route.kind !== undefined && { endpoint: route.kind }),
    ...(called && { tool: toldTool(called) }),
  }
}
