/** `circuit_breaker` of a document: what counts as a failure, and what is answered while the circuit is open. */
import { expect } from 'chai'
import { errorOf, type Outcome } from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import {
  bodyOf,
  call,
  documentOf,
  FakeExchange,
  fixed,
  issuesOf,
  type Performer,
  serve,
} from '#test/unit/gateway/fake-exchange.ts'
import { cached, resultOf, textOf } from './cached.ts'
import { policyPorts } from './policy-ports.ts'

const quick = { minimum: 2 }
const result: Outcome = { result: { request_id: 1, details: {}, args: [], kwargs: {} } }

/** An error that the gateway makes itself. */
const own = (uri: Parameters<typeof errorOf>[0], wasLost = false): Outcome => ({
  error: errorOf(uri, 'a reason'),
  reason: 'a reason',
  ...(wasLost && { effect: 'unknown' }),
})
/** An ERROR of a callee. */
const ofCallee = (error_uri: string): Outcome => ({
  error: { error_uri, args: [], kwargs: {}, details: {} },
})
const answered = (status_code: number): Outcome => ({
  error: {
    ...ofCallee('service.error.http_gateway.upstream_status'),
    ...{ error_uri: 'service.error.http_gateway.upstream_status', args: [], kwargs: {} },
    ...{ details: {}, status_code, headers: {}, body: '', uri: '' },
  },
  reason: `the upstream returned ${status_code}`,
  answer: { status_code, headers: {}, body: new Uint8Array(0), length: 0 },
})

/** A served document whose action ends as the test says, under a clock that it moves. */
function guarded(operation: object, path: object = {}) {
  const state: { now: number; outcome: Outcome | Performer } = { now: 0, outcome: result }
  const document = documentOf({ '/x/[:id]': { circuit_breaker: quick, ...path, get: operation } })
  const perform: Performer = (performed) =>
    typeof state.outcome === 'function' ? state.outcome(performed) : state.outcome
  const served = serve(
    ...([document, perform, undefined, undefined, '*', undefined] as const),
    policyPorts({}, { now: () => state.now }),
  )
  const ask = (target = '') => served.ask(`GET /v1/x/${target}`)
  /** Makes requests that end in this way, and then tells whether the next one is tried. */
  const isTriedAfter = async (outcome: Outcome | Performer, count = 3): Promise<boolean> => {
    state.outcome = outcome
    for (let request = 0; request < count; request += 1) await ask()
    const before = served.performed.length
    await ask()
    return served.performed.length > before
  }
  return { ...{ state, served, ask, isTriedAfter } }
}

const forward = (action: object = {}) => ({
  action: { type: 'forward', host: 'http://backend.example', ...action },
  response: { on_result: {}, on_error: {} },
})

