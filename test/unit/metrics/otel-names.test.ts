/** What metrics are called where `metrics.names` is `otel`. */
import { expect } from 'chai'
import { Families } from '#component/metrics/families.ts'
import { Family, type FamilyPlan } from '#component/metrics/family.ts'
import { asOtel } from '#component/metrics/otel-names.ts'
import { requestMetrics } from '#http/management/request-metrics.ts'
import { metricLines } from '#test/support/metric-lines.ts'

const version = { api: 'com.example.a', label: '1.0' }
const place = 'gateway_api="com.example.a",gateway_api_version="1.0"'

/** A histogram by subject and outcome, as actions have it. */
const attempts = (name: string, subject: string): FamilyPlan => ({
  ...{ name, subject, help: 'Attempts.', bounds: [1], labels: ['outcome'] },
})

const call = attempts('gateway_wamp_call_duration_seconds', 'procedure')
const publication = attempts('gateway_wamp_publish_duration_seconds', 'topic')
const forward = attempts('gateway_upstream_request_duration_seconds', 'upstream')

const cases: readonly (readonly [
  plan: FamilyPlan,
  subject: string,
  first: string,
  told: string,
])[] = [
  [
    call,
    'com.example.get',
    'ok',
    'rpc_client_call_duration_seconds_count{PLACE,rpc_system_name="wamp",rpc_method="com.example.get"} 1',
  ],
  [
    call,
    'com.example.get',
    'timeout',
    'rpc_client_call_duration_seconds_count{PLACE,rpc_system_name="wamp",rpc_method="com.example.get",error_type="timeout"} 1',
  ],
  [
    call,
    '_other',
    'error',
    'rpc_client_call_duration_seconds_count{PLACE,rpc_system_name="wamp",rpc_method="_OTHER",error_type="error"} 1',
  ],
  [
    publication,
    'com.example.t',
    'ok',
    'messaging_client_operation_duration_seconds_count{PLACE,messaging_system="wamp",messaging_operation_name="publish",messaging_operation_type="send",messaging_destination_name="com.example.t"} 1',
  ],
  [
    publication,
    'com.{{request.bindings.id}}',
    'error',
    'messaging_client_operation_duration_seconds_count{PLACE,messaging_system="wamp",messaging_operation_name="publish",messaging_operation_type="send",messaging_destination_template="com.{{request.bindings.id}}",error_type="error"} 1',
  ],
  [
    forward,
    'https://api.example.com',
    '2xx',
    'http_client_request_duration_seconds_count{PLACE,url_scheme="https",server_address="api.example.com",server_port="443",gateway_outcome="2xx"} 1',
  ],
  [
    forward,
    'http://10.0.0.1:8080',
    '5xx',
    'http_client_request_duration_seconds_count{PLACE,url_scheme="http",server_address="10.0.0.1",server_port="8080",gateway_outcome="5xx",error_type="5xx"} 1',
  ],
  [
    forward,
    'http://[::1]',
    'failed',
    'http_client_request_duration_seconds_count{PLACE,url_scheme="http",server_address="[::1]",server_port="80",gateway_outcome="failed",error_type="failed"} 1',
  ],
  [
    forward,
    '{{variables.backend}}',
    'canceled',
    'http_client_request_duration_seconds_count{PLACE,server_address="{{variables.backend}}",gateway_outcome="canceled",error_type="canceled"} 1',
  ],
]

describe('by the names of OpenTelemetry', () => {
  for (const [plan, subject, outcome, told] of cases) {
    it(`${plan.name} of ${subject}, ${outcome}, is ${told.slice(0, told.indexOf('_count'))}`, () => {
      const families = new Families({ now: () => 0 })
      new Family(plan, families).at(version, subject, outcome).observe(0.5)
      const name = told.slice(0, told.indexOf('{'))
      expect(metricLines(families, name, 'text', asOtel)).to.deep.equal([
        told.replace('PLACE', place),
      ])
      expect(metricLines(families, 'gateway_', 'text', asOtel)).to.deep.equal([])
    })
  }

  it('a request is counted by its duration alone, and has an error_type from 500 on', () => {
    const families = new Families({ now: () => 0 })
    const requests = requestMetrics(families)
    for (const status of [404, 500]) requests.at(version, '/a/:id', 'get', status).observe(0.5)
    requests.with('', 400).observe(0.5)
    const name = 'http_server_request_duration_seconds_count'
    const labels = `${place},http_request_method="GET",http_route="/a/:id"`
    expect(metricLines(families, name, 'text', asOtel)).to.deep.equal([
      `${name}{${labels},http_response_status_code="404"} 1`,
      `${name}{${labels},http_response_status_code="500",error_type="500"} 1`,
      `${name}{gateway_api="",gateway_api_version="",http_request_method="_OTHER",http_route="",http_response_status_code="400"} 1`,
    ])
    expect(metricLines(families, 'gateway_http', 'text', asOtel)).to.deep.equal([])
  })

  it('a metric without a convention keeps its name and labels', () => {
    const families = new Families({ now: () => 0 })
    const plan = { name: 'gateway_action_retries_total', help: '', subject: 'target' } as const
    new Family(plan, families).at(version, 'com.example.get').add()
    expect(metricLines(families, 'gateway_action', 'text', asOtel)).to.deep.equal([
      'gateway_action_retries_total{api="com.example.a",version="1.0",target="com.example.get"} 1',
    ])
  })
})
