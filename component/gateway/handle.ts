/** Answers routed requests: match ─▶ the stages of the route ─▶ reply; an error is rendered as the path declares. */
import { forPages } from '#component/gateway/tools/page-cors.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type { RealmPage } from '#component/realm-page.ts'
import type { Found } from '#component/routes/path-tree.ts'
import {
  type Match,
  type Missed,
  matchOf,
  type RouteEntry,
  RoutingTable,
} from '#component/routes/routing-table.ts'
import type { VersionCors } from '#component/spec/model.ts'
import { answer } from './answer.ts'
import type { CompiledOperation, CompiledPath, InheritedValues, Route } from './api.ts'
import {
  type CorsHeaders,
  type CorsPolicy,
  corsHeaders,
  corsOf,
  headersFor,
  isWithinCors,
  variesByOrigin,
  varyByOrigin,
} from './cors.ts'
import { errorHeaders } from './error-reply.ts'
import type { Exchange, Reply } from './exchange.ts'
import { type Headers, layOver } from './header-layers.ts'
import { type Called, InvocationExchange, type SendPiece } from './invocations/invocation.ts'
import type { GatewayParts } from './parts.ts'
import { type GatewayPorts, partsOf } from './ports.ts'
import type { Stage } from './stage.ts'
import { absentStages, endpointStages, preflights, refusing } from './stages.ts'
import { RequestState } from './state.ts'

/** Records how requests go that bring a trace token. */
export interface Tracer {
  /**
   * @param answer answers the request, by a route that is compiled otherwise where need be
   * @returns undefined where no token holds for the route: the request is served as ever
   */
  serve(
    exchange: Exchange,
    found: Match<Route> | Missed<Route>,
    answer: AnswerFound,
  ): Promise<Reply> | undefined
}

type Answer = Reply | Promise<Reply>

/** Answers a request by what was found for it. */
export type AnswerFound = (exchange: Exchange, found: Match<Route> | Missed<Route>) => Answer

/** The entry of the table that serves a host and path. */
type FoundEntry = Found<RouteEntry<Route>>

/** Takes a call that begins: it may be aborted. */
type BeginCall = (exchange: InvocationExchange, route: CompiledOperation) => void

/** The gateway proper. A request sees one whole routing table: it is swapped by one assignment. */
export class Gateway {
  table: RoutingTable<Route> = RoutingTable.build<Route>([]).table
  /** There is one only while a trace token is alive. */
  tracer: Tracer | undefined
  readonly #parts: GatewayParts
  readonly #configured: CorsPolicy
  readonly #cors: CorsHeaders
  /** Origins whose pages may use tools. */
  readonly #pageOrigins: readonly string[]
  readonly #ofVersions = new WeakMap<VersionCors, CorsHeaders>()
  /** The stages that no request has; undefined: each policy holds. */
  readonly #absent: ReadonlySet<Stage> | undefined

