/** Several actions of one operation: their order, what the later ones see, how they end, and what a load refuses. */
import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import {
  type Ask,
  bodyOf,
  documentOf,
  FakeExchange,
  fixed,
  issuesOf,
  type Performer,
  serve,
} from './fake-exchange.ts'

const call = (more: object = {}) => ({ type: 'wamp_call', procedure: 'com.a.call', ...more })
const publish = (more: object = {}) => ({ type: 'wamp_publish', topic: 'com.a.told', ...more })
const forward = (more: object = {}) => ({ type: 'forward', host: 'http://up', ...more })

const failure = (error_uri: string): Outcome => ({
  error: { error_uri, args: [], kwargs: {}, details: {} },
})

/** The n-th action comes to `{args: [n], kwargs: {}}`. */
const counting = (): Performer => {
  let count = 0
  return () => {
    count += 1
    return { result: { args: [count], kwargs: {} } }
  }
}

const serveList = (action: unknown, response: object = {}, perform: Performer = counting()) =>
  serve(documentOf({ '/x': { post: { action, response } } }), perform)

const post = (served: ReturnType<typeof serve>, ask: Ask = {}) => served.ask('POST /v1/x', ask)

const listIssues = (action: unknown, response: object = {}, more: object = {}) =>
  issuesOf(documentOf({ '/x': { post: { action, response } } }, more)).map(
    ({ path, message }) => `${path.replace('/versions/1.0/paths/~1x/post', '')}: ${message}`,
  )

describe('a list of actions', () => {
  it('is performed in order; each sees the results before it', async () => {
    const second = { args: ['{{action.result.args |> head}}'] }
    const third = { args: ['{{action.results |> length}}', '{{action.results |> head}}'] }
    const served = serveList([call(), publish(second), call(third)])
    await post(served)
    expect(served.performed.map(({ type, fields }) => [type, fields.args])).to.deep.equal([
      ['wamp_call', undefined],
      ['wamp_publish', [1]],
      ['wamp_call', [2, { args: [1], kwargs: {} }]],
    ])
  })

  it('shows all results to on_result, and the last one as the result', async () => {
    const body = {
      last: '{{action.result.args}}',
      all: '{{action.results |> length}}',
      first: '{{action.results |> nth(1) |> get(args)}}',
    }
    const reply = await post(serveList([call(), publish()], { on_result: { body } }))
    expect(bodyOf(reply)).to.deep.equal({ last: [2], all: 2, first: [1] })
  })

  it('ends with the first failure; on_error sees it and the results before it', async () => {
    const perform: Performer = ({ type }) =>
      type === 'wamp_publish' ? failure('com.a.no') : { result: { args: [7], kwargs: {} } }
    const body = { uri: '{{action.error.error_uri}}', results: '{{action.results}}' }
    const served = serveList([call(), publish(), call()], { on_error: { body } }, perform)
    const reply = await post(served)
    expect(reply.status).to.equal(500)
    expect(bodyOf(reply)).to.deep.equal({
      uri: 'com.a.no',
      results: [{ args: [7], kwargs: {} }],
    })
    expect(served.performed).to.have.lengthOf(2)
    expect(reply.failure, 'for the log').to.include({ error: 'com.a.no', topic: 'com.a.told' })
  })

  for (const [title, action, before] of [
    ['the first action', [call({ args: ['{{request.body.none}}'] }), publish()], 0],
    ['a later action', [call(), publish({ args: ['{{request.body.none}}'] })], 1],
    ['the timeout of a later action', [call(), publish({ timeout: '{{request.body.none}}' })], 1],
  ] as const) {
    it(`ends with an expression of ${title} that fails; on_error sees the results before it`, async () => {
      const body = { uri: '{{action.error.error_uri}}', count: '{{action.results |> length}}' }
      const served = serveList(action, { on_error: { body } })
      const reply = await post(served, { body: '{}' })
      const uri = 'service.error.http_gateway.invalid_request'
      expect(reply.status).to.equal(400)
      expect(bodyOf(reply)).to.deep.equal({ uri, count: before })
      expect(served.performed).to.have.lengthOf(before)
    })
  }

  it('shows all results to on_error when on_result fails', async () => {
    const response = {
      on_result: { body: '{{action.result.none}}' },
      on_error: { body: '{{action.results |> length}}' },
    }
    expect(bodyOf(await post(serveList([call(), publish()], response)))).to.equal(2)
  })

  it('gives each action its own timeout and retries, and those of the operation to the others', async () => {
    const list = [call({ timeout: 5 }), publish({ retries: 2 })]
    const served = serve(documentOf({ '/x': { get: { timeout: 70, action: list, response: {} } } }))
    await served.ask('GET /v1/x')
    expect(
      served.performed.map(({ run: { attempts } }) => [attempts.timeout, attempts.retries]),
    ).to.deep.equal([
      [5, 0],
      [70, 2],
    ])
  })

  it('takes one slot of the pool', async () => {
    const document = documentOf(
      { '/x': { get: { action: [call(), call()], response: {} } } },
      {},
      { pool_size: 1 },
    )
    const served = serve(document, counting())
    const replies = await Promise.all([served.ask('GET /v1/x'), served.ask('GET /v1/x')])
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(served.performed).to.have.lengthOf(4)
  })

  it('begins no further action when the client has gone', async () => {
    const exchange = new FakeExchange('POST /v1/x')
    const served = serveList([call(), publish()], {}, () => {
      for (const abort of exchange.aborts) abort()
      return { result: { args: [], kwargs: {} } }
    })
    const reply = await served.handle(exchange)
    expect(served.performed).to.have.lengthOf(1)
    expect(bodyOf(reply as NonNullable<typeof reply>)).to.include({
      error_uri: 'wamp.error.canceled',
    })
  })

  it('may come from variables, as a whole or action by action', async () => {
    const variables = { told: publish(), both: [call(), '{{variables.told}}'] }
    for (const action of ['{{variables.both}}', [call(), '{{variables.told}}']]) {
      const document = documentOf({ '/x': { get: { action, response: {} } } }, { variables })
      const served = serve(document, counting())
      await served.ask('GET /v1/x')
      expect(served.performed.map(({ type }) => type)).to.deep.equal(['wamp_call', 'wamp_publish'])
    }
  })
})

