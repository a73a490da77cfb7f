/** What a node tells of the other nodes in /metrics: how many there are, and whether it holds what they hold. */

import { Family, type SeriesStock } from '#component/metrics/family.ts'
import type { MetricSource } from '#component/metrics/source.ts'
import type { Sync } from '#component/sync/sync.ts'

/** Upper bounds of the buckets; seconds. */
const lagBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]

/** Makes the metric of how far this node is behind, which follows `sync` from now on. */
export function followLag(sync: Pick<Sync, 'onLag'>, families: SeriesStock): void {
  const lag = new Family(
    {
      name: 'gateway_sync_lag_seconds',
      help: 'Time from a change on another node to its being live on this node, of changes since the start of this node.',
      bounds: lagBounds,
      isOfNode: true,
    },
    families,
  ).with()
  sync.onLag = (ms) => lag.observe(ms / 1000)
}

/** The metrics of sync, by their names. */
export const syncSources = (
  sync: Pick<Sync, 'clockOffsetMs' | 'counts' | 'peerNames'>,
): Readonly<Record<string, MetricSource>> => ({
  gateway_sync_peers: {
    help: 'Other nodes that are there.',
    across: 'min',
    read: () => sync.peerNames.length,
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
