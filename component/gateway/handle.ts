/** Answers routed requests: match ─▶ operation or generated endpoint ─▶ reply; an error is rendered as the path declares. */

import { secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { Passage, type PolicyPorts } from '#component/gateway/policies/passage.ts'
import { forPages } from '#component/gateway/tools/page-cors.ts'
import { serveTools, type ToolPorts } from '#component/gateway/tools/tool-endpoint.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type { PolicyPlan } from '#component/policy/plan.ts'
import { concretePath } from '#component/routes/concrete-path.ts'
import {
  type Match,
  type Missed,
  matchOf,
  type RouteEntry,
  RoutingTable,
} from '#component/routes/routing-table.ts'
import { challengeWithMetadata } from '#component/security/resource-metadata.ts'
import { schemeOf } from '#component/security/scheme.ts'
import type { VersionCors } from '#component/spec/model.ts'
import type {
  CompiledOperation,
  CompiledPath,
  Endpoint,
  EndpointKind,
  InheritedValues,
  OuterKind,
  Route,
} from './api.ts'
import { checkOrigin, methodNotAllowed } from './checks.ts'
import {
  type CorsHeaders,
  type CorsPolicy,
  corsHeaders,
  headersFor,
  policyOf,
  variesByOrigin,
  varyByOrigin,
} from './cors.ts'
import { errorHeaders, errorReply } from './error-reply.ts'
import type { Exchange, Reply } from './exchange.ts'
import { type Headers, layOver } from './header-layers.ts'
import { loginRedirect } from './login-redirect.ts'
import { type OperationPorts, Operations } from './operations.ts'

/**
 * Answers a request to a generated path. A ServiceError that it throws is rendered as for any path; the headers of the
 * reply are laid over those of the path.
 * @param bindings of the pattern; base_path may have some
 */
export type EndpointHandler = (
  exchange: Exchange,
  endpoint: Endpoint,
  bindings: Readonly<Record<string, string>>,
) => Promise<Reply>

/** The parts that answer requests. */
export interface GatewayPorts extends OperationPorts {
  readonly endpoints: Readonly<Record<OuterKind, EndpointHandler>>
  readonly cors: CorsPolicy
  /** Absent: the policies of routes do not hold. */
  readonly policies?: Partial<PolicyPorts>
  /** The path of `public_base_url`, which a proxy takes away before requests come here; without a slash at the end. */
  readonly publicPath?: string
  /** Where clients reach this gateway, without a slash at the end. Absent: challenges name no metadata. */
  readonly publicBase?: () => string
  /** What endpoints for language models need. Absent: no page uses them, and challenges name no metadata. */
  readonly tools?: Pick<ToolPorts, 'pageOrigins' | 'publicBase' | 'calls'>
}

/** Serves requests that bring a trace token, and records how they go. */
export interface Tracer {
  /** @returns undefined where no token holds for the route: the request is served as ever */
  serve(exchange: Exchange, found: Match<Route> | Missed<Route>): Promise<Reply> | undefined
}

/** The gateway proper. A request sees one whole routing table: it is swapped by one assignment. */
export class Gateway {
  table: RoutingTable<Route> = RoutingTable.build<Route>([]).table
  /** There is one only while a trace token is alive. */
  tracer: Tracer | undefined
  readonly #ports: GatewayPorts
  readonly #cors: CorsHeaders
  readonly #ofVersions = new WeakMap<VersionCors, CorsHeaders>()
  readonly #operations: Operations
  readonly #tools: ToolPorts

  constructor(ports: GatewayPorts) {
    this.#ports = ports
    this.#cors = corsHeaders(ports.cors)
    this.#operations = new Operations(ports)
    this.#tools = {
      ...{ schemes: ports.schemes, pageOrigins: [], ...ports.tools },
      answer: (call, route) =>
        this.#answer(call, { kind: 'match', route, bindings: call.bindings }),
    }
  }

  /**
   * Answers a request; undefined when no host and path of any specification matches. Errors are replies, too: the promise
   * rejects for a bug only.
   */
  handle(exchange: Exchange): Promise<Reply> | undefined {
    const found = this.table.find(exchange.host, exchange.path)
    if (found === undefined) return undefined
    const compiling = found.value.indexed?.compiling()
    if (compiling === undefined) return this.#serve(exchange, matchOf(found, exchange.method))
    exchange.served = placeOf(found.value)
    return compiling.then(() => this.#serve(exchange, matchOf(found, exchange.method)))
  }

  #serve(exchange: Exchange, found: Match<Route> | Missed<Route>): Promise<Reply> {
    exchange.served = routeOf(found).path
    const reply = this.tracer?.serve(exchange, found) ?? this.#answer(exchange, found)
    const route = routeOf(found)
    const isVaried =
      (this.#corsOf(route.path).origins && isWithinCors(route)) ||
      (isOfTools(route) && this.#tools.pageOrigins.length > 0)
    return isVaried ? reply.then(varyByOrigin) : reply
  }

  /** Whether a host and path of a specification match. */
  serves({ host, path }: Exchange): boolean {
    return this.table.find(host, path) !== undefined
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

  /** The paths that are served now; of a path that several documents share, that of the first one. */
  *servedPaths(): Generator<ServedPath> {
    for (const entry of this.table.entries) yield placeOf(entry)
  }

  async #answer(exchange: Exchange, found: Found): Promise<Reply> {
    const isMatch = found.kind === 'match'
    const route = routeOf(found)
    const { path } = route
    const isOperation = route.kind === undefined
    const inherited: InheritedValues = isMatch && isOperation ? route.inherited : path.inherited
    const declared = isWithinCors(route)
      ? this.#policy(exchange, path)
      : policyOfEndpoint(exchange, path)
    const policy = isOfTools(route)
      ? forPages(declared, exchange, this.#tools.pageOrigins)
      : declared
    const passage =
      isMatch && isOperation && inherited.policies && exchange.method !== 'options'
        ? this.#passage(inherited.policies, exchange, route, policy)
        : undefined
    try {
      if (isMatch) {
        if (!isOperation) return await this.#serveEndpoint(exchange, route, found.bindings, policy)
        const reply = await this.#operations.serve(exchange, route, found.bindings, policy, passage)
        if (reply.status < 400 && isUnsafe(exchange))
          this.#ports.policies?.caching?.changed(exchange)
        const sent = passage === undefined ? reply : passage.leave(reply)
        // awaits only an answer that is kept first
        return sent instanceof Promise ? await sent : sent
      }
      if (found.kind === 'method') throw methodNotAllowed(path.allow)
      checkOrigin(exchange, path.inherited)
      return this.#operations.preflight(exchange, path, found.bindings, policy)
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        passage?.abandon()
        throw error
      }
      const shown = passage?.isHeld ? {} : policy
      const plain = errorReply(exchange, route, inherited, shown, error)
      if (!isMatch) return plain
      const { publicPath: prefix = '', clock } = this.#ports
      const base = concretePath(path.version.base, found.bindings)
      const reply = this.#tellMetadata(plain, inherited, base)
      const place = { base, prefix, now: secondsOf(clock) }
      const answer = loginRedirect(exchange, inherited, place, error, reply) ?? reply
      return passage === undefined ? answer : passage.leave(answer)
    }
  }

  #tellMetadata(reply: Reply, { protection }: InheritedValues, base: string): Reply {
    const { publicBase } = this.#ports
    const { 'www-authenticate': told } = reply.headers
    const challenge = publicBase && challengeWithMetadata(told, protection, publicBase(), base)
    if (challenge === undefined) return reply
    return { ...reply, headers: { ...reply.headers, 'www-authenticate': challenge } }
  }

  #passage(
    plan: PolicyPlan,
    exchange: Exchange,
    route: CompiledOperation,
    policy: Headers,
  ): Passage | undefined {
    const { policies } = this.#ports
    return policies && new Passage(plan, policies, exchange, route, policy)
  }

  /** The configured CORS headers of an answer; the specification's headers win. */
  #policy(exchange: Pick<Exchange, 'method' | 'header'>, path: CompiledPath): Headers {
    const headers = headersFor(this.#corsOf(path), exchange)
    return exchange.method === 'options' ? { ...headers, allow: path.allow } : headers
  }

  /** The CORS headers of the version of a path; those of the configuration where it declares none. */
  #corsOf({ version: { cors } }: CompiledPath): CorsHeaders {
    if (cors === undefined) return this.#cors
    let headers = this.#ofVersions.get(cors)
    if (headers === undefined) {
      headers = corsHeaders(policyOf(this.#ports.cors, cors))
      this.#ofVersions.set(cors, headers)
    }
    return headers
  }

  async #serveEndpoint(
    exchange: Exchange,
    endpoint: Endpoint,
    bindings: Readonly<Record<string, string>>,
    policy: Headers,
  ): Promise<Reply> {
    const { path } = endpoint
    const { protection } = path.inherited
    checkOrigin(exchange, path.inherited)
    if (protection)
      await schemeOf(this.#ports.schemes, protection).authenticate(exchange, protection)
    const reply =
      endpoint.kind === 'mcp'
        ? await serveTools(exchange, endpoint, bindings, this.#tools)
        : await this.#ports.endpoints[endpoint.kind](exchange, endpoint, bindings)
    // the endpoints outside CORS decide on OPTIONS themselves
    const shared = isWithinCors(endpoint) ? policy : {}
    const headers = { ...shared, ...path.headers, ...reply.headers }
    return { ...reply, headers }
  }
}

/** Whether the request may change what its path answers (RFC 9110 §9.2.1). */
const isUnsafe = ({ method }: Exchange): boolean =>
  method !== 'get' && method !== 'head' && method !== 'options'

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

/** The parts of a match that answering needs. */
type Found = Omit<Match<Route>, 'entry'> | Missed<Route>

const routeOf = (found: Found): Route => (found.kind === 'match' ? found.route : anyRouteOf(found))

/** What programs read of a version before they use it, and its tools. */
const aboutVersions: ReadonlySet<EndpointKind> = new Set([
  'openapi.document',
  'oauth.resource',
  'mcp',
  'mcp.resource',
])

/** What pages read and use of tools. */
const isOfTools = ({ kind }: Route): boolean =>
  kind === 'mcp' || kind === 'mcp.resource' || kind === 'oauth.resource'

/** Whether pages of other origins may read answers: of what the document declares, and about it; not of tokens and logins. */
const isWithinCors = ({ kind }: Route): boolean => kind === undefined || aboutVersions.has(kind)

/** Behaviour, Requests: token answers are outside CORS. */
const policyOfEndpoint = ({ method }: Exchange, { allow }: CompiledPath): Headers =>
  method === 'options' ? { allow } : {}
