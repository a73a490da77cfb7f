/** wamp_call and static against a session that does as told. */
import { expect } from 'chai'
import type { Run } from '#component/action/action.ts'
import { staticAction } from '#component/action/static/perform.ts'
import { wampCallAction } from '#component/action/wamp-call/perform.ts'
import { ServiceError } from '#component/errors.ts'
import { anonymous } from '#component/identity.ts'
import { type SessionSource, WampError } from '#component/wamp/session.ts'
import { callResult, ManualClock, runOf, SessionDouble, settled } from './doubles.ts'

const notSent = () => new WampError('wamp.error.net_failure', { wasSent: false })
const sent = () => new WampError('wamp.error.net_failure')
const fields = { procedure: 'com.example.add', args: [1, 2], kwargs: { a: 1 } }

/** An action over one session, joined or joining. */
function actionOver(session: SessionDouble, source?: SessionSource) {
  const clock = new ManualClock()
  const action = wampCallAction({
    sessions: source ?? { session: () => session },
    clock,
    allowedDynamicUris: ['service.ping', 'wamp.session.'],
  })
  return { clock, action }
}

const attempts = (retries: number, retry_timeout = 5000) => ({
  attempts: { timeout: 1000, connect_timeout: 500, retries, retry_timeout },
})

describe('static', () => {
  it('results in its body and headers', async () => {
    const { run } = runOf()
    expect(await staticAction.perform({ body: { a: 1 }, headers: { x: 'y' } }, run)).to.deep.equal({
      result: { body: { a: 1 }, headers: { x: 'y' } },
    })
    expect(await staticAction.perform({}, run)).to.deep.equal({ result: { body: '', headers: {} } })
    expect(staticAction.performAtOnce?.({ body: 7 })).to.deep.equal({
      result: { body: 7, headers: {} },
    })
  })
})

