/** `cache` of a document: what is told apart, and who shares an answer. */
import { expect } from 'chai'
import { call, documentOf, FakeExchange, serve } from '#test/unit/gateway/fake-exchange.ts'
import { cached, counted, get, resultOf, security, textOf } from './cached.ts'
import { policyPorts } from './policy-ports.ts'

describe('cache', () => {
  it('answers again what it keeps, with Age and Cache-Status, and asks anew when that is stale', async () => {
    const { tell, clock } = cached({ '/x': get })
    expect(await tell()).to.deep.equal(['1', undefined, 'wamp-gateway; fwd=miss; stored'])
    clock.pass(23)
    expect(await tell()).to.deep.equal(['1', '23', 'wamp-gateway; hit; ttl=37'])
    clock.pass(36)
    expect(await tell()).to.deep.equal(['1', '59', 'wamp-gateway; hit; ttl=1'])
    clock.pass(1)
    expect(await tell()).to.deep.equal(['2', undefined, 'wamp-gateway; fwd=stale; stored'])
  })

  it('keeps nothing on routes without it, or where it is taken away', async () => {
    const { runsOf } = cached({
      '/x': { get: counted },
      '/y': { ...get, get: { ...counted, cache: null } },
    })
    expect(await runsOf([['GET /v1/x'], ['GET /v1/x'], ['GET /v1/y'], ['GET /v1/y']])).to.equal(
      '1 2 3 4',
    )
  })

  it('tells answers apart by host, path, query in order, type and language', async () => {
    const document = { '/x/:id': get }
    const { served, runs } = cached(document)
    for (const host of ['a', 'b']) {
      for (const target of ['/v1/x/1', '/v1/x/2', '/v1/x/1?a=1&b=2', '/v1/x/1?b=2&a=1']) {
        for (const accept of ['application/json', 'application/msgpack']) {
          await served.ask(`GET ${target}`, { host, headers: { accept } })
        }
      }
    }
    expect(runs()).to.equal(16)
    await served.ask('GET /v1/x/1/', { host: 'a', headers: { accept: 'text/html, */*' } })
    expect(runs()).to.equal(16)
  })

  it('tells answers of upstreams apart by the trailing slash, which these are told', async () => {
    const forward = { action: { type: 'forward', host: 'http://up' } }
    const { served, runs } = cached({ '/x': { ...get, get: { ...counted, ...forward } } })
    for (const target of ['/v1/x', '/v1/x/', '/v1/x', '/v1/x/']) await served.ask(`GET ${target}`)
    expect(runs()).to.equal(2)
  })

  it('tells answers apart by the language that is negotiated, not by the field', async () => {
    let runs = 0
    const served = serve(
      documentOf({ '/x': get }, {}, { languages: ['en', 'de'] }),
      () => {
        runs += 1
        return resultOf(runs)
      },
      undefined,
      undefined,
      '*',
      undefined,
      policyPorts(),
    )
    for (const language of ['de', 'de-AT, de', 'en', 'en;q=0.9, de;q=0.1']) {
      await served.ask('GET /v1/x', { headers: { 'accept-language': language } })
    }
    expect(runs).to.equal(2)
  })

  it('tells answers apart by the fields of vary, those that expressions read, and those of Vary', async () => {
    const reading = call(
      { args: ['{{request.headers.x-read}}'] },
      { body: '{{action.result.args |> head}}' },
    )
    const { runsOf } = cached({
      '/vary': { cache: { ttl: 60, vary: ['X-Vary'] }, get: counted },
      '/read': { cache: { ttl: 60 }, get: reading },
    })
    const vary = (value: string) => ['GET /v1/vary', { 'x-vary': value }] as const
    expect(await runsOf([vary('a'), vary('b'), vary('a'), ['GET /v1/vary'], vary('')])).to.equal(
      '1 2 1 3 4',
    )
    const read = (value: string) => ['GET /v1/read', { 'x-read': value }] as const
    expect(await runsOf([read('a'), read('b'), read('a')])).to.equal('5 6 5')
  })

  it('tells answers apart by all fields where expressions read them otherwise than by name, unless vary names some', async () => {
    const args = ['{{request.headers |> get(x-a, none)}}']
    const reading = call({ args }, { body: '{{action.result.args |> head}}' })
    const { runsOf } = cached({
      '/all': { cache: { ttl: 60 }, get: reading },
      '/some': { cache: { ttl: 60, vary: ['x-a'] }, get: reading },
    })
    const asks = (path: string) =>
      [
        [`GET /v1${path}`, { 'x-a': '1' }],
        [`GET /v1${path}`, { 'x-a': '1', 'x-b': '1' }],
        [`GET /v1${path}`, { 'x-a': '2' }],
        [`GET /v1${path}`, { 'x-a': '1' }],
      ] as const
    expect(await runsOf(asks('/all'))).to.equal('1 2 3 1')
    expect(await runsOf(asks('/some'))).to.equal('4 4 5 4')
  })

  it('tells answers apart by the address of the client where expressions read it', async () => {
    const reading = call(
      { args: ['{{request.peername}}'] },
      { body: '{{action.result.args |> head}}' },
    )
    const { served } = cached({ '/x': { cache: { ttl: 60 }, get: reading } })
    const askFrom = async (peername: string) => {
      const exchange = Object.assign(new FakeExchange('GET /v1/x'), { peername })
      const reply = await served.handle(exchange)
      return reply && textOf(reply)
    }
    const one = await askFrom('192.0.2.1:1')
    const other = await askFrom('192.0.2.2:1')
    expect(other).not.to.equal(one)
    expect(await askFrom('192.0.2.1:1')).to.equal(one)
  })

  it('gives each user of a secured path their own answer, and another one with other roles', async () => {
    const { runsOf } = cached({ '/x': { ...get, security } })
    const as = (authorization: string) => ['GET /v1/x', { authorization }] as const
    const asks = [as('ann'), as('bob'), as('ann'), as('bob'), as('ann admin'), as('ann')]
    expect(await runsOf(asks)).to.equal('1 2 1 2 3 1')
  })

  it('gives a user with other claims of the provider another answer', async () => {
    const { runsOf } = cached({ '/x': { ...get, security } })
    const as = (authorization: string) => ['GET /v1/x', { authorization }] as const
    const asks = [as('ann user a@x'), as('ann user b@x'), as('ann user a@x'), as('ann user')]
    expect(await runsOf(asks)).to.equal('1 2 1 3')
  })

  it('gives all users of a secured path one answer only where the document says so', async () => {
    const { runsOf } = cached({ '/x': { ...get, cache: { ttl: 60, per: 'all' }, security } })
    const as = (authorization: string) => ['GET /v1/x', { authorization }] as const
    expect(await runsOf([as('ann'), as('bob')])).to.equal('1 1')
  })

  it('answers HEAD with what GET has kept, and keeps no answer of HEAD', async () => {
    const { tell } = cached({ '/x': get })
    expect(await tell('HEAD /v1/x')).to.deep.equal([
      1,
      undefined,
      'wamp-gateway; fwd=miss; detail=method',
    ])
    expect((await tell())[0]).to.equal('2')
    expect(await tell('HEAD /v1/x')).to.deep.equal(['2', '0', 'wamp-gateway; hit; ttl=60'])
  })

  it('lets requests with Range or a body pass by', async () => {
    const { tell } = cached({ '/x': get })
    await tell()
    const range = await tell('GET /v1/x', { headers: { range: 'bytes=0-1' } })
    const body = await tell('GET /v1/x', { body: '{}' })
    expect([range, body]).to.deep.equal([
      [2, undefined, 'wamp-gateway; fwd=bypass'],
      [3, undefined, 'wamp-gateway; fwd=bypass'],
    ])
    expect((await tell())[0]).to.equal('1')
  })
})
