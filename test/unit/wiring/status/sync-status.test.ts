/** What /metrics says of the other nodes. */
import { expect } from 'chai'
import { Families } from '#component/metrics/families.ts'
import { followLag, syncSources } from '#component/wiring/status/sync-status.ts'
import { countsIn, metricLines } from '#test/support/metric-lines.ts'

describe('the metric of the lag', () => {
  it('has the changes of other nodes, in seconds', () => {
    const families = new Families({ now: () => 0 })
    const sync = { onLag: (_ms: number) => undefined }
    followLag(sync, families)
    const lag = () => countsIn(metricLines(families, 'gateway_sync_lag_seconds'))
    expect(lag()).to.deep.equal(['gateway_sync_lag_seconds_count 0'])
    sync.onLag(1500)
    expect(lag()).to.deep.equal(['gateway_sync_lag_seconds_count 1'])
  })
})

describe('the metrics of sync', () => {
  const sources = syncSources({
    clockOffsetMs: -1500,
    peerNames: ['b', 'c'],
    counts: { digestMismatches: 3, exchanges: { ok: 4, failed: 5 } },
  })

  it('are the numbers that a node has of the others, times in seconds', () => {
    const read = Object.entries(sources).map(([name, source]) => [name, source.read()])
    expect(Object.fromEntries(read)).to.deep.equal({
      gateway_sync_peers: 2,
      gateway_sync_digest_mismatches_total: 3,
      gateway_sync_exchanges_total: [
        { labels: { result: 'ok' }, value: 4 },
        { labels: { result: 'failed' }, value: 5 },
      ],
      gateway_clock_offset_seconds: -1.5,
    })
  })
})
