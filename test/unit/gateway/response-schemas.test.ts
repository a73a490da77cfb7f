/** Answers that do and do not fit the schema of their declaration. */
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import { bodyOf, call, documentOf, fixed, serve } from './fake-exchange.ts'

const order = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
const body = '{{action.result.args |> head}}'

/** What is answered when a procedure yields this, with the mode of `validate_responses`. */
async function answer(mode: string, value: unknown, schema: unknown = order) {
  const get = { ...call({}, { body, schema }), validate_responses: mode }
  const result = { request_id: 1, details: {}, args: [value], kwargs: {} }
  const { ask } = serve(documentOf({ '/x': { get } }), () => ({ result }))
  const reply = await ask('GET /v1/x')
  return { status: reply.status, body: bodyOf(reply), failure: reply.failure }
}

describe('an answer with a schema', () => {
  it('that fits goes out as it is', async () => {
    const { status, body } = await answer('enforce', { id: 7, more: true })
    expect({ status, body }).to.deep.equal({ status: 200, body: { id: 7, more: true } })
  })

  it('that does not fit is 500 without details, and the log tells where, without values', async () => {
    expect(await answer('enforce', { id: 'secret' })).to.deep.equal({
      status: 500,
      body: {
        code: 'service.error.response_mismatch',
        message: 'the response does not fit its schema',
        description: 'The response does not fit its schema.',
      },
      failure: {
        api_spec: 'com.example.test',
        version: '1.0',
        error: 'service.error.response_mismatch',
        reason: 'the response does not fit its schema',
        pointer: '/versions/1.0/paths/~1x/get/response/on_result/schema',
        mistakes: [{ pointer: '/id', keyword: 'type' }],
      },
    })
  })

  it('hides the names that its document does not write, wherever they stand', async () => {
    const prices = { type: 'object', additionalProperties: { type: 'object', required: ['net'] } }
    const schema = { properties: { prices } }
    const { failure } = await answer(
      'enforce',
      { prices: { secret: {}, 4111111111111111: {} } },
      schema,
    )
    expect(failure?.mistakes).to.deep.equal([
      { pointer: '/prices/*/net', keyword: 'required' },
      { pointer: '/prices/*/net', keyword: 'required' },
    ])
  })

  it('tells no name that the schema does not know', async () => {
    const schema = { type: 'object', additionalProperties: false }
    const { failure } = await answer('enforce', { secret: 1 }, schema)
    expect(failure?.mistakes).to.deep.equal([{ pointer: '/*', keyword: 'additionalProperties' }])
  })

  for (const mode of ['log', 'off']) {
    it(`goes out as it is under ${mode}, whether it fits or not`, async () => {
      const { status, body } = await answer(mode, { id: 'x' })
      expect({ status, body }).to.deep.equal({ status: 200, body: { id: 'x' } })
    })
  }

  it('is not checked where validate_responses says nothing', async () => {
    const { ask } = serve(
      documentOf({ '/x': { get: fixed('text', { schema: { type: 'null' } }) } }),
    )
    expect((await ask('GET /v1/x')).status).to.equal(200)
  })

  it('is checked where on_error declares the schema', async () => {
    const schema = { type: 'object', required: ['code'] }
    const outcome: Outcome = {
      error: { error_uri: 'com.example.no', args: [], kwargs: {}, details: {} },
    }
    const get = { ...call({}, {}, { schema, status_code: 404 }), validate_responses: 'enforce' }
    const { ask } = serve(documentOf({ '/x': { get } }), () => outcome)
    const reply = await ask('GET /v1/x')
    expect({ status: reply.status, mistakes: reply.failure?.mistakes }).to.deep.equal({
      status: 500,
      mistakes: [{ pointer: '/code', keyword: 'required' }],
    })
  })

  it('of an upstream is not checked where it is passed on', async () => {
    const get = {
      action: { type: 'forward', host: 'http://up.example' },
      response: { on_result: { schema: { type: 'null' } } },
      validate_responses: 'enforce',
    }
    const answer = { status_code: 200, headers: {}, body: Buffer.from('x'), length: 1 }
    const result = { status_code: 200, headers: {}, body: 'x', uri: '' }
    const { ask } = serve(documentOf({ '/x': { get } }), () => ({ result, answer }) as never)
    expect((await ask('GET /v1/x')).status).to.equal(200)
  })
})
