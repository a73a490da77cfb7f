/** What /metrics shows of the component beside the requests: sessions, calls in flight, loads, registry entries. */
import type { MetricSource } from '#http/metrics.ts'
import type { Registry } from './registry/registry.ts'
import type { Routing } from './routing.ts'
import type { SessionPool } from './wamp/session-pool.ts'

/** Gauges and counters by their Prometheus names. */
export function metricSources({
  sessions,
  registry,
  routing,
  counts,
}: {
  readonly sessions: SessionPool
  readonly registry: Pick<Registry, 'size'>
  readonly routing: Pick<Routing, 'sessionCount'>
  readonly counts: { readonly loads: number }
}): Readonly<Record<string, MetricSource>> {
  return {
    gateway_wamp_sessions: {
      help: "The gateway's WAMP sessions for requests, joined now.",
      read: () => sessions.stats().joined,
    },
    gateway_wamp_calls_in_flight: {
      help: 'WAMP calls and publications that wait for their outcome.',
      read: () => sessions.stats().pending,
    },
    gateway_router_sessions: {
      help: 'Sessions of everybody on the embedded router.',
      read: () => routing.sessionCount() ?? 0,
    },
    gateway_routing_table_swaps_total: {
      help: 'How often a new routing table was put in place: loads and deletions.',
      isCounter: true,
      read: () => counts.loads,
    },
    gateway_registry_entries: {
      help: 'API Specifications known here.',
      read: () => registry.size,
    },
  }
}
