/** Doubles for the gateway's ports: a request without a socket, actions without peers, a clock that stands still. */
import { Readable } from 'node:stream'
import type {
  Action,
  ActionFields,
  HeldBody,
  Outcome,
  RawBody,
  Run,
} from '#component/action/action.ts'
import { eachAction } from '#component/action/each/perform.ts'
import { RunningBranches } from '#component/action/group.ts'
import { type ActionType, forEachType as forEachAction } from '#component/action/kinds.ts'
import { parallelAction } from '#component/action/parallel/perform.ts'
import { staticAction } from '#component/action/static/perform.ts'
import type { Clock } from '#component/clock.ts'
import { parseJson } from '#component/codec/json.ts'
import { compileSpec } from '#component/compile/compile.ts'
import type { Issue } from '#component/errors.ts'
import { ServiceError } from '#component/errors.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Content, Exchange, Reply } from '#component/gateway/exchange.ts'
import { Gateway } from '#component/gateway/handle.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import type { GatewayPorts } from '#component/gateway/ports.ts'
import type { CallStreams } from '#component/gateway/streams/call-streams.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type { PolicyPorts } from '#component/policies/index.ts'
import type { BodyLimits, Method } from '#component/request.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { Validators } from '#component/schema/validators.ts'
import { forEachType } from '#component/security/kinds.ts'
import { type SecurityScheme, unauthorized } from '#component/security/scheme.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import { peerName } from '#component/syntax/ip-address.ts'
import { queryProblem } from '#component/syntax/request-target.ts'
import { parseQuery, parseQueryLists } from '#http/form.ts'
import { isAcceptedType, negotiateLanguage, negotiateType } from '#http/negotiate.ts'

/** A request in a few words: `'POST /x?a=1'` and what is not ordinary about it. */
export interface Ask {
  readonly headers?: Readonly<Record<string, string>>
  /** JSON unless the headers say otherwise. */
  readonly body?: string
  readonly scheme?: 'http' | 'https'
  readonly host?: string
  /** IP address. */
  readonly peer?: string
}

/** An exchange that remembers what was done with its body. */
export class FakeExchange implements Exchange {
  readonly id = '0192'
  served?: ServedPath
  readonly method: Method
  readonly scheme: 'http' | 'https'
  readonly peername: string
  readonly client: string
  readonly path: string
  readonly host: string
  readonly port = '80'
  readonly query_string: string
  readonly query_params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly hasBody: boolean
  readonly aborts: (() => void)[] = []
  /** `decoded`, `bytes`, `text`, `raw` or untouched. */
  bodyUse: 'decoded' | 'bytes' | 'text' | 'raw' | undefined
  readonly #body: string
  #kept: Buffer | undefined

  constructor(line: string, ask: Ask = {}) {
    const { headers = {}, body, scheme = 'http', host = 'localhost', peer = '192.0.2.1' } = ask
    this.peername = peerName(peer, 5000)
    this.client = peer
    const [method = '', target = ''] = line.split(' ')
    const [path = '', ...queries] = target.split('?')
    const query = queries.join('?')
    this.method = method.toLowerCase() as Method
    this.path = path
    this.query_string = query
    // HTTP refuses the others; endpoints are tried with them all the same
    const isFine = queryProblem(query) === undefined
    this.query_params = isFine ? parseQuery(query) : Object.fromEntries(new URLSearchParams(query))
    this.scheme = scheme
    this.host = host
    this.hasBody = body !== undefined
    this.#body = body ?? ''
    const type = this.hasBody ? { 'content-type': 'application/json' } : {}
    this.headers = { ...type, ...headers }
  }

  get query_lists() {
    return parseQueryLists(this.query_string)
  }

