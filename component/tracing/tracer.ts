/** Traces requests that bring a token: the gateway serves them before a listener, on a path that is compiled with a recorder. */
import type { CompilePorts } from '#component/compile/compile.ts'
import { type RecordSettings, RequestRecord } from '#component/explain/record.ts'
import { type WatchedPath, watchPath } from '#component/explain/watched-path.ts'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import { traceField } from '#component/gateway/context.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Tracer } from '#component/gateway/handle.ts'
import type { Log } from '#component/log.ts'
import type { Match, Missed, RouteEntry } from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { KeptTraces } from './kept-traces.ts'
import { describeTrace, type Trace } from './told-trace.ts'
import type { TraceGrant, TraceTokens } from './trace-tokens.ts'

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
  /** Milliseconds since the epoch. */
  now(): number
  /** `explain.redact` */
  readonly secretNames: readonly string[]
  readonly kept: Pick<KeptTraces, 'keep'>
  readonly log: Pick<Log, 'error'>
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
    const serving = operation && { operation }
    const recorder = watched?.recorder
    const record = new RequestRecord({ settings: this.#ports, exchange, serving, recorder, since })
    const reply = await record.during(() =>
      answer(exchange, operation ? ({ ...found, route: operation } as Found) : found),
    )
    const security = record.checks.find(({ step }) => step === 'security')
    if (grant.authid !== undefined && grant.authid !== security?.authid) {
      this.counts.refused++
      return reply
    }
    this.counts.traced++
    const id = `${this.#ports.node}.${exchange.id}`
    const recorded = record.resultOf(found.entry.path)
    await this.#keep(id, { exchange, found, reply, us: since(), ...recorded })
    return { ...reply, headers: { ...reply.headers, 'x-gateway-trace-id': id } }
  }

  /** The answer waits for it, so that the trace is there for whoever has the answer. Never rejects. */
  async #keep(id: string, trace: Trace): Promise<void> {
    const { now, secretNames, kept, log } = this.#ports
    const { method } = trace.exchange
    const { api: api_spec, realm_uri, pattern: route } = trace.found.entry
    try {
      const described = await describeTrace(id, trace, now(), secretNames)
      const listed = { id, ts: described.ts, method, route, status: trace.reply.status }
      kept.keep({ api_spec, realm_uri, listed }, { ...described })
    } catch (err) {
      log.error({ err, request_id: trace.exchange.id }, 'a trace was not kept')
    }
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
