/** What the listeners tell of their process in /metrics: requests in flight, readiness, overload, the certificate. */
import type { MetricSources } from '#component/metrics/source.ts'
import type { SheddingState } from '#http/limits/load-shedding.ts'
import type { Pressure } from '#http/limits/overload.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'
import type { CloseReason } from '#http/transport/http2-connections.ts'

/** Connections of HTTP/2. */
interface Http2Counts {
  /** Those that are open. */
  readonly size: number
  /** Those that are over, by reason. */
  readonly closed: Readonly<Record<CloseReason, number>>
}

/** What is read at each scrape. */
export interface ListenerState extends SheddingState {
  readonly inFlight: number
  readonly isReady: boolean
  /** Connections that are open, those of HTTP/2 among them. */
  readonly connections: number
  /** Of HTTP/2; undefined: it is not offered. */
  readonly http2: Http2Counts | undefined
  /** What HTTPS is served with; undefined: nothing. */
  readonly tls: TlsSetup | undefined
}

const pressures: readonly Pressure[] = ['none', 'strained', 'full']

/** The metrics by their Prometheus names; those of certificates exist where `gateway.tls` is set. */
export const listenerSources = (state: () => ListenerState): MetricSources => ({
  gateway_ready: {
    help: '1 while the gateway is ready, as /ready reports; 0 while it starts and while it stops.',
    across: 'min',
    read: () => Number(state().isReady),
  },
  gateway_http_requests_in_flight: {
    help: 'HTTP requests being served now, without the streams of events that are open (gateway_streams).',
    read: () => state().inFlight,
  },
  gateway_memory_used_ratio: {
    help: 'Part of the memory limit in use, 0 to 1: of the heap, or of the process in its container or machine, whichever is more. Above 0.9 for five seconds, requests are refused.',
    across: 'max',
    read: () => state().memory,
  },
  gateway_overload_pressure: {
    help: 'Overload of the process: 0 none, 1 strained (the event loop is late by more than 200 ms, or more than 90 % of the memory is used), 2 full (1 s, 95 %). While memory is short, or too many requests are in progress, the expensive ones are refused at 1, all at 2.',
    across: 'max',
    read: () => pressures.indexOf(state().pressure),
  },
  gateway_overload_shed_total: {
    help: 'Routed requests that were refused because the process is overloaded, by reason: connection (its first request), body (a large one), network (it has many requests in flight), all.',
    isCounter: true,
    labels: ['reason'],
    read: () =>
      Object.entries(state().shed).map(([reason, value]) => ({ labels: { reason }, value })),
  },
  ...(state().http2 && http2Sources(state)),
  ...(state().tls && certificateSources(() => state().tls)),
})

const http2Sources = (state: () => ListenerState): MetricSources => ({
  gateway_http_connections: {
    help: 'Connections of clients that are open at all listeners, by the version of HTTP: 1.1 (also 1.0), 2.',
    labels: ['protocol'],
    read() {
      const { connections, http2 } = state()
      const second = http2?.size ?? 0
      return [
        { labels: { protocol: '1.1' }, value: connections - second },
        { labels: { protocol: '2' }, value: second },
      ]
    },
  },
  gateway_http2_closed_total: {
    help: 'Connections of HTTP/2 that are over, by reason: client (it has closed), drain, idle (limits.http2_idle_timeout), preface (limits.headers_timeout), protocol (a fault or a flood), refused (its network had too many of these), requests (limits.max_requests_per_socket).',
    isCounter: true,
    labels: ['reason'],
    read: () =>
      Object.entries(state().http2?.closed ?? {}).map(([reason, value]) => ({
        labels: { reason },
        value,
      })),
  },
})

const certificateSources = (tls: () => TlsSetup | undefined): MetricSources => ({
  gateway_tls_certificate_expiry_seconds: {
    help: 'When a certificate of gateway.tls ends, by its file; seconds since the epoch.',
    labels: ['certificate'],
    across: 'min',
    read: () =>
      (tls()?.pairs ?? []).map(({ file, expiresAt }) => ({
        labels: { certificate: file },
        value: expiresAt / 1000,
      })),
  },
  gateway_tls_certificate_refused: {
    help: '1 for a file of gateway.tls that was refused when it was last read: what was in it before is served on. 0 for the others.',
    labels: ['certificate'],
    across: 'max',
    read: () =>
      [...filesIn(tls())].map(([file, value]) => ({ labels: { certificate: file }, value })),
  },
})

/** The files of certificates and authorities, and whether each was refused. */
function filesIn(tls: TlsSetup | undefined): ReadonlyMap<string, 0 | 1> {
  const { pairs = [], clients, refused = [] } = tls ?? {}
  const files = [...pairs.map(({ file }) => file), clients?.file ?? [], refused].flat()
  return new Map(files.map((file) => [file, refused.includes(file) ? 1 : 0]))
}
