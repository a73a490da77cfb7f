/** What is counted and logged of requests and answers that do not fit their schemas. */
import { expect } from 'chai'
import type { CompiledOperation } from '#component/gateway/api.ts'
import { Mismatches } from '#component/gateway/schemas/mismatches.ts'
import { Families } from '#component/metrics/families.ts'
import { metricLines } from '#test/support/metric-lines.ts'
import { documentOf, fixed, serve } from './fake-exchange.ts'

const clock = { now: () => 0, after: () => () => {} }
const unmet = { names: new Set(['n']) }
const type = { path: '/query_params/n', message: 'must be integer', keyword: 'type' }

function open() {
  const lines: object[] = []
  const families = new Families(clock)
  const counted = () => metricLines(families, 'gateway_schema_mismatches_total')
  const log = {
    warn: (line: object) => lines.push(line),
    error: (line: object) => lines.push(line),
  }
  return { lines, mismatches: new Mismatches(clock, log as never, families), counted }
}

const operation = serve(documentOf({ '/x': { get: fixed() } })).api.entries[0]?.routes
  .get as CompiledOperation
const exchange = { id: '0192', method: 'get' } as const

describe('mismatches', () => {
  it('are counted by place, part and mode, and logged under log, without values', () => {
    const { lines, mismatches, counted } = open()
    const name = {
      path: '/query_params/token',
      message: 'unknown property',
      keyword: 'additionalProperties',
    }
    mismatches.note(exchange, operation, 'query_params', 'log', [type, name], unmet)
    mismatches.note(exchange, operation, 'query_params', 'enforce', [type], unmet)
    mismatches.note(exchange, operation, 'query_params', 'enforce', [type], unmet)
    const labels = 'api="com.example.test",version="1.0",route="/v1/x",part="query_params"'
    expect(counted()).to.deep.equal([
      `gateway_schema_mismatches_total{${labels},mode="log"} 1`,
      `gateway_schema_mismatches_total{${labels},mode="enforce"} 2`,
    ])
    expect(lines).to.deep.equal([
      {
        request_id: '0192',
        method: 'get',
        route: '/v1/x',
        api_spec: 'com.example.test',
        version: '1.0',
        pointer: '/versions/1.0/paths/~1x/get',
        part: 'query_params',
        mistakes: [
          { pointer: '/query_params/n', keyword: 'type' },
          { pointer: '/query_params/*', keyword: 'additionalProperties' },
        ],
      },
    ])
  })

  it('of one route fill no log', () => {
    const { lines, mismatches, counted } = open()
    for (let n = 0; n < 100; n++) mismatches.note(exchange, operation, 'body', 'log', [type], unmet)
    expect(lines).to.have.length(10)
    expect(counted().join()).to.match(/ 100$/)
  })
})
