/** Traces requests that bring a token: the gateway serves them before a listener, on a path that is compiled with a recorder. */
import type { CompilePorts } from '#component/compile/compile.ts'
import { type RecordSettings, RequestRecord } from '#component/explain/record.ts'
import { Evaluations } from '#component/explain/recorder.ts'
import type { Rehearsal } from '#component/explain/rehearsal.ts'
import { type WatchedPath, watchPath } from '#component/explain/watched-path.ts'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import { traceField } from '#component/gateway/context.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Tracer } from '#component/gateway/handle.ts'
import type { Match, Missed, RouteEntry } from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
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
export interface TracerPorts extends Omit<RecordSettings, 'marksTraceContext'> {
  readonly tokens: Pick<TraceTokens, 'find'>
  readonly compile: CompilePorts
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
type Answer = Parameters<Tracer['serve']>[2]

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

  serve(exchange: Exchange, found: Found, answer: Answer): Promise<Reply> | undefined {
    const token = exchange.header(traceField)
    if (token === undefined) return undefined
    const grant = this.#ports.tokens.find(token)
    if (grant && isFor(grant, found)) return this.#trace(exchange, found, grant, answer)
    this.counts.refused++
    return undefined
  }

  async #trace(
    exchange: Exchange,
    found: Found,
    grant: TraceGrant,
    answer: Answer,
  ): Promise<Reply> {
    const { elapsed } = this.#ports
    const start = elapsed()
    const since = (): number => Math.round((elapsed() - start) * 1000)
    const watched = await this.#watched(found.entry)
    const operation = operationOf(watched?.table.entries[0] ?? found.entry, found, exchange)
    const record = new RequestRecord(this.#ports, exchange, operation && { operation }, since)
    exchange.listener = record
    const evaluations = new Evaluations()
    const handle = () => answer(operation ? ({ ...found, route: operation } as Found) : found)
    const reply = await (watched ? watched.recorder.during(evaluations, handle) : handle())
    const { authid, outcome, checks, actions } = record
    if (grant.authid !== undefined && grant.authid !== authid) {
      this.counts.refused++
      return reply
    }
    this.counts.traced++
    const id = `${this.#ports.node}.${exchange.id}`
    await this.#ports.keep(id, {
      ...{ exchange, found, match: found, reply, us: since() },
      ...(operation && { operation }),
      ...(outcome && { outcome }),
      ...{ checks, actions },
      expressions: [
        ...(watched?.recorder.constantsFor(found.entry.path, operation?.at) ?? []),
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

/** The operation of the entry, in the version that is served: a trace waits for the slots of that one like any request. */
function operationOf(
  { routes }: RouteEntry<Route>,
  found: Found,
  { method }: Exchange,
): CompiledOperation | undefined {
  const route = routes[method] ?? (method === 'head' ? routes.get : undefined)
  if (found.kind !== 'match' || route === undefined || route.kind !== undefined) return undefined
  const { version } = found.route.path
  return { ...route, path: { ...route.path, version } }
}
