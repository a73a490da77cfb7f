/** What a realm says of its upstreams (`info.upstreams`), read with defaults. The load of the realm has checked it. */
import { readProxy } from '#component/action/connections/egress.ts'
import { maxConnections } from '#component/action/connections/upstreams.ts'
import { type Origin, readOrigin } from '#component/syntax/upstream-origin.ts'
import { isMap, type JsonMap, mapOrEmpty, memberOf } from '#component/syntax/values.ts'

/** At most so many upstreams of a realm, and targets of one. */
export const upstreamLimits = { upstreams: 256, targets: 64, weight: 1000 } as const

/** The name of an upstream, or of a group: what paths, metrics and the log call it. */
export const upstreamName = /^[\w.-]{1,64}$/

/** How a target is chosen among those that are there. */
export const balances = ['round_robin', 'least_pending', 'hash'] as const
type Balance = (typeof balances)[number]

/** The values of keys that are absent. */
export const upstreamDefaults = {
  weight: 1,
  balance: 'round_robin',
  failover: 1,
  host_header: 'target',
  addresses: 'any',
  resolve_interval: 10,
  slow_start: 0,
  drain_timeout: 60,
  connections: maxConnections,
  retry_budget: 0.2,
  health: { failures: 5, out: 10 },
  active: { interval: 5, timeout: 2, up: 2, down: 3 },
} as const

/** When a target is taken out. */
export interface HealthSettings {
  /** In a row. */
  readonly failures: number
  /** How long it is out first; milliseconds. */
  readonly outMs: number
  /** Undefined: targets are not asked. */
  readonly active: ActiveSettings | undefined
}

/** How targets are asked whether they are there. */
export interface ActiveSettings {
  readonly path: string
  readonly intervalMs: number
  readonly timeoutMs: number
  /** Those that say that it is well; undefined: 200 to 299. */
  readonly statuses: readonly number[] | undefined
  /** Good answers in a row that bring a target back. */
  readonly up: number
  /** Bad ones that take it out. */
  readonly down: number
}

/** One copy of a backend. */
export interface TargetSettings {
  /** As the document writes it: the target is known by it. */
  readonly url: string
  readonly origin: Origin
  /** Of a Unix socket; undefined: none. */
  readonly socketPath: string | undefined
  /** 0: it is chosen by its group only. */
  readonly weight: number
  readonly group: string | undefined
  /** Whether it is chosen while no other is there. */
  readonly isBackup: boolean
  /** Whether it gets nothing new. */
  readonly isDrained: boolean
}

/** What is trusted and shown in TLS, each a text of PEM or where it is; as the realm has them. */
export interface TlsSettings {
  readonly ca?: unknown
  readonly cert?: unknown
  readonly private_key?: unknown
  /** The name that the certificate of a target must have; undefined: that of its `url`. */
  readonly server_name?: string
}

/** A proxy of an upstream, as the realm has it. */
export interface ProxySettings {
  readonly origin: Origin
  /** Undefined: it asks for no password. */
  readonly auth: JsonMap | undefined
  /** The certificates that it is trusted by; undefined: those of the system. */
  readonly ca: unknown
}

/** One upstream. */
export interface UpstreamSettings {
  readonly name: string
  /** The cookie by which clients stay with a target; undefined: there is none. */
  readonly sticky: { readonly cookie: string; readonly maxAge: number | undefined } | undefined
  /** How often the addresses of targets are asked for, each of which is a target then; undefined: they are not. */
  readonly resolveMs: number | undefined
  /** The `Host` that targets get: their own, that of the request, or this name. */
  readonly hostHeader: string
  /** Before the path of a forward; empty, or begins with a slash and ends with none. */
  readonly basePath: string
  readonly tls: TlsSettings | undefined
  /** By which its connections leave; undefined: as all others. */
  readonly proxy: ProxySettings | undefined
  readonly targets: readonly TargetSettings[]
  readonly balance: Balance
  /** Other targets that are tried at once. */
  readonly failover: number
  /** The share of the requests that may be sent twice, from 0 to 1. */
  readonly retryBudget: number
  readonly health: HealthSettings
  /** How long the weight of a target that is new or back grows; milliseconds. */
  readonly slowStartMs: number
  /** How long what runs on a target that is gone may go on; milliseconds. */
  readonly drainMs: number
  /** Of a target. */
  readonly connections: number
  /** Requests under way at a target beyond which it gets no more. */
  readonly maxPending: number
  /** What proves to it who asks, as the realm has it; undefined: nothing. */
  readonly auth: JsonMap | undefined
}

const unixScheme = 'unix:'

