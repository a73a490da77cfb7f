/** Metrics by place: which series there are, and when they end. */
import { expect } from 'chai'
import { durationBounds } from '#component/metrics/bounds.ts'
import { Families, type FamiliesPorts } from '#component/metrics/families.ts'
import { Family } from '#component/metrics/family.ts'
import { nowhere, type ServedPath, type ServedVersion } from '#component/metrics/place.ts'
import { metricLines } from '#test/support/metric-lines.ts'

const minute = 60_000
const [shop, office]: [ServedVersion, ServedVersion] = [
  { api: 'com.example.shop', label: '1' },
  { api: 'com.example.office', label: '1' },
]

/** The metrics of a process at the time `at`, which serves `served`. */
class Setup {
  at = 0
  served: Iterable<ServedPath> = []
  readonly families: Families
  readonly requests: Family
  readonly calls: Family

  constructor(ports: Partial<FamiliesPorts> = {}) {
    this.families = new Families({ now: () => this.at, ...ports })
    this.families.served = () => this.served
    this.requests = new Family(
      { name: 'requests_total', help: 'Requests.', subject: 'route', labels: ['status'] },
      this.families,
    )
    this.calls = new Family(
      { name: 'calls_total', help: 'Calls.', subject: 'procedure', labels: ['outcome'] },
      this.families,
    )
  }

  /** The samples of a metric. */
  lines(family: Family): string[] {
    return metricLines(this.families, family.plan.name)
  }

  /** The routes that have series. */
  get routes(): (string | undefined)[] {
    return this.lines(this.requests).map((line) => /route="([^"]*)"/.exec(line)?.[1])
  }
}

describe('a metric by place', () => {
  it('has a series for each of two documents that serve the same path on different hosts', () => {
    const setup = new Setup()
    for (const version of [shop, office, shop]) setup.requests.at(version, '/v1/orders', 200).add()
    expect(setup.lines(setup.requests)).to.deep.equal([
      'requests_total{api="com.example.shop",version="1",route="/v1/orders",status="200"} 2',
      'requests_total{api="com.example.office",version="1",route="/v1/orders",status="200"} 1',
    ])
  })

  it('goes on with the series of a version that has been compiled anew', () => {
    const setup = new Setup()
    setup.requests.at(shop, '/', 200).add()
    setup.requests.at({ ...shop }, '/', 200).add()
    expect(setup.lines(setup.requests)).to.deep.equal([
      'requests_total{api="com.example.shop",version="1",route="/",status="200"} 2',
    ])
  })

  it('leaves api and version out where they are no labels of it', () => {
    const setup = new Setup()
    const logins = new Family(
      { name: 'logins_total', help: 'Logins.', isOfNode: true, labels: ['authmethod', 'result'] },
      setup.families,
    )
    logins.with('ticket', 'ok').add(2)
    const streams = new Family(
      { name: 'streams', help: 'Streams.', isGauge: true, isOfNode: true },
      setup.families,
    )
    streams.with().add(3)
    streams.with().add(-1)
    expect(setup.lines(logins)).to.deep.equal(['logins_total{authmethod="ticket",result="ok"} 2'])
    expect(setup.lines(streams)).to.deep.equal(['streams 2'])
  })

  it('counts durations in cumulative buckets', () => {
    const setup = new Setup()
    const waits = new Family(
      { name: 'wait_seconds', help: 'Waits.', isOfNode: true, bounds: durationBounds },
      setup.families,
    )
    for (const seconds of [0.001, 0.0011, 0.0025, 31]) waits.with().observe(seconds)
    const lines = setup.lines(waits)
    expect(lines).to.include('wait_seconds_bucket{le="0.001"} 1')
    expect(lines).to.include('wait_seconds_bucket{le="0.0025"} 3')
    expect(lines).to.include('wait_seconds_bucket{le="+Inf"} 4')
    expect(lines.slice(-2)).to.deep.equal(['wait_seconds_sum 31.0046', 'wait_seconds_count 4'])
  })

  it('is one for all documents where there is to be no label for them', () => {
    const setup = new Setup({ hasApiLabel: false })
    for (const version of [shop, office]) setup.requests.at(version, '/', 200).add()
    expect(setup.lines(setup.requests)).to.have.lengthOf(1)
  })
})

