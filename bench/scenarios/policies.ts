/** What policies cost: rate limits, ETags, kept answers, circuit breakers and idempotency beside the same route without them. */
import type { Ask } from '#bench/asks.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { forwardPath, startUpstream } from './forward.ts'
import { staticPath } from './static.ts'
import { callPaths, greetingAsks, startCallee, startRouter } from './wamp.ts'

/** Far above what the load reaches. */
const rate_limit = { amount: 1_000_000_000, window: 1 }

/** Longer than the run: one request in all is a miss. */
const cache = { ttl: 3_600 }

const text = 'x'.repeat(2_000)
const computed = {
  get: {
    action: { type: 'static', body: { n: '{{request.query_params.n}}', text } },
    response: { on_result: {}, on_error: {} },
  },
}

const call = callPaths['/hello/:name']

const paths = {
  '/fixed': staticPath(small),
  '/limited': { ...staticPath(small), rate_limit },
  '/tagged': { ...staticPath(small), etag: true },
  '/computed': computed,
  '/computed-tagged': { ...computed, etag: true },
  '/hello/:name': call,
  '/limited-hello/:name': { ...call, rate_limit },
  '/guarded-hello/:name': { ...call, circuit_breaker: {} },
  '/kept': { ...staticPath(small), cache },
  '/kept-hello/:name': { ...call, cache },
  '/post/:name': { post: call.get },
  '/once/:name': { idempotency: {}, post: call.get },
}

/** More Idempotency-Keys of one address than a run sends, so that none is refused. */
const settings = {
  'idempotency.max_rows': '1000000000',
  'idempotency.max_rows_per_user': '1000000000',
  'idempotency.max_bytes': '1000000000000',
}

const fixedAt = (path: string, more: Partial<Ask> = {}): readonly Ask[] => [
  { path, expected: { body: JSON.stringify(small) }, ...more },
]
const computedAt = (path: string): readonly Ask[] => [
  { path: `${path}?n=7`, expected: { body: JSON.stringify({ n: '7', text }) } },
]
const helloAt = (path: string, more: Partial<Ask> = {}): readonly Ask[] => [
  {
    path: `${path}/bench`,
    expected: { body: JSON.stringify({ greeting: 'Hello, bench!' }) },
    ...more,
  },
]

/** Fixed answers, a computed one of 2 kB, and calls. */
export const policies: Scenario = {
  about:
    'rate_limit, etag, cache, circuit_breaker and idempotency beside the same route without: a fixed answer, 2 kB that are computed, a call',
  build: async (stage: Stage) => {
    const gateway = await stage.gateway('ours', paths, settings)
    await startCallee(stage, gateway.routerUrl, 'Hello, {}!')
    const fixed = 'static'
    stage.compare(fixed, gateway, fixedAt('/fixed'), { against: fixed })
    stage.compare('static, rate_limit', gateway, fixedAt('/limited'), { against: fixed })
    stage.compare('static, cache hit', gateway, fixedAt('/kept'), { against: fixed })
    stage.compare('static, etag', gateway, fixedAt('/tagged'), { against: fixed })
    const known: Partial<Ask> = {
      headers: { 'if-none-match': '*' },
      expected: { status: 304, type: '', body: '' },
    }
    stage.compare('static, 304', gateway, fixedAt('/tagged', known), { against: fixed })
    const plain = 'computed 2 kB'
    stage.compare(plain, gateway, computedAt('/computed'), { against: plain })
    stage.compare('computed 2 kB, etag', gateway, computedAt('/computed-tagged'), {
      against: plain,
    })
    const calls = 'call'
    stage.compare(calls, gateway, helloAt('/hello'), { against: calls })
    stage.compare('call, rate_limit', gateway, helloAt('/limited-hello'), { against: calls })
    const posts = 'POST, call'
    const post: Partial<Ask> = { method: 'POST', fresh: 'idempotency-key' }
    stage.compare(posts, gateway, helloAt('/post', post), { against: posts })
    stage.compare('POST, call, idempotency', gateway, helloAt('/once', post), { against: posts })
    stage.compare('call, circuit_breaker', gateway, helloAt('/guarded-hello'), { against: calls })
    stage.compare('call, cache hit', gateway, helloAt('/kept-hello'), { against: calls })
    // without policies it should cost as much as these
    const same = { '/fixed': paths['/fixed'], '/hello/:name': call }
    for (const { version, gateway: former } of await stage.formers(same)) {
      await startCallee(stage, former.routerUrl, 'Hello, {}!')
      stage.compare(`static, ${version}`, former, fixedAt('/fixed'), { against: fixed })
      stage.compare(`call, ${version}`, former, helloAt('/hello'), { against: calls })
    }
  },
}

const target = '/quotes/1'

/** Calls on a router that is a process of its own, and forwards of 2 kB. */
export const policiesOfPeers: Scenario = {
  about:
    'rate_limit and cache beside the same route without: a call on a router of its own, a forward of 2 kB',
  build: async (stage: Stage) => {
    const body = JSON.stringify({ text })
    const [router, upstream] = await Promise.all([
      startRouter(stage),
      startUpstream(stage, target, body),
    ])
    const forward = forwardPath(upstream.url, { path: '/quotes/{{request.bindings.id}}' })
    const gateway = await stage.gateway(
      'ours',
      {
        '/hello/:name': call,
        '/limited-hello/:name': { ...call, rate_limit },
        '/kept-hello/:name': { ...call, cache },
        '/quotes/:id': forward,
        '/limited-quotes/:id': { ...forward, rate_limit },
        '/kept-quotes/:id': { ...forward, cache },
      },
      { 'wamp.url': router.url },
    )
    await startCallee(stage, router.url, 'Hello, {}!')
    const [ofCall] = greetingAsks('Hello, Ada!')
    const greeting = (path: string): readonly Ask[] =>
      ofCall ? [{ ...ofCall, path: `${path}/Ada` }] : []
    const quote = (path: string): readonly Ask[] => [{ path: `${path}/1`, expected: { body } }]
    const calls = 'call'
    stage.compare(calls, gateway, greeting('/hello'), { against: calls })
    stage.compare('call, rate_limit', gateway, greeting('/limited-hello'), { against: calls })
    stage.compare('call, cache hit', gateway, greeting('/kept-hello'), { against: calls })
    const forwards = 'forward'
    stage.compare(forwards, gateway, quote('/quotes'), { against: forwards })
    for (const [name, path] of [
      ['rate_limit', '/limited-quotes'],
      ['cache hit', '/kept-quotes'],
    ] as const) {
      stage.compare(`forward, ${name}`, gateway, quote(path), { against: forwards })
    }
  },
}