/** Stands for the host of a Unix socket. */
const localhost: Origin = {
  ...{ protocol: 'http:', hostname: 'localhost', port: 80, text: 'http://localhost' },
  ...{ addressClass: undefined, isAddress: false },
}

/** The path of a Unix socket, where a url is one. */
export const socketPathOf = (url: string): string | undefined =>
  url.startsWith(unixScheme) ? url.slice(unixScheme.length) : undefined

/** A target with the other keys at their defaults. */
export const targetOf = (url: string, origin: Origin, written: JsonMap = {}): TargetSettings => ({
  ...{ url, origin, socketPath: socketPathOf(url) },
  weight: numberOf(written.weight, upstreamDefaults.weight),
  group: typeof written.group === 'string' ? written.group : undefined,
  isBackup: written.backup === true,
  isDrained: written.drain === true,
})

const numberOf = (value: unknown, fallback: number): number =>
  typeof value === 'number' ? value : fallback

const textOf = (value: unknown, fallback: string): string =>
  typeof value === 'string' ? value : fallback

function readTarget(value: unknown): TargetSettings[] {
  const written = mapOrEmpty(value)
  const url = String(written.url)
  if (socketPathOf(url) !== undefined) return [targetOf(url, localhost, written)]
  const origin = readOrigin(url)
  return 'problem' in origin ? [] : [targetOf(url, origin, written)]
}

function activeOf({ path, interval, timeout, status, up, down }: JsonMap): ActiveSettings {
  const { active: defaults } = upstreamDefaults
  return {
    path: String(path),
    intervalMs: numberOf(interval, defaults.interval) * 1000,
    timeoutMs: numberOf(timeout, defaults.timeout) * 1000,
    statuses: Array.isArray(status) ? status.map(Number) : undefined,
    up: numberOf(up, defaults.up),
    down: numberOf(down, defaults.down),
  }
}

const stickyOf = ({ cookie, max_age }: JsonMap): UpstreamSettings['sticky'] => ({
  cookie: String(cookie),
  maxAge: typeof max_age === 'number' ? max_age : undefined,
})

/** @param written a text, or a map `{url, username, password, ca}` */
function proxyOf(written: unknown): ProxySettings | undefined {
  const { url, username, password, ca } = isMap(written) ? written : { url: written }
  const origin = typeof url === 'string' ? readProxy(url) : undefined
  const auth = username === undefined ? undefined : { username, password }
  return origin && { origin, auth, ca }
}

/** An upstream as its realm writes it. */
export function upstreamOf(name: string, written: JsonMap): UpstreamSettings {
  const { targets, balance, auth } = written
  const health = mapOrEmpty(written.health)
  const defaults = upstreamDefaults
  return {
    name,
    targets: Array.isArray(targets) ? targets.flatMap(readTarget) : [],
    balance: balances.find((one) => one === balance) ?? defaults.balance,
    failover: numberOf(written.failover, defaults.failover),
    retryBudget: numberOf(written.retry_budget, defaults.retry_budget),
    health: {
      failures: numberOf(health.failures, defaults.health.failures),
      outMs: numberOf(health.out, defaults.health.out) * 1000,
      active: isMap(health.active) ? activeOf(health.active) : undefined,
    },
    sticky: isMap(written.sticky) ? stickyOf(written.sticky) : undefined,
    resolveMs:
      written.addresses === 'each'
        ? numberOf(written.resolve_interval, defaults.resolve_interval) * 1000
        : undefined,
    hostHeader: textOf(written.host_header, defaults.host_header),
    basePath: textOf(written.base_path, '').replace(/\/+$/, ''),
    tls: isMap(written.tls) ? written.tls : undefined,
    proxy: proxyOf(written.proxy),
    slowStartMs: numberOf(written.slow_start, defaults.slow_start) * 1000,
    drainMs: numberOf(written.drain_timeout, defaults.drain_timeout) * 1000,
    connections: numberOf(written.connections, defaults.connections),
    maxPending: numberOf(written.max_pending, Number.POSITIVE_INFINITY),
    auth: isMap(auth) ? auth : undefined,
  }
}

/** The upstreams of a realm. @param info of its document */
export function readUpstreams({ upstreams }: JsonMap): readonly UpstreamSettings[] {
  return Object.entries(mapOrEmpty(upstreams)).flatMap(([name, value]) =>
    isMap(value) ? [upstreamOf(name, value)] : [],
  )
}

/** Whether a realm has an upstream of a name. @param info of its document */
export const hasUpstream = (info: JsonMap, name: string): boolean =>
  isMap(memberOf(info.upstreams, name))
