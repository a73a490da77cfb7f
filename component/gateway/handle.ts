/** Answers routed requests: match ─▶ check ─▶ secure ─▶ negotiate ─▶ read ─▶ evaluate ─▶ act ─▶ respond. */
import {
  type Action,
  type ActionFields,
  type ActionType,
  type Outcome,
  type Run,
  streamOf,
} from '#component/action/action.ts'
import { type Clock, secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { Identity } from '#component/identity.ts'
import { concretePath } from '#component/routes/concrete-path.ts'
import { type Match, type Missed, RoutingTable } from '#component/routes/routing-table.ts'
import type { Protection, SecurityScheme, SecurityType } from '#component/security/scheme.ts'
import type {
  CompiledOperation,
  CompiledPath,
  Endpoint,
  EndpointKind,
  InheritedValues,
  Route,
} from './api.ts'
import {
  checkScheme,
  methodNotAllowed,
  negotiateLanguage,
  negotiateType,
  readContent,
} from './checks.ts'
import { noBody, RequestView } from './context.ts'
import { type CorsHeaders, type CorsPolicy, corsHeaders } from './cors.ts'
import { errorReply } from './error-reply.ts'
import { evaluateAttempts, evaluateFields } from './evaluate.ts'
import type { Exchange, Reply } from './exchange.ts'
import { applyLayers, type Headers } from './header-layers.ts'
import { loginRedirect } from './login-redirect.ts'
import { renderOutcome } from './response.ts'

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
export interface GatewayPorts {
  readonly clock: Clock
  readonly actions: Readonly<Record<ActionType, Action>>
  readonly schemes: Readonly<Record<SecurityType, SecurityScheme>>
  readonly endpoints: Readonly<Record<EndpointKind, EndpointHandler>>
  readonly cors: CorsPolicy
  /** The path of `public_base_url`, which a proxy takes away before requests come here; without a slash at the end. */
  readonly publicPath?: string
}

const nothing: ActionFields = {}
const noAction: Outcome = { result: {} }

/** The gateway proper. A request sees one whole routing table: it is swapped by one assignment. */
export class Gateway {
  table: RoutingTable<Route> = RoutingTable.build<Route>([]).table
  readonly #ports: GatewayPorts
  readonly #cors: CorsHeaders
  readonly #random: () => number
  /** `{{security}}` by identity: the identity is laid over the security object once for all requests of a user. */
  readonly #secured = new WeakMap<Protection, WeakMap<Identity, Context['security']>>()

  constructor(ports: GatewayPorts) {
    this.#ports = ports
    this.#cors = corsHeaders(ports.cors)
    this.#random = () => ports.clock.random()
  }

  /**
   * Answers a request; undefined when no host and path of any specification matches. Errors are replies, too: the promise
   * rejects for a bug only.
   */
  handle(exchange: Exchange): Promise<Reply> | undefined {
    const found = this.table.match(exchange.host, exchange.path, exchange.method)
    return found && this.#answer(exchange, found)
  }

  async #answer(exchange: Exchange, found: Match<Route> | Missed<Route>): Promise<Reply> {
    const isMatch = found.kind === 'match'
    const route = isMatch ? found.route : anyRouteOf(found)
    const { path } = route
    const isOperation = route.kind === undefined
    const inherited: InheritedValues = isMatch && isOperation ? route.inherited : path.inherited
    const policy = isOperation ? this.#policy(exchange, path) : policyOfEndpoint(exchange, path)
    try {
      if (isMatch) {
        return isOperation
          ? await this.#serve(exchange, route, found.bindings, policy)
          : await this.#serveEndpoint(exchange, route, found.bindings)
      }
      if (found.kind === 'method') throw methodNotAllowed(path.allow)
      checkScheme(exchange, path.inherited)
      return this.#preflight(exchange, path, policy)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const reply = errorReply(exchange, path, inherited, policy, error)
      if (!isMatch) return reply
      const { publicPath: prefix = '', clock } = this.#ports
      const base = concretePath(path.version.base, found.bindings)
      const place = { base, prefix, now: secondsOf(clock) }
      return loginRedirect(exchange, inherited, place, error, reply) ?? reply
    }
  }

  /** The configured CORS headers of an answer; the specification's headers win. */
  #policy({ method }: Exchange, { allow }: CompiledPath): Headers {
    return method === 'options' ? { ...this.#cors.preflight, allow } : this.#cors.answer
  }

  /** OPTIONS where the document declares none (Fetch standard: CORS-preflight request). */
  #preflight(exchange: Exchange, path: CompiledPath, policy: Headers): Reply {
    const headers = { ...policy, ...path.headers }
    const request = new RequestView(exchange, {}, negotiateLanguage(exchange, path.version), noBody)
    const security = path.version.anonymous
    const context: Context = { request, action: nothing, security, random: this.#random }
    applyLayers(headers, [path.layer], context)
    return { status: 204, headers, body: { kind: 'none' }, route: path.pattern }
  }

  /** The order of these steps is that of behaviour §3. */
  async #serve(
    exchange: Exchange,
    route: CompiledOperation,
    bindings: Readonly<Record<string, string>>,
    policy: Headers,
  ): Promise<Reply> {
    const { path, inherited } = route
    const { version } = path
    checkScheme(exchange, inherited)
    const { protection } = inherited
    const isSecured = protection !== undefined && exchange.method !== 'options'
    const passed = isSecured
      ? this.#ports.schemes[protection.type].authenticate(exchange, protection)
      : version.anonymous
    // awaits only an identity that is not known yet
    const identity = passed instanceof Promise ? await passed : passed
    const type = negotiateType(exchange, route)
    const language = negotiateLanguage(exchange, version)
    const content = exchange.hasBody ? await readContent(exchange, route) : noBody
    const request = new RequestView(exchange, bindings, language, content)
    const security = isSecured ? this.#security(protection, identity) : identity
    const context: Context = { request, action: nothing, security, random: this.#random }
    const outcome = await this.#act(exchange, route, identity, request, context)
    const action = 'result' in outcome ? { result: outcome.result } : { error: outcome.error }
    const seen: Context = { request, action, security, random: this.#random }
    try {
      return renderOutcome(exchange, route, outcome, seen, policy, type)
    } catch (error) {
      streamOf(outcome)?.destroy()
      throw error
    }
  }

  #security(protection: Protection, identity: Identity): Context['security'] {
    let ofProtection = this.#secured.get(protection)
    if (ofProtection === undefined) {
      ofProtection = new WeakMap()
      this.#secured.set(protection, ofProtection)
    }
    const known = ofProtection.get(identity)
    if (known) return known
    const security = { ...protection.object, ...identity }
    ofProtection.set(identity, security)
    return security
  }

  async #serveEndpoint(
    exchange: Exchange,
    endpoint: Endpoint,
    bindings: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    const { kind, path } = endpoint
    checkScheme(exchange, path.inherited)
    const reply = await this.#ports.endpoints[kind](exchange, endpoint, bindings)
    return { ...reply, headers: { ...path.headers, ...reply.headers }, route: path.pattern }
  }

  #act(
    exchange: Exchange,
    operation: CompiledOperation,
    identity: Identity,
    request: RequestView,
    context: Context,
  ): Outcome | Promise<Outcome> {
    const { action, path, inherited } = operation
    const { pool, realm_uri } = path.version
    if (action.type === 'none') return noAction
    const performer = this.#ports.actions[action.type]
    const fields = evaluateFields(action, context)
    const attempts = evaluateAttempts(inherited.attempts, context)
    const onCancel = (callback: () => void): void => exchange.onAbort(callback)
    // made when the action begins: the time limit of a body begins with its first read
    const run = (): Run => ({
      realm_uri,
      identity,
      method: exchange.method,
      attempts,
      computed: action.computedNames,
      rawBody:
        action.passesBody && exchange.hasBody ? exchange.rawBody(inherited.limits) : undefined,
      readsBody: action.readsAnswer,
      request,
      onCancel,
    })
    // a fixed answer needs no slot
    if (action.type === 'static') return performer.perform(fields, run())
    const limit = { clock: this.#ports.clock, maxMs: attempts.timeout, onCancel }
    return pool.run(() => performer.perform(fields, run()), limit, streamOf)
  }
}

/** Some route of an entry that has none for the method; every entry has at least one. */
function anyRouteOf({ entry }: Missed<Route>): Route {
  const [route] = Object.values(entry.routes)
  if (route === undefined) throw new TypeError(`${entry.path} has no route`)
  return route
}

/** Behaviour, Requests: token answers are outside CORS. */
const policyOfEndpoint = ({ method }: Exchange, { allow }: CompiledPath): Headers =>
  method === 'options' ? { allow } : {}
