/** `idempotency` of a document: which requests are performed, and what their repeats are answered. */

import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import {
  type Ask,
  call,
  documentOf,
  FakeExchange,
  fixed,
  issuesOf,
} from '#test/unit/gateway/fake-exchange.ts'
import {
  counting,
  create,
  IdempotentRoutes,
  keyed,
  result,
  tellOf,
  upstream,
  upstreamAnswer,
} from './idempotent-routes.ts'

describe('idempotency', () => {
  let routes: IdempotentRoutes
  beforeEach(async () => {
    routes = await IdempotentRoutes.open()
  })
  afterEach(() => routes.store.close())

  it('performs a request once, and answers its repeats with the same status, headers and bytes', async () => {
    const operation = call(
      {},
      {
        body: '{{action.result.kwargs}}',
        status_code: 201,
        headers: { 'X-N': '{{action.result.kwargs.n}}' },
      },
    )
    const served = routes.serve(operation, counting())
    const [first, second] = [
      await served.ask('POST /v1/x', keyed()),
      await served.ask('POST /v1/x', keyed()),
    ]
    expect(tellOf(first)).to.deep.equal([201, '{"n":1}'])
    expect(first.headers).to.include({ 'content-type': 'application/json', 'x-n': '1' })
    expect(first.headers).not.to.have.property('idempotency-replayed')
    expect([second.status, second.body]).to.deep.equal([first.status, first.body])
    expect(second.headers).to.deep.equal({ ...first.headers, 'idempotency-replayed': 'true' })
    expect(served.performed).to.have.length(1)
  })

  it('means POST and PATCH; without a key, and for other methods, everything is as ever', async () => {
    const served = routes.serve(create, counting())
    const statuses = async (line: string, ask?: Ask) => [
      tellOf(await served.ask(line, ask))[1],
      tellOf(await served.ask(line, ask))[1],
    ]
    expect(await statuses('PATCH /v1/x', keyed())).to.deep.equal(['{"n":1}', '{"n":1}'])
    expect(await statuses('PUT /v1/x', keyed())).to.deep.equal([{ n: 2 }, { n: 3 }])
    expect(await statuses('GET /v1/x', keyed())).to.deep.equal([{ n: 4 }, { n: 5 }])
    expect(await statuses('POST /v1/x')).to.deep.equal([{ n: 6 }, { n: 7 }])
  })

  it('refuses a request without a key where one is required, and a malformed key everywhere', async () => {
    const required = routes.serve(create, undefined, { idempotency: { required: true } })
    expect(tellOf(await required.ask('POST /v1/x'))).to.deep.equal([400, 'idempotency_key_missing'])
    expect((await required.ask('PUT /v1/x')).status).to.equal(201)
    const malformed = await routes.serve(create).ask('POST /v1/x', keyed('a, b'))
    expect(tellOf(malformed)).to.deep.equal([400, 'bad_request'])
    expect(required.performed).to.have.length(1)
  })

  for (const [what, line, ask] of [
    ['body', 'POST /v1/x?a=1', { body: '{"a":2}' }],
    ['query', 'POST /v1/x?a=2', { body: '{"a":1}' }],
    [
      'media type',
      'POST /v1/x?a=1',
      { body: '{"a":1}', headers: { 'content-type': 'application/json; charset=utf-8' } },
    ],
  ] as const) {
    it(`refuses a key that comes with another ${what}`, async () => {
      const served = routes.serve(create, counting())
      await served.ask('POST /v1/x?a=1', keyed('k', { body: '{"a":1}' }))
      const reply = await served.ask(line, keyed('k', ask))
      expect(tellOf(reply)).to.deep.equal([422, 'idempotency_key_reused'])
      expect(served.performed).to.have.length(1)
    })
  }

  it('refuses a key that comes with another path of its route', async () => {
    const served = routes.serve(create, counting())
    await served.ask('POST /v1/x/1', keyed())
    expect(tellOf(await served.ask('POST /v1/x/2', keyed()))).to.deep.equal([
      422,
      'idempotency_key_reused',
    ])
  })

  it('knows no relation between routes, methods, users, and a user and nobody', async () => {
    const open = routes.serve(create, counting())
    const told = [
      tellOf(await open.ask('POST /v1/x', keyed())),
      tellOf(await open.ask('POST /v1/y', keyed())),
      tellOf(await open.ask('PATCH /v1/x', keyed())),
    ]
    expect(told.map(([, body]) => body)).to.deep.equal(['{"n":1}', '{"n":2}', '{"n":3}'])
    const secured = routes.serve(create, counting(), { more: { security: { type: 'basic' } } })
    const as = async (authorization: string) =>
      tellOf(await secured.ask('POST /v1/x', keyed('k', { headers: { authorization } })))[1]
    expect([await as('ada'), await as('bob'), await as('ada')]).to.deep.equal([
      '{"n":1}',
      '{"n":2}',
      '{"n":1}',
    ])
  })

  it('refuses a repeat while the first request is under way, and answers it after', async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const begun = Promise.withResolvers<void>()
    const served = routes.serve(create, () => {
      begun.resolve()
      return promise
    })
    const first = served.ask('POST /v1/x', keyed())
    await begun.promise
    const second = await served.ask('POST /v1/x', keyed())
    expect(tellOf(second)).to.deep.equal([409, 'idempotency_conflict'])
    expect(second.headers).to.include({ 'retry-after': '1' })
    resolve(result(7))
    expect(tellOf(await first)).to.deep.equal([201, '{"n":7}'])
    expect(tellOf(await served.ask('POST /v1/x', keyed()))).to.deep.equal([201, '{"n":7}'])
  })

  it('performs one of many requests at once', async () => {
    const served = routes.serve(create, counting())
    const asked = Array.from({ length: 50 }, () => served.ask('POST /v1/x', keyed()))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(served.performed).to.have.length(1)
    expect(new Set(statuses)).to.deep.equal(new Set([201, 409]))
  })

  it('holds the lease of a request however long it takes', async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const leases: number[] = []
    const { answers } = routes.store
    const served = routes.serve(create, () => promise, {
      more: { timeout: 50_000 },
      ports: {
        answers: {
          take: (request) => answers.take({ ...request, leaseMs: 0 }),
          keep: (...all) => answers.keep(...all),
          release: (held) => answers.release(held),
          renew: async (held, ms) => {
            leases.push(ms)
            await answers.renew(held, ms)
          },
        },
      },
    })
    const first = served.ask('POST /v1/x', keyed())
    while (served.performed.length === 0) await new Promise((done) => setImmediate(done))
    expect(tellOf(await served.ask('POST /v1/x', keyed()))[0]).to.equal(409)
    routes.renewals[0]?.()
    expect(leases).to.deep.equal([60_000])
    expect((await served.ask('POST /v1/x', keyed())).headers).to.include({ 'retry-after': '1' })
    resolve(result(1))
    expect((await first).status).to.equal(201)
    expect(routes.renewals).to.deep.equal([])
  })

  it('goes on for a client that has gone, and answers it when it comes back', async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const reasons: unknown[] = []
    const served = routes.serve(create, ({ run }) => {
      run.onCancel((reason) => reasons.push(reason))
      return promise
    })
    const exchange = new FakeExchange('POST /v1/x', keyed())
    const first = served.handle(exchange)
    while (served.performed.length === 0) await new Promise((done) => setImmediate(done))
    const stopping = new ServiceError('service.error.timeout', 'this node is stopping')
    for (const abort of exchange.aborts) abort()
    expect(reasons).to.deep.equal([])
    for (const abort of exchange.aborts) (abort as (reason: ServiceError) => void)(stopping)
    expect(reasons).to.deep.equal([stopping])
    resolve(result(1))
    await first
    expect(tellOf(await served.ask('POST /v1/x', keyed()))).to.deep.equal([201, '{"n":1}'])
  })

  it('refuses a request where the store is away, and tells the answer of one that could not be kept', async () => {
    const { answers } = routes.store
    const away = () => Promise.reject(new ServiceError('service.error.unavailable', 'away'))
    const ports = {
      take: (request: Parameters<typeof answers.take>[0]) => answers.take(request),
      ...{ keep: away, renew: away, release: away },
    }
    const closed = routes.serve(create, counting(), {
      ports: { answers: { ...ports, take: away } },
    })
    expect(tellOf(await closed.ask('POST /v1/x', keyed()))).to.deep.equal([503, 'unavailable'])
    expect(closed.performed).to.have.length(0)
    const lost = routes.serve(create, counting(), { ports: { answers: ports } })
    expect(tellOf(await lost.ask('POST /v1/x', keyed()))).to.deep.equal([201, '{"n":1}'])
    expect(routes.unkept).to.have.length(1)
    expect((await lost.ask('POST /v1/x', keyed())).status).to.equal(409)
    expect(lost.performed).to.have.length(1)
  })

  it('reads a body that passes on unread, and gives the upstream the same bytes', async () => {
    const bodies: string[] = []
    const served = routes.serve(upstream, async ({ run }) => {
      const { rawBody } = run
      const isRead = rawBody !== undefined && 'bytes' in rawBody
      bodies.push(isRead ? `read ${rawBody.bytes}` : `unread ${rawBody?.length}`)
      return upstreamAnswer()
    })
    const send = (body: string, more: Ask = {}) =>
      served.ask('POST /v1/x', { ...keyed(), body, ...more })
    expect((await send('[1]')).status).to.equal(200)
    expect((await send('[1]')).headers).to.include({ 'idempotency-replayed': 'true' })
    expect((await send('[2]')).status).to.equal(422)
    expect((await served.ask('POST /v1/x', { body: '[3]' })).status).to.equal(200)
    expect(bodies).to.deep.equal(['read [1]', 'unread 3'])
  })

  it('survives a reload of the document', async () => {
    await routes.serve(create, counting()).ask('POST /v1/x', keyed())
    const reloaded = routes.serve(create, counting(), {
      idempotency: { ttl: 60 },
      more: { comment: 'new' },
    })
    expect((await reloaded.ask('POST /v1/x', keyed())).headers).to.include({
      'idempotency-replayed': 'true',
    })
  })

  it('names each mistake in the document', () => {
    const at = (idempotency: unknown) =>
      issuesOf(documentOf({ '/x': { idempotency, post: fixed() } })).map(({ path }) =>
        path.replace('/versions/1.0/paths/~1x/idempotency', ''),
      )
    expect(at({})).to.deep.equal([])
    expect(at(null)).to.deep.equal([])
    expect(at(true)).to.deep.equal([''])
    expect(at('{{request.headers.x}}')).to.deep.equal([''])
    expect(at({ ttl: 0 })).to.deep.equal(['/ttl'])
    expect(at({ ttl: 2_592_001, required: 1, on_unknown: 'guess', max_bytes: -1 })).to.deep.equal([
      '/ttl',
      '/required',
      '/on_unknown',
      '/max_bytes',
    ])
    expect(at({ tll: 60 })).to.deep.equal(['/tll'])
  })
})
