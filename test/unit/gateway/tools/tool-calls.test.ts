/** Calls of tools: arguments as the data of a request, and the answer that a model reads. */
import { expect } from 'chai'
import { call, serve } from '#test/unit/gateway/fake-exchange.ts'
import { askOf, callOf, failureIn, olderAsk, orders, send, tool, toolsOf } from './fixture.ts'

const served = serve(orders)

describe('The call of a tool', () => {
  it('runs the operation with the arguments that its path binds as bindings', async () => {
    const { status, json } = await send(served, askOf(callOf('get_order', { id: 'o-1' })))
    expect(status).to.equal(200)
    expect(json.result).to.deep.include({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'orders', version: '1.0' } },
    })
    expect(json.result?.structuredContent).to.deep.include({
      bindings: { id: 'o-1' },
      query: {},
      body: '',
      method: 'get',
      path: '/v1/orders/o-1',
    })
    expect(JSON.parse(json.result?.content?.[0]?.text ?? '')).to.deep.equal(
      json.result?.structuredContent,
    )
  })

  it('has the other arguments of GET as query parameters: maps and lists as JSON', async () => {
    const args = { text: 'a b&c', number: 7, yes: true, none: null, list: ['a', 1], map: { a: 1 } }
    const { json } = await send(served, askOf(callOf('list_orders', args)))
    expect(json.result?.structuredContent?.query).to.deep.equal({
      text: 'a b&c',
      number: '7',
      yes: 'true',
      none: 'null',
      list: '["a",1]',
      map: '{"a":1}',
    })
    // what schemas judge of a list is what an upstream gets of it
    expect(json.result?.structuredContent?.query_string).to.equal(
      'text=a+b%26c&number=7&yes=true&none=null&list=a&list=1&map=%7B%22a%22%3A1%7D',
    )
  })

  it('has the other arguments of POST as a body, which is a map', async () => {
    const { json } = await send(served, askOf(callOf('create_order', { sku: 'a', amount: 2 })))
    expect(json.result?.structuredContent).to.deep.include({
      body: { sku: 'a', amount: 2 },
      query: {},
      bindings: {},
      method: 'post',
    })
  })

  it('gives the operation no header of the POST that is about the message', async () => {
    const ask = askOf(callOf('get_order', { id: 'a' }), {
      authorization: 'Bearer x',
      'content-length': '9',
      'last-event-id': '1',
      'if-none-match': '"a"',
      'x-own': 'b',
    })
    const { json } = await send(served, ask)
    expect(json.result?.structuredContent?.headers).to.deep.equal({
      authorization: 'Bearer x',
      'x-own': 'b',
    })
  })

  it('keeps all digits of large integers', async () => {
    const body = askOf(callOf('put_order', { id: '1', n: 0 })).body?.replace(
      '"n":0',
      '"n":9007199254740993',
    )
    const ask = { ...askOf(callOf('put_order', { id: '1' })), body: body ?? '' }
    const { body: answer } = await served.ask('POST /v1/mcp', ask)
    expect(answer.kind === 'bytes' && answer.bytes).to.include('"n":9007199254740993')
  })

  it('counts at the path of the operation', async () => {
    const reply = await send(served, askOf(callOf('get_order', { id: 'a' })))
    expect(reply.pattern).to.equal('/v1/orders/:id')
    const other = await send(served, askOf({ method: 'tools/list' }))
    expect(other.pattern).to.equal('/v1/mcp')
  })

  for (const id of ['../../admin', 'a/b', 'a?b=c', 'a#b', '%2e%2e', 'ä', '{{request.headers}}']) {
    it(`has ${JSON.stringify(id)} for a binding as this text: the route stays`, async () => {
      const reply = await send(served, askOf(callOf('get_order', { id })))
      expect(reply.json.result?.structuredContent?.bindings).to.deep.equal({ id })
      expect(reply.pattern).to.equal('/v1/orders/:id')
    })
  }

  for (const [id, message] of [
    ['', 'must not be empty'],
    ['.', 'must not be a dot segment'],
    ['..', 'must not be a dot segment'],
  ]) {
    it(`refuses ${JSON.stringify(id)} for a binding: ${message}`, async () => {
      const reply = await send(served, askOf(callOf('get_order', { id })))
      expect(failureIn(reply)).to.deep.equal({
        status: 400,
        code: 'service.error.validation_failed',
        message: `1 mistake, at /id: ${message}`,
        details: [{ path: '/id', message }],
      })
    })
  }

  for (const args of [{ headers: { a: 1 } }, { authorization: 'Bearer x' }]) {
    const [name] = Object.keys(args)
    it(`takes the argument ${name} for one like any other: it is refused by additionalProperties`, async () => {
      const all = { sku: 'a', amount: 1, ...args }
      const reply = await send(served, askOf(callOf('create_order', all)))
      expect(failureIn(reply).details).to.deep.equal([
        { path: `/${name}`, message: 'unknown property' },
      ])
    })
  }

  it('answers arguments against the schema with each mistake and its place', async () => {
    const reply = await send(served, askOf(callOf('create_order', { amount: 0 })))
    expect(reply.status).to.equal(200)
    const { details } = failureIn(reply) as { details: readonly { path: string }[] }
    expect(details.map(({ path }) => path)).to.have.members(['/amount', '/sku'])
  })

  it('answers a call without arguments where none is needed', async () => {
    const { json } = await send(
      served,
      askOf({ method: 'tools/call', params: { name: 'list_orders' } }),
    )
    expect(json.result?.isError).to.equal(undefined)
  })

  for (const [title, params] of [
    ['without a name', {}],
    ['with a number as name', { name: 1 }],
    ['with a list of arguments', { name: 'get_order', arguments: ['a'] }],
    ['of an unknown tool', { name: 'none' }],
    ['of a tool that every object has', { name: 'toString' }],
  ] as const) {
    it(`is refused by -32602 ${title}`, async () => {
      const { status, json } = await send(served, askOf({ method: 'tools/call', params }))
      expect([status, json.error?.code]).to.deep.equal([200, -32602])
    })
  }
})

