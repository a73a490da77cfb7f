/** Requests as Prometheus sees them. */
import { expect } from 'chai'
import { RequestMetrics } from '#http/management/request-metrics.ts'

const minute = 60_000

/** Requests of a gateway that serves the routes of `served`, at the time `at`. */
class Setup {
  at = 0
  served: (route: string) => boolean = () => true
  readonly requests = new RequestMetrics({
    now: () => this.at,
    isServed: (route) => this.served(route),
  })

  get lines(): string[] {
    return [...this.requests.text()].join('').split('\n')
  }

  /** The routes that have series. */
  get routes(): (string | undefined)[] {
    return this.lines
      .filter((line) => line.startsWith('gateway_http_requests_total'))
      .map((line) => /route="([^"]*)"/.exec(line)?.[1])
  }
}

describe('the metrics of requests', () => {
  it('are counted by method, route pattern and status', () => {
    const setup = new Setup()
    setup.requests.count('get', '/a/:id', 200, 0.001)
    setup.requests.count('get', '/a/:id', 200, 0.002)
    setup.requests.count('get', '/a/:id', 404, 0.001)
    setup.requests.count('post', '/a/:id', 200, 0.001)
    setup.requests.count('get', '/b', 200, 0.001)
    const { lines } = setup
    expect(lines.filter((line) => line.startsWith('gateway_http_requests_total'))).to.deep.equal([
      'gateway_http_requests_total{method="get",route="/a/:id",status="200"} 2',
      'gateway_http_requests_total{method="get",route="/a/:id",status="404"} 1',
      'gateway_http_requests_total{method="post",route="/a/:id",status="200"} 1',
      'gateway_http_requests_total{method="get",route="/b",status="200"} 1',
    ])
    expect(lines).to.include('# TYPE gateway_http_requests_total counter')
  })

  it('are timed in cumulative buckets whose bounds belong to them', () => {
    const setup = new Setup()
    for (const seconds of [0.001, 0.0011, 0.0025, 31]) {
      setup.requests.count('get', '/', 200, seconds)
    }
    const { lines } = setup
    const name = 'gateway_http_request_duration_seconds'
    const labels = 'method="get",route="/",status="200"'
    expect(lines).to.include(`# TYPE ${name} histogram`)
    expect(lines).to.include(`${name}_bucket{le="0.001",${labels}} 1`)
    expect(lines).to.include(`${name}_bucket{le="0.0025",${labels}} 3`)
    expect(lines).to.include(`${name}_bucket{le="30",${labels}} 3`)
    expect(lines).to.include(`${name}_bucket{le="+Inf",${labels}} 4`)
    expect(lines).to.include(`${name}_sum{${labels}} 31.0046`)
    expect(lines).to.include(`${name}_count{${labels}} 4`)
  })

  it('have their labels escaped', () => {
    const setup = new Setup()
    setup.requests.count('get', '/"a\\\n', 200, 0.001)
    expect(setup.lines).to.include(
      'gateway_http_requests_total{method="get",route="/\\"a\\\\\\n",status="200"} 1',
    )
  })

  it('of two processes add up', () => {
    const [one, other, sum] = [new Setup(), new Setup(), new Setup()]
    for (let index = 0; index < 450; index += 1) one.requests.count('get', `/${index}`, 200, 0.5)
    other.requests.count('get', '/7', 200, 0.25)
    for (const { requests } of [one, other]) {
      for (const text of requests.pack()) sum.requests.add(text)
    }
    expect(sum.routes).to.have.lengthOf(450)
    const labels = 'method="get",route="/7",status="200"'
    expect(sum.lines).to.include(`gateway_http_requests_total{${labels}} 2`)
    expect(sum.lines).to.include(`gateway_http_request_duration_seconds_sum{${labels}} 0.75`)
  })
})

describe('the series of a route that is gone', () => {
  const gone = (): Setup => {
    const setup = new Setup()
    setup.requests.count('get', '/old', 200, 0.001)
    setup.requests.count('get', '/new', 200, 0.001)
    setup.requests.sweep()
    setup.served = (route) => route === '/new'
    setup.requests.sweep()
    return setup
  }

  it('end five minutes after it', () => {
    const setup = gone()
    setup.at = 5 * minute - 1
    setup.requests.sweep()
    expect(setup.routes).to.deep.equal(['/old', '/new'])
    setup.at = 5 * minute
    setup.requests.sweep()
    expect(setup.routes).to.deep.equal(['/new'])
  })

  it('stay when it comes back in time', () => {
    const setup = gone()
    setup.served = () => true
    setup.at = 4 * minute
    setup.requests.sweep()
    setup.served = (route) => route === '/new'
    setup.at = 8 * minute
    setup.requests.sweep()
    expect(setup.routes).to.deep.equal(['/old', '/new'])
  })

  it('begin at 0 when it comes back later', () => {
    const setup = gone()
    setup.at = 5 * minute
    setup.requests.sweep()
    setup.requests.count('get', '/old', 200, 0.001)
    expect(setup.lines).to.include(
      'gateway_http_requests_total{method="get",route="/old",status="200"} 1',
    )
  })

  it('end at once, oldest first, beyond a hundred such routes or twice those that are served', () => {
    for (const [served, kept] of [
      [1, 100],
      [80, 160],
    ] as const) {
      const setup = new Setup()
      setup.served = (route) => route.startsWith('/served')
      for (let index = 0; index < served; index += 1) {
        setup.requests.count('get', `/served${index}`, 200, 0.001)
      }
      for (let index = 0; index < 500; index += 1) {
        setup.requests.count('get', `/${index}`, 200, 0.001)
      }
      setup.requests.sweep()
      expect(setup.routes).to.have.lengthOf(served + kept)
      expect(setup.routes).to.include('/499')
      expect(setup.routes).to.not.include('/0')
    }
  })

  it('end without anybody asking for the metrics, when new routes come up', () => {
    const setup = new Setup()
    setup.served = () => false
    for (let index = 0; index < 1000; index += 1) {
      setup.at += 1000
      setup.requests.count('get', `/${index}`, 200, 0.001)
    }
    expect(setup.routes.length).to.be.at.most(200)
  })
})
