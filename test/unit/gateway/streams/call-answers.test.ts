/** Answers that are streams of a call, from the reply to the bytes. */
import { expect } from 'chai'
import { bodyOf } from '#test/unit/gateway/fake-exchange.ts'
import { askForPieces, CallDouble, failureOf, resultOf } from './call-doubles.ts'

const body = (text: string) => ({ on_progress: { body: text } })
const invalid = 'service.error.http_gateway.invalid_expression'

describe('a stream of a call', () => {
  it('numbers its pieces from 1, and ends with the result', async () => {
    const call = new CallDouble(['a'])
    const { reply, sink, turn, record } = await askForPieces(call)
    expect(reply.status).to.equal(200)
    expect(reply.body).to.include({ kind: 'events', type: 'text/event-stream' })
    expect(reply.headers).to.include({
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      vary: 'Accept',
    })
    expect(sink.text).to.equal('id: 1\ndata: {"args":["a"],"kwargs":{}}\n\n')
    call.piece('b')
    turn()
    call.end(resultOf('end'))
    expect(sink.text).to.equal(
      'id: 1\ndata: {"args":["a"],"kwargs":{}}\n\n' +
        'id: 2\ndata: {"args":["b"],"kwargs":{}}\n\n' +
        'id: 3\nevent: result\ndata: {"args":["end"],"kwargs":{}}\n\n',
    )
    expect(sink.ended).to.equal('whole')
    expect(record).to.include({ events: 2, reason: 'complete', error: undefined })
  })

  it('is written as NDJSON where the client asks for that', async () => {
    const headers = { accept: 'application/x-ndjson' }
    const call = new CallDouble([1])
    const { sink, reply } = await askForPieces(call, {
      ask: { headers },
      response: { on_progress: { event: 'part', body: '{{action.progress.args |> head}}' } },
    })
    call.end(resultOf(2))
    expect(reply.body).to.include({ type: 'application/x-ndjson' })
    expect(sink.text.split('\n')).to.deep.equal([
      '{"id":"1","event":"part","data":1}',
      '{"id":"2","event":"result","data":{"args":[2],"kwargs":{}}}',
      '',
    ])
  })

  it('shows number, args, kwargs and details of a piece, the old names of args and kwargs, and the request', async () => {
    const call = new CallDouble(['a', 9007199254740993n])
    const { sink } = await askForPieces(call, {
      response: {
        on_progress: {
          event: 'n{{action.progress.number}}',
          body: [
            '{{action.progress.number}}',
            '{{action.progress.arguments}}',
            '{{action.progress.arguments_kw}}',
            '{{action.progress.details}}',
            '{{request.path}}',
          ],
        },
      },
    })
    expect(sink.text).to.equal(
      'id: 1\nevent: n1\ndata: [1,["a",9007199254740993],{},{},"/v1/x"]\n\n',
    )
  })

  it('sends the bodies that on_result and on_error declare', async () => {
    const response = {
      on_result: { body: { total: '{{action.result.args |> head}}' } },
      on_error: { body: { code: '{{action.error.error_uri}}' } },
    }
    const good = new CallDouble([1])
    const { sink } = await askForPieces(good, { response })
    good.end(resultOf(7))
    expect(sink.text).to.include('event: result\ndata: {"total":7}\n\n')
    const bad = new CallDouble([1])
    const failed = await askForPieces(bad, { response })
    bad.end(failureOf('com.example.broken'))
    expect(failed.sink.text).to.include(
      'id: 2\nevent: error\ndata: {"code":"com.example.broken"}\n',
    )
    expect(failed.sink.ended).to.equal('whole')
  })

  it('of an answer without pieces is event: result alone, with an id', async () => {
    const { sink, reply, record } = await askForPieces(resultOf('only'))
    expect(reply.status).to.equal(200)
    expect(sink.text).to.equal('id: 1\nevent: result\ndata: {"args":["only"],"kwargs":{}}\n\n')
    expect(sink.ended).to.equal('whole')
    expect(record).to.include({ events: 0, reason: 'complete' })
  })

  it('is no stream where the call fails before the first piece: status and on_error are as ever, in JSON', async () => {
    const { reply } = await askForPieces(failureOf('wamp.error.not_authorized', 'no'))
    expect(reply.status).to.equal(403)
    expect(reply.body).to.include({ kind: 'value', type: 'application/json' })
    expect(bodyOf(reply)).to.include({ error_uri: 'wamp.error.not_authorized' })
  })

  it('is no stream where the first piece, or the result before it, cannot be rendered', async () => {
    const call = new CallDouble(['x'])
    const { reply } = await askForPieces(call, { response: body('{{action.progress.args.nope}}') })
    expect(reply.status).to.equal(500)
    expect(bodyOf(reply)).to.include({ code: invalid })
    expect(call.isCancelled).to.equal(true)
    const result = await askForPieces(resultOf(1), {
      response: { on_result: { body: '{{action.result.kwargs.total}}' } },
    })
    expect(result.reply.status).to.equal(500)
  })

  for (const [accept, type] of [
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/event-stream;q=0.1, application/json', 'application/json'],
    ['text/event-stream, */*;q=0.1', 'text/event-stream'],
    ['application/x-ndjson, text/event-stream;q=0.9', 'application/x-ndjson'],
  ] as const) {
    it(`Accept: ${accept}: ${type}`, async () => {
      const { reply, performed } = await askForPieces(resultOf(1), {
        ask: { headers: { accept } },
        response: { on_result: { body: { n: 1 } } },
      })
      expect(reply.body).to.include({ type })
      expect(performed[0]?.run.wantsProgress).to.equal(type !== 'application/json')
    })
  }

  it('a query parameter in the place of Last-Event-ID is answered with 204, too', async () => {
    for (const query of ['?lastEventId=3', '?lastEventID=3', '?lastEventId=']) {
      const { reply, performed } = await askForPieces(resultOf(1), { query })
      const isBack = query.endsWith('3')
      expect([reply.status === 204, performed.length]).to.deep.equal([isBack, isBack ? 0 : 1])
    }
  })

  it('Last-Event-ID: 3 is answered with 204, and nothing is called', async () => {
    const headers = { 'last-event-id': '3' }
    const { reply, performed } = await askForPieces(resultOf(1), { ask: { headers } })
    expect(reply.status).to.equal(204)
    expect(reply.headers).to.include({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    })
    expect(performed).to.deep.equal([])
    const asJson = { ...headers, accept: 'application/json' }
    const again = await askForPieces(resultOf(1), { ask: { headers: asJson } })
    expect(again.performed).to.have.length(1)
  })

  it('of HEAD is the head of the answer, without progress', async () => {
    const { reply, performed } = await askForPieces(resultOf(1), { method: 'head' })
    expect(reply.status).to.equal(200)
    expect(reply.body).to.include({ kind: 'events', type: 'text/event-stream' })
    expect(performed[0]?.run.wantsProgress).to.equal(false)
  })

  it('has the declared headers, without those that tell of the result', async () => {
    const headers = {
      'cache-control': 'private',
      'x-path': '{{request.path}}',
      'x-total': '{{action.result.args |> head}}',
    }
    const { reply } = await askForPieces(new CallDouble([1]), {
      response: { on_result: { headers } },
    })
    expect(reply.headers).to.include({ 'cache-control': 'private', 'x-path': '/v1/x' })
    expect(reply.headers).not.to.have.property('x-total')
    const json = await askForPieces(resultOf(5), {
      response: { on_result: { headers } },
      ask: { headers: { accept: 'application/json' } },
    })
    expect(json.reply.headers).to.include({ 'x-total': '5' })
  })

  it('expression fails on a piece: CANCEL; error invalid_expression', async () => {
    const call = new CallDouble([{ a: 1 }])
    const { sink, turn, record } = await askForPieces(call, {
      response: body('{{action.progress.args |> head |> get(a)}}'),
    })
    call.piece({ b: 1 })
    turn()
    call.piece({ a: 2 })
    turn()
    expect(call.isCancelled).to.equal(true)
    expect(sink.text).to.match(/^id: 1\ndata: 1\n\nid: 2\nevent: error\ndata: \{"code":"/)
    expect(sink.text).to.include(`"code":"${invalid}"`)
    expect(sink.text).not.to.include('data: 2')
    expect(sink.ended).to.equal('whole')
    expect(record).to.include({ events: 1, reason: 'failed', error: invalid })
    expect(record?.failure).to.include({
      pointer: '/versions/1.0/paths/~1x/get/response/on_progress/body',
    })
  })

  it('shows a failed expression to on_error, and its own failure where on_error fails, too', async () => {
    const seen = new CallDouble([{ a: 1 }])
    const told = await askForPieces(seen, {
      response: {
        ...body('{{action.progress.args |> head |> get(a)}}'),
        on_error: { body: ['{{action.error.error_uri}}'] },
      },
    })
    seen.piece({})
    expect(told.sink.text).to.include(`event: error\ndata: ["${invalid}"]\n`)
    const twice = new CallDouble([1])
    const failed = await askForPieces(twice, {
      response: { on_error: { body: '{{action.error.kwargs.nope}}' } },
    })
    twice.end(failureOf('com.example.broken'))
    expect(failed.sink.text).to.include(`event: error\ndata: {"code":"${invalid}"`)
    expect(failed.record).to.include({ error: 'com.example.broken', reason: 'failed' })
  })

  it('tells of a result that cannot be rendered as an error', async () => {
    const call = new CallDouble([1])
    const { sink, record } = await askForPieces(call, {
      response: { on_result: { body: '{{action.result.kwargs.total}}' } },
    })
    call.end(resultOf())
    expect(sink.text).to.include(`event: error\ndata: {"code":"${invalid}"`)
    expect(record).to.include({ error: invalid, reason: 'failed' })
  })

  it('tells of a result that does not fit its schema as an error', async () => {
    const call = new CallDouble([1])
    const { sink, record } = await askForPieces(call, {
      keys: { validate_responses: 'enforce' },
      response: {
        on_result: { body: '{{action.result.args |> head}}', schema: { type: 'integer' } },
      },
    })
    call.end(resultOf('text'))
    expect(sink.text).to.include('event: error\ndata: {"code":"service.error.response_mismatch"')
    expect(record).to.include({ reason: 'failed', error: 'service.error.response_mismatch' })
  })

  for (const name of ['gap', 'a\nb', 'x'.repeat(256)]) {
    it(`ends for a computed name ${JSON.stringify(name.slice(0, 5))} of ${name.length} characters`, async () => {
      const call = new CallDouble(['fine'])
      const { sink } = await askForPieces(call, {
        response: { on_progress: { event: '{{action.progress.args |> head}}' } },
      })
      call.piece(name)
      expect(sink.text).to.include('event: fine').and.include('event: error')
      expect(call.isCancelled).to.equal(true)
    })
  }

  it('keeps for the log what it would tell of the same failure before the head', async () => {
    const call = new CallDouble([1])
    const { record } = await askForPieces(call, { action: { procedure: 'com.example.slow' } })
    call.end(failureOf('service.error.timeout'))
    expect(record).to.deep.include({ error: 'service.error.timeout', reason: 'failed' })
    expect(record?.failure).to.include({
      error: 'service.error.timeout',
      procedure: 'com.example.slow',
    })
    const refused = new CallDouble([1])
    const { record: mild } = await askForPieces(refused)
    refused.end(failureOf('wamp.error.not_authorized'))
    expect(mild).to.include({ error: 'wamp.error.not_authorized', failure: undefined })
  })
})
