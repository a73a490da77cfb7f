/** The lines about failed requests: their levels, their members, and how many there are. */
import { expect } from 'chai'
import { LoginCounts } from '#component/login-counts.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import { type FailedRequest, FailureLog } from '#http/log/failure-log.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const request: FailedRequest = {
  id: 'r1',
  method: 'get',
  route: '/v1/x',
  status: 500,
  peername: '192.0.2.1:5000',
  client: '192.0.2.1',
  failure: { error: 'com.example.error.boom', reason: 'it went wrong', pointer: '/x' },
}
const passedTrace: RequestTrace = {
  context: {
    ...{ traceId: '07'.repeat(16), spanId: '07'.repeat(8) },
    ...{ isSampled: false, isRandom: true, tracestate: undefined },
  },
  sampledId: undefined,
  attempt: () => undefined,
  over: () => undefined,
}
const login = { realm: 'com.example', authmethod: 'basic', authid: 'ada', reason: 'wrong secret' }
const unauthorized = { error: 'service.error.unauthorized', reason: 'valid credentials', login }
const inRequest = { request_id: 'r1', method: 'get', route: '/v1/x' }

function failureLog() {
  const clock = new ManualClock()
  const { log, lines } = keptLog()
  const logins = new LoginCounts()
  const failures = new FailureLog(clock, log, logins)
  return {
    clock,
    lines,
    failures,
    logins,
    tell: (more: Partial<FailedRequest> = {}) => failures.tell({ ...request, ...more }),
  }
}

describe('the log of failed requests', () => {
  it('counts every refused login, also those that have no line', () => {
    const { lines, logins, tell } = failureLog()
    for (let count = 0; count < 12; count += 1) tell({ status: 401, failure: unauthorized })
    expect(lines).to.have.lengthOf(10)
    expect(logins.all).to.deep.equal([{ authmethod: 'basic', result: 'refused', count: 12 }])
  })

  for (const [what, more, level, line] of [
    [
      'an answer of 500',
      {},
      'error',
      { ...inRequest, status: 500, msg: 'a request failed', ...request.failure },
    ],
    [
      'a request in a distributed trace',
      { trace: passedTrace },
      'error',
      {
        ...inRequest,
        ...{ trace_id: passedTrace.context.traceId, status: 500, msg: 'a request failed' },
        ...request.failure,
      },
    ],
    [
      'an answer of 500 that nobody explains',
      { failure: undefined },
      'error',
      { ...inRequest, status: 500, msg: 'a request failed' },
    ],
    [
      'an answer that broke off',
      { status: 200 },
      'error',
      { ...inRequest, status: 200, msg: 'a request failed', ...request.failure },
    ],
    [
      'a request that an expression cannot use',
      { status: 400 },
      'info',
      { ...inRequest, status: 400, msg: 'a request failed', ...request.failure },
    ],
    [
      'a callee that has left during the call',
      {
        status: 400,
        failure: { error: 'wamp.error.canceled', procedure: 'com.example.p', hasLostCallee: true },
      },
      'warn',
      {
        ...inRequest,
        ...{ status: 400, error: 'wamp.error.canceled', procedure: 'com.example.p' },
        msg: 'the callee left during the call',
      },
    ],
    [
      'a refused login',
      { status: 401, failure: unauthorized },
      'warn',
      {
        ...inRequest,
        ...{ status: 401, error: 'service.error.unauthorized', peer: '192.0.2.1:5000' },
        ...login,
        msg: 'login refused',
      },
    ],
    [
      'a refused login in a distributed trace',
      { status: 401, failure: unauthorized, trace: passedTrace },
      'warn',
      {
        ...{ ...inRequest, trace_id: passedTrace.context.traceId },
        ...{ status: 401, error: 'service.error.unauthorized', peer: '192.0.2.1:5000' },
        ...login,
        msg: 'login refused',
      },
    ],
  ] as const) {
    it(`has one line about ${what}`, () => {
      const { lines, tell } = failureLog()
      tell(more)
      expect(lines.map(({ time: _, ...rest }) => rest)).to.deep.equal([{ level, ...line }])
    })
  }

  it('has the stack of a bug, whatever became of the client', () => {
    const { lines, tell } = failureLog()
    tell({ status: 499, failure: { error: 'service.error.internal', err: new Error('oh') } })
    expect(lines).to.have.length(1)
    expect(lines[0]).to.deep.include({ level: 'error' })
    expect(lines[0]).to.have.nested.property('err.stack').that.includes('failure-log.test.ts')
  })

  it('has no line about a node that is not ready', () => {
    const { lines, tell } = failureLog()
    tell({ route: '/ready', status: 503 })
    expect(lines).to.deep.equal([])
  })

  it('has ten lines a second about one cause, and counts the others', async () => {
    const { clock, lines, tell } = failureLog()
    for (let count = 0; count < 25; count++) tell()
    tell({ route: '/v1/other' })
    expect(lines).to.have.length(11)
    await clock.advance(1_000)
    expect(lines.at(-1)).to.include({
      level: 'error',
      cause: 'get /v1/x com.example.error.boom',
      lines: 15,
      msg: 'lines left out',
    })
    tell()
    expect(lines).to.have.length(13)
  })

  it('has ten lines a second about the refused logins of one network', async () => {
    const { clock, lines, tell } = failureLog()
    for (let count = 0; count < 25; count++) tell({ status: 401, failure: unauthorized })
    tell({ status: 401, failure: unauthorized, client: '198.51.100.1' })
    expect(lines).to.have.length(11)
    await clock.advance(1_000)
    expect(lines.at(-1)).to.include({ network: '192.0.2.1', lines: 15, msg: 'lines left out' })
  })
})
