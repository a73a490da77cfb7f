/** A request of HTTP as the gateway's Exchange; expensive members are made on first use. */
import { isUtf8 } from 'node:buffer'
import type { HeldBody, RawBody } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type {
  Content,
  Exchange,
  FormTerms,
  StreamedForm,
  StreamRecord,
} from '#component/gateway/exchange.ts'
import type { FailureReport } from '#component/gateway/failure-report.ts'
import type { NetworkShare } from '#component/limits/network-share.ts'
import { noPath, type ServedPath } from '#component/metrics/place.ts'
import type { BodyLimits, ContentLimits, Method, StreamedBody } from '#component/request.ts'
import type { AskedRange } from '#component/syntax/byte-range.ts'
import { addressOf, peerName, plainAddress } from '#component/syntax/ip-address.ts'
import type { Handshake } from '#component/syntax/websocket.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import type { ClientCertificates } from '#http/tls/client-certificates.ts'
import type { BodyBytes } from './body/body-bytes.ts'
import { isRefused, RequestBody } from './body/request-body.ts'
import { readStreamedForm } from './body/streamed-form.ts'
import { contentOf } from './codec.ts'
import { sendEarlyHints } from './early-hints.ts'
import { parseQuery, parseQueryLists } from './form.ts'
import { isAcceptedType, negotiateLanguage, negotiateType } from './negotiate.ts'
import { type Forwarded, type TrustedProxies, withPublicHost } from './peer.ts'
import type { Target } from './preflight.ts'
import type { Messages, Transport } from './transport/transport.ts'

const full = () =>
  new ServiceError(
    'service.error.unavailable',
    'the bodies and responses in memory have reached their limit',
    { headers: { 'retry-after': '1' } },
  )
const tooMany = () =>
  new ServiceError('service.error.unavailable', 'too many bodies are streamed now', {
    headers: { 'retry-after': '1' },
  })
/** What is awaited so that the listener of the request returns first, before its body is read. */
const hasReturned = undefined
const gone = () => new ServiceError('service.error.bad_request', 'the request has ended')

const exchanges = new WeakMap<Messages['request'], HttpExchange>()

/** Keeps the exchange of a request that Koa serves for {@link exchangeOf}. */
export const keepExchange = (exchange: HttpExchange, request: Messages['request']): void => {
  exchanges.set(request, exchange)
}

/** The exchange of a request that Koa serves. */
export function exchangeOf(request: Messages['request']): HttpExchange {
  const exchange = exchanges.get(request)
  if (!exchange) throw new TypeError('the request did not come through the listener')
  return exchange
}

/** Dependencies of an exchange. */
export interface ExchangePorts {
  readonly clock: Clock
  readonly proxies: TrustedProxies
  /** Whether the listener terminates TLS. */
  readonly isSecure: boolean
  readonly held: NetworkShare
  /** Counts bodies that are streamed. */
  readonly streamed: Pick<NetworkShare, 'tryTake' | 'give'>
  readonly bodies: BodyBytes
  /** Absent: no client is asked for a certificate. */
  readonly clients?: Pick<ClientCertificates, 'of'> | undefined
}

/** One request on its way through the HTTP face. */
export class HttpExchange implements Exchange {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly query_string: string
  headers: Readonly<Record<string, string>>
  readonly host: string
  readonly scheme: 'http' | 'https'
  readonly transport: Transport
  readonly hasBody: boolean
  /** Address of the socket's peer, regardless of proxies. */
  readonly address: string
  /** Whether the client waits for 100 (Continue) before it sends its body. */
  isWaiting: boolean
  /** The path that serves it, for log and metrics. */
  served: ServedPath = noPath
  /** The name of the tool that it calls, for the log. */
  tool: string | undefined
  /** The name of the alternative that decides about it, for the log. */
  via: string | undefined
  /** The URI of the error in the answer, for the log. */
  error: string | undefined
  /** Why the request failed, for the log. */
  failure: FailureReport | undefined
  /** Whether an answer has begun. */
  isAnswered = false
  /** Of a request that may be answered by a WebSocket: its connection ends with any other answer. */
  handshake: Handshake | undefined
  /** Set-Cookie fields that security adds to the answer; undefined: none. */
  cookies: readonly string[] | undefined
  /** Its distributed trace; undefined where there is none. */
  trace: RequestTrace | undefined
  /** The part that it asks for, where a callee may leave out the rest. */
  range: AskedRange | undefined
  /** Of an answer that is a stream: its type, and what the log tells of it. */
  stream: { readonly type: string; readonly record: StreamRecord } | undefined
  /** Called once when the answer is over, or its connection is closed. */
  onClosed: (() => void) | undefined
  readonly #clock: Clock
  readonly #forwarded: Forwarded | undefined
  readonly #port: string
  readonly #held: NetworkShare
  readonly #streamed: ExchangePorts['streamed']
  #isStreamed = false
  readonly #bodies: BodyBytes
  readonly #clients: ExchangePorts['clients']
  #heldBytes = 0
  #body: RequestBody | undefined
  #query: Readonly<Record<string, string>> | undefined
  #aborts: ((reason?: ServiceError) => void)[] | undefined
  #isClosed = false
  #isOver = false
  #raw: RawBody | HeldBody | undefined

