/** `quota` of a document: what counts, when it ends, what clients are told, and that it waits for what others have used. */

import { expect } from 'chai'
import { quota } from '#component/policies/limits/kind.ts'
import type { LimitPorts } from '#component/policies/limits/limited-request.ts'
import { type QuotaLedger, Quotas } from '#component/policies/limits/quotas.ts'
import { RateLimits } from '#component/policies/limits/rate-limits.ts'
import { forEachType } from '#component/security/kinds.ts'
import { type SecurityScheme, unauthorized } from '#component/security/scheme.ts'
import {
  bodyOf,
  call,
  documentOf,
  fixed,
  issuesOf,
  type Performer,
  serve,
} from '#test/unit/gateway/fake-exchange.ts'
import { policyPorts } from './policy-ports.ts'

/** The user is named by the Authorization field, and its roles follow. */
const scheme: SecurityScheme = {
  authenticate(request, protection) {
    const [username, roles = ''] = (request.header('authorization') ?? '').split(' ')
    if (!username) throw unauthorized(protection, 'who are you')
    return {
      ...{ realm_uri: 'com.example.realm', username, authid: username, authmethod: 'basic' },
      ...{ authroles: roles.split(','), groups: [], meta: {} },
    }
  },
}
const schemes = forEachType(() => scheme)

/** A ledger of units by sharer; what stands in it beforehand others have used. */
const ledgerOf = (sums: Record<string, number>): QuotaLedger => ({
  sums: async (rows) => rows.map(({ sharer }) => sums[sharer] ?? 0),
  add: async (rows) => {
    for (const [{ sharer }, units] of rows) sums[sharer] = (sums[sharer] ?? 0) + units
  },
})

interface Setup {
  readonly now?: () => number
  readonly sums?: Record<string, number>
  readonly more?: object
  readonly perform?: Performer | undefined
  readonly onLimited?: LimitPorts['onLimited']
}

function limited(paths: object, setup: Setup = {}) {
  const { now = () => 0, sums = {}, more = {}, perform, onLimited } = setup
  const clock = { now, random: () => 0, after: () => () => undefined }
  const quotas = new Quotas({
    ...{ clock, ledger: ledgerOf(sums), maxKeys: 100 },
    digest: (...texts) => texts.join('|'),
  })
  const limits = {
    ...{ buckets: new RateLimits(100), quotas, clock },
    ...(onLimited && { onLimited }),
  }
  const ports = policyPorts({ limits })
  return serve(documentOf(paths, more), perform, undefined, schemes, '*', undefined, ports)
}

type Line = readonly [line: string, headers?: Readonly<Record<string, string>>]

/** The statuses of requests, one after the other. */
async function statuses(served: ReturnType<typeof serve>, lines: readonly Line[]) {
  const all: number[] = []
  for (const [line, headers = {}] of lines) all.push((await served.ask(line, { headers })).status)
  return all
}

const get: Line = ['GET /v1/x']
const as = (authorization: string): Line => ['GET /v1/x', { authorization }]
const secured = (quota: object, operation = fixed()) => ({
  '/x': { security: { type: 'basic' }, quota, get: operation },
})
const two = { name: 'free', amount: 2, window: 'hour' }

