/** What a node tells of itself: its numbers in /metrics, and its faults in /ready and /registry. */
import type { Registry } from '#component/registry/registry.ts'
import type { Damaged } from '#component/replica/damage.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { StoreHealth } from '#component/store/health.ts'
import type { Sync } from '#component/sync/sync.ts'
import type { Session } from '#component/wamp/session.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { MetricSource } from '#http/management/metrics.ts'
import type { RouterConnection } from './router-connection.ts'

/** The lines of /ready after the first one. */
export const problemsOf = (
  { isOpen }: Session,
  { isStoreAway }: Replica,
  { isFull }: StoreHealth,
): string[] => [
  ...(isOpen ? [] : ['the router is away']),
  ...(isStoreAway ? ['the store is away'] : []),
  ...(isFull ? ['the disk of the store is full'] : []),
]

/** A damaged document as /registry shows it. */
export const damageOf = ({ kind, id, stamp, isChanged }: Damaged) => ({
  kind,
  id,
  ts: stamp.ms,
  node: stamp.node,
  reason: isChanged ? 'hash_does_not_fit' : 'unreadable',
})

/** The parts that have numbers. */
interface Measured {
  readonly pool: SessionPool
  readonly registry: Pick<Registry, 'size' | 'counts' | 'tombstones' | 'conflicts'>
  readonly router: RouterConnection
  readonly replica: Replica
  readonly health: StoreHealth
  readonly sync: Sync
}

/** Gauges and counters by their Prometheus names. */
export function metricSources(parts: Measured): Readonly<Record<string, MetricSource>> {
  const { pool, registry, router, replica, health, sync } = parts
  return {
    gateway_wamp_sessions: {
      help: "The gateway's WAMP sessions for requests that have joined.",
      read: () => pool.stats().joined,
    },
    gateway_wamp_calls_in_flight: {
      help: 'WAMP calls and publications in flight.',
      read: () => pool.stats().pending,
    },
    gateway_router_sessions: {
      help: 'All sessions on the embedded router.',
      read: () => router.sessionCount() ?? 0,
    },
    gateway_api_spec_loads_total: {
      help: 'Acknowledged loads of API Specifications, over WAMP, over HTTP and from files.',
      isCounter: true,
      read: () => registry.counts.loaded,
    },
    gateway_api_spec_loads_refused_total: {
      help: 'Refused loads of API Specifications.',
      isCounter: true,
      read: () => registry.counts.refused,
    },
    gateway_registry_entries: {
      help: 'API Specifications on this node.',
      isShared: true,
      read: () => registry.size,
    },
    gateway_registry_tombstones: {
      help: 'Tombstones of deleted API Specifications.',
      isShared: true,
      read: () => registry.tombstones,
    },
    gateway_store_away: {
      help: '1 while the store does not answer.',
      isShared: true,
      read: () => Number(replica.isStoreAway),
    },
    gateway_store_full: {
      help: '1 while the disk of the store is full.',
      isShared: true,
      read: () => Number(health.isFull),
    },
    gateway_store_damaged_documents: {
      help: 'Documents in the store that are unreadable or do not match their hash.',
      isShared: true,
      read: () => replica.damaged.length,
    },
    gateway_clock_offset_seconds: {
      help: 'The median clock of the other nodes minus the clock of this node; 0 without other nodes.',
      isShared: true,
      read: () => (sync.clockOffsetMs ?? 0) / 1000,
    },
    gateway_registry_conflicts: {
      help: 'API Specifications whose newest version is not served on this node.',
      isShared: true,
      read: () => registry.conflicts().length,
    },
  }
}
