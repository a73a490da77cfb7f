/** `cache` of a document: requests that come at once are one call. */
import { expect } from 'chai'
import type { Reply } from '#component/gateway/exchange.ts'
import { bodyOf, call, FakeExchange } from '#test/unit/gateway/fake-exchange.ts'
import { answerOf, cached, forwarded, get, later, resultOf, settle, textOf } from './cached.ts'

describe('requests for the same answer', () => {
  it('are one call, however many come at once, and each has its own', async () => {
    const first = later()
    const { ask, runs } = cached({ '/x': get }, { perform: () => first.promise })
    const asks = Array.from({ length: 10_000 }, () => ask('GET /v1/x'))
    await settle()
    first.resolve(resultOf('a'))
    const replies = await Promise.all(asks)
    expect(runs()).to.equal(1)
    expect(replies.every((reply) => textOf(reply) === '"a"')).to.equal(true)
    const told = new Set(replies.map(({ headers }) => headers['cache-status']))
    expect([...told]).to.deep.equal([
      'wamp-gateway; fwd=miss; stored',
      'wamp-gateway; fwd=miss; collapsed',
    ])
  })

  it('are as many calls where the rule does not coalesce', async () => {
    const { ask, runs } = cached({ '/x': { ...get, cache: { ttl: 60, coalesce: false } } })
    await Promise.all(Array.from({ length: 5 }, () => ask('GET /v1/x')))
    expect(runs()).to.equal(5)
  })

  it('act for themselves, side by side, where the answer of the first may not be kept', async () => {
    const runs = Array.from({ length: 4 }, later)
    let begun = 0
    const noStore = call(
      {},
      { body: '{{action.result.args |> head}}', headers: { 'Cache-Control': 'no-store' } },
    )
    const { ask } = cached(
      { '/x': { cache: { ttl: 60 }, get: noStore } },
      {
        perform: () => runs[begun++]?.promise ?? resultOf('none'),
      },
    )
    const asks = runs.map(() => ask('GET /v1/x'))
    await settle()
    expect(begun).to.equal(1)
    runs[0]?.resolve(resultOf(0))
    await settle()
    expect(begun).to.equal(4)
    for (const [index, run] of runs.entries()) run.resolve(resultOf(index))
    const replies = await Promise.all(asks)
    expect(replies.map(bodyOf).sort()).to.deep.equal([0, 1, 2, 3])
    expect(replies[1]?.headers['cache-status']).to.equal('wamp-gateway; fwd=miss; detail=no-store')
  })

  it('are answered when the client of the first goes away, and the action ends when all have', async () => {
    const first = later()
    let canceled = false
    const { served, runs } = cached(
      { '/x': get },
      {
        perform({ run }) {
          run.onCancel(() => {
            canceled = true
          })
          return first.promise
        },
      },
    )
    const exchanges = Array.from({ length: 3 }, () => new FakeExchange('GET /v1/x'))
    const asks = exchanges.map((exchange) => Promise.resolve(served.handle(exchange)))
    await settle()
    const leave = (index: number) => {
      for (const callback of exchanges[index]?.aborts ?? []) callback()
    }
    leave(0)
    leave(1)
    expect(canceled).to.equal(false)
    const gone = await asks[1]
    expect(gone?.error?.uri).to.equal('wamp.error.canceled')
    first.resolve(resultOf('a'))
    expect(textOf((await asks[2]) as Reply)).to.equal('"a"')
    expect(runs()).to.equal(1)

    const second = later()
    const alone = new FakeExchange('GET /v1/x?again')
    const lonely = cached(
      { '/x': get },
      {
        perform({ run }) {
          run.onCancel(() => second.resolve(resultOf('canceled')))
          return second.promise
        },
      },
    )
    const reply = Promise.resolve(lonely.served.handle(alone))
    await settle()
    for (const callback of alone.aborts) callback()
    expect(textOf((await reply) as Reply)).to.equal('"canceled"')
  })

  it('wait for at most their own timeout, and then act for themselves', async () => {
    const runs = [later(), later()]
    let begun = 0
    const { ask, clock } = cached(
      { '/x': { ...get, timeout: 5_000 } },
      {
        perform: () => runs[begun++]?.promise ?? resultOf('none'),
      },
    )
    const [first, second] = [ask('GET /v1/x'), ask('GET /v1/x')]
    await settle()
    clock.pass(4)
    await settle()
    expect(begun).to.equal(1)
    clock.pass(1)
    await settle()
    expect(begun).to.equal(2)
    runs[1]?.resolve(resultOf('second'))
    expect(textOf(await second)).to.equal('"second"')
    runs[0]?.resolve(resultOf('first'))
    expect(textOf(await first)).to.equal('"first"')
  })

  it('that differ in a field that the first answer names in Vary share a call a value', async () => {
    const begun: string[] = []
    const first = later()
    const { ask } = cached(
      { '/x': { cache: { ttl: 60 }, get: forwarded } },
      {
        async perform({ run }) {
          const kind = run.request.headers['x-kind'] ?? ''
          begun.push(kind)
          if (begun.length === 1) await first.promise
          return answerOf({ vary: 'X-Kind' }, Buffer.from(kind))
        },
      },
    )
    const kinds = ['a', 'b', 'c', 'a', 'b', 'c', 'b', 'c']
    const asks = kinds.map((kind) => ask('GET /v1/x', { headers: { 'x-kind': kind } }))
    await settle()
    first.resolve(resultOf(''))
    expect((await Promise.all(asks)).map(textOf)).to.deep.equal(kinds)
    expect(begun).to.deep.equal(['a', 'b', 'c'])
  })
})
