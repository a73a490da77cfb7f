/** `rate_limit` of a document: who shares a limit, what a request costs, and what clients are told. */
import { expect } from 'chai'
import { forEachType } from '#component/security/kinds.ts'
import { type SecurityScheme, unauthorized } from '#component/security/scheme.ts'
import {
  bodyOf,
  call,
  documentOf,
  fixed,
  issuesOf,
  serve,
} from '#test/unit/gateway/fake-exchange.ts'
import { policyPorts } from './policy-ports.ts'

/** The user is named by the Authorization field; `roles=` follow. */
const scheme: SecurityScheme = {
  authenticate(request, protection) {
    const [username, roles = '', client] = (request.header('authorization') ?? '').split(' ')
    if (!username) throw unauthorized(protection, 'who are you')
    return {
      ...{ realm_uri: 'com.example.realm', username, authid: username, authmethod: 'basic' },
      ...{ authroles: roles.split(','), groups: [], meta: {} },
      ...(client && { client_id: client }),
    }
  },
}
const schemes = forEachType(() => scheme)

function limited(
  paths: object,
  more: object = {},
  clock: { now: () => number } = { now: () => 0 },
) {
  const document = documentOf(paths, more)
  return serve(document, undefined, undefined, schemes, '*', undefined, policyPorts({}, clock))
}

/** The statuses of as many requests, one after the other. */
async function statuses(
  served: ReturnType<typeof serve>,
  lines: readonly (readonly [line: string, headers?: Readonly<Record<string, string>>])[],
): Promise<number[]> {
  const all: number[] = []
  for (const [line, headers = {}] of lines) all.push((await served.ask(line, { headers })).status)
  return all
}

const two = { amount: 2, window: 60 }
const as = (authorization: string) => ({ authorization })

