/** What a node tells of the other nodes in /metrics: how many there are, and whether it holds what they hold. */

import type { MetricSource } from '#component/metrics/source.ts'
import type { Sync } from '#component/sync/sync.ts'

/** The metrics of sync, by their names. */
export const syncSources = (
  sync: Pick<Sync, 'clockOffsetMs' | 'counts' | 'peerCount'>,
): Readonly<Record<string, MetricSource>> => ({
  gateway_sync_peers: {
    help: 'Other nodes that are there.',
    across: 'min',
    read: () => sync.peerCount,
  },
  gateway_sync_digest_mismatches_total: {
    help: 'Heartbeats of other nodes that hold other documents than this node.',
    isCounter: true,
    read: () => sync.counts.digestMismatches,
  },
  gateway_sync_exchanges_total: {
    help: 'Exchanges with other nodes, by result: ok, or failed; failed also counts a change that could not be fetched or stored.',
    isCounter: true,
    labels: ['result'],
    read: () =>
      Object.entries(sync.counts.exchanges).map(([result, value]) => ({
        labels: { result },
        value,
      })),
  },
  gateway_clock_offset_seconds: {
    help: 'The median clock of the other nodes minus the clock of this node; 0 without other nodes.',
    across: 'max',
    read: () => (sync.clockOffsetMs ?? 0) / 1000,
  },
})
