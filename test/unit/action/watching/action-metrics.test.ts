/** The metrics of attempts: their series, outcomes and durations. */
import { expect } from 'chai'
import { ActionMetrics } from '#component/action/action-metrics.ts'
import type { ActionType } from '#component/action/kinds.ts'
import type { ActionTarget } from '#component/action/watching/action-target.ts'
import { type AttemptEnd, endOf } from '#component/action/watching/attempt-end.ts'
import { type ErrorUri, ServiceError } from '#component/errors.ts'
import { Families } from '#component/metrics/families.ts'
import type { Series } from '#component/metrics/series.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import { failure } from '#component/wamp/failure.ts'
import { WampError } from '#component/wamp/session.ts'
import { runAtOnce } from '#component/yielding.ts'
import { countsIn, metricLines } from '#test/support/metric-lines.ts'

/** Metrics whose clock a test moves. */
function metrics() {
  const time = { ms: 0 }
  const families = new Families({ now: () => 0 })
  const watch = new ActionMetrics(families, () => time.ms)
  return { families, time, watch, lines: () => countsIn(metricLines(families, 'gateway_')) }
}

const targetOf = (type: ActionType, text: string, api = 'shop'): ActionTarget => ({
  ...{ type, text, literal: text, api, version: '1', served: { api, label: '1' }, route: '/x' },
})
const run = { target: targetOf('wamp_call', 'com.example.p'), realm_uri: 'com.example.realm' }

/** What is counted for one attempt. */
function counted(type: ActionType, end: AttemptEnd, isReady = true): string[] {
  const { watch, lines } = metrics()
  const attempt = watch.begin({ ...run, target: targetOf(type, 't') }, 0)
  if (isReady) attempt.ready()
  attempt.over(end)
  return lines()
}

const own = (uri: ErrorUri): AttemptEnd => endOf(failure(uri, 'by the gateway', true))
const thrown = (uri: ErrorUri): AttemptEnd => endOf(new ServiceError(uri, 'by the gateway'))
const answered = (status_code: number): AttemptEnd => ({ answer: { status_code } })

const outcomes: readonly (readonly [
  title: string,
  type: ActionType,
  end: AttemptEnd,
  outcome: string,
])[] = [
  ['a result', 'wamp_call', {}, 'ok'],
  ['an ERROR', 'wamp_call', endOf(new WampError('com.example.error')), 'error'],
  [
    'a callee that has left',
    'wamp_call',
    endOf(new WampError('wamp.error.canceled')),
    'callee_gone',
  ],
  [
    'an ERROR with a URI of the gateway',
    'wamp_call',
    endOf(new WampError('service.error.timeout')),
    'error',
  ],
  [
    'an ERROR of the router',
    'wamp_call',
    endOf(new WampError('wamp.error.no_such_procedure')),
    'error',
  ],
  ['no answer in time', 'wamp_call', own('service.error.timeout'), 'timeout'],
  ['a client that has gone', 'wamp_call', thrown('wamp.error.canceled'), 'canceled'],
  ['a lost session', 'wamp_call', own('wamp.error.net_failure'), 'unavailable'],
  ['a user that has gone', 'wamp_call', own('service.error.unauthorized'), 'unavailable'],
  [
    'a payload that the router does not take',
    'wamp_call',
    own('wamp.error.payload_size_exceeded'),
    'error',
  ],
  ['a fault of the gateway', 'wamp_call', endOf(new TypeError('x')), 'error'],
  ['an acknowledged event', 'wamp_publish', {}, 'ok'],
  ['an open stream', 'wamp_subscribe', {}, 'ok'],
  ['a status 200', 'forward', answered(200), '2xx'],
  ['a status 302', 'forward', answered(302), '3xx'],
  ['a status 404', 'forward', { error: { error_uri: 'x' }, reason: 'x', ...answered(404) }, '4xx'],
  ['a status 599', 'forward', answered(599), '5xx'],
  ['a silent upstream', 'forward', thrown('service.error.timeout'), 'timeout'],
  ['an upstream that is away', 'forward', thrown('service.error.bad_gateway'), 'failed'],
  ['a forbidden address', 'forward', thrown('wamp.error.not_authorized'), 'failed'],
  ['a request that was given up', 'forward', thrown('wamp.error.canceled'), 'canceled'],
  ['a body beyond its limit', 'forward', thrown('service.error.payload_too_large'), 'canceled'],
]

