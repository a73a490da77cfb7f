/** Which trace context an attempt passes on, and what its span is told. */
import { expect } from 'chai'
import { type ActionTarget, noTarget } from '#component/action/watching/action-target.ts'
import type { AttemptEnd } from '#component/action/watching/attempt-end.ts'
import type { AttemptWatch } from '#component/action/watching/attempt-watch.ts'
import { tracedAttempts } from '#component/action/watching/traced-attempts.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'

const contextOf = (digit: string): TraceContext => ({
  ...{ traceId: digit.repeat(32), spanId: digit.repeat(16) },
  ...{ isSampled: true, isRandom: true, tracestate: undefined },
})

/** A trace that keeps what it is told; unless it records, its attempts have no spans. */
function traceOf(isRecorded: boolean) {
  const told: unknown[] = []
  const trace: RequestTrace = {
    context: contextOf('1'),
    sampledId: undefined,
    attempt({ text }, tried, by) {
      told.push({ text, tried, by })
      if (!isRecorded) return undefined
      return {
        context: contextOf('2'),
        ready: () => told.push('ready'),
        over: (end) => told.push(end),
      }
    },
    over: () => told.push('the request is over'),
  }
  return { told, trace }
}

const call: ActionTarget = { ...noTarget, type: 'wamp_call', text: 'com.example.p' }
const forward: ActionTarget = { ...noTarget, type: 'forward', text: 'http://up.example' }
const realm_uri = 'com.example.realm'

describe('tracedAttempts', () => {
  it('passes on the context of the span, and tells it all', () => {
    const { told, trace } = traceOf(true)
    const attempt = tracedAttempts(undefined).begin({ target: call, realm_uri, trace }, 2)
    expect(attempt.context).to.deep.equal(contextOf('2'))
    attempt.ready()
    attempt.over({ error: { error_uri: 'com.example.error' }, reason: 'unknown' })
    expect(told).to.deep.equal([
      { text: 'com.example.p', tried: 2, by: { realm_uri, method: undefined } },
      'ready',
      { status: undefined, error: 'com.example.error' },
    ])
  })

  it('names the method of a forward, and tells its status', () => {
    const { told, trace } = traceOf(true)
    const attempt = tracedAttempts(undefined).begin(
      { target: forward, realm_uri, trace },
      0,
      'post',
    )
    attempt.over({ answer: { status_code: 204 } })
    expect(told).to.deep.equal([
      { text: 'http://up.example', tried: 0, by: { realm_uri, method: 'post' } },
      { status: 204, error: undefined },
    ])
  })

  it('passes on the context of the request where the attempt is not recorded', () => {
    const { trace } = traceOf(false)
    const attempt = tracedAttempts(undefined).begin({ target: call, realm_uri, trace }, 0)
    expect(attempt.context).to.equal(trace.context)
    attempt.ready()
    attempt.over({})
  })

  it('passes on nothing of a request without a trace', () => {
    const attempt = tracedAttempts(undefined).begin({ target: call, realm_uri }, 0)
    expect(attempt.context).to.equal(undefined)
  })

  it('tells the others, too', () => {
    const told: unknown[] = []
    const others: AttemptWatch = {
      begin: (_run, tried) => ({
        context: undefined,
        ready: () => told.push(`ready ${tried}`),
        over: (end: AttemptEnd) => told.push(end),
      }),
    }
    const attempt = tracedAttempts(others).begin({ target: call, realm_uri }, 1)
    attempt.ready()
    attempt.over({ answer: { status_code: 200 } })
    expect(told).to.deep.equal(['ready 1', { answer: { status_code: 200 } }])
  })
})
