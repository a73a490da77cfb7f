/** What the listeners tell of their process in /metrics: requests in flight, readiness, overload, the certificate. */
import type { MetricSources } from '#component/metrics/source.ts'
import type { Pressure } from '#http/limits/overload.ts'
import type { ShedReason } from '#http/limits/shedding.ts'

/** What is read at each scrape. */
export interface ListenerState {
  readonly inFlight: number
  readonly isReady: boolean
  /** Part of the memory limit in use, 0–1. */
  readonly memory: number
  readonly pressure: Pressure
  /** Requests that were refused under pressure. */
  readonly shed: Readonly<Record<ShedReason, number>>
  /** When the certificate of `gateway.tls` ends, milliseconds since the epoch; absent without one. */
  readonly expiresAt: number | undefined
}

const pressures: readonly Pressure[] = ['none', 'strained', 'full']

/** The metrics by their Prometheus names; that of the certificate exists where there is one at the start. */
export const listenerSources = (state: () => ListenerState): MetricSources => ({
  gateway_ready: {
    help: '1 while the gateway is ready, as /ready answers; 0 while it starts and while it stops.',
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
    help: 'Overload of the process: 0 none, 1 strained (expensive requests are refused), 2 full (all are).',
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
  ...(state().expiresAt !== undefined && {
    gateway_tls_certificate_expiry_seconds: {
      help: 'When the certificate of gateway.tls ends; seconds since the epoch.',
      across: 'min',
      read: () => (state().expiresAt ?? 0) / 1000,
    },
  }),
})
