/** `idempotency` after failures: whether a repeat acts again or gets the same answer. */

import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import { call, type serve } from '#test/unit/gateway/fake-exchange.ts'
import {
  counting,
  create,
  IdempotentRoutes,
  keyed,
  own,
  result,
  tellOf,
} from './idempotent-routes.ts'

describe('idempotency after a request that has failed', () => {
  let routes: IdempotentRoutes
  beforeEach(async () => {
    routes = await IdempotentRoutes.open()
  })
  afterEach(() => routes.store.close())

  const at = (outcome: Outcome, idempotency: object = {}) => {
    let isFirst = true
    return routes.serve(
      create,
      () => {
        if (!isFirst) return result(2)
        isFirst = false
        return outcome
      },
      { idempotency },
    )
  }
  const twice = async (served: ReturnType<typeof serve>, key = 'k') => {
    const first = await served.ask('POST /v1/x', keyed(key))
    const second = await served.ask('POST /v1/x', keyed(key))
    return [first.status, second.status, second.headers['idempotency-replayed'] ?? 'performed']
  }
  const ofCallee: Outcome = {
    error: { error_uri: 'com.example.no_money', args: [], kwargs: {}, details: {} },
  }

  it('gives the error of the callee again', async () => {
    expect(await twice(at(ofCallee))).to.deep.equal([500, 500, 'true'])
    const retrying = at(ofCallee, { on_unknown: 'retry' })
    expect(await twice(retrying, 'other')).to.deep.equal([500, 500, 'true'])
  })

  for (const uri of ['wamp.error.net_failure', 'wamp.error.no_such_procedure'] as const) {
    it(`acts again after ${uri}, when nothing was done`, async () => {
      const [, second, how] = await twice(at(own(uri, 'none')))
      expect([second, how]).to.deep.equal([201, 'performed'])
    })
  }

  for (const uri of [
    'service.error.timeout',
    'wamp.error.net_failure',
    'wamp.error.canceled',
  ] as const) {
    it(`does as the document says after ${uri}, when nobody knows what was done`, async () => {
      const [first, second, how] = await twice(at(own(uri, 'unknown')))
      expect([second, how]).to.deep.equal([first, 'true'])
      const retried = await twice(at(own(uri, 'unknown'), { on_unknown: 'retry' }), 'other')
      expect(retried.slice(1)).to.deep.equal([201, 'performed'])
    })
  }

  it('acts again after an expression that failed before the action', async () => {
    const operation = call({ args: ['{{request.headers.x-n}}'] })
    const served = routes.serve(operation, counting())
    const first = await served.ask('POST /v1/x', keyed())
    expect(first.status).to.equal(400)
    const second = await served.ask('POST /v1/x', keyed('k', { headers: { 'x-n': '1' } }))
    expect(second.status).to.equal(204)
  })

  it('gives the failure of an expression after the action again', async () => {
    const served = routes.serve(call({}, { body: '{{action.result.args |> get(9)}}' }), counting())
    expect(await twice(served)).to.deep.equal([500, 500, 'true'])
    expect(served.performed).to.have.length(1)
  })

  it('keeps the answer of a list once one of its actions was performed', async () => {
    const action = [
      { type: 'wamp_call', procedure: 'com.example.a' },
      { type: 'wamp_call', procedure: 'com.example.b' },
    ]
    const outcomes = [
      own('wamp.error.net_failure', 'none'),
      result(1),
      own('wamp.error.net_failure', 'none'),
    ]
    const served = routes.serve({ ...create, action }, () => outcomes.shift() ?? result(9))
    const told = [await twice(served), served.performed.length]
    // the first action was not sent; then the second was not
    expect(told).to.deep.equal([[502, 502, 'performed'], 3])
    expect((await twice(served))[2]).to.equal('true')
    expect(served.performed).to.have.length(3)
  })

  it('acts again after a full pool', async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const version = { pool_size: 1, pool_queue: 0 }
    const served = routes.serve(create, () => promise, { version })
    const first = served.ask('POST /v1/x', keyed('first'))
    while (served.performed.length === 0) await new Promise((done) => setImmediate(done))
    const asked = Array.from({ length: 1200 }, (_, n) => served.ask('POST /v1/x', keyed(`k${n}`)))
    while (routes.renewals.length < 2) await new Promise((done) => setImmediate(done))
    resolve(result(1))
    await first
    const refused = (await Promise.all(asked)).findIndex(({ status }) => status === 503)
    expect(refused).to.be.greaterThan(0)
    const again = await served.ask('POST /v1/x', keyed(`k${refused}`))
    expect(tellOf(again)).to.deep.equal([201, '{"n":1}'])
    expect(again.headers).not.to.have.property('idempotency-replayed')
  })

  it('does not know what a bug has done, and acts again only where the document says so', async () => {
    const bug = () => Promise.reject(new TypeError('a bug'))
    const settled = async () => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done))
    }
    for (const [on_unknown, told] of [
      ['refuse', [409, 'idempotency_conflict']],
      ['retry', [201, '{"n":1}']],
    ] as const) {
      const broken = routes.serve(create, bug, { idempotency: { on_unknown } })
      const failure = await broken.ask('POST /v1/x', keyed(on_unknown)).catch((reason) => reason)
      expect(failure).to.be.instanceOf(TypeError)
      await settled()
      expect(routes.renewals).to.deep.equal([])
      const again = await routes
        .serve(create, counting(), { idempotency: { on_unknown } })
        .ask('POST /v1/x', keyed(on_unknown))
      expect(tellOf(again)).to.deep.equal(told)
      expect(again.headers).not.to.have.property('retry-after')
    }
  })
})
