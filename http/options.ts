/** The configuration of the HTTP face; the sections of `Config` have this form. */
import type { TlsOption } from '#component/config/tls-files.ts'
import type { ForwardedHeader } from './peer.ts'

/** One listener or several: `host:port`, `port` or `[::1]:port`. */
export type Listen = string | number | readonly (string | number)[]

/** Durations are milliseconds. */
export interface HttpOptions {
  readonly gateway: {
    readonly listen: Listen
    readonly public_base_url?: string
    /** CIDR ranges. */
    readonly trusted_proxies: readonly string[]
    readonly forwarded_header: ForwardedHeader
    readonly tls?: TlsOption
    /** Whether HTTP/2 is offered, with {@link tls}. */
    readonly http2: boolean
    readonly ws_allowed_origins: readonly string[]
    readonly drain_delay: number
    readonly drain_timeout: number
  }
  readonly admin: {
    readonly listen: Listen
    readonly share_gateway_listener: string | boolean
    /** Whether it serves the console. */
    readonly console: boolean
    /** The URL of the Grafana dashboard, http or https; absent: the console links to none. */
    readonly grafana?: string
    /** The realm whose users may manage by credentials. */
    readonly realm?: string
  }
  /** `/ping`, `/ready` and `/metrics` alone, without credentials. */
  readonly health: { readonly listen?: Listen }
  /** The embedded router's own port, at `/ws` and `/`. */
  readonly router: { readonly listen?: Listen }
  readonly limits: {
    readonly max_connections: number
    /** Absent: half of {@link max_connections}. */
    readonly connections_per_address?: number
    readonly headers_timeout: number
    readonly request_timeout: number
    readonly keep_alive_timeout: number
    readonly max_requests_per_socket: number
    readonly http2_streams: number
    /** Default 1000. */
    readonly streamed_bodies?: number
    readonly http2_idle_timeout: number
    /** Absent: true. */
    readonly load_shedding?: boolean
  }
  readonly log: { readonly access: boolean }
}

/** An address that a server listens at. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The listeners by purpose; `router` is the embedded router's own port. */
export type Face = 'admin' | 'gateway' | 'health' | 'router'

/**
 * The faces that close when the drain delay is over. Health and management are served until the last request is: a balancer whose
 * check finds nothing there would cut the requests in flight.
 */
export const clientFaces: readonly Face[] = ['gateway', 'router']

/** The listening addresses of each face. */
export type Addresses = Readonly<Record<Face, Address[]>>

/**
 * Parses listening addresses; a bare port is on loopback.
 * @throws TypeError for text without a port
 */
export function parseListen(listen: Listen): readonly Address[] {
  if (typeof listen === 'object') return listen.flatMap((one) => parseListen(one))
  const text = String(listen)
  const colon = text.lastIndexOf(':')
  const digits = text.slice(colon + 1)
  const port = Number(digits)
  if (digits === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`expected host:port or port, got ${text}`)
  }
  const host = colon < 0 ? '127.0.0.1' : text.slice(0, colon)
  if (host === '' || host === '*') return [{ host: '::', port }]
  return [{ host: host.startsWith('[') ? host.slice(1, -1) : host, port }]
}