describe('wamp_call', () => {
  it('calls the procedure and results in request_id, details, args, kwargs', async () => {
    const session = new SessionDouble(callResult({ args: [3], kwargs: { b: 2 } }))
    const outcome = await actionOver(session).action.perform(
      { ...fields, options: { disclose_me: true, foreign: 1 } },
      runOf().run,
    )
    expect(outcome).to.deep.equal({
      result: { request_id: 7, details: {}, args: [3], kwargs: { b: 2 } },
    })
    expect(session.asked).to.deep.equal([
      {
        uri: 'com.example.add',
        args: [1, 2],
        kwargs: { a: 1 },
        options: { disclose_me: true },
        timeoutMs: 1000,
      },
    ])
  })

  it('tells the callee who calls when somebody has logged in, unless the document says otherwise', async () => {
    const session = new SessionDouble(callResult(), callResult())
    const { action } = actionOver(session)
    const identity = { ...anonymous('com.example.test'), authid: 'alice', authmethod: 'oauth2' }
    await action.perform({ procedure: 'a.b' }, runOf({ identity }).run)
    await action.perform(
      { procedure: 'a.b', options: { disclose_me: false } },
      runOf({ identity }).run,
    )
    expect(session.asked.map(({ options }) => options)).to.deep.equal([
      { disclose_me: true },
      { disclose_me: false },
    ])
  })

  it('tells of a router that could not ask for the authorization in words of its own, and tries again', async () => {
    const text =
      "failed to authorize session for calling procedure 'a.b': ApplicationError(error=<wamp.error.canceled>)"
    const unasked = () => new WampError('wamp.error.authorization_failed', { args: [text] })
    const failed = await actionOver(new SessionDouble(unasked())).action.perform(
      fields,
      runOf().run,
    )
    expect(failed).to.have.nested.property('error.error_uri', 'wamp.error.net_failure')
    expect(JSON.stringify(failed)).to.not.include('ApplicationError')
    const again = actionOver(new SessionDouble(unasked(), callResult({ args: [1] })))
    const performed = again.action.perform(fields, runOf(attempts(1)).run)
    await again.clock.advance(100)
    expect(await performed)
      .to.have.nested.property('result.args')
      .that.deep.equals([1])
  })

  it('shows the old names of args and kwargs on look-up only', async () => {
    const session = new SessionDouble(callResult({ args: [3], kwargs: { b: 2 } }))
    const outcome = await actionOver(session).action.perform(fields, runOf().run)
    const result = 'result' in outcome ? outcome.result : {}
    expect(result.arguments).to.deep.equal([3])
    expect(result.arguments_kw).to.deep.equal({ b: 2 })
    expect(Object.hasOwn(result, 'arguments')).to.equal(true)
    expect(Object.keys(result)).to.deep.equal(['request_id', 'details', 'args', 'kwargs'])
  })

  it('reads arguments and arguments_kw as args and kwargs, and nothing as empty', async () => {
    const session = new SessionDouble(callResult(), callResult())
    const { action } = actionOver(session)
    await action.perform({ procedure: 'a.b', arguments: [1], arguments_kw: { k: 1 } }, runOf().run)
    await action.perform({ procedure: 'a.b', args: null, kwargs: '' }, runOf().run)
    expect(session.asked.map(({ args, kwargs }) => [args, kwargs])).to.deep.equal([
      [[1], { k: 1 }],
      [[], {}],
    ])
  })

  for (const [given, uri] of [
    [{ args: 'x' }, 'wamp.error.invalid_argument'],
    [{ args: {} }, 'wamp.error.invalid_argument'],
    [{ kwargs: [] }, 'wamp.error.invalid_argument'],
    [{ kwargs: 5 }, 'wamp.error.invalid_argument'],
    [{ options: { timeout: 'a' } }, 'wamp.error.option_not_allowed'],
    [{ procedure: 5 }, 'wamp.error.invalid_uri'],
    [{ procedure: '' }, 'wamp.error.invalid_uri'],
    [{ procedure: 'a..b' }, 'wamp.error.invalid_uri'],
    [{ procedure: 'a.b.' }, 'wamp.error.invalid_uri'],
    [{ procedure: '.a' }, 'wamp.error.invalid_uri'],
    [{ procedure: 'a b' }, 'wamp.error.invalid_uri'],
    [{ procedure: 'a#b' }, 'wamp.error.invalid_uri'],
    [{ procedure: 'a\nb' }, 'wamp.error.invalid_uri'],
    [{ procedure: 'a\u2028b' }, 'wamp.error.invalid_uri'],
    [{ procedure: 'a\ud800' }, 'wamp.error.invalid_uri'],
  ] as const) {
    it(`refuses ${JSON.stringify(given)} with ${uri} and asks nobody`, async () => {
      const session = new SessionDouble()
      const failure = await actionOver(session)
        .action.perform({ ...fields, ...given }, runOf().run)
        .catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(ServiceError).with.property('uri', uri)
      expect(session.asked).to.deep.equal([])
    })
  }

  for (const [procedure, isComputed, isAllowed] of [
    ['wamp.registration.list', false, true],
    ['service.load_api_spec', true, false],
    ['wamp.registration.list', true, false],
    ['service.ping', true, true],
    ['service.pinger', true, false],
    ['wamp.session.count', true, true],
    ['services.call', true, true],
    ['com.example.x', true, true],
  ] as const) {
    const how = isComputed ? 'computed from the request' : 'fixed in the document'
    it(`${isAllowed ? 'calls' : 'refuses'} ${procedure} ${how}`, async () => {
      const session = new SessionDouble(callResult())
      const computed = new Set(isComputed ? ['procedure'] : [])
      const outcome = await actionOver(session)
        .action.perform({ procedure }, runOf({ computed }).run)
        .catch((error: unknown) => error)
      if (isAllowed) expect(outcome).to.have.property('result')
      else expect(outcome).to.have.property('uri', 'wamp.error.not_authorized')
    })
  }

  it('passes an error of the callee on as it is', async () => {
    const error = { args: ['no'], kwargs: { code: 1 }, details: { d: 1 } }
    const session = new SessionDouble(new WampError('com.example.broken', error))
    const outcome = await actionOver(session).action.perform(fields, runOf().run)
    expect(outcome).to.deep.equal({ error: { error_uri: 'com.example.broken', ...error } })
  })

  it('throws what is no expected failure', async () => {
    const session = new SessionDouble(new TypeError('bug'))
    const failure = await actionOver(session)
      .action.perform(fields, runOf(attempts(3)).run)
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(TypeError)
    expect(session.asked).to.have.length(1)
  })

  for (const [title, failure, run, calls] of [
    ['no_eligible_callee', new WampError('wamp.error.no_eligible_callee'), {}, 4],
    ['no_such_procedure', new WampError('wamp.error.no_such_procedure'), { method: 'post' }, 4],
    ['a call not sent', notSent(), { method: 'post' }, 4],
    ['a call sent by GET', sent(), {}, 4],
    ['a call sent by PUT', sent(), { method: 'put' }, 4],
    ['a call sent by POST', sent(), { method: 'post' }, 1],
    ['a call sent by PATCH', sent(), { method: 'patch' }, 1],
    ['a timeout', new WampError('service.error.timeout'), {}, 1],
    ['an error of the callee', new WampError('com.example.broken'), {}, 1],
    ['a cancelled call', new WampError('wamp.error.canceled'), {}, 1],
  ] as const) {
    it(`tries ${title} ${calls === 1 ? 'once' : `${calls} times`} with three retries`, async () => {
      const session = new SessionDouble(failure, failure, failure, failure, failure)
      const { action, clock } = actionOver(session)
      const performed = action.perform(fields, runOf({ ...attempts(3), ...(run as Run) }).run)
      await clock.advance(4000)
      expect(await performed).to.have.nested.property('error.error_uri', failure.error_uri)
      expect(session.asked).to.have.length(calls)
      expect(clock.pending).to.equal(0)
    })
  }

  it('results in what a retry brings', async () => {
    const session = new SessionDouble(notSent(), callResult({ args: ['late'] }))
    const { action, clock } = actionOver(session)
    const performed = action.perform(fields, runOf(attempts(1)).run)
    await clock.advance(100)
    expect(await performed).to.have.deep.nested.property('result.args', ['late'])
  })

  it('ends its attempts at retry_timeout after the first failure', async () => {
    const failures = Array.from({ length: 100 }, notSent)
    const session = new SessionDouble(...failures)
    const { action, clock } = actionOver(session)
    const started = clock.now()
    let end = 0
    const performed = action.perform(fields, runOf(attempts(99, 700)).run).then((outcome) => {
      end = clock.now()
      return outcome
    })
    await clock.advance(5000)
    expect(await performed).to.have.nested.property('error.error_uri', 'wamp.error.net_failure')
    // Half of 100, 200, 400 ms; the next pause would pass the end.
    expect(session.asked.map(({ timeoutMs }) => timeoutMs)).to.deep.equal([1000, 650, 550, 350])
    expect(end - started).to.equal(350)
  })

  it('cancels the call of a client that goes away and does not try again', async () => {
    const session = new SessionDouble(undefined)
    const { action, clock } = actionOver(session)
    const { run, cancel } = runOf(attempts(5))
    const performed = action.perform(fields, run)
    await settled()
    cancel()
    expect(await performed).to.have.nested.property('error.error_uri', 'wamp.error.canceled')
    expect([session.cancels, session.asked.length, clock.pending]).to.deep.equal([1, 1, 0])
  })

  it('settles at once when the client goes away during a pause', async () => {
    const session = new SessionDouble(notSent())
    const { action, clock } = actionOver(session)
    const { run, cancel } = runOf(attempts(5))
    const performed = action.perform(fields, run)
    await settled()
    cancel()
    expect(await performed).to.have.nested.property('error.error_uri', 'wamp.error.net_failure')
    expect([session.asked.length, clock.pending]).to.deep.equal([1, 0])
  })

  it('settles at once when the client goes away while a session joins', async () => {
    const session = new SessionDouble(callResult())
    const joining = Promise.withResolvers<SessionDouble>()
    const { action } = actionOver(session, { session: () => joining.promise })
    const { run, cancel } = runOf()
    const performed = action.perform(fields, run)
    await settled()
    cancel()
    expect(await performed).to.have.nested.property('error.error_uri', 'wamp.error.canceled')
    joining.reject(new WampError('wamp.error.net_failure'))
    await settled()
    expect(session.asked).to.deep.equal([])
  })

  it('asks for the session of the identity with connect_timeout, and passes its refusal on', async () => {
    const asked: unknown[] = []
    const { action } = actionOver(new SessionDouble(), {
      session: async (...given) => {
        asked.push(given)
        throw new ServiceError('wamp.error.not_authorized', 'the router refuses this user')
      },
    })
    const { run } = runOf()
    const outcome = await action.perform(fields, run)
    expect(asked).to.deep.equal([['com.example.test', run.identity, 500, 'com.example.add']])
    expect(outcome).to.have.nested.property('error.error_uri', 'wamp.error.not_authorized')
    expect(outcome).to.have.nested.property('error.kwargs.message', 'the router refuses this user')
  })
})
