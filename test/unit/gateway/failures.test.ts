/** What the log says of a failed request: what failed and where in the document, and none of the data. */
import { expect } from 'chai'
import { actionError, type Outcome } from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import type { FailureReport } from '#component/gateway/failure-report.ts'
import { type Ask, call, documentOf, fixed, type Performer, serve } from './fake-exchange.ts'

const canary = 'CANARY'

const callee = (error_uri: string, reason?: string): Outcome => ({
  error: { error_uri, args: [canary], kwargs: { canary }, details: { canary } },
  ...(reason !== undefined && { reason }),
})
const upstream: Outcome = {
  error: { ...actionError('service.error.bad_gateway', canary, canary), status_code: 504 },
  reason: 'the connection to the upstream failed (ECONNREFUSED)',
}
const forwardTo = (host: string) => ({
  action: { type: 'forward', host, path: '/x/{{request.query_params.q}}', query_string: 'q=1' },
  response: {},
})
const paths = {
  '/call': { get: call() },
  '/mapped': { status_codes: { 'com.example.error.busy': 503 }, get: call() },
  '/declared': { get: call({}, {}, { status_code: 502, body: '{{action.error.args}}' }) },
  '/named-by-request': { get: call({ procedure: 'com.example.{{request.query_params.q}}' }) },
  '/publish': {
    get: { action: { type: 'wamp_publish', topic: 'com.example.t' }, response: {} },
  },
  '/forward': { get: forwardTo('http://up.example:81') },
  '/forward-anywhere': { get: forwardTo('http://{{request.query_params.q}}') },
  '/closed': { get: fixed('closed', { status_code: 503 }) },
  '/result': { get: call({}, { body: '{{action.result.kwargs.total}}' }) },
  '/variable': {
    variables: { total: '{{action.result.kwargs.sum}}' },
    get: call({}, { body: '{{variables.total}}' }),
  },
  '/status': { get: call({}, { status_code: '{{action.result.args |> length}}' }) },
  '/broken-on-error': { get: call({}, {}, { body: '{{action.error.kwargs.code}}' }) },
  '/list': {
    get: {
      action: [
        { type: 'static', body: 1 },
        { type: 'wamp_publish', topic: 'com.example.t' },
        { type: 'wamp_call', procedure: 'com.example.p' },
      ],
      response: {},
    },
  },
  '/lacks': { get: call({ args: ['{{request.query_params.page}}'] }) },
  '/header-names': { get: call({}, { headers: '{{action.result.kwargs}}' }) },
  '/secured': { security: { type: 'oauth2', flow: 'client_credentials' }, get: fixed() },
}
const at = (path: string) => `/versions/1.0/paths/~1${path}/get`
const boom = 'com.example.error.boom'

/** The request, how the action ends, what the log says beside the specification and version. */
const rows: readonly (readonly [
  what: string,
  path: string,
  end: Performer,
  failure: FailureReport,
])[] = [
  [
    'an error of a callee that nothing maps',
    'call',
    () => callee(boom),
    {
      error: boom,
      pointer: at('call'),
      procedure: 'com.example.p',
      reason: 'the peer returned this error, and status_codes has no row for it',
    },
  ],
  [
    'an error that the router made',
    'call',
    () => callee('wamp.error.no_such_procedure'),
    {
      error: 'wamp.error.no_such_procedure',
      pointer: at('call'),
      procedure: 'com.example.p',
      reason: 'No callee has registered the procedure.',
    },
  ],
  [
    'a callee that has left during the call',
    'call',
    () => callee('wamp.error.canceled'),
    {
      error: 'wamp.error.canceled',
      pointer: at('call'),
      procedure: 'com.example.p',
      reason: 'the callee left during the call, or it or the router canceled it',
      hasLostCallee: true,
    },
  ],
  [
    'an error that the gateway made',
    'call',
    () => callee('service.error.timeout', 'the call did not return in time'),
    {
      error: 'service.error.timeout',
      pointer: at('call'),
      procedure: 'com.example.p',
      reason: 'the call did not return in time',
    },
  ],
  [
    'an error that status_codes maps',
    'mapped',
    () => callee('com.example.error.busy'),
    {
      error: 'com.example.error.busy',
      pointer: at('mapped'),
      procedure: 'com.example.p',
      reason: 'status_codes gives this error its status',
    },
  ],
  [
    'an error whose answer on_error declares',
    'declared',
    () => callee(boom),
    {
      error: boom,
      pointer: at('declared'),
      procedure: 'com.example.p',
      reason: 'on_error declares this status',
    },
  ],
  [
    'a procedure that the request names',
    'named-by-request',
    () => callee(boom),
    {
      error: boom,
      pointer: at('named-by-request'),
      reason: 'the peer returned this error, and status_codes has no row for it',
    },
  ],
  [
    'a failed publication',
    'publish',
    () => callee('wamp.error.net_failure', 'the session with the router is not joined'),
    {
      error: 'wamp.error.net_failure',
      pointer: at('publish'),
      topic: 'com.example.t',
      reason: 'the session with the router is not joined',
    },
  ],
  [
    'the action of a list that has failed',
    'list',
    () => callee(boom),
    {
      error: boom,
      pointer: `${at('list')}/action/1`,
      topic: 'com.example.t',
      reason: 'the peer returned this error, and status_codes has no row for it',
    },
  ],
  [
    'an upstream',
    'forward',
    () => upstream,
    {
      error: 'service.error.bad_gateway',
      pointer: at('forward'),
      upstream: 'http://up.example:81',
      reason: 'the connection to the upstream failed (ECONNREFUSED)',
    },
  ],
  [
    'an upstream that the request names',
    'forward-anywhere',
    () => upstream,
    {
      error: 'service.error.bad_gateway',
      pointer: at('forward-anywhere'),
      reason: 'the connection to the upstream failed (ECONNREFUSED)',
    },
  ],
  [
    'an answer that the document declares',
    'closed',
    () => upstream,
    { pointer: at('closed'), reason: 'on_result declares this status' },
  ],
  [
    'an expression that reads what the result lacks',
    'result',
    () => ({ result: { args: [canary], kwargs: { canary } } }),
    {
      error: 'service.error.http_gateway.invalid_expression',
      pointer: `${at('result')}/response/on_result/body`,
      expression: '{{action.result.kwargs.total}}',
      column: 3,
      reason: 'there is no "action.result.kwargs.total"',
    },
  ],
  [
    'an expression of a variable, at the place of the variable',
    'variable',
    () => ({ result: { args: [canary], kwargs: { canary } } }),
    {
      error: 'service.error.http_gateway.invalid_expression',
      pointer: '/versions/1.0/paths/~1variable/variables/total',
      expression: '{{action.result.kwargs.sum}}',
      column: 3,
      reason: 'there is no "action.result.kwargs.sum"',
    },
  ],
  [
    'a value that does not fit its key',
    'status',
    () => ({ result: { args: [canary], kwargs: {} } }),
    {
      error: 'service.error.http_gateway.invalid_expression',
      pointer: at('status'),
      reason:
        '/versions/1.0/paths/~1status/get/response/on_result/status_code: expected an HTTP status from 200 to 599',
    },
  ],
  [
    'an action that cannot be tried',
    'call',
    () => {
      throw new ServiceError('service.error.unavailable', 'too many requests are waiting')
    },
    {
      error: 'service.error.unavailable',
      pointer: at('call'),
      reason: 'too many requests are waiting',
    },
  ],
]