describe('metrics with a bound on their series', () => {
  /** Counts a request and a call of each of so many routes of a version. */
  const fill = (setup: Setup, version: ServedVersion, from: number, to: number) => {
    for (let index = from; index < to; index += 1) {
      setup.requests.at(version, `/${index}`, 200).add()
      setup.calls.at(version, `com.example.p${index}`, 'ok').add()
    }
  }
  const overflow = (setup: Setup) => metricLines(setup.families, 'gateway_metrics_overflow_total{')

  it('count what is beyond under "_other", and how often that was', () => {
    const setup = new Setup({ maxSeries: 100 })
    fill(setup, shop, 0, 60)
    fill(setup, shop, 0, 60)
    const place = 'api="com.example.shop",version="1"'
    expect(setup.lines(setup.requests)).to.have.lengthOf(51)
    expect(setup.lines(setup.requests)).to.include.members([
      `requests_total{${place},route="/49",status="200"} 2`,
      `requests_total{${place},route="_other",status="200"} 20`,
    ])
    expect(setup.lines(setup.calls)).to.include(
      `calls_total{${place},procedure="_other",outcome="ok"} 20`,
    )
    expect(overflow(setup).sort()).to.deep.equal([
      'gateway_metrics_overflow_total{metric="calls_total"} 20',
      'gateway_metrics_overflow_total{metric="requests_total"} 20',
    ])
  })

  it('go on with the series that there are', () => {
    const setup = new Setup({ maxSeries: 100 })
    fill(setup, shop, 0, 60)
    setup.requests.at(shop, '/0', 200).add()
    expect(setup.lines(setup.requests)[0]).to.match(/route="\/0",status="200"} 2$/)
  })

  it('never hold more than an eighth beyond it, however many documents there are', () => {
    const setup = new Setup({ maxSeries: 100 })
    for (let index = 0; index < 1_000; index += 1) {
      fill(setup, { api: `com.example.d${index}`, label: '1' }, 0, 2)
    }
    expect(setup.families.size).to.be.within(112, 120)
    const place = 'api="_other",version="_other"'
    expect(setup.lines(setup.requests).at(-1)).to.match(
      new RegExp(`^requests_total{${place},route="_other",status="200"} 1[0-9]{3}$`),
    )
  })

  it('have room again for a place that comes after others have ended', async () => {
    const setup = new Setup({ maxSeries: 100 })
    setup.served = [{ version: shop, pattern: '/' }]
    setup.requests.at(shop, '/', 200).add()
    fill(setup, office, 0, 200)
    for (const at of [1, 6]) {
      setup.at = at * minute
      await setup.families.sweep()
    }
    expect(setup.families.size).to.be.at.most(3)
    setup.requests.at(shop, '/new', 200).add()
    expect(setup.routes).to.deep.equal(['/', '/new'])
  })

  it('always count what has no place', () => {
    const setup = new Setup({ maxSeries: 100 })
    fill(setup, shop, 0, 60)
    const logins = new Family(
      { name: 'logins_total', help: 'Logins.', isOfNode: true, labels: ['result'] },
      setup.families,
    )
    logins.with('ok').add()
    expect(setup.lines(logins)).to.deep.equal(['logins_total{result="ok"} 1'])
  })
})

describe('the series of what is gone', () => {
  const path = (version: ServedVersion, pattern: string): ServedPath => ({ version, pattern })

  it('end five minutes after the route of that document, though another one serves the path', async () => {
    const setup = new Setup()
    setup.served = [path(shop, '/'), path(office, '/')]
    for (const version of [shop, office, nowhere]) setup.requests.at(version, '/', 200).add()
    await setup.families.sweep()
    setup.served = [path(office, '/'), path(nowhere, '/')]
    await setup.families.sweep()
    setup.at = 5 * minute - 1
    await setup.families.sweep()
    expect(setup.routes).to.have.lengthOf(3)
    setup.at = 5 * minute
    await setup.families.sweep()
    expect(setup.routes).to.have.lengthOf(2)
    expect(setup.lines(setup.requests).join()).to.not.include('com.example.shop')
  })

  it('end with their version, where they are not of a route', async () => {
    const setup = new Setup()
    setup.served = [path(shop, '/')]
    setup.requests.at(shop, '/', 200).add()
    setup.calls.at(shop, 'com.example.hello', 'ok').add()
    await setup.families.sweep()
    setup.served = []
    await setup.families.sweep()
    expect(setup.lines(setup.calls)).to.have.lengthOf(1)
    setup.at = 5 * minute
    await setup.families.sweep()
    expect(setup.lines(setup.calls)).to.deep.equal([])
    expect(setup.families.size).to.equal(0)
  })
})
