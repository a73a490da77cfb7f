/** `cache` of a document: which answers are kept, and what becomes of them. */
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { call, documentOf, fixed, issuesOf } from '#test/unit/gateway/fake-exchange.ts'
import {
  answerOf,
  cached,
  counted,
  forwarded,
  get,
  later,
  resultOf,
  settle,
  textOf,
} from './cached.ts'

describe('an answer that may be kept', () => {
  it('answers only-if-cached with 504 unless a fresh answer is kept, and obeys no other directive of requests', async () => {
    const { ask, tell } = cached({ '/x': get })
    const only = { headers: { 'cache-control': 'only-if-cached' } }
    const refused = await ask('GET /v1/x', only)
    expect([refused.status, refused.error?.uri]).to.deep.equal([504, 'service.error.not_cached'])
    await tell()
    expect((await ask('GET /v1/x', only)).status).to.equal(200)
    for (const directive of ['no-cache', 'no-store', 'max-age=0']) {
      const [answer] = await tell('GET /v1/x', { headers: { 'cache-control': directive } })
      expect(answer).to.equal('1')
    }
  })

  it('answers conditional requests from the ETag and Last-Modified that it keeps', async () => {
    const validators = { ETag: '"v1"', 'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }
    const { ask, runs } = cached({
      '/x': { cache: { ttl: 60 }, get: call({}, { body: 'a', headers: validators }) },
      '/tagged': { ...get, etag: true },
    })
    const statusOf = async (headers: Record<string, string>) =>
      (await ask('GET /v1/x', { headers })).status
    expect(await statusOf({ 'if-none-match': '"v1"' })).to.equal(304)
    expect(await statusOf({ 'if-none-match': '"v0"' })).to.equal(200)
    expect(await statusOf({ 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' })).to.equal(304)
    expect(await statusOf({ 'if-modified-since': 'Wed, 31 Dec 2025 23:59:59 GMT' })).to.equal(200)
    expect(runs()).to.equal(1)
    const { headers } = await ask('GET /v1/tagged')
    const again = await ask('GET /v1/tagged', {
      headers: { 'if-none-match': String(headers.etag) },
    })
    expect([again.status, again.headers['cache-status']]).to.deep.equal([
      304,
      'wamp-gateway; hit; ttl=60',
    ])
    expect(runs()).to.equal(2)
  })

  it('shows the action no condition: its answer is kept whole', async () => {
    let seen: unknown
    const { ask } = cached(
      { '/x': { cache: { ttl: 60 }, get: forwarded } },
      {
        perform({ run }) {
          seen = run.request.headers
          return answerOf({ etag: '"a"' })
        },
      },
    )
    const headers = { 'if-none-match': '"a"', 'if-modified-since': 'x', 'x-own': 'b' }
    expect((await ask('GET /v1/x', { headers })).status).to.equal(304)
    expect(seen).to.deep.equal({ 'x-own': 'b' })
  })

  for (const [what, rule, action, named] of [
    ['nothing', {}, {}, []],
    [
      'vary',
      { vary: ['X-Original-Host', 'x-http-method-override'] },
      {},
      ['x-original-host', 'x-http-method-override'],
    ],
    [
      'a field of the forward',
      {},
      { headers: { 'x-rewrite-url': '{{request.headers.x-rewrite-url}}' } },
      ['x-rewrite-url'],
    ],
    ['all fields', {}, { headers: '{{request.headers}}' }, []],
    ['all fields beside vary', { vary: ['accept'] }, { headers: '{{request.headers}}' }, []],
  ] as const) {
    it(`asks for the path, method and host of the request alone where the document names ${what}`, async () => {
      let seen: unknown
      const { ask } = cached(
        {
          '/x': {
            cache: { ttl: 60, ...rule },
            get: { ...forwarded, action: { ...forwarded.action, ...action } },
          },
        },
        {
          perform({ run }) {
            seen = run.request.headers
            return answerOf({})
          },
        },
      )
      const overriding = {
        ...{
          'x-http-method-override': 'DELETE',
          'x-method-override': 'PUT',
          'x-http-method': 'PUT',
        },
        ...{ 'x-original-url': '/admin', 'x-rewrite-url': '/admin', 'x-original-uri': '/admin' },
        ...{ 'x-original-host': 'evil.example', 'x-host': 'evil.example', 'x-url-scheme': 'http' },
      }
      const headers = { ...overriding, 'x-own': 'b' }
      expect((await ask('GET /v1/x', { headers })).status).to.equal(200)
      const kept = Object.entries(overriding).filter(([name]) => named.some((one) => one === name))
      expect(seen).to.deep.equal({ ...Object.fromEntries(kept), 'x-own': 'b' })
    })
  }

  it('gives what a field of another path has asked for to nobody without it', async () => {
    const { runsOf } = cached({
      '/x': { cache: { ttl: 60, vary: ['x-original-url'] }, get: counted },
    })
    const asks = [{ 'x-original-url': '/a' }, {}, { 'x-original-url': '/a' }, {}]
    expect(await runsOf(asks.map((headers) => ['GET /v1/x', headers]))).to.equal('1 2 1 2')
  })

  it('gives each request the CORS headers of its own origin', async () => {
    const { ask } = cached({ '/x': get }, { origins: ['https://a.example', 'https://b.example'] })
    const originOf = async (origin?: string) => {
      const { headers } = await ask('GET /v1/x', origin ? { headers: { origin } } : {})
      return headers['access-control-allow-origin']
    }
    expect(await originOf('https://a.example')).to.equal('https://a.example')
    expect(await originOf('https://b.example')).to.equal('https://b.example')
    expect(await originOf('https://c.example')).to.equal(undefined)
    expect(await originOf()).to.equal(undefined)
  })

  it('keeps the statuses that are listed, and no errors of the gateway', async () => {
    const gone = (status_codes: object) => ({
      status_codes,
      cache: { ttl: 60, statuses: [200, 404] },
      get: counted,
    })
    const { ask, runs } = cached(
      { '/x': gone({ 'com.example.gone': 404 }), '/y': gone({ 'com.example.gone': 500 }) },
      {
        perform: () => ({
          error: { error_uri: 'com.example.gone', args: [], kwargs: {}, details: {} },
        }),
      },
    )
    expect([(await ask('GET /v1/x')).status, (await ask('GET /v1/x')).status]).to.deep.equal([
      404, 404,
    ])
    expect(runs()).to.equal(1)
    expect([(await ask('GET /v1/y')).status, (await ask('GET /v1/y')).status]).to.deep.equal([
      500, 500,
    ])
    expect(runs()).to.equal(3)
  })

  it('keeps the body of an upstream that ends, and passes a greater one on', async () => {
    const sizes = { '/v1/small': 3, '/v1/great': 60_000 }
    const { ask, runs } = cached(
      Object.fromEntries(
        ['/small', '/great'].map((path) => [path, { cache: { ttl: 60 }, get: forwarded }]),
      ),
      {
        perform({ run }) {
          const chunk = Buffer.alloc(sizes[run.request.path as keyof typeof sizes], 'a')
          return answerOf({}, Readable.from([chunk, chunk]))
        },
      },
    )
    expect(textOf(await ask('GET /v1/small'))).to.equal('aaaaaa')
    expect(textOf(await ask('GET /v1/small'))).to.equal('aaaaaa')
    const { body, headers } = await ask('GET /v1/great')
    expect(headers['cache-status']).to.equal('wamp-gateway; fwd=miss; detail=size')
    let bytes = 0
    if (body.kind === 'stream') for await (const chunk of body.stream) bytes += chunk.length
    expect(bytes).to.equal(120_000)
    expect(runs()).to.equal(2)
  })

  it('answers 504 where an upstream fails within its body, and keeps nothing of it', async () => {
    async function* failing() {
      yield Buffer.from('a')
      throw new Error('reset')
    }
    const { ask, runs } = cached(
      { '/x': { cache: { ttl: 60 }, get: forwarded } },
      {
        perform: () => answerOf({}, Readable.from(failing())),
      },
    )
    expect([(await ask('GET /v1/x')).status, (await ask('GET /v1/x')).status]).to.deep.equal([
      504, 504,
    ])
    expect(runs()).to.equal(2)
  })

  it('drops what is kept of a path when an unsafe request to it succeeds', async () => {
    const { runsOf, ask } = cached({
      '/x/:id': {
        get: { ...counted, cache: { ttl: 60 } },
        put: fixed(),
        post: fixed('', { status_code: 400 }),
      },
    })
    const [one, other] = [['GET /v1/x/1'], ['GET /v1/x/2']] as const
    expect(await runsOf([one, other])).to.equal('1 2')
    await ask('POST /v1/x/1')
    expect(await runsOf([one])).to.equal('1')
    await ask('PUT /v1/x/1/')
    expect(await runsOf([one, other])).to.equal('3 2')
  })

  it('does not keep an answer that an unsafe request overtakes, nor give it to who comes later', async () => {
    const runs = [later(), later()]
    let begun = 0
    const { ask } = cached(
      { '/x': { get: { ...counted, cache: { ttl: 60 } }, put: fixed() } },
      { perform: () => runs[begun++]?.promise ?? resultOf('none') },
    )
    const before = ask('GET /v1/x')
    await settle()
    await ask('PUT /v1/x')
    const after = ask('GET /v1/x')
    await settle()
    expect(begun).to.equal(2)
    runs[0]?.resolve(resultOf('old'))
    runs[1]?.resolve(resultOf('new'))
    expect([
      textOf(await before),
      textOf(await after),
      textOf(await ask('GET /v1/x')),
    ]).to.deep.equal(['"old"', '"new"', '"new"'])
  })

  it('refuses what it does not know, at its place', () => {
    const at = (cache: unknown) =>
      issuesOf(documentOf({ '/x': { cache, get: fixed() } })).map(({ path }) => path)
    const place = '/versions/1.0/paths/~1x/cache'
    for (const [cache, paths] of [
      [{}, []],
      [
        { ttl: 60, per: 'user', vary: ['Accept'], statuses: [404], coalesce: false, comment: 'a' },
        [],
      ],
      [{ ttl: 0 }, [`${place}/ttl`]],
      [{ ttl: '{{request.headers.x}}' }, [`${place}/ttl`]],
      [{ per: 'role' }, [`${place}/per`]],
      [{ vary: ['a b'] }, [`${place}/vary/0`]],
      [{ statuses: [206] }, [`${place}/statuses/0`]],
      [{ tll: 60 }, [`${place}/tll`]],
      [60, [place]],
      ['{{request.headers.x}}', [place]],
    ] as const) {
      expect(at(cache), JSON.stringify(cache)).to.deep.equal(paths)
    }
  })
})
