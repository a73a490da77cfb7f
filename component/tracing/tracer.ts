/** Serves requests that bring a trace token: by the real gateway, on a path that is compiled with a recorder. */
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { SubscribePorts } from '#component/action/wamp-subscribe/perform.ts'
import type { AttemptWatch } from '#component/action/watching/attempt-watch.ts'
import type { Clock } from '#component/clock.ts'
import type { CompilePorts } from '#component/compile/compile.ts'
import { Checks } from '#component/explain/checks.ts'
import { Evaluations } from '#component/explain/recorder.ts'
import { noEndpoints, type Rehearsal } from '#component/explain/rehearsal.ts'
import { type ActionSettings, ToldActions } from '#component/explain/told-actions.ts'
import { type WatchedPath, watchPath } from '#component/explain/watched-path.ts'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import { traceField } from '#component/gateway/context.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { Gateway, type Tracer } from '#component/gateway/handle.ts'
import type { GatewayPorts } from '#component/gateway/ports.ts'
import { withRoutes } from '#component/routes/entry-patterns.ts'
import {
  type Match,
  type Missed,
  type RouteEntry,
  RoutingTable,
} from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { SessionSource } from '#component/wamp/session.ts'
import type { TraceGrant, TraceTokens } from './trace-tokens.ts'

/** A traced request; times are microseconds since the gateway had its head. */
export interface Trace extends Omit<Rehearsal, 'sent'> {
  readonly exchange: Exchange
  readonly found: Match<Route> | Missed<Route>
  readonly reply: Reply
  /** When the reply was made. */
  readonly us: number
}

/** What a tracer needs of its gateway. */
export interface TracerPorts extends ActionSettings, Omit<GatewayPorts, 'actions' | 'endpoints'> {
  readonly clock: Clock
  readonly tokens: Pick<TraceTokens, 'find'>
  readonly compile: CompilePorts
  readonly sessions: SessionSource
  readonly streams: SubscribePorts['streams']
  readonly connections: Connections
  /** Told of attempts, as of those of any request. */
  readonly watch: AttemptWatch | undefined
  /** The name of this node. */
  readonly node: string
  /** The document that is served. */
  served(id: string): Promise<JsonMap | undefined>
  /** Milliseconds, with fractions, since any moment. */
  elapsed(): number
  /** Takes a trace; the answer waits for it, so that it is there for whoever has the answer. Never rejects. */
  keep(id: string, trace: Trace): Promise<void>
}

/** How requests with a token went: `traced`, or `refused`: the token is wrong, has ended or is for something else. */
export type TraceResult = 'traced' | 'refused'

type Found = Match<Route> | Missed<Route>

/** The tracer of a gateway. */
export class RequestTracer implements Tracer {
  /** Since the start. */
  readonly counts: Record<TraceResult, number> = { traced: 0, refused: 0 }
  readonly #ports: TracerPorts
  /** By the entry that is served: a load makes new ones. */
  #paths = new WeakMap<RouteEntry<Route>, Promise<WatchedPath | undefined>>()

  constructor(ports: TracerPorts) {
    this.#ports = ports
  }

  /** Forgets the paths that are compiled with a recorder. */
  forget(): void {
    this.#paths = new WeakMap()
  }

  serve(exchange: Exchange, found: Found): Promise<Reply> | undefined {
    const token = exchange.header(traceField)
    if (token === undefined) return undefined
    const grant = this.#ports.tokens.find(token)
    if (grant && isFor(grant, found)) return this.#trace(exchange, found, grant)
    this.counts.refused++
    return undefined
  }

  async #trace(exchange: Exchange, found: Found, grant: TraceGrant): Promise<Reply> {
    const { clock, schemes, elapsed, policies } = this.#ports
    const start = elapsed()
    const since = (): number => Math.round((elapsed() - start) * 1000)
    const watched = await this.#watched(found.entry)
    const entry = watched?.table.entries[0] ?? found.entry
    const { method } = exchange
    const compiled = entry.routes[method] ?? (method === 'head' ? entry.routes.get : undefined)
    const route = found.kind === 'match' && compiled?.kind === undefined ? compiled : undefined
    const checks = new Checks(route, { since })
    const actions = new ToldActions(
      this.#ports,
      clock,
      () => ({ ...this.#ports, isReal: true }),
      since,
    )
    const gateway = new Gateway({
      ...this.#ports,
      endpoints: noEndpoints,
      actions: actions.table,
      schemes: checks.schemes(schemes),
      ...(policies && {
        policies: {
          ...policies,
          ...(policies.limits && { limits: checks.limits(policies.limits) }),
        },
      }),
    })
    const operation = route && checks.operation(inPoolOf(found, route), exchange)
    const routes = operation ? { [method]: operation } : entry.routes
    gateway.table = RoutingTable.build([withRoutes(entry, routes)]).table
    const evaluations = new Evaluations()
    const handle = () => gateway.handle(checks.exchange(exchange))
    const reply = await (watched ? watched.recorder.during(evaluations, handle) : handle())
    if (reply === undefined) throw new TypeError('the gateway does not match what its table does')
    if (grant.authid !== undefined && grant.authid !== checks.authid) {
      this.counts.refused++
      return reply
    }
    this.counts.traced++
    const id = `${this.#ports.node}.${exchange.id}`
    await this.#ports.keep(id, {
      ...{ exchange, found, match: found, reply, us: since() },
      ...(route && { operation: route }),
      ...(actions.outcome && { outcome: actions.outcome }),
      ...{ checks: checks.all, actions: actions.all },
      expressions: [
        ...(watched?.recorder.constantsFor(entry.path, route?.at) ?? []),
        ...evaluations.all,
      ],
    })
    return { ...reply, headers: { ...reply.headers, 'x-gateway-trace-id': id } }
  }

  #watched(entry: RouteEntry<Route>): Promise<WatchedPath | undefined> {
    const known = this.#paths.get(entry)
    if (known) return known
    const { served, compile } = this.#ports
    const path = served(entry.api)
      .then((document) => document && watchPath(document, entry.path, compile))
      // a load may be under way: the trace then lacks the expressions
      .catch(() => undefined)
    this.#paths.set(entry, path)
    return path
  }
}

/** Whether the grant covers what was found; generated endpoints give tokens, and are never traced. */
const isFor = ({ api_spec, realm_uri, route }: TraceGrant, { entry, ...found }: Found): boolean =>
  entry.api === api_spec &&
  entry.realm_uri === realm_uri &&
  (route === undefined || route === entry.pattern) &&
  !('route' in found && found.route.kind !== undefined)

/** The operation with the slots of the version that is served: a trace waits like any request. */
function inPoolOf(found: Found, operation: CompiledOperation): CompiledOperation {
  if (found.kind !== 'match' || found.route.kind !== undefined) return operation
  const { version } = found.route.path
  return { ...operation, path: { ...operation.path, version } }
}
