/** What an action is told and how it runs; and what becomes of expressions that fail on the way there and back. */
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import { answer, bodyOf, call, documentOf, FakeExchange, serve } from './fake-exchange.ts'

const invalid = 'service.error.http_gateway.invalid_request'

describe('an expression that fails on what the request holds or lacks', () => {
  const rows: readonly [title: string, operation: object, body: unknown][] = [
    ['a key that is missing', call({ args: ['{{request.body.a.b}}'] }), {}],
    ['an inherited key', call({ args: ['{{request.body.toString}}'] }), {}],
    ['headers that are a list', call({}, { headers: '{{request.body.h}}' }), { h: [1] }],
    [
      'a header with a line break',
      call({}, { headers: { a: '{{request.body.h}}' } }),
      { h: 'a\r\nb' },
    ],
    ['a header that is a map', call({}, { headers: { a: '{{request.body.h}}' } }), { h: {} }],
    ['a header that is null', call({}, { headers: { a: '{{request.body.h}}' } }), { h: null }],
    [
      'a framing header',
      call({}, { headers: '{{request.body.h}}' }),
      { h: { 'Content-Length': '1' } },
    ],
    ['a malformed header name', call({}, { headers: '{{request.body.h}}' }), { h: { 'a b': '1' } }],
    ['a status of 99', call({}, { status_code: '{{request.body.s}}' }), { s: 99 }],
    ['a status of 600', call({}, { status_code: '{{request.body.s}}' }), { s: 600 }],
    [
      'a status that is no number',
      call({}, { status_code: '{{request.body.s}}' }),
      { s: 'secret' },
    ],
    ['a status that is a fraction', call({}, { status_code: '{{request.body.s}}' }), { s: 200.5 }],
    ['a uri with a line break', call({}, { uri: '{{request.body.u}}' }), { u: '/secret\n' }],
    ['a uri that is a map', call({}, { uri: '{{request.body.u}}' }), { u: {} }],
    ['a timeout beyond the limit', call({ timeout: '{{request.body.t}}' }), { t: 3_600_001 }],
    ['retries that are text', call({ retries: '{{request.body.t}}' }), { t: 'secret' }],
  ]
  for (const [title, operation, body] of rows) {
    for (const method of ['post', 'put', 'get']) {
      it(`${method}: ${title} is 400, without the data`, async () => {
        const reply = await answer(method, operation, undefined, JSON.stringify(body))
        expect([reply.status, reply.error?.uri]).to.deep.equal([400, invalid])
        expect(JSON.stringify(bodyOf(reply))).to.not.contain('secret')
      })
    }
  }
})

describe('the values of a repeated query key', () => {
  it('are a list in request.query_lists', async () => {
    const get = call({ args: ['{{request.query_lists.tag}}'] })
    const served = serve(documentOf({ '/x': { get } }))
    await served.ask('GET /v1/x?tag=a%20b&n=1&tag')
    expect(served.performed[0]?.fields.args).to.deep.equal([['a b', 'true']])
  })
})

describe('the answer to an expression that fails', () => {
  const uri = 'service.error.http_gateway'
  const missing = { code: `${uri}.invalid_request`, message: 'request.body.isbn is missing' }
  const onRequest = { type: 'wamp_call', procedure: 'p', args: ['{{request.body.isbn}}'] }
  const onAction = { type: 'static', body: 'x' }
  const shown = {
    status_code: '{{status_codes |> get({{action.error.error_uri}}, 500) |> integer}}',
    headers: { 'x-error': '{{action.error.error_uri}}' },
    body: '{{action.error.arguments_kw |> with([code, message])}}',
  }
  const ask = async (operation: object, version: object = {}) => {
    const reply = await serve(documentOf({ '/x': { post: operation } }, version)).ask(
      'POST /v1/x',
      { body: '{}' },
    )
    return { reply, body: bodyOf(reply) }
  }

  it('is that of on_error, when it fails before the action', async () => {
    const { reply, body } = await ask({ action: onRequest, response: { on_error: shown } })
    expect(reply.status).to.equal(400)
    expect(reply.headers['x-error']).to.equal(missing.code)
    expect(body).to.deep.equal(missing)
    expect(reply.error?.uri, 'for the log').to.equal(missing.code)
  })

  it('is that of on_error, when it fails in on_result', async () => {
    const on_result = { body: '{{action.result.none}}' }
    const response = { on_result, on_error: shown }
    const { reply, body } = await ask({ action: onAction, response })
    expect(reply.status).to.equal(500)
    expect(body).to.include({ code: `${uri}.invalid_expression` })
  })

  it('has the keys of a forward in action.error', async () => {
    const action = { type: 'forward', host: 'http://up', path: '/{{request.body.isbn}}' }
    const on_error = {
      body: '{{action.error.status_code}}{{action.error.body}}{{action.error.uri}}',
    }
    const { reply, body } = await ask({ action, response: { on_error } })
    expect([reply.status, body]).to.deep.equal([400, '400'])
  })

  for (const [title, status_codes, on_error, status] of [
    ['of the code', { [missing.code]: 422 }, undefined, 422],
    ['of the code, beside on_error', { [missing.code]: 422 }, { body: 'wrong' }, 422],
    ['of on_error', { [missing.code]: 422 }, { status_code: 409 }, 409],
    ['of the table', {}, undefined, 400],
  ] as const) {
    it(`has the status ${title}: ${status}`, async () => {
      const response = on_error ? { on_error } : {}
      const { reply } = await ask({ action: onRequest, response }, { status_codes })
      expect(reply.status).to.equal(status)
    })
  }

  it('is {code, message, description} where on_error declares no body, with its headers', async () => {
    const on_error = { headers: { 'x-a': '{{action.error.error_uri}}', 'x-b': '1' } }
    const { reply, body } = await ask({ action: onRequest, response: { on_error } })
    expect(reply.headers).to.include({ 'x-a': missing.code, 'x-b': '1' })
    expect(body).to.include(missing).and.have.keys('code', 'message', 'description')
  })

  it('is that of the failure of on_error, when this fails as well; the log sees both', async () => {
    const on_error = { body: '{{action.error.kwargs.none}}' }
    const { reply, body } = await ask(
      { action: onRequest, response: { on_error } },
      { status_codes: { [`${uri}.invalid_expression`]: 503 } },
    )
    expect(reply.status).to.equal(503)
    expect(body).to.include({ code: `${uri}.invalid_expression` })
    expect(reply.error?.cause).to.include({ message: missing.message })
  })

  it('is not asked of on_error twice', async () => {
    const failed = () => ({ error: { error_uri: 'com.a', args: [], kwargs: {}, details: {} } })
    const operation = {
      action: onAction,
      response: { on_error: { body: '{{request.body.isbn}}' } },
    }
    const served = serve(
      documentOf({ '/x': { post: { ...operation, action: call({}).action } } }),
      failed,
    )
    const reply = await served.ask('POST /v1/x', { body: '{}' })
    expect(reply.status).to.equal(400)
    expect(bodyOf(reply)).to.include(missing)
  })

  it('does not blame the request for what an action or the document gives', async () => {
    const rows = [
      [{ status_code: '{{action.result.body}}' }, 500],
      [{ headers: { a: '{{action.result}}' } }, 500],
      [{ headers: { a: '{{request.body}}' } }, 400],
      [{ uri: '{{request.body}}' }, 400],
    ] as const
    for (const [on_result, status] of rows) {
      const { reply } = await ask({ action: onAction, response: { on_result } })
      expect(reply.status, JSON.stringify(on_result)).to.equal(status)
    }
  })
})