  header(name: string): string | undefined {
    return this.headers[name]
  }
  negotiate(provides: readonly string[], preferred?: string): string | undefined {
    return negotiateType(this.headers.accept, provides, preferred)
  }
  negotiateLanguage(languages: readonly string[]): string {
    return negotiateLanguage(this.headers['accept-language'], languages)
  }
  isAccepted(accepts: readonly string[]): boolean {
    return isAcceptedType(this.headers['content-type'], accepts)
  }
  async readBody(
    { body_max_bytes }: BodyLimits,
    onBytes?: (bytes: Uint8Array) => void,
    keeps = false,
  ): Promise<Content> {
    this.bodyUse = 'decoded'
    if (this.#body.length > body_max_bytes) {
      throw new ServiceError('service.error.payload_too_large', 'the body is too large')
    }
    const bytes = Buffer.from(this.#body)
    onBytes?.(bytes)
    const content = { body: parseJson(bytes), body_length: bytes.length }
    return keeps ? { ...content, held: { bytes, isInflated: false } } : content
  }
  async readBytes() {
    this.bodyUse = 'bytes'
    this.#kept = Buffer.from(this.#body)
    return this.#kept
  }
  async readText({ body_max_bytes }: BodyLimits) {
    this.bodyUse = 'text'
    if (this.#body.length > body_max_bytes) {
      throw new ServiceError('service.error.payload_too_large', 'the body is too large')
    }
    return this.#body
  }
  rawBody(): RawBody | HeldBody {
    if (this.#kept) return { bytes: this.#kept, isInflated: false }
    this.bodyUse = 'raw'
    return { stream: Readable.from([this.#body]), length: this.#body.length }
  }
  onAbort(callback: () => void): void {
    this.aborts.push(callback)
  }
}

/** What an action was asked to do. */
interface Performed {
  readonly type: ActionType
  readonly fields: ActionFields
  readonly run: Run
}

/** How a fake action ends. */
export type Performer = (performed: Performed) => Outcome | Promise<Outcome>

export const stoppedClock: Clock = { now: () => 0, after: () => () => {}, random: () => 0.5 }

/** What every fake action answers unless a test says otherwise: a WAMP result without arguments. */
const plainResult: Performer = () => ({
  result: { request_id: 1, details: {}, args: [], kwargs: {} },
})

/** A document that does not load. */
class Refused extends Error {
  readonly issues: readonly Issue[]
  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path}: ${message}`).join('\n'))
    this.issues = issues
  }
}

/** Everything that validation and compiling find in a document. */
export function issuesOf(document: unknown): readonly Issue[] {
  const { spec, issues } = validateSpec(document)
  const compiled = spec ? compileSpec(spec, { callTimeout: 30_000 }).issues : []
  return [...issues, ...compiled]
}

/** Refuses every request with the challenge of its type. */
const closed: SecurityScheme = {
  authenticate(request, protection) {
    const isSent = credentialsOf(request.header('authorization'), 'bearer') !== undefined
    throw unauthorized(protection, isSent ? 'the token is not valid here' : undefined)
  },
}
const closedSchemes = forEachType(() => closed)

/** Answers with what it was asked. */
const echo: EndpointHandler = async (_exchange, { kind, base }, bindings) => ({
  status: 200,
  headers: {},
  body: { kind: 'value', value: { kind, base, bindings }, type: 'application/json' },
})

/**
 * Compiles a document and gives what answers requests for it.
 * @param endpoint answers for all generated routes
 */
export function serve(
  document: unknown,
  perform: Performer = plainResult,
  endpoint: EndpointHandler = echo,
  schemes: GatewayPorts['schemes'] = closedSchemes,
  allow_origin: GatewayPorts['cors']['allow_origin'] = '*',
  callStreams?: CallStreams,
  policies?: Partial<PolicyPorts>,
  validators = new Validators(),
) {
  const { spec, issues } = validateSpec(document)
  if (!spec || issues.length > 0) throw new Refused(issues)
  const compiled = compileSpec(spec, { callTimeout: 30_000, schemas: { validators } })
  if (!compiled.api) throw new Refused(compiled.issues)
  const performed: Performed[] = []
  const groups = { clock: stoppedClock, running: new RunningBranches(100) }
  const fake = (type: ActionType): Action => ({
    async perform(fields, run) {
      if (type === 'parallel') return await parallelAction(groups).perform(fields, run)
      if (type === 'each') return await eachAction(groups).perform(fields, run)
      performed.push({ type, fields, run })
      return type === 'static' ? staticAction.perform(fields, run) : perform({ type, fields, run })
    },
  })
  const gateway = new Gateway({
    clock: stoppedClock,
    ...(callStreams && { callStreams }),
    ...(policies && { policies }),
    actions: forEachAction(fake),
    schemes,
    endpoints: {
      'oauth.token': endpoint,
      'oauth.revoke': endpoint,
      'oauth.introspect': endpoint,
      'oauth.verify': endpoint,
      'oauth.jwks': endpoint,
      'oauth.metadata': endpoint,
      'oauth.resource': endpoint,
      'oidc.login': endpoint,
      'oidc.callback': endpoint,
      'oidc.jwks': endpoint,
      'oidc.logout': endpoint,
      'oidc.backchannel_logout': endpoint,
      'openapi.document': endpoint,
      'openapi.docs': endpoint,
      'openapi.asset': endpoint,
      'mcp.resource': endpoint,
    },
    cors: {
      allow_origin,
      allow_methods: 'GET,HEAD,PUT,PATCH,POST,DELETE',
      allow_headers: 'content-type',
      max_age: 600,
    },
  })
  gateway.table = RoutingTable.build(compiled.api.entries).table
  return {
    api: compiled.api,
    performed,
    /** Answers a request, and tells the pattern of its path; a path that does not match is an error of the test. */
    async ask(line: string, ask?: Ask): Promise<Reply & { readonly pattern: string | undefined }> {
      const exchange = new FakeExchange(line, ask)
      const reply = await gateway.handle(exchange)
      if (!reply) throw new Error(`${line} matches no path`)
      return { ...reply, pattern: exchange.served?.pattern }
    },
    handle: (exchange: Exchange) => gateway.handle(exchange),
    /** Serves another table from now on. */
    use(table: RoutingTable<Route>) {
      gateway.table = table
    },
  }
}

/** The value of a reply's body; undefined when there is none. */
export function bodyOf({ body }: Reply): unknown {
  if (body.kind === 'value') return JSON.parse(JSON.stringify(body.value))
  return body.kind === 'bytes' ? body.bytes : undefined
}

/** A document with one version at `/v1`. */
export const documentOf = (paths: object, more: object = {}, version: object = {}) => ({
  id: 'com.example.test',
  host: '_',
  realm_uri: 'com.example.realm',
  ...more,
  versions: { '1.0': { base_path: '/v1', ...version, paths } },
})

/** An operation that answers a fixed body. */
export const fixed = (body: unknown = 'ok', on_result: object = {}) => ({
  action: { type: 'static', body },
  response: { on_result, on_error: {} },
})

/** An operation that calls a procedure. */
export const call = (action: object = {}, on_result: object = {}, on_error: object = {}) => ({
  action: { type: 'wamp_call', procedure: 'com.example.p', ...action },
  response: { on_result, on_error },
})

/** What a document with this one operation answers, with and without an outcome and a JSON body of the request. */
export function answer(method: string, operation: object, outcome?: Outcome, body?: string) {
  const served = serve(documentOf({ '/x': { [method]: operation } }), outcome && (() => outcome))
  return served.ask(`${method.toUpperCase()} /v1/x`, body === undefined ? {} : { body })
}