describe('The result of a tool', () => {
  const of = (on_result: object, outcome: object = {}, mcp: object = {}) =>
    serve(
      toolsOf({ '/x': { post: tool('x', {}, call({}, on_result)) } }, {}, mcp),
      () => ({ result: { request_id: 1, details: {}, args: [], kwargs: {}, ...outcome } }) as never,
    )

  it('has a text as it is', async () => {
    const { json } = await send(
      of({ body: '{{action.result.args |> head}}' }, { args: ['a "b"'] }),
      askOf(callOf('x')),
    )
    expect(json.result).to.deep.include({
      content: [{ type: 'text', text: 'a "b"' }],
      structuredContent: 'a "b"',
    })
  })

  it('has no structured content but maps in the revisions before', async () => {
    const list = of({ body: '{{action.result.args}}' }, { args: [1] })
    const { json } = await send(list, olderAsk(callOf('x')))
    expect(json.result).to.deep.equal({ content: [{ type: 'text', text: '[1]' }] })
    const map = of({ body: '{{action.result.kwargs}}' }, { kwargs: { a: 1 } })
    const other = await send(map, olderAsk(callOf('x')))
    expect(other.json.result).to.deep.equal({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
    })
  })

  it('is empty where the answer has no body', async () => {
    const { json } = await send(of({}), olderAsk(callOf('x')))
    expect(json.result).to.deep.equal({ content: [] })
  })

  it('is an error where it is binary', async () => {
    const bytes = of({ body: '{{action.result.args |> head}}' }, { args: [new Uint8Array([255])] })
    const reply = await send(bytes, askOf(callOf('x')))
    expect(failureIn(reply)).to.deep.include({ code: 'service.error.not_acceptable' })
  })

  it('is an error above max_result_bytes: nothing is cut', async () => {
    const long = { args: ['x'.repeat(101)] }
    const body = { body: '{{action.result.args |> head}}' }
    const reply = await send(of(body, long, { max_result_bytes: 100 }), askOf(callOf('x')))
    expect(failureIn(reply)).to.deep.include({
      status: 413,
      code: 'service.error.payload_too_large',
    })
    const other = await send(of(body, long, { max_result_bytes: 101 }), askOf(callOf('x')))
    expect(other.json.result?.isError).to.equal(undefined)
  })

  it('tells the error of a callee with status and code by the document', async () => {
    const failing = (on_error: object) =>
      serve(toolsOf({ '/x': { post: tool('x', {}, call({}, {}, on_error)) } }), () => ({
        error: {
          error_uri: 'com.example.error.gone',
          args: [],
          kwargs: { message: 'it is gone' },
          details: {},
        },
      }))
    const plain = await send(failing({ status_code: 410 }), askOf(callOf('x')))
    expect(plain.status).to.equal(200)
    expect(failureIn(plain)).to.deep.include({ status: 410, code: 'com.example.error.gone' })
    const declared = {
      status_code: 404,
      body: { code: 'gone', message: '{{action.error.kwargs.message}}' },
    }
    const reply = await send(failing(declared), askOf(callOf('x')))
    expect(failureIn(reply)).to.deep.equal({
      status: 404,
      code: 'gone',
      message: 'it is gone',
      body: { code: 'gone', message: 'it is gone' },
    })
  })
})
