/** Checks that take more than their share of a turn of the event loop: wherever values are checked, the answer waits for the later turns. */
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import { Validators } from '#component/schema/validators.ts'
import { bodyOf, call, documentOf, serve } from './fake-exchange.ts'
import { askForPieces, CallDouble, failureOf, resultOf } from './streams/call-doubles.ts'
import { askOf, callOf, send, tool, toolsOf } from './tools/fixture.ts'

const list = (length: number, value: unknown) => Array<unknown>(length).fill(value)
/** Checks of it look at the clock several times. */
const long = list(60_000, 1)
const integers = { type: 'array', items: { type: 'integer' } }
const texts = { type: 'array', contains: { type: 'string' } }

const yields = (value: unknown) => () => ({
  result: { request_id: 1, details: {}, args: [value], kwargs: {} },
})
const body = '{{action.result.args |> head}}'
const failed = '{{action.error.args |> head}}'
const enforced = { validate_responses: 'enforce' }

/** Whether the value fits, and what is answered to it. */
type Place = (schema: object, validators: Validators) => Promise<unknown>

const serving = (document: unknown, value: unknown, validators: Validators) =>
  serve(
    document,
    ...([yields(value), undefined, undefined, undefined, undefined, undefined] as const),
    validators,
  )

const served = (operation: object, value: unknown, validators: Validators) =>
  serving(documentOf({ '/x': { post: operation } }), value, validators)

const places: Readonly<Record<string, Place>> = {
  async 'the body of a request'(schema, validators) {
    const operation = { ...call({}, { body: 'ok' }), request: { body: schema } }
    const reply = await served(operation, 1, validators).ask('POST /v1/x', {
      body: JSON.stringify(long),
    })
    return [reply.status, bodyOf(reply)]
  },
  async 'an answer'(schema, validators) {
    const operation = { ...call({}, { body, schema }), ...enforced }
    const reply = await served(operation, long, validators).ask('POST /v1/x')
    return [reply.status, reply.failure?.mistakes]
  },
  async 'the answer to an expression that has failed'(schema, validators) {
    const onError = { status_code: 418, body: '{{request.body}}', schema }
    const operation = { ...call({ args: ['{{request.body |> upper}}'] }, {}, onError), ...enforced }
    const reply = await served(operation, 1, validators).ask('POST /v1/x', {
      body: JSON.stringify(long),
    })
    return [reply.status, reply.failure]
  },
  'the result at the end of a stream': (schema, validators) =>
    ended(resultOf(long), schema, validators),
  'the failure at the end of a stream': (schema, validators) =>
    ended(failureOf('com.example.broken', long), schema, validators),
  async 'the result of a call that has no pieces'(schema, validators) {
    const response = { on_result: { body, schema } }
    const asked = { keys: enforced, response, validators }
    const { reply, sink, record } = await askForPieces(resultOf(long), asked)
    return [reply.status, reply.failure?.mistakes, sink.text, record?.reason]
  },
  async 'the arguments of a tool'(schema, validators) {
    const input = { type: 'object', properties: { list: schema } }
    const document = toolsOf({ '/x': { post: tool('put', { input }) } })
    const { json } = await send(
      serving(document, 1, validators),
      askOf(callOf('put', { list: long })),
    )
    return json
  },
}

/** What is sent of a stream that ends so. */
async function ended(end: Outcome, schema: object, validators: Validators) {
  const call = new CallDouble(['a'])
  const response = { on_result: { body, schema }, on_error: { body: failed, schema } }
  const { sink, record } = await askForPieces(call, { keys: enforced, response, validators })
  call.end(end)
  call.piece('too late')
  while (sink.ended === undefined) await new Promise(setImmediate)
  return [sink.text, sink.ended, record?.error]
}

describe('a check that goes on in later turns', () => {
  for (const [title, ask] of Object.entries(places)) {
    for (const [outcome, schema] of Object.entries({ fits: integers, 'does not fit': texts })) {
      it(`decides as one that does not: ${title} that ${outcome}`, async () => {
        let turns = 0
        let now = 0
        const late = new Validators({
          now: () => (now += 1_000),
          yieldTurn: async () => {
            turns += 1
          },
        })
        expect(await ask(schema, late)).to.deep.equal(await ask(schema, new Validators()))
        expect(turns).to.be.above(5)
      })
    }
  }

  it('tells nothing to a client that leaves meanwhile', async () => {
    let goOn = () => {}
    const late = new Validators({
      now: () => (now += 1_000),
      yieldTurn: () => new Promise<void>((resolve) => (goOn = resolve)),
    })
    let now = 0
    const call = new CallDouble(['a'])
    const response = { on_result: { body, schema: integers } }
    const asked = { keys: enforced, response, validators: late }
    const { sink, record } = await askForPieces(call, asked)
    call.end(resultOf(long))
    sink.leave()
    for (let turn = 0; turn < 100; turn++) {
      goOn()
      await new Promise(setImmediate)
    }
    expect(sink.text).to.not.include('result')
    expect([record?.reason, record?.error]).to.deep.equal(['client', undefined])
  })
})
