/** Requests of the gateway itself to servers that others name: checked addresses, limited in time and size, no redirects. */
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'
import { type HostPolicy, refuseOrigin } from './origin.ts'
import { Upstreams } from './upstreams.ts'

/** Until the whole answer is here. Milliseconds. */
const timeoutMs = 5_000

/** The longest body of an answer. Bytes. */
const maxBytes = 1_000_000

/** What is asked. */
export interface CheckedRequest {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined
}

/** Statuses whose answers have no body, and must not be given one (Fetch §2.2.3). */
const empty: ReadonlySet<number> = new Set([204, 205, 304])

/** No host is listed. */
const noHosts: HostPolicy = { allows: () => false, lists: () => false }

const badGateway = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('service.error.bad_gateway', message, { cause })

/** What the requests are made with. */
interface CheckedFetchPorts {
  readonly clock: Clock
  /** Hosts whose private addresses may be reached although nobody has fixed them. */
  readonly policy?: HostPolicy
}

/** Sends requests; to be closed. */
export class CheckedFetch {
  readonly #clock: Clock
  readonly #policy: HostPolicy
  readonly #upstreams: Upstreams

  constructor({ clock, policy = noHosts }: CheckedFetchPorts) {
    this.#clock = clock
    this.#policy = policy
    this.#upstreams = new Upstreams(clock, policy)
  }

  /**
   * The answer, whatever its status; a redirect is an answer, too.
   * @param isFixed is the origin written in a document of ours? Then it may be private; link-local ones and those of clouds'
   *   metadata never
   * @throws ServiceError `service.error.bad_gateway`, `service.error.timeout`, `wamp.error.not_authorized` for an address
   */
  async fetch(url: string, request: CheckedRequest, isFixed: boolean): Promise<Response> {
    const target = URL.parse(url)
    const origin = readOrigin(target?.origin ?? '')
    if (!target || 'problem' in origin) throw badGateway('the URL is not a valid http or https URL')
    // before anything is sent there; the addresses of a name are looked at where it is connected to
    const refusal = refuseOrigin(origin, isFixed ? undefined : this.#policy)
    if (refusal) throw refusal
    const ended = new AbortController()
    const stopTimer = this.#clock.after(timeoutMs, () => {
      const message = `no complete answer arrived within ${timeoutMs} ms`
      ended.abort(new ServiceError('service.error.timeout', message))
    })
    try {
      const { statusCode, headers, body } = await this.#upstreams
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
        if (size > maxBytes) throw badGateway(`the answer is larger than ${maxBytes} bytes`)
        chunks.push(chunk)
      }
      const fields = Object.entries(headers).flatMap(([name, value = []]) =>
        [value].flat().map((one): [string, string] => [name, one]),
      )
      const init = { status: statusCode, headers: fields }
      return new Response(empty.has(statusCode) ? null : Buffer.concat(chunks), init)
    } catch (error) {
      throw asServiceError(error)
    } finally {
      stopTimer()
    }
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#upstreams.close()
  }
}

const bodyOf = (body: CheckedRequest['body']): string | Uint8Array | null => {
  if (body === undefined || body === null) return null
  return body instanceof URLSearchParams ? body.toString() : body
}

/** undici wraps what has stopped a request. */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof ServiceError) return cause
  return badGateway('the server gave no valid answer', error)
}