describe('circuit_breaker', () => {
  for (const [told, outcome, isFailure, operation] of [
    ['bad_gateway', own('service.error.bad_gateway'), true, forward()],
    ['timeout', own('service.error.timeout'), true, forward()],
    ['an upstream that answers 502', answered(502), true, forward()],
    ['an upstream that answers 503', answered(503), true, forward()],
    ['an upstream that answers 504', answered(504), true, forward()],
    ['an upstream that answers 500', answered(500), false, forward()],
    ['an upstream that answers 404', answered(404), false, forward()],
    ['a client that goes away', own('wamp.error.canceled'), false, forward()],
    ['a call that is not answered in time', own('service.error.timeout'), true, call()],
    ['a timeout of the router', ofCallee('wamp.error.timeout'), true, call()],
    ['a session lost after the call was sent', own('wamp.error.net_failure', true), true, call()],
    ['a router that is away', own('wamp.error.net_failure'), false, call()],
    ['an error of the application', ofCallee('com.example.error.no_stock'), false, call()],
    ['a callee with the URI of a timeout', ofCallee('service.error.timeout'), false, call()],
    ['a procedure that nobody has', ofCallee('wamp.error.no_such_procedure'), false, call()],
    ['a result', result, false, call()],
  ] as const) {
    it(`takes ${told} ${isFailure ? 'as' : 'not as'} a failure`, async () => {
      expect(await guarded(operation).isTriedAfter(outcome)).to.equal(!isFailure)
    })
  }

  it('takes an error whose URI it lists as a failure', async () => {
    const circuit_breaker = { ...quick, errors: ['com.example.error.overloaded'] }
    const { isTriedAfter } = guarded(call(), { circuit_breaker })
    expect(await isTriedAfter(ofCallee('com.example.error.overloaded'))).to.equal(false)
  })

  it('learns nothing of an action that cannot be tried', async () => {
    const refusing: Performer = () => {
      throw new ServiceError('service.error.unavailable', 'too many sessions')
    }
    expect(await guarded(call()).isTriedAfter(refusing)).to.equal(true)
  })

  it('answers by on_error while it is open, with Retry-After, and tries again after that time', async () => {
    const { state, served, ask, isTriedAfter } = guarded(call())
    expect(await isTriedAfter(own('service.error.timeout'))).to.equal(false)
    state.now = 10_500
    const refused = await ask()
    expect(refused.status).to.equal(503)
    expect(refused.headers).to.include({ 'retry-after': '20' })
    expect(bodyOf(refused)).to.deep.equal({
      error_uri: 'service.error.circuit_open',
      args: [],
      kwargs: {
        code: 'service.error.circuit_open',
        message: 'the action has failed too often and is tried again in 20 s',
        description: 'The action fails too often and is not tried now.',
      },
      details: {},
    })
    expect(refused.failure).to.deep.include({ error: 'service.error.circuit_open' })
    state.now = 30_000
    state.outcome = result
    expect((await ask()).status).to.equal(200)
    expect(served.performed).to.have.length(3)
  })

  it('leaves the status, the headers and the body to on_error', async () => {
    const { ask, isTriedAfter } = guarded({
      ...call(),
      response: {
        on_result: {},
        on_error: {
          status_code: 500,
          headers: { 'Retry-After': '7' },
          body: { why: '{{action.error.error_uri}}' },
        },
      },
    })
    await isTriedAfter(own('service.error.timeout'))
    const refused = await ask()
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([500, '7'])
    expect(bodyOf(refused)).to.deep.equal({ why: 'service.error.circuit_open' })
  })

  it('sends no Retry-After with an answer that on_error makes a success', async () => {
    const fallback = { on_result: {}, on_error: { status_code: 200, body: 'none today' } }
    const { ask, isTriedAfter } = guarded({ ...call(), response: fallback })
    await isTriedAfter(own('service.error.timeout'))
    const answer = await ask()
    expect(answer.status).to.equal(200)
    expect(answer.headers).not.to.have.property('retry-after')
  })

  it('gives an open circuit of a forward the four keys of its errors', async () => {
    const operation = {
      ...forward(),
      response: { on_result: {}, on_error: { body: '{{action.error.status_code}}' } },
    }
    const { ask, isTriedAfter } = guarded(operation)
    await isTriedAfter(own('service.error.bad_gateway'))
    expect(bodyOf(await ask())).to.equal(503)
  })

  it('is for each target by itself, as it is evaluated', async () => {
    const procedure = 'com.example.{{request.bindings.id}}'
    const { state, served, ask } = guarded(call({ procedure }))
    state.outcome = own('service.error.timeout')
    for (let count = 0; count < 3; count += 1) await ask('a')
    await ask('b')
    expect(served.performed.map(({ fields }) => fields.procedure)).to.deep.equal([
      ...['com.example.a', 'com.example.a', 'com.example.b'],
    ])
  })

  it('takes two spellings of an origin as one, and leaves what is none to the action', async () => {
    const { state, served, ask } = guarded(forward({ host: '{{request.bindings.id}}' }))
    state.outcome = own('service.error.bad_gateway')
    for (const host of ['a.example', 'A.example:80', 'a.example']) await ask(host)
    expect(served.performed).to.have.length(2)
    for (let count = 0; count < 3; count += 1) await ask('a@b')
    expect(served.performed).to.have.length(5)
  })

  it('ends a list of actions where the circuit of one is open, with the results until then', async () => {
    const list = {
      action: [
        { type: 'wamp_call', procedure: 'com.example.good' },
        { type: 'wamp_call', procedure: 'com.example.bad' },
      ],
      response: { on_result: {}, on_error: { body: '{{action.results |> length}}' } },
    }
    const { state, served, ask } = guarded(list)
    state.outcome = ({ fields }) =>
      fields.procedure === 'com.example.bad' ? own('service.error.timeout') : result
    for (let count = 0; count < 2; count += 1) await ask()
    const before = served.performed.length
    const refused = await ask()
    expect([refused.status, bodyOf(refused)]).to.deep.equal([503, 1])
    expect(served.performed.slice(before).map(({ fields }) => fields.procedure)).to.deep.equal([
      'com.example.good',
    ])
  })

  it('lets another probe pass when the client of the first goes away', async () => {
    const { state, served, ask, isTriedAfter } = guarded(call())
    await isTriedAfter(own('service.error.timeout'))
    state.now = 30_000
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    state.outcome = () => promise
    const probe = served.handle(new FakeExchange('GET /v1/x/'))
    expect((await ask()).status).to.equal(503)
    resolve(own('wamp.error.canceled'))
    await probe
    state.outcome = result
    expect((await ask()).status).to.equal(200)
    expect((await ask()).status).to.equal(200)
  })

  it('lets a stale answer be served while it is open', async () => {
    let isAway = false
    const path = {
      ...{ circuit_breaker: quick, cache: { ttl: 1, stale_if_error: 3600 } },
      get: call({}, { body: '{{action.result.args |> head}}' }),
    }
    const { ask, clock, runs } = cached(
      { '/x': path },
      { perform: () => (isAway ? own('service.error.timeout') : resultOf('kept')) },
    )
    await ask('GET /v1/x')
    isAway = true
    clock.pass(60)
    // the success has left the window: two failures open the circuit
    for (let count = 0; count < 4; count += 1) {
      const reply = await ask('GET /v1/x')
      expect([reply.status, textOf(reply)]).to.deep.equal([200, '"kept"'])
    }
    expect(runs()).to.equal(3)
  })

  it('is taken away by null, and does not touch actions without a peer', async () => {
    const failing = own('service.error.timeout')
    expect(await guarded({ ...call(), circuit_breaker: null }).isTriedAfter(failing)).to.equal(true)
    const publish = { type: 'wamp_publish', topic: 'com.example.t' }
    const response = { on_result: {}, on_error: {} }
    const publishing = guarded({ action: publish, response })
    expect(await publishing.isTriedAfter(failing)).to.equal(true)
    expect(await guarded(fixed()).isTriedAfter(failing)).to.equal(true)
  })

  for (const [circuit_breaker, path, message] of [
    [7, '', 'expected a map such as {threshold, minimum, window, open, errors}, got 7'],
    [{ limit: 1 }, '/limit', 'expected one of threshold, minimum, window, open, errors'],
    [{ threshold: 0 }, '/threshold', 'expected a number above 0, at most 1, got 0'],
    [{ threshold: 1.1 }, '/threshold', 'expected a number above 0, at most 1, got 1.1'],
    [{ minimum: 0 }, '/minimum', 'expected an integer of results from 1 to 1000000, got 0'],
    [{ window: 3601 }, '/window', 'expected an integer of seconds from 1 to 3600, got 3601'],
    [{ open: '5' }, '/open', 'expected an integer of seconds from 1 to 3600, got "5"'],
    [{ errors: 'a.b' }, '/errors', 'expected a list of error URIs, got "a.b"'],
    [
      { open: '{{request.body_length}}' },
      '',
      'circuit_breaker must be known when the specification is loaded: it may not depend on the request',
    ],
    [{ open: '{{variables.long}}' }, '/open', 'expected an integer of seconds from 1 to 3600'],
  ] as const) {
    it(`refuses ${JSON.stringify(circuit_breaker)}`, () => {
      const issues = issuesOf(
        documentOf({ '/x': { circuit_breaker, get: fixed() } }, { variables: { long: 3601 } }),
      )
      const at = `/versions/1.0/paths/~1x/circuit_breaker${path}`
      const found = issues.filter((issue) => issue.path === at)
      expect(found.map((issue) => issue.message).join()).to.include(message)
    })
  }
})