describe('a list of one action', () => {
  for (const [method, action, body] of [
    ['get', fixed('a').action, undefined],
    ['post', call(), '{}'],
    ['post', call(), 'broken'],
    ['delete', publish(), undefined],
    ['put', forward(), '{}'],
    ['put', forward({ body: 1 }), 'broken'],
  ] as const) {
    it(`answers ${method.toUpperCase()} as the ${action.type} alone${body ? ` with ${body}` : ''}`, async () => {
      const [alone, listed] = await Promise.all(
        [action, [action]].map(async (one) => {
          const document = documentOf({ '/x': { [method]: { action: one, response: {} } } })
          const exchange = new FakeExchange(`${method.toUpperCase()} /v1/x`, {
            ...(body && { body }),
          })
          const reply = await serve(document, counting()).handle(exchange)
          // the operation is for the log of an answer that breaks off; no client sees it
          const seen = { ...reply, operation: undefined, error: reply?.error?.message }
          return { reply: seen, use: exchange.bodyUse }
        }),
      )
      expect(listed).to.deep.equal(alone)
    })
  }
})

describe('the answer to a list of actions', () => {
  const answered = (body: Outcome['answer']): Performer => {
    return ({ type }) =>
      type === 'forward'
        ? {
            result: { status_code: 202, headers: {}, body: 'seen', uri: '' },
            ...(body && { answer: body }),
          }
        : { result: { args: [], kwargs: {} } }
  }
  const upstream = (stream: Readable) => ({
    status_code: 202,
    headers: { 'x-up': '1' },
    body: stream,
    length: undefined,
  })

  it('is that of the upstream where a forward is the last', async () => {
    const stream = Readable.from(['x'])
    const reply = await post(serveList([call(), forward()], {}, answered(upstream(stream))))
    expect([reply.status, reply.headers['x-up'], reply.body.kind]).to.deep.equal([
      202,
      '1',
      'stream',
    ])
  })

  it('is not that of an upstream where the forward is not the last; its stream is ended', async () => {
    const stream = Readable.from(['x'])
    const reply = await post(serveList([forward(), call()], {}, answered(upstream(stream))))
    expect([reply.status, reply.headers['x-up'], stream.destroyed]).to.deep.equal([
      204,
      undefined,
      true,
    ])
  })

  it('is the body of a static action that is the last', async () => {
    const reply = await post(serveList([call(), fixed('{{action.result.args}}').action]))
    expect([reply.status, bodyOf(reply)]).to.deep.equal([200, [1]])
  })
})

