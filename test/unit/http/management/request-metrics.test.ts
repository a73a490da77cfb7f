/** Requests as Prometheus sees them. */
import { expect } from 'chai'
import { Families } from '#component/metrics/families.ts'
import { addPacked, packed } from '#component/metrics/packed.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import { runAtOnce } from '#component/yielding.ts'
import { requestMetrics } from '#http/management/request-metrics.ts'
import { metricLines } from '#test/support/metric-lines.ts'

const version = { api: 'com.example.a', label: '1' }
const place = 'api="com.example.a",version="1"'
const minute = 60_000

/** Requests of a gateway that serves the routes of `served`, at the time `at`. */
class Setup {
  at = 0
  served: readonly string[] = []
  readonly families = new Families({ now: () => this.at })
  readonly #requests = requestMetrics(this.families)
  /** One object for all requests, as in a gateway. */
  readonly #paths = new Map<string, ServedPath>()

  constructor() {
    this.families.served = () => this.served.map((pattern) => ({ version, pattern }))
  }

  count(method: string, route: string, status: number, seconds = 0.001): void {
    const path = this.#paths.get(route) ?? { version, pattern: route }
    this.#paths.set(route, path)
    this.#requests.on(path, method, status).observe(seconds)
  }

  get counts(): string[] {
    return metricLines(this.families, 'gateway_http_requests_total')
  }

  /** The routes that have series. */
  get routes(): (string | undefined)[] {
    return this.counts.map((line) => /route="([^"]*)"/.exec(line)?.[1])
  }
}

describe('the metrics of requests', () => {
  it('are counted by place, method and status', () => {
    const setup = new Setup()
    setup.count('get', '/a/:id', 200, 0.001)
    setup.count('get', '/a/:id', 200, 0.002)
    setup.count('get', '/a/:id', 404)
    setup.count('post', '/a/:id', 200)
    setup.count('get', '/b', 200)
    expect(setup.counts).to.deep.equal([
      `gateway_http_requests_total{${place},route="/a/:id",method="get",status="200"} 2`,
      `gateway_http_requests_total{${place},route="/a/:id",method="get",status="404"} 1`,
      `gateway_http_requests_total{${place},route="/a/:id",method="post",status="200"} 1`,
      `gateway_http_requests_total{${place},route="/b",method="get",status="200"} 1`,
    ])
    expect(metricLines(setup.families, '# TYPE')).to.include.members([
      '# TYPE gateway_http_requests_total counter',
      '# TYPE gateway_http_request_duration_seconds histogram',
    ])
  })

  it('are timed in cumulative buckets', () => {
    const setup = new Setup()
    for (const seconds of [0.001, 0.0011, 0.0025, 31]) setup.count('get', '/', 200, seconds)
    const name = 'gateway_http_request_duration_seconds'
    const labels = `${place},route="/",method="get",status="200"`
    expect(metricLines(setup.families, name)).to.include.members([
      `${name}_bucket{${labels},le="0.001"} 1`,
      `${name}_bucket{${labels},le="0.0025"} 3`,
      `${name}_bucket{${labels},le="30"} 3`,
      `${name}_bucket{${labels},le="+Inf"} 4`,
      `${name}_sum{${labels}} 31.0046`,
      `${name}_count{${labels}} 4`,
    ])
  })

  it('have their labels escaped', () => {
    const setup = new Setup()
    setup.count('get', '/"a\\\n', 200)
    expect(setup.counts.join()).to.include('route="/\\"a\\\\\\n"')
  })

  it('of two processes add up', () => {
    const [one, other, sum] = [new Setup(), new Setup(), new Setup()]
    for (let index = 0; index < 450; index += 1) one.count('get', `/${index}`, 200, 0.5)
    other.count('get', '/7', 200, 0.25)
    for (const { families } of [one, other]) {
      for (const [family, all] of runAtOnce(families.collect())) {
        for (const text of packed(family, all)) addPacked(sum.families, text)
      }
    }
    expect(sum.routes).to.have.lengthOf(450)
    const labels = `${place},route="/7",method="get",status="200"`
    expect(sum.counts).to.include(`gateway_http_requests_total{${labels}} 2`)
    const sums = metricLines(sum.families, 'gateway_http_request_duration_seconds_sum')
    expect(sums).to.include(`gateway_http_request_duration_seconds_sum{${labels}} 0.75`)
  })
})

describe('the series of a route that is gone', () => {
  const gone = async (): Promise<Setup> => {
    const setup = new Setup()
    for (const route of ['/old', '/new']) setup.count('get', route, 200)
    setup.served = ['/old', '/new']
    await setup.families.sweep()
    setup.served = ['/new']
    await setup.families.sweep()
    return setup
  }

  it('end five minutes after it', async () => {
    const setup = await gone()
    setup.at = 5 * minute - 1
    await setup.families.sweep()
    expect(setup.routes).to.deep.equal(['/old', '/new'])
    setup.at = 5 * minute
    await setup.families.sweep()
    expect(setup.routes).to.deep.equal(['/new'])
    expect(setup.families.size).to.equal(1)
  })

  it('stay when it comes back in time', async () => {
    const setup = await gone()
    setup.served = ['/old', '/new']
    setup.at = 4 * minute
    await setup.families.sweep()
    setup.served = ['/new']
    setup.at = 8 * minute
    await setup.families.sweep()
    expect(setup.routes).to.deep.equal(['/old', '/new'])
  })

  it('begin at 0 when it comes back later', async () => {
    const setup = await gone()
    setup.at = 5 * minute
    await setup.families.sweep()
    setup.count('get', '/old', 200)
    expect(setup.counts.join('\n')).to.match(/route="\/old".* 1$/)
  })

  it('end at once, oldest first, beyond a hundred such routes or twice those that are served', async () => {
    for (const [served, kept] of [
      [1, 100],
      [80, 160],
    ] as const) {
      const setup = new Setup()
      setup.served = Array.from({ length: served }, (_, index) => `/served${index}`)
      for (const route of setup.served) setup.count('get', route, 200)
      for (let index = 0; index < 500; index += 1) setup.count('get', `/${index}`, 200)
      await setup.families.sweep()
      expect(setup.routes).to.have.lengthOf(served + kept)
      expect(setup.routes).to.include('/499')
      expect(setup.routes).to.not.include('/0')
    }
  })

  it('end without anybody asking for the metrics, when new routes come up', async () => {
    const setup = new Setup()
    for (let index = 0; index < 1000; index += 1) {
      setup.at += 1000
      setup.count('get', `/${index}`, 200)
      await Promise.resolve()
    }
    expect(setup.routes.length).to.be.at.most(200)
  })
})
