/** Tells of requests while operators of any node watch: at most 50 a second of a process, the others are counted. */
import type { Clock } from '#component/clock.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { filterKeys } from '#procedures/requests.ts'

/** Which requests are told; what is absent is not looked at. */
interface RequestFilter {
  readonly api_spec?: string
  readonly method?: string
  readonly route?: string
  /** As `404`, or `5xx`. */
  readonly status?: string
  readonly node?: string
  /** The realm of the document. */
  readonly realm_uri?: string
}

/** The dependencies of {@link RequestWatch}. */
export interface WatchPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly node: string
  realmOf(api_spec: unknown): string | undefined
  /** Takes a request, or how many were left out; must not throw. */
  tell(name: 'request' | 'dropped', data: JsonMap): void
}

/** As many requests are told in a second, and as many watches are kept apart: with more, all requests are told. */
const most = { requests: 50, watches: 50 }
/** A watch ends after this time, unless it is renewed; seconds. */
const mostSeconds = 60

/** Of one process. */
export class RequestWatch {
  /** Undefined while nobody watches: the one field that a request reads then. */
  tell: ((message: JsonMap) => void) | undefined
  readonly #ports: WatchPorts
  /** By the text of the filter: until when, milliseconds since the epoch. */
  readonly #watches = new Map<string, { readonly filter: RequestFilter; readonly until: number }>()
  #told = 0
  #dropped = 0
  #stopTimer: (() => void) | undefined

  constructor(ports: WatchPorts) {
    this.#ports = ports
  }

  /** Watches from now on for this time, or at most a minute. @param fields a filter, as another node or an operator gives it */
  watch(seconds: number, fields: unknown): void {
    const filter = readFilter(this.#watches.size < most.watches ? fields : {})
    const until = this.#ports.clock.now() + Math.min(seconds, mostSeconds) * 1000
    this.#watches.set(JSON.stringify(filter), { filter, until })
    this.tell = (message) => this.#take(message)
    if (this.#stopTimer === undefined) this.#tick()
  }

  stop(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#watches.clear()
    this.tell = undefined
  }

  /** Once a second. */
  #tick(): void {
    const { clock, node, tell } = this.#ports
    if (this.#dropped > 0) tell('dropped', { node, count: this.#dropped })
    this.#told = 0
    this.#dropped = 0
    const now = clock.now()
    for (const [key, { until }] of this.#watches) if (until <= now) this.#watches.delete(key)
    if (this.#watches.size === 0) this.stop()
    else this.#stopTimer = clock.after(1_000, () => this.#tick())
  }

  #take(message: JsonMap): void {
    const { clock, node, tell } = this.#ports
    const isWanted = [...this.#watches.values()].some(({ filter }) => this.#fits(message, filter))
    if (!isWanted) return
    if (this.#told >= most.requests) {
      this.#dropped += 1
      return
    }
    this.#told += 1
    tell('request', { node, ts: clock.now(), ...message })
  }

  #fits(message: JsonMap, filter: RequestFilter): boolean {
    const { node, realmOf } = this.#ports
    const { status, realm_uri, node: wanted = node, ...equal } = filter
    return (
      wanted === node &&
      Object.entries(equal).every(([key, value]) => message[key] === value) &&
      (status === undefined || isStatus(String(message.status), status)) &&
      (realm_uri === undefined || realmOf(message.api_spec) === realm_uri)
    )
  }
}

const isStatus = (found: string, wanted: string): boolean =>
  wanted.endsWith('xx') ? found[0] === wanted[0] : found === wanted

function readFilter(fields: unknown): RequestFilter {
  const given = isMap(fields) ? fields : {}
  const keys = [...filterKeys, 'realm_uri']
  return Object.fromEntries(
    keys.flatMap((key) => (typeof given[key] === 'string' ? [[key, given[key]]] : [])),
  )
}
