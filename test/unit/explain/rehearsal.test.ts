/** What a rehearsal tells, and that it runs the gateway that serves. */
import { expect } from 'chai'
import { nobody, schemesOf } from '#component/explain/stand-ins.ts'
import { anonymous } from '#component/identity.ts'
import { rehearse } from './rehearse.ts'

/** A document with one path. */
const documentOf = (path: object, more: object = {}) => ({
  ...{ id: 'com.example.orders', host: '_', realm_uri: 'com.example' },
  ...more,
  versions: { '1.0': { base_path: '/[v1.0]', paths: { '/orders/:id': path } } },
})

const at = '/versions/1.0/paths/~1orders~1:id'

const call = {
  action: {
    type: 'wamp_call',
    procedure: 'com.example.order.get',
    args: ['{{request.bindings.id |> integer}}'],
    kwargs: { size: '{{variables.size}}' },
    options: { disclose_me: false, unknown: 1 },
  },
  response: {
    on_result: { body: '{{action.result.args |> head}}' },
    on_error: { body: '{{action.error.kwargs}}' },
  },
}

const get = documentOf({ get: call }, { variables: { size: 5 } })

describe('a rehearsal', () => {
  it('matches, checks, evaluates, tells the action and answers as the gateway does', async () => {
    const { match, checks, actions, expressions, sent } = await rehearse(get, {
      request: { path: '/v1.0/orders/7' },
      outcome: { result: { args: [{ id: 7 }] } },
    })
    expect(match).to.deep.include({ kind: 'match', bindings: { id: '7' } })
    expect(match?.entry).to.include({ api: 'com.example.orders', path: at })
    expect(checks).to.deep.equal([
      { step: 'scheme', passed: true, scheme: 'https', at: null },
      { step: 'accept', passed: true, chosen: 'application/json' },
    ])
    expect(actions).to.deep.equal([
      {
        ...{ type: 'wamp_call', realm_uri: 'com.example', session_of: null },
        ...{ procedure: 'com.example.order.get', args: [7], kwargs: { size: 5 } },
        ...{ options: { disclose_me: false }, dropped_options: ['unknown'] },
        would_be_refused: null,
      },
    ])
    expect(expressions.map(({ at, stage, value }) => [at, stage, value])).to.deep.equal([
      [`${at}/get/action/kwargs/size`, 1, 5],
      [`${at}/get/action/args/0`, 2, 7],
      [`${at}/get/response/on_result/body`, 2, { id: 7 }],
    ])
    expect(sent).to.deep.include({ status: 200, body: { id: 7 } })
    expect(sent?.headers).to.include({
      'content-type': 'application/json',
      'x-request-id': 'an-id',
    })
  })

  it('marks the trace context of a call where the gateway has one, and examples do without it', async () => {
    const asked = { request: { path: '/orders/7' } }
    const traced = documentOf(
      { trace: { kwargs: '_trace' }, get: call },
      { variables: { size: 5 } },
    )
    const marked = await rehearse(traced, asked, { marksTraceContext: true })
    expect(marked.actions[0]?.kwargs).to.deep.equal({ size: 5, _trace: '<trace context>' })
    const plain = await rehearse(traced, asked)
    expect(plain.actions[0]?.kwargs).to.deep.equal({ size: 5 })
  })

  it('tells the expression that fails, and performs nothing then', async () => {
    const { actions, expressions, sent } = await rehearse(get, { request: { path: '/orders/x' } })
    expect(actions).to.deep.equal([])
    const failed = expressions.find(({ failure }) => failure !== undefined)
    expect(failed?.expression).to.equal('{{request.bindings.id |> integer}}')
    expect(failed?.failure).to.contain('                         ^^^^^^^')
    expect(sent?.status).to.equal(400)
  })

  it('answers a given error as the document declares', async () => {
    const { sent } = await rehearse(get, {
      request: { path: '/orders/7' },
      outcome: { error: { error_uri: 'wamp.error.no_such_procedure', kwargs: { a: 1 } } },
    })
    expect(sent).to.deep.include({ status: 501, body: { a: 1 } })
  })

  it('completes a sample outcome in the shape of the action', async () => {
    const document = documentOf({
      get: {
        action: { type: 'wamp_publish', topic: 'com.example.seen', args: [1] },
        response: { on_result: { body: '{{action.result}}' }, on_error: {} },
      },
      post: {
        action: { type: 'forward', host: 'http://upstream.example', path: '/x' },
        response: { on_result: {}, on_error: {} },
      },
    })
    const published = await rehearse(document, { request: { path: '/orders/7' } })
    expect(published.sent?.body).to.deep.equal({ publication_id: 1 })
    const forwarded = await rehearse(document, { request: { method: 'post', path: '/orders/7' } })
    expect(forwarded.sent).to.deep.include({ status: 200, body: '' })
  })

  it('tells a forward as it would leave, and the fields that would not', async () => {
    const document = documentOf({
      post: {
        action: { type: 'forward', host: 'http://upstream.example:81' },
        response: { on_result: { body: '{{action.result.body.n}}' }, on_error: {} },
      },
    })
    const { actions, sent } = await rehearse(document, {
      request: {
        ...{ method: 'POST', path: '/orders/a%20b?x=1', body: { a: 1 }, peer: '192.0.2.7:80' },
        headers: { 'X-Real-IP': '10.0.0.1', Cookie: 'a=b; service_ticket_x=t', 'x-a': 'b' },
      },
      outcome: { result: { body: { n: 7 } } },
    })
    const [action] = actions
    expect(action).to.deep.include({
      ...{ type: 'forward', http_method: 'post', host: 'http://upstream.example:81' },
      ...{ path: '/orders/a%20b', query_string: 'x=1', body: { a: 1 }, would_be_refused: null },
      uri: 'http://upstream.example:81/orders/a%20b?x=1',
    })
    expect(action?.headers).to.include({
      'x-a': 'b',
      cookie: 'a=b',
      'x-forwarded-for': '192.0.2.7',
    })
    expect(action?.dropped_headers).to.deep.equal([
      { name: 'x-real-ip', why: 'upstreams trust it as set by a gateway' },
      { name: 'cookie', why: 'the cookies of this gateway are taken out' },
      { name: 'host', why: 'it belongs to the connection of the client' },
      { name: 'content-length', why: 'it belongs to the connection of the client' },
    ])
    expect(sent?.body).to.equal(7)
  })

  it('tells what the gateway would refuse to send', async () => {
    const document = documentOf({
      get: {
        action: { type: 'forward', host: 'http://{{request.query_params.host}}' },
        response: { on_result: {}, on_error: {} },
      },
    })
    const { actions, sent } = await rehearse(document, {
      request: { path: '/orders/7?host=169.254.169.254' },
    })
    expect(actions[0]).to.deep.include({
      host: 'http://169.254.169.254',
      would_be_refused: 'host: forward.allowed_hosts does not list it',
    })
    expect(sent?.status).to.equal(403)
  })

  it('gives each action of a list its outcome', async () => {
    const step = { type: 'wamp_call', procedure: 'com.example.step' }
    const document = documentOf({
      get: {
        action: [step, { ...step, args: ['{{action.result.args |> head}}'] }],
        response: { on_result: { body: '{{action.results}}' }, on_error: {} },
      },
    })
    const { actions } = await rehearse(document, {
      request: { path: '/orders/7' },
      outcome: [{ result: { args: [1] } }, { result: { args: [2] } }],
    })
    expect(actions.map(({ args }) => args)).to.deep.equal([[], [1]])
  })

  describe('of a secured path', () => {
    const path = { get: { ...call, security: { type: 'basic' } } }
    const secured = documentOf(path, { variables: { size: 5 } })

    it('lets pass whom the schemes let pass', async () => {
      const ada = { ...anonymous('com.example'), authid: 'ada', authmethod: 'basic' }
      const { checks, actions } = await rehearse(secured, {
        request: { path: '/orders/7' },
        schemes: schemesOf(() => ada),
      })
      expect(checks[1]).to.deep.include({ step: 'security', passed: true, authid: 'ada' })
      expect(checks[1]).to.include({ type: 'basic', at: `${at}/get/security` })
      expect(actions[0]).to.deep.include({ session_of: 'ada' })
    })

    it('tells why a user may not enter, which the user is not told', async () => {
      const security = { type: 'basic', roles: ['staff'] }
      const { checks, actions, sent } = await rehearse(
        documentOf({ get: { ...call, security } }, { variables: { size: 5 } }),
        {
          request: { path: '/orders/7' },
          schemes: schemesOf(() => ({ ...anonymous('com.example'), authid: 'ada' })),
        },
      )
      expect(checks[1]).to.deep.equal({
        ...{ step: 'security', passed: false, type: 'basic', at: `${at}/get/security` },
        reason: 'the user has none of the roles of the path',
        problem: { code: 'wamp.error.not_authorized', message: 'this user may not use this path' },
      })
      expect(actions).to.deep.equal([])
      expect(sent?.status).to.equal(403)
      expect(String(sent?.body)).to.not.include('role')
    })

    it('refuses others, and checks nothing after that', async () => {
      const { checks, actions, sent } = await rehearse(secured, {
        request: { path: '/orders/7', scheme: 'https', headers: { accept: 'text/csv' } },
        schemes: nobody,
      })
      expect(checks.map(({ step, passed }) => [step, passed])).to.deep.equal([
        ['scheme', true],
        ['security', false],
      ])
      expect(actions).to.deep.equal([])
      expect(sent?.status).to.equal(401)
      expect(sent?.headers).to.have.property('www-authenticate')
    })
  })

  describe('of an operation with schemas', () => {
    const integer = { type: 'integer', minimum: 1 }
    const checked = documentOf(
      {
        get: {
          ...call,
          request: { bindings: { type: 'object', properties: { id: integer } } },
          response: {
            ...call.response,
            on_result: { body: '{{action.result.args |> head}}', schema: integer },
          },
        },
      },
      { variables: { size: 5 }, defaults: { validate_responses: 'enforce' } },
    )

    it('tells what was read of texts, and that request and answer fit', async () => {
      const { checks, actions } = await rehearse(checked, {
        request: { path: '/orders/7' },
        outcome: { result: { args: [1] } },
      })
      expect(checks.slice(2)).to.deep.equal([
        { step: 'schema', passed: true, mode: 'enforce', read: { '/bindings/id': 7 } },
        { step: 'response_schema', passed: true, mode: 'enforce' },
      ])
      expect(actions[0]?.args).to.deep.equal([7])
    })

    it('tells the mistakes of a request', async () => {
      const { checks, sent } = await rehearse(checked, { request: { path: '/orders/0' } })
      expect(checks.at(-1)).to.deep.equal({
        ...{ step: 'schema', passed: false, mode: 'enforce', read: { '/bindings/id': 0 } },
        mistakes: [{ path: '/bindings/id', message: 'must be >= 1' }],
      })
      expect(sent?.status).to.equal(400)
    })

    it('tells the mistakes of an answer', async () => {
      const { checks, sent } = await rehearse(checked, {
        request: { path: '/orders/7' },
        outcome: { result: { args: ['x'] } },
      })
      expect(checks.at(-1)).to.deep.equal({
        ...{ step: 'response_schema', passed: false, mode: 'enforce' },
        mistakes: [{ path: '', message: 'must be integer' }],
      })
      expect(sent?.status).to.equal(500)
    })
  })

  it('reads the request as one that comes over a socket', async () => {
    const document = documentOf({
      post: {
        action: { type: 'static', body: '{{request.body}}', headers: {} },
        response: { on_result: {}, on_error: {} },
      },
    })
    const asked = async (request: object) =>
      (await rehearse(document, { request: { method: 'post', path: '/orders/7', ...request } }))
        .sent
    expect(await asked({ body: { a: 2n ** 60n } })).to.deep.include({
      ...{ status: 200, body: { a: 2n ** 60n } },
    })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await asked({ headers: form, body: 'a=1' }))?.status).to.equal(415)
    expect((await asked({ path: '/orders/%zz' }))?.status).to.equal(400)
    expect((await asked({ host: 'a b' }))?.status).to.equal(400)
    expect(
      (await asked({ headers: { 'content-type': 'application/json' }, body: '{' }))?.status,
    ).to.equal(400)
  })

  it('has no answer where nothing matches', async () => {
    const { match, sent } = await rehearse(get, { request: { path: '/other' } })
    expect([match, sent]).to.deep.equal([undefined, undefined])
  })

  it('answers a method that the path lacks, and OPTIONS, as the gateway does', async () => {
    const missed = await rehearse(get, { request: { method: 'put', path: '/orders/7' } })
    expect(missed.match?.kind).to.equal('method')
    expect(missed.sent?.status).to.equal(405)
    const asked = await rehearse(get, { request: { method: 'options', path: '/orders/7' } })
    expect(asked.sent).to.deep.include({ status: 204, body: '' })
  })
})
