/**
 * `deploy/prometheus` and `deploy/grafana` before a real Prometheus, which watches gateways under load: each query of the dashboard
 * yields data, each alert whose fault is made (faults.ts) fires, and no other one does. A minute of the rules is a second here.
 *
 * The faults of the other alerts are recorded series, in test/cases/alerts.yaml (recorded-faults.test.ts has one of every alert).
 */
import { expect } from 'chai'
import { alerts } from '#test/deploy/alerts.ts'
import { panelQueries } from '#test/deploy/dashboard.ts'
import { until } from '#test/support/running/until.ts'
import { firing, makeFaults } from './faults.ts'
import { Repeated } from './repeated.ts'
import { job, Prometheus } from './server.ts'
import { load, reload, type SoundGateways, startSoundGateways } from './sound-gateways.ts'

/** Alerts whose faults are recorded only: nothing makes them quickly and without a database, a small disk or a process that hangs. */
const recordedOnly = [
  'WampGatewayMissing',
  'WampGatewayRestarts',
  'WampGatewayStoreAway',
  'WampGatewayDiskFull',
  'WampGatewayDiskFailed',
  'WampGatewayStoreReadOnly',
  'WampGatewayDocumentsDamaged',
  'WampGatewayConflicts',
  'WampGatewayCircuitOpen',
  'WampGatewayUpstreamDown',
  'WampGatewayUpstreamHalfOut',
  'WampGatewayNoUpstreamToken',
  'WampGatewayDigestsDiffer',
  'WampGatewayExchangesFail',
  'WampGatewayDeliveryLate',
  'WampGatewayDeliveryDead',
  'WampGatewayDeliveryGap',
  'WampGatewayDeliveryStopped',
  'WampGatewayOverloaded',
  'WampGatewayEventLoopStalls',
  'WampGatewayMemoryNear',
  'WampGatewayFilesNear',
  'WampGatewayIssuerKeysFail',
]

/** Alerts that a machine which is busy with other things brings about, too: the gateways share one process here. */
const ofTheMachine = [
  'WampGatewayDown',
  'WampGatewayOverloaded',
  'WampGatewayEventLoopStalls',
  'WampGatewaySlow',
]

/** Queries that yield nothing here: their series begin with the first overload. */
const withoutData = ['Refused because of overload']

describe('Prometheus', () => {
  const repeated = new Repeated()
  let prometheus: Prometheus
  let sound: SoundGateways
  /** Queries without data so far. */
  let unseen = panelQueries.map(({ title, expr }) => ({
    title,
    query: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:job|instance|api)\b/g, '.*'),
  }))

  before(async () => {
    sound = await startSoundGateways()
    const { alone, shared } = sound
    prometheus = await Prometheus.start({ alone: alone.adminUrl, shared: shared.adminUrl })
    load(sound, repeated)
    reload(sound, repeated)
  })
  after(async () => {
    await repeated.stop()
    await sound?.stop()
    await prometheus?.stop()
  })

  /** Asks the queries that had no data. */
  const look = async () => {
    const results = await Promise.all(
      unseen.map(async (one) => ((await prometheus.query(one.query)).length === 0 ? [one] : [])),
    )
    unseen = results.flat()
  }

  /** The alerts that have fired so far. */
  const fired = async () => {
    const found = await prometheus.query('max_over_time(ALERTS{alertstate="firing"}[120s])')
    return found.map(({ metric }) => {
      const { __name__, alertname = '', alertstate, severity, job, ...labels } = metric
      return firing(alertname, labels)
    })
  }

  /** Those of them that nothing but a fault brings about. */
  const wrong = (found: readonly string[], expected: readonly string[]) =>
    found.filter(
      (one) => !expected.includes(one) && !ofTheMachine.some((name) => one.startsWith(`${name} `)),
    )

  it('hears of no fault where there is none', async () => {
    // each alert waits ten seconds at most
    const scrapes = `count_over_time(up{job="${job}"}[1h])`
    const isWatched = async () => {
      await look()
      const found = await prometheus.query(scrapes)
      return found.every(({ value: [, count] }) => Number(count) >= 12)
    }
    await until('twelve scrapes of each', isWatched, 30_000)
    expect(wrong(await fired(), [])).to.deep.equal([])
  })

  it('is told of each fault by its alert, and by no other one', async () => {
    const faults = await makeFaults({ prometheus, sound, repeated })
    try {
      let missing: readonly string[] = []
      await until(
        'all alerts fire',
        async () => {
          await look()
          const found = await fired()
          missing = faults.alerts.filter((alert) => !found.includes(alert))
          return missing.length === 0
        },
        60_000,
      ).catch(() => undefined)
      expect(missing).to.deep.equal([])
      expect(wrong(await fired(), faults.alerts)).to.deep.equal([])
      const names = faults.alerts.map((alert) => alert.split(' ')[0] ?? '')
      expect(new Set([...names, ...recordedOnly])).to.have.all.keys(
        alerts.map(({ alert }) => alert),
      )
    } finally {
      await repeated.stop()
      await faults.stop()
    }
  })

  it('has data for each query of the dashboard', () => {
    const found = unseen.filter(({ title }) => !withoutData.includes(title))
    expect(found.map(({ title, query }) => `${title}: ${query}`)).to.deep.equal([])
  })
})
