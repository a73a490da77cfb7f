/** Explanations: what one says of a request, and what it never shows. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import type { Explanation } from '#component/explain/explanation/explanation.ts'
import { explanationSchema } from '#component/explain/explanation/explanation-schema.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { explained as explain, logged } from './explained.ts'

const isExplanation = new Ajv2020({ strict: false }).compile(explanationSchema)

/** Every explanation of these tests has the shape that is promised. */
async function explained(...asked: Parameters<typeof explain>): Promise<Explanation> {
  const explanation = await explain(...asked)
  isExplanation(JSON.parse(JSON.stringify(explanation)))
  expect(isExplanation.errors ?? []).to.deep.equal([])
  return explanation
}

const at = '/versions/1.0/paths/~1orders~1:id'

const response = {
  on_result: { body: '{{action.result.args |> head}}' },
  on_error: { body: '{{action.error.kwargs}}' },
}

const call = { type: 'wamp_call', procedure: 'com.example.order.get' }

/** A document with one path. */
const documentWith = (operations: JsonMap, more: JsonMap = {}): JsonMap => ({
  ...{ id: 'com.example.orders', host: '_', realm_uri: 'com.example' },
  versions: { '1.0': { base_path: '/[v1.0]', paths: { '/orders/:id': operations } } },
  ...more,
})

const orders = documentWith(
  {
    get: {
      action: { ...call, args: ['{{request.bindings.id |> integer}}', '{{variables.limit}}'] },
      response,
    },
    post: {
      action: [
        { ...call, kwargs: '{{request.body}}' },
        { type: 'wamp_publish', topic: 'com.example.changed', args: ['{{action.result.args}}'] },
      ],
      response: { on_result: { uri: '/orders/{{request.bindings.id}}' }, on_error: {} },
      timeout: 900,
    },
  },
  { variables: { limit: 10 }, defaults: { timeout: 5000, security: { type: 'basic' } } },
)

const ada = { authid: 'ada' }
const get = { path: '/v1.0/orders/7' }

