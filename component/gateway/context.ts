/** The API Context of one request, which its expressions read. */
import { withoutGatewayFields } from '#component/action/headers.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { CheckedValues } from '#component/gateway/schemas/request-checks.ts'
import type { Identity } from '#component/identity.ts'
import type { Request } from '#component/request.ts'
import { objectFor, passedBy } from '#component/security/decided.ts'
import { type Protection, tokenRefusal } from '#component/security/scheme.ts'
import { wholeBody } from '#component/syntax/byte-range.ts'
import type { InheritedValues } from './api.ts'
import type { Content, Exchange } from './exchange.ts'

/** Stands for the body of a request without one, or with one that is not read. */
export const noBody: Content = { body: '', body_length: 0 }

/** A trace token: a secret of whoever looks into the gateway, which neither expressions nor upstreams see. */
export const traceField = 'x-gateway-trace'

function withoutTrace(headers: Exchange['headers']): Exchange['headers'] {
  const { [traceField]: _token, ...rest } = headers
  return rest
}

const none = {}

/** `request` of the API Context: a view of the exchange that computes costly members when they are read. */
export class RequestView implements Request {
  readonly #exchange: Exchange
  readonly #content: Omit<Content, 'body'>
  readonly bindings: Request['bindings']
  readonly language: string
  readonly body: unknown

  constructor(
    exchange: Exchange,
    bindings: Request['bindings'],
    language: string,
    content: Content,
  ) {
    this.#exchange = exchange
    this.#content = content
    this.bindings = bindings
    this.language = language
    this.body = content.body
  }

  get body_length() {
    return this.#content.body_length
  }
  get body_lists() {
    return this.#content.lists?.() ?? none
  }
  get files() {
    return this.#content.files?.last ?? none
  }
  get file_lists() {
    return this.#content.files?.lists ?? none
  }

  get range() {
    return this.#exchange.range ?? wholeBody
  }

  /** The same content with another body. */
  protected static contentOf(view: RequestView): Content {
    return { ...view.#content, body: view.body }
  }

  get id() {
    return this.#exchange.id
  }
  get method() {
    return this.#exchange.method
  }
  get scheme() {
    return this.#exchange.scheme
  }
  get peername() {
    return this.#exchange.peername
  }
  /** A trailing slash is equivalent to none (behaviour §3), so it is not shown; {@link receivedPath} keeps it. */
  get path() {
    const { path } = this.#exchange
    return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  }
  get receivedPath() {
    return this.#exchange.path
  }
  get host() {
    return this.#exchange.host
  }
  get port() {
    return this.#exchange.port
  }
  get headers() {
    const { headers } = this.#exchange
    return headers[traceField] === undefined ? headers : withoutTrace(headers)
  }
  get query_string() {
    return this.#exchange.query_string
  }
  get query_params(): Request['query_params'] {
    return this.#exchange.query_params
  }
  get query_lists() {
    return this.#exchange.query_lists
  }

  /** The same request for the `headers` of a forward: copies of its headers lack those that only a gateway may set. */
  get forUpstream(): RequestView {
    return new UpstreamView(this.#exchange, this)
  }
}

/** A request that fits its schemas: its texts are read as the types that these name. */
export class CheckedView extends RequestView {
  readonly #query_params: Request['query_params'] | undefined

  constructor(
    exchange: Exchange,
    { bindings, query_params, body }: CheckedValues,
    language: string,
    content: Content,
  ) {
    super(exchange, bindings, language, { ...content, body })
    this.#query_params = query_params
  }

  override get query_params(): Request['query_params'] {
    return this.#query_params ?? super.query_params
  }
}

class UpstreamView extends RequestView {
  readonly #of: RequestView

  constructor(exchange: Exchange, of: RequestView) {
    super(exchange, of.bindings, of.language, RequestView.contentOf(of))
    this.#of = of
  }

  override get query_params() {
    return this.#of.query_params
  }
  override get headers() {
    return withoutGatewayFields(super.headers)
  }
}

/** `security` of the API Context: an identity laid over the security object, once for all requests of a user. */
export class SecuredViews {
  readonly #known = new WeakMap<Protection, WeakMap<Identity, Context['security']>>()

  of(protection: Protection, identity: Identity): Context['security'] {
    // each message has an identity of its own
    if (protection.kind.signsBody) return { ...objectFor(protection, identity), ...identity }
    let ofProtection = this.#known.get(protection)
    if (ofProtection === undefined) {
      ofProtection = new WeakMap()
      this.#known.set(protection, ofProtection)
    }
    const known = ofProtection.get(identity)
    if (known) return known
    const security = { ...objectFor(protection, identity), ...identity }
    ofProtection.set(identity, security)
    return security
  }
}

/**
 * The context of actions that send the access token of the provider; nothing else is evaluated in it.
 * @throws ServiceError 401 where the login has none that holds, 503 where it cannot be renewed now
 */
export async function withToken(
  context: Context,
  identity: Identity,
  { protection }: InheritedValues,
): Promise<Context> {
  const { providerToken } = identity
  try {
    const token = await providerToken?.()
    const security = { ...context.security }
    // not enumerable: what reads all of `security` does not have it
    Object.defineProperty(security, 'provider_token', { value: token })
    return { ...context, security }
  } catch (error) {
    const [by] = protection ? passedBy(protection, identity) : []
    throw by ? tokenRefusal(error, by) : error
  }
}