describe('the bodies of a list of actions', () => {
  const readers =
    (...list: object[]) =>
    async (response: object, body = '{"a":1}') => {
      const served = serveList(list, response, () => ({ result: { body: 'b' } }))
      const exchange = new FakeExchange('POST /v1/x', { body })
      await served.handle(exchange)
      return {
        use: exchange.bodyUse,
        raw: served.performed.map(({ run }) => run.rawBody !== undefined),
        buffers: served.performed.map(({ run }) => run.readsBody),
      }
    }

  it('of the request streams to the one forward that passes it on', async () => {
    const seen = await readers(call(), forward(), forward({ body: 'x' }))({})
    expect([seen.use, seen.raw]).to.deep.equal(['raw', [false, true, false]])
  })

  it('of the request is read once where two forwards pass it on', async () => {
    const seen = await readers(forward(), forward())({})
    expect([seen.use, seen.raw]).to.deep.equal(['bytes', [true, true]])
  })

  it('of the request is decoded where an expression reads it, and passed on', async () => {
    const seen = await readers(call({ args: ['{{request.body}}'] }), forward())({})
    expect([seen.use, seen.raw]).to.deep.equal(['decoded', [false, true]])
  })

  it('of an upstream is buffered only where a later expression reads it', async () => {
    const reads = (key: string) => ({ on_result: { body: `{{${key}}}` } })
    const two = readers(forward(), forward({ path: '/b' }))
    expect((await two({})).buffers).to.deep.equal([false, false])
    expect((await two(reads('action.results'))).buffers).to.deep.equal([true, true])
    const later = readers(forward(), call({ args: ['{{action.result.body}}'] }))
    expect((await later({})).buffers).to.deep.equal([true, false])
  })
})

describe('a load refuses', () => {
  const nine = Array.from({ length: 9 }, () => call())
  for (const [title, action, issue] of [
    ['an empty list of actions', [], '/action: expected a list of actions, got an empty list'],
    ['nine actions', nine, '/action: expected at most 8 actions, got 9'],
    ['an action that is a list', [[call()]], '/action/0: expected an action, got a list'],
    ['an empty action in a list', [{}], '/action/0/type: type is missing'],
    [
      'a bad key of a later action',
      [call(), publish({ topic: 'a b' })],
      '/action/1/topic: expected',
    ],
    [
      'a computed action',
      [call(), '{{request.body}}'],
      '/action/1: an action must be a map that is known at load',
    ],
  ] as const) {
    it(title, () => {
      const issues = listIssues(action)
      expect(issues).to.have.lengthOf(1)
      expect(issues[0]).to.include(issue)
    })
  }

  it('a bad action in a list of variables, at the list', () => {
    const issues = listIssues('{{variables.l}}', {}, { variables: { l: [call({ timeout: 0 })] } })
    expect(issues).to.have.lengthOf(1)
    expect(issues[0]).to.include('/action: 0/timeout: expected an integer of milliseconds')
  })

  it('action.results where action is no list', () => {
    const response = { on_error: { body: '{{action.results |> head}}' } }
    expect(listIssues(call(), response)).to.deep.equal([
      '/response/on_error/body: there is no "action.results": it exists only where action is a list; did you mean "result"? (column 3)\n{{action.results |> head}}\n  ^^^^^^^^^^^^^^',
    ])
  })
})
