/** What validation and compiling say of `procedures`. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { compilePorts } from '#test/unit/explain/rehearse.ts'

const uri = 'com.example.invoice.get'
const fixed = { type: 'static', body: 1 }
const forward = { type: 'forward', host: 'http://up', http_method: 'get', path: '/x' }

const compiled = (procedures: unknown, more: object = {}) =>
  compileDocument({ id: 'a', realm_uri: 'com.example', procedures, ...more }, compilePorts)

/** `path: message` of each issue. */
const issuesOf = (procedures: unknown, more: object = {}) =>
  compiled(procedures, more).issues.map(({ path, message }) => `${path}: ${message}`)

const at = `/procedures/${uri}`

describe('a document with procedures', () => {
  const fine: readonly (readonly [what: string, procedure: object, more?: object])[] = [
    ['a fixed answer', { action: fixed }],
    ['a forward', { action: forward }],
    ['a list', { action: [fixed, forward] }],
    ['invocation in a header', { action: { ...forward, headers: { a: '{{invocation.id}}' } } }],
    ['a schema', { action: fixed, input: { kwargs: { type: 'object' } } }],
    ['anybody who is disclosed', { action: fixed, callers: {} }],
    ['a limit of callers', { action: fixed, rate_limit: { amount: 1, window: 1 } }],
    ['a kept answer', { action: fixed, cache: { ttl: 1 } }],
    [
      'pieces',
      { action: forward, response: { on_progress: { args: ['{{action.progress.id}}'] } } },
    ],
    [
      'progressive results',
      {
        action: { type: 'wamp_call', procedure: 'com.example.other' },
        response: { on_progress: { args: ['{{action.progress.kwargs}}'] } },
      },
    ],
    ['a comment', { action: fixed, comment: 'a word' }],
    ['defaults of requests', { action: fixed }, { defaults: { accepts: ['application/json'] } }],
    [
      'a variable that reads invocation',
      { action: { type: 'static', body: '{{variables.id}}' } },
      { variables: { id: '{{invocation.kwargs.id}}' } },
    ],
    ['error URIs', { action: fixed }, { error_uris: { 404: 'com.example.gone', '5XX': 'a.b' } }],
  ]
  for (const [what, procedure, more] of fine) {
    it(`may have ${what}`, () => {
      expect(issuesOf({ [uri]: procedure }, more)).to.deep.equal([])
    })
  }

  const known =
    'expected one of action, response, input, callers, match, invoke, pool_size, is_active, summary, description, examples, variables, timeout, connect_timeout, retries, retry_timeout, trace, validate_requests, rate_limit, quota, cache, circuit_breaker'
  const refused: readonly (readonly [procedure: unknown, issue: string, more?: object])[] = [
    [1, `${at}: expected a procedure: a map with an action, got 1`],
    [{}, `${at}/action: action is missing: expected an action: what the procedure does`],
    [{ action: fixed, security: {} }, `${at}/security: ${known}`],
    [{ action: fixed, idempotency: {} }, `${at}/idempotency: ${known}`],
    [
      { action: fixed, match: 'some' },
      `${at}/match: expected one of exact, prefix, wildcard, got "some"`,
    ],
    [
      { action: fixed, invoke: 'all' },
      `${at}/invoke: expected one of single, roundrobin, random, first, last, got "all"`,
    ],
    [{ action: fixed, pool_size: 0 }, `${at}/pool_size: expected an integer of at least 1, got 0`],
    [
      { action: { type: 'wamp_subscribe', topic: 'a.b' } },
      `${at}/action/type: wamp_subscribe cannot handle a call`,
    ],
    [
      { action: [fixed, { type: 'wamp_subscribe', topic: 'a.b' }] },
      `${at}/action/1/type: wamp_subscribe cannot handle a call`,
    ],
    [
      { action: { type: 'forward', host: 'http://up', path: '/x' } },
      `${at}/action/http_method: http_method is missing: there is no request whose method could be sent`,
    ],
    [
      { action: { type: 'forward', host: 'http://up', http_method: 'get' } },
      `${at}/action/path: path is missing: there is no request whose path could be sent`,
    ],
    [
      { action: { ...forward, websocket: true } },
      `${at}/action/websocket: a call opens no WebSocket`,
    ],
    [
      { action: { type: 'wamp_call', procedure: uri } },
      `${at}/action/procedure: the procedure would call itself`,
    ],
    [
      { action: fixed, response: { on_result: { body: 1 } } },
      `${at}/response/on_result/body: expected one of args, kwargs`,
    ],
    [
      { action: fixed, response: { on_event: {} } },
      `${at}/response/on_event: expected one of on_result, on_error, on_progress`,
    ],
    [
      { action: fixed, response: { on_error: { error_uri: 'a b' } } },
      `${at}/response/on_error/error_uri: expected a WAMP URI, got "a b": it holds white space, "#" or a control character`,
    ],
    [
      { action: fixed, rate_limit: { amount: 1, window: 1, per: 'address' } },
      `${at}/rate_limit/per: per: address is of requests: a caller has none`,
    ],
    [
      { action: fixed, quota: { amount: 1, window: 'day', per: 'client' } },
      `${at}/quota/per: per: client is of requests: a caller has none`,
    ],
    [
      { action: fixed },
      '/defaults/rate_limit/per: per: address is of requests: a caller has none',
      { defaults: { rate_limit: { amount: 1, window: 1, per: 'address' } } },
    ],
    [
      { action: fixed, cache: { ttl: 1, statuses: [200, 404] } },
      `${at}/cache/statuses: of a procedure only results are kept`,
    ],
    [
      { action: fixed, cache: { ttl: 1, vary: ['accept'] } },
      `${at}/cache/vary: vary is of requests: a call has no headers`,
    ],
    [
      { action: fixed, response: { on_progress: { args: [] } } },
      `${at}/response/on_progress: on_progress needs one action whose response comes in pieces: a forward or a wamp_call`,
    ],
    [
      { action: [fixed, forward], response: { on_progress: { args: [] } } },
      `${at}/response/on_progress: on_progress needs one action whose response comes in pieces: a forward or a wamp_call`,
    ],
    [
      { action: forward, cache: { ttl: 1 }, response: { on_progress: { args: [] } } },
      `${at}/response/on_progress: a response that is sent in pieces is not kept: leave out on_progress, or the policy`,
    ],
    [{ action: fixed, input: { body: {} } }, `${at}/input/body: expected one of args, kwargs`],
    [
      { action: fixed, examples: { one: { request: {}, expect: {} } } },
      `${at}/examples/one/expect: expected at least one of result, error_uri, action`,
    ],
    [
      { action: fixed, examples: { one: { invocation: { args: {} }, expect: { result: {} } } } },
      `${at}/examples/one/invocation/args: expected a list, got a map`,
    ],
    [
      { action: fixed, examples: { one: {} } },
      `${at}/examples/one/expect: expect is missing: expected what the caller gets, such as {"result": {"args": [7]}}`,
    ],
    [
      { action: fixed, examples: { '': { expect: { result: {} } } } },
      `${at}/examples/: expected a name of 1 to 100 characters, got 0`,
    ],
    [
      { action: fixed, callers: { users: ['a'] } },
      `${at}/callers/users: expected one of roles, authids`,
    ],
    [
      { action: fixed },
      '/error_uris/200: expected a status from 400 to 599, or "4XX" or "5XX"',
      { error_uris: { 200: 'a.b' } },
    ],
    [
      { action: fixed },
      '/error_uris/404: expected a WAMP URI, got an expression',
      { error_uris: { 404: '{{variables.a}}' } },
    ],
  ]
  for (const [procedure, issue, more] of refused) {
    it(`is refused: ${issue}`, () => {
      expect(issuesOf({ [uri]: procedure }, more)).to.deep.equal([issue])
    })
  }

  const reserved = 'a document may not register URIs under "wamp." and "service."'
  for (const [name, match] of [
    ['wamp.session.count', 'exact'],
    ['service.load_realm', 'exact'],
    ['wamp', 'exact'],
    ['service.', 'prefix'],
    ['wam', 'prefix'],
    ['s', 'prefix'],
    ['', 'prefix'],
    ['wamp..count', 'wildcard'],
    ['..count', 'wildcard'],
  ] as const) {
    it(`may not register ${match} "${name}"`, () => {
      expect(issuesOf({ [name]: { match, action: fixed } })).to.deep.equal([
        `/procedures/${name}: ${reserved}`,
      ])
    })
  }

  for (const [name, match] of [
    ['wamps.a', 'exact'],
    ['services', 'exact'],
    ['com.', 'prefix'],
    ['com..get', 'wildcard'],
  ] as const) {
    it(`may register ${match} "${name}"`, () => {
      expect(issuesOf({ [name]: { match, action: fixed } })).to.deep.equal([])
    })
  }

  it('reads no request', () => {
    const action = { type: 'static', body: '{{request.body}}' }
    const [issue, ...more] = issuesOf({ [uri]: { action } })
    expect(more).to.deep.equal([])
    expect(issue).to.include('there is no request in procedures: invocation is known there')
  })

  it('lets no path read an invocation', () => {
    const get = { action: { type: 'static', body: '{{invocation.id}}' }, response: {} }
    const versions = { 1: { base_path: '/', paths: { '/a': { get } } } }
    const [issue, ...more] = issuesOf({ [uri]: { action: fixed } }, { host: '_', versions })
    expect(more).to.deep.equal([])
    expect(issue).to.include('invocation is known in procedures only')
  })

  it('names the member of invocation that there is not', () => {
    const action = { type: 'static', body: '{{invocation.kwarg}}' }
    const [issue] = issuesOf({ [uri]: { action } })
    expect(issue).to.include('there is no "invocation.kwarg"').and.include('kwargs')
  })

  it('needs host and versions where it has no procedures', () => {
    const { issues } = compileDocument({ id: 'a', realm_uri: 'com.example' }, compilePorts)
    expect(issues.map(({ path }) => path)).to.deep.equal(['/host', '/versions'])
  })

  it('needs a host where it has versions', () => {
    const versions = { 1: { base_path: '/', paths: {} } }
    expect(issuesOf({ [uri]: { action: fixed } }, { versions })).to.have.length(1)
  })

  it('has at most 1,000 of them', () => {
    const many = Array.from({ length: 1001 }, (_, index) => [`com.a${index}`, { action: fixed }])
    expect(issuesOf(Object.fromEntries(many))).to.deep.equal([
      '/procedures: expected at most 1000 procedures, got 1001',
    ])
  })

  it('is warned of two error URIs for one status', () => {
    const status_codes = { 'com.a': 404, 'com.b': 404, 'com.c': 409 }
    const { warnings } = compiled({ [uri]: { action: fixed } }, { status_codes })
    expect(warnings.map(({ path }) => path)).to.deep.equal(['/status_codes'])
    const named = { status_codes, error_uris: { 404: 'com.a' } }
    expect(compiled({ [uri]: { action: fixed } }, named).warnings).to.deep.equal([])
  })

  it('needs a gateway that knows them', () => {
    expect(compiled({ [uri]: { action: fixed } }).api?.features).to.include('procedures')
  })
})
