/** Checks that take more than their share of a turn of the event loop: wherever values are checked, the answer waits for the later turns. */
import { expect } from 'chai'
import { Validators } from '#component/schema/validators.ts'
import { bodyOf, call, documentOf, serve } from './fake-exchange.ts'
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
})