describe('the failure of a request', () => {
  const ask = (path: string, end: Performer, asked: Ask = {}) =>
    serve(documentOf(paths), end).ask(`GET /v1/${path}?q=${canary}`, asked)

  for (const [what, path, end, failure] of rows) {
    it(`tells of ${what}`, async () => {
      const reply = await ask(path, end)
      if (failure.hasLostCallee) expect(reply.status).to.equal(400)
      else expect(reply.status).to.be.at.least(500)
      const place = { api_spec: 'com.example.test', version: '1.0' }
      expect(reply.failure).to.deep.equal({ ...place, ...failure })
      expect(JSON.stringify(reply.failure)).to.not.contain(canary)
    })
  }

  it('tells of an expression that the request does not suit, with the text that clients do not see', async () => {
    const { status, failure } = await ask('lacks', () => callee(boom))
    expect(status).to.equal(400)
    expect(failure).to.deep.equal({
      api_spec: 'com.example.test',
      version: '1.0',
      error: 'service.error.http_gateway.invalid_request',
      reason: 'there is no "request.query_params.page"',
      pointer: `${at('lacks')}/action/args/0`,
      expression: '{{request.query_params.page}}',
      column: 3,
    })
  })

  it('tells of an on_error that fails, and of the error that it was to answer', async () => {
    const { status, failure } = await ask('broken-on-error', () => callee(boom))
    expect(status).to.equal(500)
    expect(failure).to.include({
      error: 'service.error.http_gateway.invalid_expression',
      action_error: boom,
      pointer: `${at('broken-on-error')}/response/on_error/body`,
    })
  })

  it('does not tell the names of headers that an expression makes', async () => {
    const kwargs = { [canary]: {} }
    const { status, failure } = await ask('header-names', () => ({ result: { args: [], kwargs } }))
    expect(status).to.equal(500)
    expect(failure?.reason).to.include('response headers: expected a text')
    expect(JSON.stringify(failure).toUpperCase()).to.not.contain(canary)
  })

  it('tells of a refused login, and where the document asks for one', async () => {
    const headers = { authorization: `Bearer ${canary}` }
    const { status, failure } = await ask('secured', () => upstream, { headers })
    expect(status).to.equal(401)
    expect(failure).to.deep.include({
      pointer: '/versions/1.0/paths/~1secured/security',
      login: {
        realm: 'com.example.realm',
        authmethod: 'oauth2',
        authid: undefined,
        reason: 'the token is not valid here',
      },
    })
    expect(JSON.stringify(failure)).to.not.contain(canary)
  })

  for (const [what, path, asked] of [
    ['a request without credentials', 'secured', {}],
    ['a success', 'publish', {}],
    ['an ordinary refusal', 'call', { headers: { accept: 'text/html' } }],
  ] as const) {
    it(`is none for ${what}`, async () => {
      const reply = await ask(path, () => ({ result: { publication_id: 1 } }), asked)
      expect(reply.status).to.be.below(500)
      expect(reply.failure).to.equal(undefined)
    })
  }
})