describe('rate_limit', () => {
  it('refuses with 429 and Retry-After what is beyond it, and tells the RateLimit fields', async () => {
    const served = limited({ '/x': { rate_limit: two, get: fixed() } })
    const first = await served.ask('GET /v1/x')
    expect(first.headers).to.include({
      'ratelimit-policy': '"default";q=2;w=60',
      ratelimit: '"default";r=1;t=30',
    })
    expect((await served.ask('GET /v1/x')).headers.ratelimit).to.equal('"default";r=0;t=60')
    const refused = await served.ask('GET /v1/x')
    expect(refused.status).to.equal(429)
    expect(refused.headers).to.include({ 'retry-after': '30', ratelimit: '"default";r=0;t=60' })
    expect(bodyOf(refused)).to.deep.include({
      code: 'service.error.too_many_requests',
      message: 'the limit "default" allows 2 in 60 s',
    })
    expect(served.performed).to.have.length(2)
  })

  it('serves again after the time that Retry-After told', async () => {
    let now = 0
    const served = limited({ '/x': { rate_limit: two, get: fixed() } }, {}, { now: () => now })
    const ask = () => statuses(served, [['GET /v1/x']])
    expect([...(await ask()), ...(await ask()), ...(await ask())]).to.deep.equal([200, 200, 429])
    now = 29_999
    expect(await ask()).to.deep.equal([429])
    now = 30_000
    expect(await ask()).to.deep.equal([200])
  })

  it('is shared by the operations that inherit it, unless it is separate', async () => {
    const paths = { '/a': { get: fixed() }, '/b': { get: fixed() } }
    const lines = [['GET /v1/a'], ['GET /v1/b'], ['GET /v1/a'], ['GET /v1/b']] as const
    const shared = limited(paths, { defaults: { rate_limit: two } })
    expect(await statuses(shared, lines)).to.deep.equal([200, 200, 429, 429])
    const separate = limited(paths, { defaults: { rate_limit: { ...two, separate: true } } })
    expect(await statuses(separate, lines)).to.deep.equal([200, 200, 200, 200])
  })

  it('is taken away by null, and replaced by a level below', async () => {
    const paths = {
      '/a': { rate_limit: null, get: fixed() },
      '/b': { get: { ...fixed(), rate_limit: { amount: 1, window: 1 } } },
    }
    const served = limited(paths, { defaults: { rate_limit: two } })
    const lines = [
      ['GET /v1/a'],
      ['GET /v1/a'],
      ['GET /v1/a'],
      ['GET /v1/b'],
      ['GET /v1/b'],
    ] as const
    expect(await statuses(served, lines)).to.deep.equal([200, 200, 200, 200, 429])
  })

  const secured = (rate_limit: object) => ({
    '/x': { security: { type: 'basic' }, rate_limit, get: fixed() },
  })

  for (const [per, others, same] of [
    ['user', as('bea a'), as('ann b')],
    ['role', as('ann b'), as('bea a')],
    ['client', as('ann a app2'), as('bea a app1')],
    ['{{security.username}}', as('bea a'), as('ann b')],
    ['{{request.headers.x-tenant |> string}}', { ...as('ann a'), 'x-tenant': 'two' }, as('bea a')],
  ] as const) {
    it(`per ${per} is shared by equal ones, and by no others`, async () => {
      const served = limited(secured({ amount: 1, window: 60, per }))
      const tenant = { 'x-tenant': 'one' }
      const first = { ...tenant, ...as('ann a app1') }
      const lines = [
        ['GET /v1/x', first],
        ['GET /v1/x', { ...tenant, ...same }],
        ['GET /v1/x', { ...tenant, ...others }],
      ] as const
      expect(await statuses(served, lines)).to.deep.equal([200, 429, 200])
    })
  }

  it('per all is shared by everybody, per address by all users of an address', async () => {
    for (const per of ['all', 'address']) {
      const served = limited(secured({ amount: 1, window: 60, per }))
      const lines = [
        ['GET /v1/x', as('ann')],
        ['GET /v1/x', as('bea')],
      ] as const
      expect(await statuses(served, lines), per).to.deep.equal([200, 429])
    }
  })

  it('per user is per address where nobody is logged in', async () => {
    const served = limited({ '/x': { rate_limit: { amount: 1, window: 60 }, get: fixed() } })
    expect(await statuses(served, [['GET /v1/x'], ['GET /v1/x']])).to.deep.equal([200, 429])
  })

  it('takes nothing for a request that security refuses', async () => {
    const served = limited(secured({ amount: 1, window: 60, per: 'address' }))
    const lines = [['GET /v1/x'], ['GET /v1/x'], ['GET /v1/x', as('ann')]] as const
    expect(await statuses(served, lines)).to.deep.equal([401, 401, 200])
  })

  it('allows the greatest amount that fits a role or an authid', async () => {
    const by = { gold: 3, bea: 2 }
    const served = limited(secured({ amount: 1, window: 60, by }))
    const asks = (who: string) =>
      statuses(
        served,
        Array.from({ length: 4 }, () => ['GET /v1/x', as(who)] as const),
      )
    expect(await asks('ann a')).to.deep.equal([200, 429, 429, 429])
    expect(await asks('bea a')).to.deep.equal([200, 200, 429, 429])
    expect(await asks('cid gold,a')).to.deep.equal([200, 200, 200, 429])
  })

  it('takes the computed cost, and refuses a value that is none with the fault of the request', async () => {
    const cost = '{{request.query_params.n |> integer}}'
    const served = limited({ '/x': { rate_limit: { amount: 10, window: 60, cost }, get: fixed() } })
    const reply = await served.ask('GET /v1/x?n=7')
    expect(reply.headers.ratelimit).to.equal('"default";r=3;t=42')
    expect((await served.ask('GET /v1/x?n=7')).status).to.equal(429)
    expect((await served.ask('GET /v1/x?n=-1')).status).to.equal(400)
    expect((await served.ask('GET /v1/x?n=0')).status).to.equal(200)
  })

  it('holds all of a list, takes from none where one refuses, and tells the nearest', async () => {
    let now = 0
    const rate_limit = [
      { name: 'burst', amount: 1, window: 1 },
      { name: 'minute', amount: 3, window: 60 },
    ]
    const served = limited({ '/x': { rate_limit, get: fixed() } }, {}, { now: () => now })
    const seen: [number, unknown][] = []
    for (now of [0, 0, 1000, 1000, 2000, 3000]) {
      const { status, headers } = await served.ask('GET /v1/x')
      seen.push([status, headers.ratelimit])
    }
    expect(seen).to.deep.equal([
      [200, '"burst";r=0;t=1'],
      [429, '"burst";r=0;t=1'],
      [200, '"burst";r=0;t=1'],
      [429, '"burst";r=0;t=1'],
      [200, '"minute";r=0;t=58'],
      [429, '"minute";r=0;t=57'],
    ])
  })

  it('refuses nothing and tells nothing in the mode log, but counts', async () => {
    const names: string[] = []
    const rate_limit = { amount: 1, window: 60, mode: 'log', name: 'trial' }
    const told = policyPorts()
    const limits = {
      ...told.limits,
      onLimited: (_route: unknown, { name }: { readonly name: string }) => void names.push(name),
    }
    const document = documentOf({ '/x': { rate_limit, get: fixed() } })
    const served = serve(document, undefined, undefined, schemes, '*', undefined, {
      ...told,
      limits,
    })
    for (const status of await statuses(served, [['GET /v1/x'], ['GET /v1/x']])) {
      expect(status).to.equal(200)
    }
    expect(names).to.deep.equal(['trial'])
    expect((await served.ask('GET /v1/x')).headers).not.to.have.property('ratelimit')
  })

  it('tells no fields with headers: false, and still refuses', async () => {
    const served = limited({ '/x': { rate_limit: { ...two, headers: false }, get: fixed() } })
    expect((await served.ask('GET /v1/x')).headers).not.to.have.property('ratelimit')
    expect(await statuses(served, [['GET /v1/x'], ['GET /v1/x']])).to.deep.equal([200, 429])
  })

  it('does not count preflights', async () => {
    const served = limited({ '/x': { rate_limit: { amount: 1, window: 60 }, get: fixed() } })
    const lines = [['OPTIONS /v1/x'], ['OPTIONS /v1/x'], ['GET /v1/x']] as const
    expect(await statuses(served, lines)).to.deep.equal([204, 204, 200])
  })

  it('is told of answers that are errors of the action, too', async () => {
    const document = documentOf({ '/x': { rate_limit: two, get: call() } })
    const failing = () => ({
      error: { error_uri: 'com.example.no', args: [], kwargs: {}, details: {}, request_id: 1 },
    })
    const served = serve(
      document,
      failing as never,
      undefined,
      schemes,
      '*',
      undefined,
      policyPorts(),
    )
    const reply = await served.ask('GET /v1/x')
    expect(reply.status).to.equal(500)
    expect(reply.headers.ratelimit).to.equal('"default";r=1;t=30')
  })

  it('is a feature that a node must know to serve the document', () => {
    const { api } = limited({ '/x': { rate_limit: two, get: fixed() } })
    expect(api.features).to.deep.equal(['limits'])
    expect(limited({ '/x': { get: fixed() } }).api.features).to.deep.equal([])
  })

  for (const [rate_limit, path, message] of [
    [{ amount: 1 }, '/window', 'seconds'],
    [{ amount: 0, window: 1 }, '/amount', 'from 1 to 1000000000'],
    [{ amount: 1, window: 86_401 }, '/window', 'from 1 to 86400'],
    [{ ...two, burts: 1 }, '/burts', 'expected one of name, amount'],
    [{ ...two, per: 'users' }, '/per', 'one of user, client, address, role, all'],
    [{ ...two, by: { gold: 0 } }, '/by/gold', 'from 1 to'],
    [{ ...two, scope: 'node' }, '/scope', 'one of all, process'],
    [{ ...two, name: 'a "b"' }, '/name', 'a name of 1 to 64'],
    [{ ...two, amount: '{{request.headers.x}}' }, '/amount', 'must be known'],
    [{ ...two, per: '{{request.body.id}}' }, '/per', 'is not known yet'],
    [{ ...two, cost: '{{action.result.args |> head}}' }, '/cost', 'is not known yet'],
    [[two, two], '/1/name', 'expected a name of its own'],
    [[], '', 'expected 1 to 10 limits, got 0'],
    [7, '', 'a map {amount, window}'],
    ['{{request.headers.x}}', '', 'must be known'],
  ] as const) {
    it(`refuses ${JSON.stringify(rate_limit)}`, () => {
      const issues = issuesOf(documentOf({ '/x': { rate_limit, get: fixed() } }))
      expect(issues.map((issue) => issue.path)).to.deep.equal([
        `/versions/1.0/paths/~1x/rate_limit${path}`,
      ])
      expect(issues[0]?.message).to.include(message)
    })
  }
})