describe('quota', () => {
  it('refuses with 429 quota_exceeded until its window ends, and tells the RateLimit fields', async () => {
    const served = limited({ '/x': { quota: two, get: fixed() } }, { now: () => 600_000 })
    const first = await served.ask('GET /v1/x')
    expect(first.headers).to.include({
      'ratelimit-policy': '"free";q=2;w=3600',
      ratelimit: '"free";r=1;t=3000',
    })
    await served.ask('GET /v1/x')
    const refused = await served.ask('GET /v1/x')
    expect(refused.status).to.equal(429)
    expect(refused.headers).to.include({ 'retry-after': '3000', ratelimit: '"free";r=0;t=3000' })
    expect(bodyOf(refused)).to.deep.include({
      code: 'service.error.quota_exceeded',
      message: 'the quota "free" allows 2 an hour',
      description: 'The quota is used up.',
    })
    expect(served.performed).to.have.length(2)
  })

  it('begins anew at the boundary of its window, by the clock', async () => {
    let now = 3_599_999
    const served = limited({ '/x': { quota: two, get: fixed() } }, { now: () => now })
    expect(await statuses(served, [get, get, get])).to.deep.equal([200, 200, 429])
    now = 3_600_000
    expect(await statuses(served, [get, get, get])).to.deep.equal([200, 200, 429])
    now = 3_599_999
    expect(await statuses(served, [get])).to.deep.equal([429])
  })

  it('of a month tells as many seconds as the month has', async () => {
    const quota = { amount: 5, window: 'month' }
    for (const [day, seconds, left] of [
      ['2028-02-29T23:59:00Z', 29 * 86_400, 60],
      ['2026-02-01T00:00:00Z', 28 * 86_400, 28 * 86_400],
    ] as const) {
      const now = () => Date.parse(day)
      const { headers } = await limited({ '/x': { quota, get: fixed() } }, { now }).ask(get[0])
      expect(headers).to.include({
        'ratelimit-policy': `"default";q=5;w=${seconds}`,
        ratelimit: `"default";r=4;t=${left}`,
      })
    }
  })

  it('knows what other processes have used before it serves', async () => {
    const sums = { 'user com.example.realm ann': 1, 'user com.example.realm bea': 7 }
    const served = limited(secured(two), { sums })
    const lines = [as('ann'), as('ann'), as('bea'), as('cid')]
    expect(await statuses(served, lines)).to.deep.equal([200, 429, 429, 200])
  })

  it('counts requests that come together one by one', async () => {
    const served = limited({ '/x': { quota: two, get: fixed() } })
    const replies = await Promise.all([1, 2, 3, 4].map(() => served.ask('GET /v1/x')))
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 200, 429, 429])
  })

  it('that counts successes keeps only answers below 400, and tells what is left after that', async () => {
    let fails = true
    const failure = {
      error_uri: 'com.example.no',
      args: [],
      kwargs: {},
      details: {},
      request_id: 1,
    }
    const result = { request_id: 1, details: {}, args: [], kwargs: {} }
    const perform: Performer = () => (fails ? { error: failure } : { result })
    const quota = { ...two, count: 'success' }
    const served = limited({ '/x': { quota, get: call() } }, { perform })
    expect(await statuses(served, [get, get, get])).to.deep.equal([500, 500, 500])
    expect((await served.ask('GET /v1/x')).headers.ratelimit).to.equal('"free";r=2;t=3600')
    fails = false
    expect(await statuses(served, [get, get, get])).to.deep.equal([200, 200, 429])
    const all = limited(
      { '/x': { quota: two, get: call() } },
      { perform: () => ({ error: failure }) },
    )
    expect(await statuses(all, [get, get, get])).to.deep.equal([500, 500, 429])
  })

  it('takes nothing for a request that security refuses, nor for one that a rate limit refuses', async () => {
    const served = limited(secured(two))
    expect(await statuses(served, [get, get, get, as('ann')])).to.deep.equal([401, 401, 401, 200])
    const rate_limit = { name: 'rate', amount: 1, window: 60 }
    const both = limited({ '/x': { rate_limit, quota: two, get: fixed() } })
    expect(await statuses(both, [get, get, get])).to.deep.equal([200, 429, 429])
    const { headers } = await both.ask('GET /v1/x')
    expect(headers).to.include({
      'ratelimit-policy': '"rate";q=1;w=60, "free";q=2;w=3600',
      ratelimit: '"rate";r=0;t=60',
    })
  })

  it('allows the greatest amount that fits a role or an authid, and takes the computed cost', async () => {
    const quota = { ...two, by: { gold: 3 }, cost: '{{request.query_params.n |> integer}}' }
    const served = limited(secured(quota))
    const ask = (authorization: string, cost: number): Line => [
      `GET /v1/x?n=${cost}`,
      { authorization },
    ]
    const lines = [ask('ann a', 2), ask('ann a', 1), ask('bea gold', 2), ask('bea gold', 1)]
    expect(await statuses(served, lines)).to.deep.equal([200, 429, 200, 200])
    expect(await statuses(served, [ask('ann a', -1), ask('ann a', 0)])).to.deep.equal([400, 200])
  })

  it('is shared by the operations that inherit it, unless it is separate; null takes it away', async () => {
    const paths = {
      '/a': { get: fixed() },
      '/b': { get: fixed() },
      '/free': { quota: null, get: fixed() },
    }
    const lines: Line[] = [['GET /v1/a'], ['GET /v1/b'], ['GET /v1/a'], ['GET /v1/free']]
    const shared = limited(paths, { more: { defaults: { quota: two } } })
    expect(await statuses(shared, lines)).to.deep.equal([200, 200, 429, 200])
    const separate = limited(paths, { more: { defaults: { quota: { ...two, separate: true } } } })
    expect(await statuses(separate, lines)).to.deep.equal([200, 200, 200, 200])
  })

  it('refuses and tells nothing in the mode log, but counts', async () => {
    const names: string[] = []
    const onLimited: LimitPorts['onLimited'] = (_route, { name }) => void names.push(name)
    const quota = { ...two, mode: 'log' }
    const served = limited({ '/x': { quota, get: fixed() } }, { onLimited })
    expect(await statuses(served, [get, get, get])).to.deep.equal([200, 200, 200])
    expect(names).to.deep.equal(['free'])
    expect((await served.ask('GET /v1/x')).headers).not.to.have.property('ratelimit')
  })

  it('keeps its place in a list whatever stands before it', () => {
    const placesOf = (two: object) => {
      const [route] = Object.values(
        limited({ '/x': { quota: two, get: fixed() } }).api.entries[0]?.routes ?? {},
      )
      return route?.kind === undefined
        ? quota.planOf(route?.inherited.policies)?.map(({ rule }) => rule)
        : []
    }
    const [alone] = placesOf(two) ?? []
    const [other, second] = placesOf([{ ...two, name: 'other' }, two]) ?? []
    expect(second).to.equal(alone)
    expect(other).not.to.equal(alone)
  })

  it('is a feature that a node must know to serve the document', () => {
    const { api } = limited({ '/x': { quota: two, get: fixed() } })
    expect(api.features).to.deep.equal(['quota'])
  })

  for (const [quota, path, message] of [
    [{ amount: 1 }, '/window', 'seconds'],
    [{ ...two, window: 'week' }, '/window', 'one of hour, day, month, or an integer of seconds'],
    [{ ...two, window: 59 }, '/window', 'from 60 to 2678400'],
    [{ ...two, count: 'some' }, '/count', 'one of all, success'],
    [{ ...two, burst: 1 }, '/burst', 'expected one of name, amount'],
    [{ ...two, amount: 0 }, '/amount', 'from 1 to 1000000000'],
    [{ ...two, window: '{{request.headers.x}}' }, '/window', 'must be known'],
    [{ ...two, cost: '{{request.body.n}}' }, '/cost', 'is not known yet'],
    [[two, two], '/1/name', 'expected a name of its own'],
    [[], '', 'expected 1 to 10 quotas, got 0'],
    [7, '', 'a map {amount, window}'],
    ['{{request.headers.x}}', '', 'must be known'],
  ] as const) {
    it(`refuses ${JSON.stringify(quota)}`, () => {
      const issues = issuesOf(documentOf({ '/x': { quota, get: fixed() } }))
      expect(issues.map((issue) => issue.path)).to.deep.equal([
        `/versions/1.0/paths/~1x/quota${path}`,
      ])
      expect(issues[0]?.message).to.include(message)
    })
  }
})