const names: Readonly<Partial<Record<ActionType, readonly [metric: string, label: string]>>> = {
  wamp_call: ['gateway_wamp_call_duration_seconds', 'procedure'],
  wamp_publish: ['gateway_wamp_publish_duration_seconds', 'topic'],
  wamp_subscribe: ['gateway_wamp_subscribe_duration_seconds', 'topic'],
  forward: ['gateway_upstream_request_duration_seconds', 'upstream'],
}

/** The line for attempts of one outcome. */
function lineOf(type: ActionType, outcome: string, text = 't', api = 'shop', count = 1): string {
  const [metric, label] = names[type] ?? []
  return `${metric}_count{api="${api}",version="1",${label}="${text}",outcome="${outcome}"} ${count}`
}

describe('the metrics of attempts', () => {
  for (const [title, type, end, outcome] of outcomes) {
    it(`count ${title} of ${type} as ${outcome}`, () => {
      expect(counted(type, end)).to.deep.equal([lineOf(type, outcome)])
    })
  }

  for (const [title, end, outcome] of [
    ['a login that was refused', own('wamp.error.not_authorized'), 'unavailable'],
    ['a router that does not answer', own('service.error.timeout'), 'unavailable'],
    ['too many sessions', thrown('service.error.unavailable'), 'unavailable'],
    ['a client that has gone', thrown('wamp.error.canceled'), 'canceled'],
  ] as const) {
    it(`count ${title} before there is a session as ${outcome}`, () => {
      expect(counted('wamp_call', end, false)).to.deep.equal([lineOf('wamp_call', outcome)])
    })
  }

  it('have a series for each of two documents that call one procedure', () => {
    const { watch, lines } = metrics()
    for (const api of ['shop', 'office', 'shop']) {
      watch.begin({ ...run, target: targetOf('wamp_call', 'com.example.p', api) }, 0).over({})
    }
    expect(lines()).to.deep.equal([
      lineOf('wamp_call', 'ok', 'com.example.p', 'shop', 2),
      lineOf('wamp_call', 'ok', 'com.example.p', 'office'),
    ])
  })

  it('count attempts after the first one', () => {
    const { watch, lines } = metrics()
    for (const tried of [0, 1, 2]) watch.begin(run, tried)
    expect(lines()).to.deep.equal([
      'gateway_action_retries_total{api="shop",version="1",target="com.example.p",type="wamp_call"} 2',
    ])
  })

  it('time an attempt from its beginning to its end', () => {
    const { time, watch, families } = metrics()
    time.ms = 1000
    const attempt = watch.begin(run, 0)
    time.ms = 1250
    attempt.over({})
    expect(onlySeries(families).value).to.equal(0.25)
  })

  for (const isSampled of [true, false]) {
    it(`name the trace of an attempt where it is ${isSampled ? 'recorded' : 'not recorded: never'}`, () => {
      const { watch, families } = metrics()
      const traceId = 'a'.repeat(32)
      const context = {
        traceId,
        spanId: 'b'.repeat(16),
        isSampled,
        isRandom: true,
        tracestate: undefined,
      }
      const trace: RequestTrace = {
        context,
        sampledId: undefined,
        attempt: () => undefined,
        over: () => undefined,
      }
      const attempt = watch.begin({ ...run, trace }, 0)
      attempt.over({})
      expect(attempt.context).to.equal(context)
      const named = onlySeries(families).exemplars?.flatMap((one) => one?.traceId ?? [])
      expect(named).to.deep.equal(isSampled ? [traceId] : undefined)
    })
  }
})

function onlySeries(families: Families): Series {
  const [first, ...others] = [...runAtOnce(families.collect()).values()].flat()
  if (!first || others.length > 0) throw new Error('expected one series')
  return first
}
