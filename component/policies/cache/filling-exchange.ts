/** A request as the action sees it whose answer may be kept: without conditions, and without a client that may go away. */
import { BodilessExchange } from '#component/gateway/bodiless-exchange.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { conditionalFields, overridingFields } from '#component/syntax/http-field.ts'

/** Stands for a request without a body; it lives as long as something waits for its answer. */
export class FillingExchange extends BodilessExchange implements Exchange {
  readonly id: string
  readonly method: Exchange['method']
  readonly scheme: Exchange['scheme']
  readonly peername: string
  readonly client: string
  readonly path: string
  readonly host: string
  readonly port: string
  readonly query_string: string
  readonly query_params: Exchange['query_params']
  readonly headers: Exchange['headers']
  readonly trace: Exchange['trace']
  readonly listener: Exchange['listener']
  readonly invocation: Exchange['invocation']
  readonly #of: Exchange

  /**
   * @param trace of the request that waits for it; undefined: none does
   * @param named request fields that the answers are told apart by, lower case
   */
  constructor(of: Exchange, trace: Exchange['trace'], named: readonly string[]) {
    super()
    const { id, method, scheme, path, host, port, query_string, query_params } = of
    this.id = id
    this.method = method
    this.scheme = scheme
    this.peername = of.peername
    this.client = of.client
    this.path = path
    this.host = host
    this.port = port
    this.query_string = query_string
    this.query_params = query_params
    const kept = Object.entries(of.headers).filter(
      ([name]) =>
        !conditionalFields.has(name) && (!overridingFields.has(name) || named.includes(name)),
    )
    this.headers = Object.fromEntries(kept)
    this.trace = trace
    this.listener = of.listener
    this.invocation = of.invocation
    this.#of = of
    if (of.served) this.served = of.served
  }

  served?: NonNullable<Exchange['served']>

  get query_lists(): Exchange['query_lists'] {
    return this.#of.query_lists
  }

  header(name: string): string | undefined {
    return this.headers[name]
  }

  negotiate(provides: readonly string[], preferred?: string): string | undefined {
    return this.#of.negotiate(provides, preferred)
  }

  negotiateLanguage(languages: readonly string[]): string {
    return this.#of.negotiateLanguage(languages)
  }

  isAccepted(accepts: readonly string[]): boolean {
    return this.#of.isAccepted(accepts)
  }
}