  constructor(
    id: string,
    target: Target,
    transport: Transport,
    ports: ExchangePorts,
    isWaiting: boolean,
  ) {
    this.method = target.method
    this.path = target.path
    this.query_string = target.query_string
    this.transport = transport
    this.isWaiting = isWaiting
    this.address = plainAddress(transport.connection.remoteAddress ?? '')
    this.#forwarded = ports.proxies.read(this.address, target.headers)
    this.headers = withPublicHost(target.headers, this.#forwarded)
    this.id = this.#forwarded?.id ?? id
    const authority = this.#forwarded?.authority ?? target.authority
    this.host = authority.host
    this.#port = authority.port
    this.scheme = this.#forwarded?.scheme ?? (ports.isSecure ? 'https' : 'http')
    this.hasBody = transport.hasBody(target.headers)
    this.#clock = ports.clock
    this.#held = ports.held
    this.#streamed = ports.streamed
    this.#bodies = ports.bodies
    this.#clients = ports.clients
  }

  /** Of HTTP, as the connection has it; `1.1`, `2`. */
  get version(): string {
    return this.transport.version
  }

  /** The pattern of the route; `''` without one. */
  get route(): string {
    return this.served.pattern
  }

  get port(): string {
    return this.#port || (this.scheme === 'https' ? '443' : '80')
  }

  get peername(): string {
    const told = this.#forwarded?.peername
    return told ?? peerName(this.address, this.transport.connection.remotePort ?? 0)
  }

  get query_params(): Readonly<Record<string, string>> {
    this.#query ??= parseQuery(this.query_string)
    return this.#query
  }

  get query_lists(): Readonly<Record<string, readonly string[]>> {
    return parseQueryLists(this.query_string)
  }

  get body(): RequestBody {
    this.#body ??= new RequestBody(
      this.transport.incoming,
      this.headers,
      this.#clock,
      (bytes) => this.hold(bytes),
      () => this.proceed(),
      (bytes) => this.#bodies.passed(bytes),
    )
    return this.#body
  }

  header(name: string): string | undefined {
    return this.headers[name]
  }

  amend(headers: Readonly<Record<string, string | undefined>>): void {
    const amended = Object.entries({ ...this.headers, ...headers })
    this.headers = Object.fromEntries(
      amended.filter((field): field is [string, string] => field[1] !== undefined),
    )
  }

  clientCertificate(): ReturnType<ClientCertificates['of']> {
    return this.#clients?.of(this)
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
    limits: ContentLimits,
    onBytes?: (bytes: Uint8Array) => void,
    keeps = false,
  ): Promise<Content> {
    if (!this.hasBody) return { body: '', body_length: 0 }
    await hasReturned
    const reading = this.body.read(limits)
    // awaits only a body that is not there yet
    const bytes = reading instanceof Promise ? await reading : reading
    onBytes?.(bytes)
    const type = this.headers['content-type']
    this.#bodies.read(type, bytes.length)
    const content = contentOf(type, bytes, limits)
    return keeps ? { ...(await content), held: this.body.heldAs(bytes) } : content
  }

