/** The API Context of one request: what its expressions can read. */
import { withoutGatewayFields } from '#component/action/headers.ts'
import type { Request } from '#component/request.ts'
import type { Exchange } from './exchange.ts'

/** The body of a request that has none, or whose body nobody reads. */
export const noBody: { readonly body: unknown; readonly body_length: number } = {
  body: '',
  body_length: 0,
}

/** `request` of the API Context: a view of the exchange; what is costly is computed when it is read. */
export class RequestView implements Request {
  readonly #exchange: Exchange
  readonly bindings: Readonly<Record<string, string>>
  readonly language: string
  readonly body: unknown
  readonly body_length: number

  constructor(
    exchange: Exchange,
    bindings: Readonly<Record<string, string>>,
    language: string,
    content: { readonly body: unknown; readonly body_length: number },
  ) {
    this.#exchange = exchange
    this.bindings = bindings
    this.language = language
    this.body = content.body
    this.body_length = content.body_length
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
  /** A trailing slash is equivalent to none (behaviour §3), so it is not shown. */
  get path() {
    const { path } = this.#exchange
    return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  }
  get host() {
    return this.#exchange.host
  }
  get port() {
    return this.#exchange.port
  }
  get headers() {
    return this.#exchange.headers
  }
  get query_string() {
    return this.#exchange.query_string
  }
  get query_params() {
    return this.#exchange.query_params
  }

  /** The same request, of whose headers a copy holds only those that a client may set for an upstream. */
  get forUpstream(): RequestView {
    return new UpstreamView(this.#exchange, this.bindings, this.language, this)
  }
}

class UpstreamView extends RequestView {
  override get headers() {
    return withoutGatewayFields(super.headers)
  }
}