describe('the action', () => {
  it('is given attempts computed from the request', async () => {
    const served = serve(
      documentOf({
        '/x': { timeout: '{{request.query_params.t |> integer}}', get: call({ retries: 2 }) },
      }),
    )
    await served.ask('GET /v1/x?t=70')
    expect(served.performed[0]?.run.attempts).to.include({ timeout: 70, retries: 2 })
  })

  it('is told which fields the request has computed', async () => {
    const served = serve(
      documentOf({ '/:p': { get: call({ procedure: 'a.{{request.bindings.p}}' }) } }),
    )
    await served.ask('GET /v1/b')
    const { fields, run } = served.performed[0] ?? {}
    expect([fields?.procedure, ...(run?.computed ?? [])]).to.deep.equal(['a.b', 'procedure'])
  })

  it('sees the request as it came, without a trailing slash', async () => {
    const args = [
      '{{request.path}}',
      '{{request.method}}',
      '{{request.query_params.q}}',
      '{{request.id}}',
    ]
    const served = serve(documentOf({ '/a/:b': { get: call({ args }) } }))
    await served.handle(new FakeExchange('GET /v1/a/x%20y/?q=1'))
    expect(served.performed[0]?.fields.args).to.deep.equal(['/v1/a/x%20y', 'get', '1', '0192'])
  })

  it('acts for anonymous on an open path', async () => {
    const args = ['{{security.authid}}', '{{security.authroles}}', '{{security.groups}}']
    const served = serve(documentOf({ '/x': { get: call({ args }) } }))
    await served.ask('GET /v1/x')
    expect(served.performed[0]?.fields.args).to.deep.equal(['anonymous', ['anonymous'], []])
    expect(served.performed[0]?.run.identity.realm_uri).to.equal('com.example.realm')
  })

  it('runs at most pool_size times at once', async () => {
    const settle: (() => void)[] = []
    const served = serve(documentOf({ '/x': { get: call() } }, {}, { pool_size: 2 }), () => {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      settle.push(() => resolve({ result: {} }))
      return promise
    })
    const replies = Array.from({ length: 5 }, () => served.ask('GET /v1/x'))
    await new Promise(setImmediate)
    expect(served.performed.length).to.equal(2)
    while (settle.length > 0) {
      settle.shift()?.()
      await new Promise(setImmediate)
    }
    expect((await Promise.all(replies)).map(({ status }) => status)).to.deep.equal(
      Array(5).fill(200),
    )
  })

  it('lets ten requests wait for each of pool_size, and answers 503 with Retry-After to one more', async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const served = serve(documentOf({ '/x': { get: call() } }, {}, { pool_size: 1 }), () => promise)
    const replies = Array.from({ length: 12 }, () => served.ask('GET /v1/x'))
    const refused = await replies[11]
    expect(refused).to.have.nested.property('headers.retry-after', '1')
    expect(refused?.status).to.equal(503)
    resolve({ result: {} })
    const others = await Promise.all(replies.slice(0, 11))
    expect(others.map(({ status }) => status)).to.deep.equal(Array(11).fill(200))
  })

  it('that fails by a bug is no reply', async () => {
    const served = serve(documentOf({ '/x': { get: call() } }), () => {
      throw new TypeError('a bug')
    })
    const error = await served.ask('GET /v1/x').then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(TypeError)
  })
})
