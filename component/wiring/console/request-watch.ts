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

/** Says whether a request is told, before anything is made of it; the request counts as told then. */
type Admits = (api_spec: string, method: string, route: string, status: number) => boolean

/** Of one process. */
export class RequestWatch {
  /** Undefined while nobody watches: the one field that a request reads then. */
  admits: Admits | undefined
  readonly #ports: WatchPorts
  /** By the text of the filter: until when, milliseconds since the epoch. */
  readonly #watches = new Map<string, { readonly filter: RequestFilter; readonly until: number }>()
  /** Whether one of them takes every request. */
  #takesAll = false
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
    this.#lookAtFilters()
    this.admits ??= (...request) => this.#admits(...request)
    if (this.#stopTimer === undefined) this.#tick()
  }

  stop(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#watches.clear()
    this.admits = undefined
  }

  /** Tells of a request that was admitted. */
  tell(message: JsonMap): void {
    const { clock, node, tell } = this.#ports
    tell('request', { node, ts: clock.now(), ...message })
  }

  /** Once a second. */
  #tick(): void {
    const { clock, node, tell } = this.#ports
    if (this.#dropped > 0) tell('dropped', { node, count: this.#dropped })
    this.#told = 0
    this.#dropped = 0
    const now = clock.now()
    for (const [key, { until }] of this.#watches) if (until <= now) this.#watches.delete(key)
    this.#lookAtFilters()
    if (this.#watches.size === 0) this.stop()
    else this.#stopTimer = clock.after(1_000, () => this.#tick())
  }

  #lookAtFilters(): void {
    const all = [...this.#watches.values()]
    this.#takesAll = all.some(({ filter }) => Object.keys(filter).length === 0)
  }

  #admits(...request: Parameters<Admits>): boolean {
    const isWanted =
      this.#takesAll ||
      [...this.#watches.values()].some(({ filter }) => this.#fits(filter, ...request))
    if (!isWanted) return false
    if (this.#told >= most.requests) {
      this.#dropped += 1
      return false
    }
    this.#told += 1
    return true
  }

  #fits(filter: RequestFilter, ...[api_spec, method, route, status]: Parameters<Admits>): boolean {
    const { node, realmOf } = this.#ports
    return (
      (filter.node ?? node) === node &&
      (filter.api_spec ?? api_spec) === api_spec &&
      (filter.method ?? method) === method &&
      (filter.route ?? route) === route &&
      (filter.status === undefined || isStatus(String(status), filter.status)) &&
      (filter.realm_uri === undefined || realmOf(api_spec) === filter.realm_uri)
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
