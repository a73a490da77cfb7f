/** /metrics, as the parsers of Prometheus's client for Python read it: they refuse what a specification does not allow. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { staticDocument } from '#test/integration/management/faces.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { pythonProgram } from '#test/support/peers/python-environment.ts'

const reads = `
import json, sys
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics
chosen = openmetrics if sys.argv[1] == 'openmetrics' else parser
families = chosen.text_string_to_metric_families(sys.stdin.buffer.read().decode())
print(json.dumps({one.name: [one.type, one.unit, len(one.samples)] for one in families}))`

describe('/metrics for a Python program', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
    await gateway.load(staticDocument('measured', 'ok'))
    await send(gateway.url, '/measured/body')
  })
  after(() => gateway.stop())

  for (const [format, accept, type] of [
    ['openmetrics', 'application/openmetrics-text;version=1.0.0', 'application/openmetrics-text'],
    ['text', 'text/plain', 'text/plain'],
  ] as const) {
    it(`is well-formed as ${type}`, async () => {
      const { text, headers } = await send(gateway.adminUrl, '/metrics', { headers: { accept } })
      expect(headers['content-type']).to.include(`${type}; version=`)
      const output = execFileSync(pythonProgram('python'), ['-c', reads, format], { input: text })
      const families = JSON.parse(output.toString()) as Record<string, unknown[]>
      expect(families.gateway_http_requests?.[0]).to.equal('counter')
      const duration = families.gateway_http_request_duration_seconds
      const unit = format === 'openmetrics' ? 'seconds' : ''
      expect(duration?.slice(0, 2)).to.deep.equal(['histogram', unit])
      expect(families.process_start_time_seconds?.[0]).to.equal('gauge')
    })
  }
})
