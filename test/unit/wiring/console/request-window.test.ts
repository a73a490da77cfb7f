/** The requests of the last seconds, as the console is told of them. */
import { expect } from 'chai'
import { durationBounds } from '#component/metrics/bounds.ts'
import { Families } from '#component/metrics/families.ts'
import { ownPath } from '#component/metrics/place.ts'
import { RequestWindow } from '#component/wiring/console/request-window.ts'
import { requestMetrics } from '#http/management/request-metrics.ts'

const orders = { version: { api: 'com.example.orders', label: '1.0' }, pattern: '/orders' }

describe('the requests of the last seconds', () => {
  let now = 0
  let window: RequestWindow
  let count: (status: number, seconds: number, path?: typeof orders, method?: string) => void

  beforeEach(() => {
    now = 1_000_000
    const families = new Families({ now: () => now })
    const family = requestMetrics(families)
    window = new RequestWindow(
      families,
      () => now,
      async () => undefined,
    )
    count = (status, seconds, path = orders, method = 'get') => {
      const series = family.on(path, method, status)
      series.observe(seconds)
      series.countedAt = performance.now()
    }
  })

  it('are none at first, whatever has been before', async () => {
    count(200, 0.001)
    const { count: all, routes, seconds } = await window.read()
    expect([all, routes, seconds]).to.deep.equal([0, [], 0])
  })

  it('are those since the first reading: by route, and those that failed', async () => {
    await window.read()
    now += 2_000
    for (const status of [200, 404, 500, 503]) count(status, 0.004)
    count(200, 60, orders, 'post')
    const { routes, bounds, ...all } = await window.read()
    expect(all).to.include({ count: 5, errors: 2, seconds: 2 })
    expect(bounds).to.equal(durationBounds)
    expect(routes.map(({ method, count: each, errors }) => [method, each, errors])).to.deep.equal([
      ['get', 4, 2],
      ['post', 1, 0],
    ])
    expect(routes[0]).to.include({ api: 'com.example.orders', version: '1.0', route: '/orders' })
    expect(routes[0]?.buckets[2]).to.equal(4)
    expect(routes[1]?.buckets.at(-1)).to.equal(1)
  })

  it('are forgotten after ten seconds', async () => {
    await window.read()
    count(200, 0.001)
    for (let tick = 0; tick < 5; tick++) {
      now += 2_000
      expect((await window.read()).count).to.equal(1)
    }
    now += 2_000
    expect((await window.read()).count).to.equal(0)
  })

  it('are not those that the gateway itself answers', async () => {
    await window.read()
    now += 2_000
    count(200, 0.001, ownPath('/metrics'))
    expect((await window.read()).count).to.equal(0)
  })

  it('name the 50 routes with most requests', async () => {
    await window.read()
    now += 2_000
    for (let route = 0; route < 60; route++) {
      for (let times = 0; times <= route; times++)
        count(200, 0.001, { ...orders, pattern: `/${route}` })
    }
    const { routes } = await window.read()
    expect([routes.length, routes[0]?.route, routes[49]?.route]).to.deep.equal([50, '/59', '/10'])
  })

  it('are told of a document since the start: how often, and when last', async () => {
    count(200, 0.001)
    count(404, 0.001)
    count(200, 0.001, { ...orders, version: { api: 'com.example.other', label: '1.0' } })
    const { routes, isWhole } = await window.used('com.example.orders')
    expect(isWhole).to.equal(true)
    expect((await window.used(undefined)).routes).to.have.length(2)
    const place = { api: 'com.example.orders', version: '1.0', route: '/orders', method: 'get' }
    expect(routes.map(({ used_at: _, ...one }) => one)).to.deep.equal([{ ...place, count: 2 }])
    // the clock of the process has gone on since the requests ended
    expect(routes[0]?.used_at).to.be.within(now - 1_000, now)
  })

  it('are not all told of a document where some have no series of their own', async () => {
    count(200, 0.001, { ...orders, pattern: '_other' })
    expect((await window.used('com.example.orders')).isWhole).to.equal(false)
  })

  it('begin anew once they are forgotten', async () => {
    await window.read()
    count(200, 0.001)
    window.forget()
    now += 2_000
    expect((await window.read()).count).to.equal(0)
  })
})
