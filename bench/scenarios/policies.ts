/** What policies cost: a rate limit, an ETag and a circuit breaker beside the same route without them. */
import type { Ask } from '#bench/asks.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { staticPath } from './static.ts'
import { callPaths, startCallee } from './wamp.ts'

/** Far above what the load reaches. */
const rate_limit = { amount: 1_000_000_000, window: 1 }

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
  '/post/:name': { post: call.get },
  '/once/:name': { idempotency: {}, post: call.get },
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
    'rate_limit, etag, circuit_breaker and idempotency beside the same route without: a fixed answer, 2 kB that are computed, a call',
  build: async (stage: Stage) => {
    const gateway = await stage.gateway('ours', paths)
    await startCallee(stage, gateway.routerUrl, 'Hello, {}!')
    const fixed = 'static'
    stage.compare(fixed, gateway, fixedAt('/fixed'), { against: fixed })
    stage.compare('static, rate_limit', gateway, fixedAt('/limited'), { against: fixed })
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
  },
}
