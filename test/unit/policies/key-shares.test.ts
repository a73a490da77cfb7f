/** How many Idempotency-Keys there is room for: what is beyond is refused, and nothing that was promised is forgotten. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { type Held, type KeyLimits, KeyShares } from '#component/limits/key-shares.ts'
import { counting, create, IdempotentRoutes, keyed, own, tellOf } from './idempotent-routes.ts'

const as = (authorization: string) => ({ headers: { authorization } })

describe('the room for Idempotency-Keys', () => {
  let routes: IdempotentRoutes
  beforeEach(async () => {
    routes = await IdempotentRoutes.open()
  })
  afterEach(() => routes.store.close())

  const serve = (limits: Partial<KeyLimits>, perform = counting(), held?: Held) => {
    const all = { rows: 100, bytes: 1_000_000, rowsOfUser: 3, ...limits }
    const shares = new KeyShares(all, systemClock, held ?? routes.store.answers.held)
    return routes.serve(create, perform, {
      more: { security: { type: 'basic' } },
      ports: { shares },
    })
  }

  it('is refused to a user at its share with 503, and not to another user, nor on another route', async () => {
    const served = serve({})
    const ask = async (user: string, key: string, path = '/v1/x') =>
      (await served.ask(`POST ${path}`, keyed(key, as(user)))).status
    for (const key of ['a', 'b', 'c']) expect(await ask('mallory', key)).to.equal(201)
    const refused = await served.ask('POST /v1/x', keyed('d', as('mallory')))
    expect(tellOf(refused)).to.deep.equal([503, 'unavailable'])
    expect(refused.headers).to.include({ 'retry-after': '60' })
    expect(await ask('ann', 'd')).to.equal(201)
    expect(await ask('mallory', 'd', '/v1/y')).to.equal(201)
    expect(served.performed).to.have.length(5)
  })

  it('answers repeats of a user at its share as ever', async () => {
    const served = serve({})
    const first = await served.ask('POST /v1/x', keyed('a', as('ann')))
    for (const key of ['b', 'c', 'd']) await served.ask('POST /v1/x', keyed(key, as('ann')))
    const again = await served.ask('POST /v1/x', keyed('a', as('ann')))
    expect(tellOf(again)).to.deep.equal(tellOf(first))
    expect(again.headers).to.include({ 'idempotency-replayed': 'true' })
  })

  it('is given back by a request that has done nothing', async () => {
    const served = serve({}, () => own('service.error.bad_gateway', 'none'))
    for (let count = 0; count < 5; count++)
      expect((await served.ask('POST /v1/x', keyed(`k${count}`))).status).to.equal(504)
    expect(served.performed).to.have.length(5)
  })

  it('counts the bytes of answers', async () => {
    const served = serve({ bytes: 1_000, rows: 10, rowsOfUser: 5 })
    const statuses = []
    for (let count = 0; count < 5; count++)
      statuses.push((await served.ask('POST /v1/x', keyed(`k${count}`))).status)
    expect(statuses[0]).to.equal(201)
    expect(statuses.at(-1)).to.equal(503)
  })

  for (const [what, held] of [
    ['rows', { rows: 100, bytes: 0 }],
    ['bytes', { rows: 0, bytes: 1_000_000 }],
  ] as const) {
    it(`is refused to all where the store has as many ${what} as it may have`, async () => {
      const served = serve({}, counting(), held)
      expect(tellOf(await served.ask('POST /v1/x', keyed()))).to.deep.equal([503, 'unavailable'])
      expect(served.performed).to.have.length(0)
      expect((await served.ask('POST /v1/x')).status).to.equal(201)
    })
  }

  it('is there again when the keys of a share have ended', () => {
    const clock = { time: 0, now: () => clock.time }
    const shares = new KeyShares({ rows: 10, bytes: 10, rowsOfUser: 1 }, clock, {
      ...{ rows: 0, bytes: 0 },
    })
    shares.of('mallory', 1_000).rows = 1
    expect(shares.hasRoom(shares.of('mallory', 1_000))).to.equal(false)
    clock.time = 1_000
    expect(shares.hasRoom(shares.of('mallory', 1_000))).to.equal(true)
  })
})