  async readBytes(limits: BodyLimits): Promise<Uint8Array> {
    if (!this.hasBody) return new Uint8Array(0)
    await hasReturned
    return this.body.readCoded(limits)
  }

  async readText(limits: BodyLimits): Promise<string> {
    if (!this.hasBody) return ''
    await hasReturned
    const bytes = await this.body.read(limits)
    if (isUtf8(bytes)) return bytes.toString()
    throw new ServiceError('service.error.bad_request', 'the body is not valid UTF-8')
  }

  rawBody(limits: BodyLimits): RawBody | HeldBody {
    const raw = this.body.stream(limits)
    this.#raw = raw
    return raw
  }

  streamedBody(terms: StreamedBody): RawBody {
    this.hold(terms.heldBytes)
    if (!this.#streamed.tryTake(this.client)) throw tooMany()
    this.#isStreamed = true
    const raw = this.body.arriving(terms)
    this.#raw = raw
    return raw
  }

  streamedForm(terms: FormTerms): Promise<StreamedForm> {
    const { stream, length } = this.streamedBody(terms)
    const type = this.headers['content-type'] ?? ''
    const hold = (bytes: number) => this.hold(bytes)
    return readStreamedForm(type, stream, length, terms.form, hold)
  }

  hint(links: readonly string[]): boolean {
    return sendEarlyHints(this, links)
  }

  /** Reads and discards the rest of the body. */
  dropBody(): void {
    if (this.#raw && 'stream' in this.#raw) this.#raw.stream.destroy()
    const { incoming, isReceived, status } = this.transport
    if (incoming.readableEnded || isRefused(status ?? 0)) return
    // what has been read to its end is only told so
    if (isReceived && incoming.readableLength === 0) incoming.read()
    else incoming.resume()
  }

  /** Whether a trusted proxy has sent the request. */
  get isFromProxy(): boolean {
    return this.#forwarded !== undefined
  }

  /** The IP address of the client, as trusted proxies report it; else of the socket's peer. */
  get client(): string {
    const told = this.#forwarded?.peername
    return told === undefined ? this.address : addressOf(told)
  }

  /**
   * Counts bytes that are kept for this request, until {@link release}.
   * @throws ServiceError 503 with `Retry-After` when too many are held: then nothing is taken
   */
  hold(bytes: number): void {
    if (this.#isOver) throw gone()
    if (!this.#held.tryTake(this.client, bytes)) throw full()
    this.#heldBytes += bytes
  }

  /** Counts so many bytes from now on, instead of all before; false, with nothing changed, when too many are held. */
  holdOnly(bytes: number): boolean {
    const more = bytes - this.#heldBytes
    if (more > 0 && (this.#isOver || !this.#held.tryTake(this.client, more))) return false
    if (more < 0) this.#held.give(this.client, -more)
    this.#heldBytes = bytes
    return true
  }

  /** Gives back the bytes that {@link hold} has counted. */
  release(): void {
    if (this.#heldBytes > 0) this.#held.give(this.client, this.#heldBytes)
    this.#heldBytes = 0
  }

  /** Releases all bytes and refuses further ones: the answer has left, or the connection is closed. */
  end(): void {
    this.#isOver = true
    this.release()
    if (!this.#isStreamed) return
    this.#isStreamed = false
    this.#streamed.give(this.client)
  }

  onAbort(callback: (reason?: ServiceError) => void): void {
    if (this.#isClosed) callback()
    else if (this.#aborts) this.#aborts.push(callback)
    else this.#aborts = [callback]
  }

  /** The answer is a stream from now on. Nothing is pending for events and WebSockets any more; a call may be cancelled yet. */
  beginStream(stream: NonNullable<HttpExchange['stream']>): void {
    this.stream = stream
    if (stream.record.kind !== 'call') this.#aborts = undefined
  }

  /** Cancels everything pending for the request. @param reason why the gateway gives it up; absent: the connection is closed */
  abort(reason?: ServiceError): void {
    this.#isClosed = true
    const aborts = this.#aborts
    this.#aborts = undefined
    if (aborts) for (const callback of aborts) callback(reason)
  }

  /** Sends 100 (Continue) to a client that waits for it. */
  proceed(): void {
    if (!this.isWaiting) return
    this.isWaiting = false
    this.transport.proceed()
  }
}
