/** Requests as Prometheus sees them. */
import { expect } from 'chai'
import { Registry } from 'prom-client'
import { RequestMetrics } from '#http/request-metrics.ts'

const registryOf = (requests: RequestMetrics): Registry => {
  const registry = new Registry()
  for (const metric of requests.metrics()) registry.registerMetric(metric)
  return registry
}

const linesOf = async (requests: RequestMetrics): Promise<string[]> =>
  (await registryOf(requests).metrics()).split('\n')

describe('the metrics of requests', () => {
  it('are counted by method, route pattern and status', async () => {
    const requests = new RequestMetrics()
    requests.count('get', '/a/:id', 200, 0.001)
    requests.count('get', '/a/:id', 200, 0.002)
    requests.count('get', '/a/:id', 404, 0.001)
    requests.count('post', '/a/:id', 200, 0.001)
    requests.count('get', '/b', 200, 0.001)
    const lines = await linesOf(requests)
    expect(lines.filter((line) => line.startsWith('gateway_http_requests_total'))).to.deep.equal([
      'gateway_http_requests_total{method="get",route="/a/:id",status="200"} 2',
      'gateway_http_requests_total{method="get",route="/a/:id",status="404"} 1',
      'gateway_http_requests_total{method="post",route="/a/:id",status="200"} 1',
      'gateway_http_requests_total{method="get",route="/b",status="200"} 1',
    ])
    expect(lines).to.include('# TYPE gateway_http_requests_total counter')
  })

  it('are timed in cumulative buckets whose bounds belong to them', async () => {
    const requests = new RequestMetrics()
    for (const seconds of [0.001, 0.0011, 0.0025, 31]) requests.count('get', '/', 200, seconds)
    const lines = await linesOf(requests)
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

  it('have their labels escaped', async () => {
    const requests = new RequestMetrics()
    requests.count('get', '/"a\\\n', 200, 0.001)
    const lines = await linesOf(requests)
    expect(lines).to.include(
      'gateway_http_requests_total{method="get",route="/\\"a\\\\\\n",status="200"} 1',
    )
  })
})
