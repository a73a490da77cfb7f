/** What every Session promises about calls and invocations. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { type Payload, WampError } from '#component/wamp/session.ts'
import { failureOf, freshUri, nothing, type Pair } from './support.ts'

/** Adds the tests. */
export function describeCalls(pair: Pair): void {
  it('answers invocations itself', async () => {
    const uri = freshUri()
    await pair.session.register(uri, ({ args }) => ({ args: [...args].reverse(), kwargs: {} }))
    const { args } = await pair.other.call(uri, { args: [1, 2], kwargs: {} }, {}, 2000).result
    expect(args).to.deep.equal([2, 1])
  })

  it('gives each call its own request id, and details without the callee', async () => {
    const uri = freshUri()
    await pair.other.register(uri, () => nothing)
    const first = await pair.session.call(uri, nothing, {}, 2000).result
    const second = await pair.session.call(uri, nothing, {}, 2000).result
    expect(second.request_id).to.be.greaterThan(first.request_id)
    expect(Object.keys(first.details).filter((key) => key.startsWith('callee'))).to.deep.equal([])
  })

  for (const [what, thrown, error_uri, args, kwargs] of [
    [
      'a WampError',
      new WampError('com.example.no', { args: ['n'], kwargs: { k: 1 } }),
      'com.example.no',
      ['n'],
      { k: 1 },
    ],
    [
      'a ServiceError',
      new ServiceError('service.error.not_found', 'no such thing'),
      'service.error.not_found',
      ['no such thing'],
      {
        code: 'service.error.not_found',
        message: 'no such thing',
        description: 'There is no such resource.',
      },
    ],
    [
      'an unknown error',
      new Error('secret'),
      'service.error.internal',
      ['the procedure failed'],
      {
        code: 'service.error.internal',
        message: 'the procedure failed',
        description: 'An internal error occurred.',
      },
    ],
  ] as const) {
    it(`turns ${what} of a handler into an ERROR, and lives on`, async () => {
      const uri = freshUri()
      await pair.session.register(uri, () => {
        throw thrown
      })
      const error = await failureOf(pair.other.call(uri, nothing, {}, 2000).result)
      const { error_uri: got } = error
      expect({ got, args: error.args, kwargs: error.kwargs }).to.deep.equal({
        got: error_uri,
        args,
        kwargs,
      })
      expect(error.wasSent).to.equal(true)
      expect(pair.session.isOpen).to.equal(true)
    })
  }

  for (const [what, thrown] of [
    ['without a URI', new WampError('', { args: ['x'] })],
    ['with a URI that routers do not take', new WampError('no uri!')],
    ['with a payload that cannot be sent', new WampError('com.example.e', { args: ['\ud800'] })],
  ] as const) {
    it(`answers when a handler throws a WampError ${what}`, async () => {
      const uri = freshUri()
      await pair.session.register(uri, () => {
        throw thrown
      })
      const error = await failureOf(pair.other.call(uri, nothing, {}, 2000).result)
      expect(error.error_uri).to.match(/^(wamp|service)\.error\.in/)
      expect(pair.session.isOpen).to.equal(true)
    })
  }

  for (const [what, result] of [
    ['holds a lone surrogate', { args: ['\ud800'], kwargs: {} }],
    ['is larger than the router carries', { args: ['x'.repeat(15_000_001)], kwargs: {} }],
    ['is no payload', undefined],
  ] as const) {
    it(`turns a result that ${what} into an ERROR, and lives on`, async () => {
      const uri = freshUri()
      await pair.session.register(uri, () => result as unknown as Payload)
      const error = await failureOf(pair.other.call(uri, nothing, {}, 2000).result)
      expect(error.error_uri).to.match(/^(wamp|service)\.error\./)
      expect(pair.session.isOpen).to.equal(true)
    })
  }

  it('passes a refusal of the router on', async () => {
    const error = await failureOf(pair.session.call(freshUri(), nothing, {}, 2000).result)
    expect(error.error_uri).to.equal('wamp.error.no_such_procedure')
    expect(error.wasSent).to.equal(true)
  })

  it('does not mangle a URI that looks like a prefixed one', async () => {
    const uri = `constructor:${freshUri()}`
    await pair.other.register(uri, () => ({ args: ['found'], kwargs: {} }))
    expect((await pair.session.call(uri, nothing, {}, 2000).result).args).to.deep.equal(['found'])
  })

  it('settles a call at its deadline, ignores the late result and lives on', async () => {
    const uri = freshUri()
    let finish = () => {}
    await pair.other.register(
      uri,
      () =>
        new Promise<Payload>((resolve) => {
          finish = () => resolve({ args: ['late'], kwargs: {} })
        }),
    )
    const error = await failureOf(pair.session.call(uri, nothing, {}, 50).result)
    expect(error.error_uri).to.equal('service.error.timeout')
    expect(error.wasSent).to.equal(true)
    expect(pair.session.pending).to.equal(0)
    finish()
    const echo = freshUri()
    await pair.other.register(echo, (payload) => payload)
    await pair.session.call(echo, nothing, {}, 2000).result
    expect(pair.session.isOpen).to.equal(true)
  })

  it('settles a cancelled call at once and once', async () => {
    const uri = freshUri()
    await pair.other.register(uri, () => new Promise<Payload>(() => {}))
    const call = pair.session.call(uri, nothing, {}, 2000)
    call.cancel()
    call.cancel()
    expect(pair.session.pending).to.equal(0)
    const error = await failureOf(call.result)
    expect(error.error_uri).to.equal('wamp.error.canceled')
    const echo = freshUri()
    await pair.other.register(echo, (payload) => payload)
    await pair.session.call(echo, nothing, {}, 2000).result
    expect(pair.session.isOpen).to.equal(true)
  })

  it('settles with the final result when progress was asked for', async () => {
    const uri = freshUri()
    await pair.other.register(uri, () => ({ args: ['final'], kwargs: {} }))
    const options = { receive_progress: true }
    expect((await pair.session.call(uri, nothing, options, 2000).result).args).to.deep.equal([
      'final',
    ])
  })

  it('shares a registration when asked to', async () => {
    const uri = freshUri()
    const options = { invoke: 'roundrobin' }
    await pair.session.register(uri, () => ({ args: ['one'], kwargs: {} }), options)
    await pair.other.register(uri, () => ({ args: ['two'], kwargs: {} }), options)
    const first = await pair.session.call(uri, nothing, {}, 2000).result
    const second = await pair.session.call(uri, nothing, {}, 2000).result
    expect([first.args[0], second.args[0]]).to.have.members(['one', 'two'])
  })

  it('says so when the router refuses a registration', async () => {
    const uri = freshUri()
    await pair.other.register(uri, () => nothing)
    const error = await failureOf(pair.session.register(uri, () => nothing))
    expect(error.error_uri).to.equal('wamp.error.procedure_already_exists')
  })
}