  constructor(ports: GatewayPorts) {
    this.#configured = ports.cors
    this.#cors = corsHeaders(ports.cors)
    this.#pageOrigins = ports.tools?.pageOrigins ?? []
    this.#parts = partsOf(ports, (call, { operation, stages }) => {
      const { inherited } = operation
      const cors = this.#corsFor(call, operation)
      return this.#answer(call, operation, inherited, call.bindings, stages, cors)
    })
    const absent = absentStages(ports.policies ?? {})
    this.#absent = absent.size > 0 ? absent : undefined
  }

  /**
   * Answers a request, at once where nothing has to be waited for; undefined when no host and path of any specification matches.
   * Errors are replies, too: it throws, or the promise rejects, for a bug only.
   */
  handle(exchange: Exchange): Answer | undefined {
    const found = this.table.find(exchange.host, exchange.path)
    if (found === undefined) return undefined
    const compiling = found.value.indexed?.compiling()
    return compiling === undefined
      ? this.#serve(exchange, found)
      : this.#serveBehind(exchange, found, compiling)
  }

  /** Serves a request once its API is compiled. */
  #serveBehind(exchange: Exchange, found: FoundEntry, compiling: Promise<void>): Promise<Reply> {
    exchange.served = placeOf(found.value)
    return compiling.then(() => this.#serve(exchange, found))
  }

  #serve(exchange: Exchange, by: FoundEntry): Answer {
    const found = matchOf(by, exchange.method)
    const route = routeOf(found)
    exchange.served = route.path
    const reply =
      this.tracer?.serve(exchange, found, this.#answerBy) ?? this.#answerFound(exchange, found)
    const isVaried =
      (this.#corsOf(route.path).origins && isWithinCors(route)) ||
      (isOfTools(route) && this.#pageOrigins.length > 0)
    if (!isVaried) return reply
    return reply instanceof Promise ? reply.then(varyByOrigin) : varyByOrigin(reply)
  }

  /**
   * Answers the call of a procedure; an error is a reply, too.
   * @param entry of the table that is served
   * @param sendPiece absent: nobody takes progressive results
   * @throws for a bug
   */
  async invoke(
    entry: RouteEntry<Route>,
    called: Called,
    begin: BeginCall,
    sendPiece?: SendPiece,
  ): Promise<Reply> {
    await entry.indexed?.compiling()
    const { get, post } = entry.routes
    const route = (get ?? post) as CompiledOperation
    const exchange = new InvocationExchange(called, get ? 'get' : 'post', sendPiece)
    exchange.served = route.path
    begin(exchange, route)
    return this.answerCall(exchange, route)
  }

  /** Answers a call that has begun. */
  answerCall(exchange: InvocationExchange, route: CompiledOperation): Answer {
    return this.#answer(exchange, route, route.inherited, {}, route.stages, noHeaders)
  }

  /** Whether a host and path of a specification match. */
  serves({ host, path }: Exchange): boolean {
    return this.table.find(host, path) !== undefined
  }

  /** Whether an escaped slash is text of its segment at a host and path. */
  keepsSlashes({ host, path }: Pick<Exchange, 'host' | 'path'>): boolean {
    return this.table.keepsSlashes(host, path)
  }

  /** Whether a GET of a host and path may be answered by a WebSocket. */
  opensSocket({ host, path }: Pick<Exchange, 'host' | 'path'>): boolean {
    const found = this.table.match(host, path, 'get')
    return (
      found?.kind === 'match' &&
      found.route.kind === undefined &&
      found.route.websocket !== undefined
    )
  }

  /**
   * The headers of an error that HTTP answers itself, so that pages may read it: those of its path that are known at load, and its CORS
   * headers; the configured ones where no path serves it, or its path is not compiled.
   */
  headersOf(exchange: Pick<Exchange, 'host' | 'path' | 'method' | 'header'>): Headers {
    const found = this.table.find(exchange.host, exchange.path)
    const isKnown = found !== undefined && found.value.indexed?.isCompiled !== false
    const route = isKnown ? routeOf(matchOf(found, exchange.method)) : undefined
    if (route && !isWithinCors(route)) return errorHeaders(route.path)
    const cors = route ? this.#corsOf(route.path) : this.#cors
    const headers = layOver(headersFor(cors, exchange), route ? errorHeaders(route.path) : {})
    return cors.origins ? layOver(headers, variesByOrigin) : headers
  }

  /** What pages say of the realm to which a host, or the first segment of a path there, belongs alone. */
  pageOf({ host, path }: Pick<Exchange, 'host' | 'path'>): RealmPage | undefined {
    const realm_uri = this.table.realmOf(host, path)
    return realm_uri === undefined ? undefined : this.#parts.pageOf(realm_uri)
  }

  /** The paths that are served now; of a path that several documents share, that of the first one. */
  *servedPaths(): Generator<ServedPath> {
    // no request comes to a delivery
    for (const entry of this.table.entries) if (!entry.delivery) yield placeOf(entry)
  }

  readonly #answerBy: AnswerFound = (exchange, found) => this.#answerFound(exchange, found)

  #answerFound(exchange: Exchange, found: Match<Route> | Missed<Route>): Answer {
    const route = routeOf(found)
    const { inherited } = route.kind === undefined && found.kind === 'match' ? route : route.path
    const cors = this.#corsFor(exchange, route)
    return this.#answer(exchange, route, inherited, found.bindings, stagesFor(found, route), cors)
  }

  #answer(
    exchange: Exchange,
    route: Route,
    inherited: InheritedValues,
    bindings: Readonly<Record<string, string>>,
    stages: readonly Stage[],
    cors: Headers,
  ): Answer {
    const absent = this.#absent
    const present = absent ? stages.filter((stage) => !absent.has(stage)) : stages
    return answer(
      new RequestState(this.#parts, exchange, route, inherited, bindings, present, cors),
    )
  }

  /** The configured CORS headers of an answer; the headers of the specification win. */
  #corsFor(exchange: Exchange, route: Route): Headers {
    const { path } = route
    const isOptions = exchange.method === 'options'
    const allow: Headers = isOptions ? { allow: path.allow } : noHeaders
    // behaviour, Requests: token answers are outside CORS
    if (!isWithinCors(route)) return allow
    const configured = headersFor(this.#corsOf(path), exchange)
    const headers = isOptions ? { ...configured, ...allow } : configured
    return isOfTools(route) ? forPages(headers, exchange, this.#pageOrigins) : headers
  }

  /** The CORS headers of the version of a path; those of the configuration where it declares none. */
  #corsOf({ version: { cors } }: CompiledPath): CorsHeaders {
    if (cors === undefined) return this.#cors
    let headers = this.#ofVersions.get(cors)
    if (headers === undefined) {
      headers = corsHeaders(corsOf(this.#configured, cors))
      this.#ofVersions.set(cors, headers)
    }
    return headers
  }
}

const noHeaders: Headers = {}

/** Some route of an entry that has none for the method; every entry has at least one. */
function anyRouteOf({ entry }: Pick<Missed<Route>, 'entry'>): Route {
  const [route] = Object.values(entry.routes)
  if (route === undefined) throw new TypeError(`${entry.path} has no route`)
  return route
}

/** The place of an entry, which need not be compiled for it. */
const placeOf = (entry: RouteEntry<Route>): ServedPath =>
  entry.indexed
    ? { version: { api: entry.api, label: entry.label ?? '' }, pattern: entry.pattern }
    : anyRouteOf({ entry }).path

const routeOf = (found: Match<Route> | Missed<Route>): Route =>
  found.kind === 'match' ? found.route : anyRouteOf(found)

/** What a request meets: the stages of its operation, or those of what answers in its place. */
function stagesFor({ kind }: Match<Route> | Missed<Route>, route: Route): readonly Stage[] {
  if (kind === 'method') return refusing
  const { inherited } = route.path
  if (kind !== 'match') return preflights(inherited)
  return route.kind === undefined ? route.stages : endpointStages(inherited, route.kind)
}

/** What pages read and use of tools. */
const isOfTools = ({ kind }: Route): boolean =>
  kind === 'mcp' || kind === 'mcp.resource' || kind === 'oauth.resource'
