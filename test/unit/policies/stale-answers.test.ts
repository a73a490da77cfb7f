/** `cache` of a document: stale answers while a fresh one is fetched, and where that fails (RFC 5861). */
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import { call } from '#test/unit/gateway/fake-exchange.ts'
import { cached, counted, get, later, resultOf, settle } from './cached.ts'

describe('a stale answer', () => {
  const swr = { ...get, cache: { ttl: 10, stale_while_revalidate: 30 } }

  it('is served at once while one call fetches a fresh one', async () => {
    const second = later()
    let begun = 0
    const { tell, clock } = cached(
      { '/x': swr },
      {
        perform: () => {
          begun += 1
          return begun === 2 ? second.promise : resultOf(begun)
        },
      },
    )
    await tell()
    clock.pass(15)
    const stale = ['1', '15', 'wamp-gateway; hit; ttl=-5']
    expect([await tell(), await tell(), await tell('HEAD /v1/x')]).to.deep.equal([
      stale,
      stale,
      stale,
    ])
    expect(begun).to.equal(2)
    second.resolve(resultOf('fresh'))
    await settle()
    expect(await tell()).to.deep.equal(['"fresh"', '0', 'wamp-gateway; hit; ttl=10'])
  })

  it('is not served beyond its time', async () => {
    const { tell, clock } = cached({ '/x': swr })
    await tell()
    clock.pass(40)
    expect(await tell()).to.deep.equal(['2', undefined, 'wamp-gateway; fwd=stale; stored'])
  })

  it('goes on being served while refreshing fails, and nothing is left unhandled', async () => {
    let isAway = false
    const { tell, clock, runs } = cached(
      { '/x': swr },
      {
        perform: () => {
          if (isAway) throw new Error('a fault of the gateway')
          return resultOf('a')
        },
      },
    )
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    await tell()
    isAway = true
    clock.pass(15)
    await tell()
    await settle()
    clock.pass(15)
    expect((await tell())[0]).to.equal('"a"')
    await settle()
    process.off('unhandledRejection', note)
    expect({ runs: runs(), unhandled }).to.deep.equal({ runs: 3, unhandled: [] })
  })

  it('counts in no limit when it is refreshed', async () => {
    const { ask, clock, runs } = cached({
      '/x': { ...swr, rate_limit: { amount: 3, window: 3600 } },
    })
    const statuses: number[] = []
    for (const wait of [0, 15, 0, 0]) {
      clock.pass(wait)
      statuses.push((await ask('GET /v1/x')).status)
      await settle()
    }
    expect([statuses, runs()]).to.deep.equal([[200, 200, 200, 429], 2])
  })

  it('stands in for an action that fails, and for no other answer', async () => {
    let answer: Outcome = resultOf('a')
    const failing = { error: { error_uri: 'com.example.e', args: [], kwargs: {}, details: {} } }
    const { tell, ask, clock } = cached(
      {
        '/x': {
          status_codes: { 'com.example.e': 503, 'com.example.f': 404 },
          ...{ cache: { ttl: 10, stale_if_error: 600 }, get: counted },
        },
      },
      { perform: () => answer },
    )
    await tell()
    answer = failing
    clock.pass(100)
    const stale = ['"a"', '100', 'wamp-gateway; fwd=stale; fwd-status=503']
    expect(await tell()).to.deep.equal(stale)
    answer = { error: { ...failing.error, error_uri: 'com.example.f' } }
    expect((await ask('GET /v1/x')).status).to.equal(404)
    // who says that it is gone is believed
    answer = failing
    expect((await ask('GET /v1/x')).status).to.equal(503)
  })

  it('is not served where the answer forbids it', async () => {
    for (const control of ['must-revalidate', 'proxy-revalidate', 's-maxage=10']) {
      const operation = call(
        {},
        { body: '{{action.result.args |> head}}', headers: { 'Cache-Control': control } },
      )
      const cache = { ttl: 10, stale_while_revalidate: 30, stale_if_error: 30 }
      const { tell, clock } = cached({ '/x': { cache, get: operation } })
      await tell()
      clock.pass(15)
      expect((await tell())[0], control).to.equal('2')
    }
  })
})