describe('an explanation', () => {
  it('names the route, its document and the bindings', async () => {
    const { matched } = await explained({ request: get }, [orders])
    expect(matched).to.deep.equal({
      ...{ id: 'com.example.orders', version: '1.0', host: '_', pattern: '/[v1.0]/orders/:id' },
      ...{ path: at, method: 'get', bindings: { id: '7' } },
    })
  })

  it('tells the checks in their order, with the user and where the security is written', async () => {
    const { checks } = await explained({ request: get, as: ada }, [orders])
    expect(checks.map(({ step, passed }) => [step, passed])).to.deep.equal([
      ['scheme', true],
      ['security', true],
      ['accept', true],
    ])
    expect(checks[1]).to.deep.include({
      ...{ type: 'basic', authid: 'ada', authroles: ['staff', 'admin'] },
      at: '/defaults/security',
    })
  })

  it('takes fewer roles of the user, and not more', async () => {
    const checked = async (authroles: string[]) =>
      (await explained({ request: get, as: { ...ada, authroles } }, [orders])).checks[1]
    expect(await checked(['staff'])).to.deep.include({ passed: true, authroles: ['staff'] })
    expect(await checked(['root'])).to.deep.include({ passed: false })
  })

  for (const [who, as] of [
    ['an unknown user', { authid: 'eve' }],
    ['a user of another realm', { authid: 'ada', realm_uri: 'com.other' }],
    ['nobody', 'anonymous'],
  ] as const) {
    it(`refuses ${who} as the gateway does`, async () => {
      const told = await explained({ request: get, as }, [orders])
      expect(told.checks.at(-1)).to.deep.include({ step: 'security', passed: false })
      expect([told.action, told.response?.status, told.problem?.code]).to.deep.equal([
        ...[null, 401, 'service.error.unauthorized'],
      ])
    })
  }

  describe('of a path with alternatives', () => {
    const any = [
      { type: 'api_key', header_name: 'x-api-key', name: 'machine' },
      {
        all: [
          { type: 'jwt', issuer: 'corp' },
          { type: 'mtls', authid: 'cn' },
        ],
      },
      { type: 'basic' },
    ]
    const document = (optional: boolean) =>
      documentWith({
        security: { any, ...(optional && { optional }) },
        get: { action: { type: 'static', body: '{{security.via}}' }, response: {} },
      })
    const checkOf = async (as: unknown, optional = false) => {
      const { checks, response: sent } = await explained({ request: get, as }, [document(optional)])
      const { step, alternatives, decided, passed, user, proofs } =
        (checks.find((one) => one.step === 'security') as JsonMap | undefined) ?? {}
      return { step, alternatives, decided, passed, user, proofs, status: sent?.status }
    }
    const there = (via: string, is: boolean) => {
      const names = via.split('+')
      return { via, there: is ? names : [], lacks: is ? [] : names }
    }
    const user = { authid: 'ada', authroles: ['staff', 'admin'] }

    it('tells what is there of each, and which one decides: the first', async () => {
      expect(await checkOf(ada)).to.deep.equal({
        ...{ step: 'security', decided: 'machine', passed: true, proofs: [], status: 200 },
        user: { ...user, authmethod: 'api_key' },
        alternatives: [there('machine', true), there('jwt+mtls', false), there('basic', false)],
      })
    })

    it('goes by the one that is named', async () => {
      expect(await checkOf({ ...ada, via: 'jwt+mtls' })).to.deep.include({
        ...{ decided: 'jwt+mtls', passed: true, proofs: [{ name: 'mtls', authid: 'ada' }] },
        user: { ...user, authmethod: 'jwt' },
      })
      expect(await checkOf({ ...ada, via: 'other' })).to.deep.include({
        passed: false,
        status: 401,
      })
    })

    for (const as of ['anonymous', null]) {
      it(`has none for ${as}, who passes where it is optional`, async () => {
        expect(await checkOf(as)).to.deep.include({ decided: null, passed: false, status: 401 })
        expect(await checkOf(as, true)).to.deep.include({
          ...{ decided: 'anonymous', passed: true, status: 200 },
        })
      })
    }
  })

  it('tells the values that hold, and where each is written', async () => {
    const { rules } = await explained({ request: get, as: ada }, [orders])
    expect(rules.timeout).to.deep.equal({ value: 5000, at: '/defaults/timeout' })
    expect(rules.retries).to.deep.equal({ value: 0, at: null })
    const post = { ...get, method: 'post', body: {} }
    const { rules: others } = await explained({ request: post, as: ada }, [orders])
    expect(others.timeout).to.deep.equal({ value: 900, at: `${at}/post/timeout` })
  })

  it('tells the policies that hold', async () => {
    const operations = { get: { action: call, response }, circuit_breaker: { open: 5 } }
    const defaults = { etag: true, errors: 'problem', rate_limit: { amount: 3, window: 60 } }
    const { rules } = await explained({ request: get, as: ada }, [
      documentWith(operations, { defaults }),
    ])
    expect(rules.etag).to.deep.equal({ value: true, at: '/defaults/etag' })
    expect(rules.errors).to.deep.equal({ value: 'problem', at: '/defaults/errors' })
    expect(rules.rate_limit).to.deep.equal({
      value: [{ name: 'default', amount: 3, window: 60, scope: 'all', mode: 'enforce' }],
      at: '/defaults/rate_limit',
    })
    expect(rules.circuit_breaker).to.deep.equal({
      value: { threshold: 0.5, minimum: 20, window: 10, open: 5, errors: [] },
      at: `${at}/circuit_breaker`,
    })
  })

  it('tells what the action is told, and how many callees there are', async () => {
    const { action } = await explained({ request: get, as: ada }, [orders])
    expect(action).to.deep.equal({
      ...{ type: 'wamp_call', realm_uri: 'com.example', session_of: 'ada' },
      ...{ procedure: 'com.example.order.get', args: [7, 10], kwargs: {} },
      ...{ options: { disclose_me: true }, dropped_options: [] },
      ...{ would_be_refused: null, callees: 1 },
    })
  })

  it('tells the actions of a list in their order', async () => {
    const request = { ...get, method: 'post', body: { a: 1 } }
    const outcome = [{ result: { args: [5] } }, { result: {} }]
    const { action, response } = await explained({ request, as: ada, outcome }, [orders])
    expect(action).to.be.an('array').with.length(2)
    expect(Array.isArray(action) && action.map(({ type }) => type)).to.deep.equal([
      ...['wamp_call', 'wamp_publish'],
    ])
    expect(response).to.deep.include({ status: 201, is_sample: false })
    expect(response?.from.status).to.equal('rule: created, by uri')
  })

  it('shows what each expression reads, computes and yields; constants, too', async () => {
    const { expressions } = await explained({ request: get, as: ada }, [orders])
    expect(expressions.slice(0, 2)).to.deep.equal([
      {
        ...{ at: `${at}/get/action/args/1`, expression: '{{variables.limit}}', stage: 1 },
        ...{ steps: [{ read: 'variables.limit', value: 10 }], value: 10 },
      },
      {
        at: `${at}/get/action/args/0`,
        expression: '{{request.bindings.id |> integer}}',
        steps: [
          { read: 'request.bindings.id', value: '7' },
          { function: 'integer', arguments: [], value: 7 },
        ],
        value: 7,
      },
    ])
  })

  it('shows the expression that fails with a caret, and where it is written', async () => {
    const told = await explained({ request: { path: '/orders/x' }, as: ada }, [orders])
    expect(told.problem).to.deep.include({
      ...{ status: 400, at: `${at}/get/action/args/0`, column: 26 },
      expression: '{{request.bindings.id |> integer}}',
    })
    const failure = told.expressions.find((one) => one.failure)?.failure ?? ''
    expect(failure).to.contain('\n{{request.bindings.id |> integer}}\n')
    expect(failure.split('\n').at(-1)).to.match(/^ {25}\^+$/)
  })

  it('answers with the outcome that is given, or with a sample', async () => {
    const outcome = { result: { args: [{ id: 7 }] } }
    const told = await explained({ request: get, as: ada, outcome }, [orders])
    expect(told.response).to.deep.include({ status: 200, body: { id: 7 }, is_sample: false })
    expect(told.response?.from.body).to.equal(`${at}/get/response/on_result/body`)
    const sample = await explained({ request: get, as: ada }, [orders])
    expect(sample.response?.is_sample).to.equal(true)
  })

  it('answers with each of several outcomes by its name', async () => {
    const outcome = {
      found: { result: { args: [1] } },
      missing: { error: { error_uri: 'wamp.error.no_such_procedure' } },
    }
    const told = await explained({ request: get, as: ada, outcome }, [orders])
    expect(told.outcomes?.found?.response).to.deep.include({ status: 200, body: 1 })
    expect(told.outcomes?.missing?.response).to.deep.include({ status: 501 })
    expect(told.response).to.deep.include({ body: 1 })
  })

  it('tells which methods a path serves, beside the answer', async () => {
    const told = await explained({ request: { ...get, method: 'DELETE' } }, [orders])
    expect(told).to.deep.include({ matched: null, action: null })
    expect(told.near_misses[0]?.why).to.equal('the path serves GET and POST, the request is DELETE')
    expect(told.response).to.deep.include({ status: 405 })
  })

  it('tells that nothing matches, and what comes near', async () => {
    const told = await explained({ request: { path: '/v1.0/order/7' } }, [orders])
    expect(told.problem).to.deep.include({ status: 404, code: 'service.error.not_found' })
    expect(told.near_misses[0]?.why).to.contain('segment 2 is "orders", the request has "order"')
  })

  it('tells why a request is malformed', async () => {
    const told = await explained({ request: { path: '/v1.0/orders/%2f' } }, [orders])
    expect(told.problem?.status).to.equal(400)
    expect(told.problem?.message).to.contain('slash')
  })

  it('reads an escaped slash as text where the path keeps it', async () => {
    const keeping = documentWith({ escaped_slashes: 'keep', get: { action: call, response } })
    const told = await explained({ request: { path: '/v1.0/orders/a%2Fb' } }, [keeping])
    expect(told.matched).to.have.property('bindings').that.deep.equals({ id: 'a/b' })
    const malformed = await explained({ request: { path: '/v1.0/orders/a%2F' } }, [keeping])
    expect(malformed.problem?.message).to.contain('a piece between escaped slashes is empty')
  })

  it('matches a generated path, and does not run it', async () => {
    const secured = documentWith(
      { get: { action: call, response } },
      { defaults: { security: { type: 'oauth2', flow: 'resource_owner_password_credentials' } } },
    )
    const told = await explained({ request: { method: 'post', path: '/token' } }, [secured])
    expect(told).to.deep.include({ action: null, response: null })
  })

  it('explains a document that is not loaded, in place of the one with its id', async () => {
    const draft = documentWith({
      get: { action: { type: 'static', body: 'new' }, response: { on_result: {}, on_error: {} } },
    })
    const told = await explained({ request: get, api_spec: draft }, [orders])
    expect(told.response).to.deep.include({ status: 200, body: 'new', is_sample: false })
  })

  it('hides documents of other realms', async () => {
    const told = await explained({ request: get, as: ada }, [orders], 'com.other')
    expect(told).to.deep.include({
      ...{ matched: null, checks: [], rules: {}, expressions: [], action: null, response: null },
      near_misses: [{ id: null, why: 'a document of another realm is in the way' }],
    })
  })

  it('shows no secret of the request, nor names of the configuration', async () => {
    const secret = 's3cr3t-value'
    const leaking = documentWith({
      get: {
        action: {
          ...call,
          args: ['{{request.headers.x-api-key}}', 'Bearer {{request.query_params.token}}'],
          kwargs: { iban: '{{request.query_params.iban}}' },
        },
        response: { on_result: { body: '{{request.headers}}' }, on_error: {} },
      },
    })
    const request = {
      ...get,
      query_string: `token=${secret}&iban=DE12`,
      headers: { 'X-API-Key': `k-${secret}` },
    }
    const told = JSON.stringify(await explained({ request }, [leaking]))
    expect(told).to.not.contain(secret)
    expect(told).to.not.contain('DE12')
  })

  it('logs who explained which route, and nothing of the request', async () => {
    logged.length = 0
    await explained({ request: { ...get, query_string: 'x=private' }, as: ada }, [orders])
    expect(logged).to.deep.equal([
      [
        { by: 'a test', api_spec: 'com.example.orders', route: '/[v1.0]/orders/:id' },
        'a request was explained',
      ],
    ])
  })

  it('cuts the values of expressions at 1 KiB', async () => {
    const echo = documentWith({
      post: {
        action: { ...call, args: ['{{request.body}}'] },
        response: { on_result: {}, on_error: {} },
      },
    })
    const request = { ...get, method: 'post', body: { text: 'x'.repeat(5000), list: [1] } }
    const { expressions, action } = await explained({ request }, [echo])
    expect(JSON.stringify(expressions[0]?.value).length).to.be.lessThan(1100)
    expect(JSON.stringify(action).length).to.be.greaterThan(5000)
  })

  it('is at most 1 MiB, and says so', async () => {
    const echo = documentWith({
      post: {
        action: { ...call, args: ['{{request.body}}'] },
        response: { on_result: { body: '{{request.body}}' }, on_error: {} },
      },
    })
    const body = Array.from({ length: 2_000 }, () => 'x'.repeat(1000))
    const told = await explained({ request: { ...get, method: 'post', body } }, [echo])
    expect(told.truncated).to.equal(true)
    expect(JSON.stringify(told).length).to.be.lessThan(1_048_576)
  })
})
