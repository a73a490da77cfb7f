/** Requests of the gateway itself, such as those to identity providers: checked addresses, limits on time and size, no redirects. */

import type { Egress, EgressProxy } from '#component/action/connections/egress.ts'
import { type HostPolicy, hostPolicy, refuseOrigin } from '#component/action/connections/origin.ts'
import { Upstreams } from '#component/action/connections/upstreams.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'
import { badGateway } from './action.ts'

/** Time limit of a complete answer. Milliseconds. */
const timeoutMs = 5_000

/** At most this many bytes of a body, unless said otherwise. */
const defaultMaxBytes = 1_000_000

/** The request beside its URL. */
export interface CheckedRequest {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined
}

/** An answer as it came. */
export interface CheckedAnswer {
  readonly status: number
  /** Names in lower case; a list where a field repeats. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array<ArrayBuffer>
}

/** At most this many sets of certificates and proxies have connections. */
const maxOthers = 64

/** Statuses that must not have a body (Fetch §2.2.3). */
const empty: ReadonlySet<number> = new Set([204, 205, 304])

/** No host is listed. */
const noHosts = hostPolicy([])

/** The parts that make requests. */
interface CheckedFetchPorts {
  readonly clock: Clock
  /** Hosts whose private addresses are allowed although they are not fixed in a document. */
  readonly policy?: HostPolicy
  /** At most this many bytes of a body. */
  readonly maxBytes?: number
  /** By which proxy requests leave; absent: none. */
  readonly egress?: Egress
}

/** Sends requests; {@link close} ends its connections. */
export class CheckedFetch {
  readonly #clock: Clock
  readonly #policy: HostPolicy
  readonly #maxBytes: number
  readonly #outside: ConstructorParameters<typeof Upstreams>[2]
  readonly #upstreams: Upstreams
  /** By the certificates that are trusted in place of those of the system, and the proxy in place of that of the configuration, the last used last. */
  readonly #others = new Map<string, Upstreams>()
  /** Numbers of proxies. */
  readonly #proxies = new WeakMap<EgressProxy, number>()
  #proxyCount = 0

  constructor({ clock, policy = noHosts, maxBytes = defaultMaxBytes, egress }: CheckedFetchPorts) {
    this.#clock = clock
    this.#policy = policy
    this.#maxBytes = maxBytes
    this.#outside = { egress }
    this.#upstreams = new Upstreams(clock, policy, this.#outside)
  }

  /** {@link answer} as a Response, which has repeated fields as one. Throws what it throws. */
  async fetch(...asked: Parameters<CheckedFetch['answer']>): Promise<Response> {
    const { status, headers, body } = await this.answer(...asked)
    const fields = Object.entries(headers).flatMap(([name, value = []]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    )
    return new Response(empty.has(status) ? null : body, { status, headers: fields })
  }

  /**
   * The answer, whatever its status; a redirect is an answer, too.
   * @param isFixed whether a document of ours names the origin: then its address may be private, but never link-local or that
   *   of a cloud's metadata
   * @param ca the certificates (PEM) that are trusted in place of those of the system
   * @param proxy by which the request leaves, in place of that of the configuration
   * @throws ServiceError `service.error.bad_gateway`, `service.error.timeout`, `wamp.error.not_authorized` for an address
   */
  async answer(
    url: string,
    request: CheckedRequest,
    isFixed: boolean,
    ca?: string,
    proxy?: EgressProxy,
  ): Promise<CheckedAnswer> {
    const target = URL.parse(url)
    const origin = readOrigin(target?.origin ?? '')
    if (!target || 'problem' in origin) throw badGateway('the URL is not a valid http or https URL')
    // literal addresses are checked here, those of a name when it is connected to
    const refusal = refuseOrigin(origin, isFixed ? undefined : this.#policy)
    if (refusal) throw refusal
    const ended = new AbortController()
    const stopTimer = this.#clock.after(timeoutMs, () => {
      const message = `no complete response arrived within ${timeoutMs} ms`
      ended.abort(new ServiceError('service.error.timeout', message))
    })
    try {
      const { statusCode, headers, body } = await this.#upstreamsFor(ca, proxy)
        .pool(origin, !isFixed, timeoutMs)
        .request({
          path: `${target.pathname}${target.search}`,
          method: (request.method ?? 'GET') as 'GET',
          headers: { ...request.headers },
          body: bodyOf(request.body),
          signal: ended.signal,
        })
      const chunks: Uint8Array[] = []
      let size = 0
      for await (const chunk of body) {
        size += chunk.length
        if (size > this.#maxBytes) {
          throw badGateway(`the response is larger than ${this.#maxBytes} bytes`)
        }
        chunks.push(chunk)
      }
      return { status: statusCode, headers, body: Buffer.concat(chunks) }
    } catch (error) {
      throw asServiceError(error)
    } finally {
      stopTimer()
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const all = [this.#upstreams, ...this.#others.values()]
    this.#others.clear()
    await Promise.all(all.map((upstreams) => upstreams.close()))
  }

  #upstreamsFor(ca: string | undefined, proxy: EgressProxy | undefined): Upstreams {
    if (ca === undefined && proxy === undefined) return this.#upstreams
    const key = `${this.#numberOf(proxy)} ${ca ?? ''}`
    const outside = { ...this.#outside, ca, ...(proxy && { egress: () => proxy }) }
    const found = this.#others.get(key) ?? new Upstreams(this.#clock, this.#policy, outside)
    this.#others.delete(key)
    this.#others.set(key, found)
    const [oldest] = this.#others.keys()
    if (this.#others.size > maxOthers && oldest !== undefined) {
      void this.#others.get(oldest)?.close()
      this.#others.delete(oldest)
    }
    return found
  }

  #numberOf(proxy: EgressProxy | undefined): number {
    if (proxy === undefined) return 0
    const known = this.#proxies.get(proxy)
    if (known !== undefined) return known
    this.#proxyCount += 1
    this.#proxies.set(proxy, this.#proxyCount)
    return this.#proxyCount
  }
}

const bodyOf = (body: CheckedRequest['body']): string | Uint8Array | null => {
  if (body === undefined || body === null) return null
  return body instanceof URLSearchParams ? body.toString() : body
}

/** The ServiceError that ended a request, which undici wraps; bad_gateway for any other failure. */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof ServiceError) return cause
  return badGateway('the server gave no valid response', error)
}
