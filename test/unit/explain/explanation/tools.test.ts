/** Explanations of messages to an endpoint for language models: which tool is called, and how its operation goes. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { explanationSchema } from '#component/explain/explanation/explanation-schema.ts'
import { askOf, callOf, type Sent } from '#test/unit/gateway/tools/fixture.ts'
import { explained as explain } from './explained.ts'

const isExplanation = new Ajv2020({ strict: false }).compile(explanationSchema)

const at = '/versions/1/paths/~1orders~1:id'
const read = '{{request.bindings.id}}'

const document = {
  ...{ id: 'com.example.tools', host: '_', realm_uri: 'com.example' },
  versions: {
    '1': {
      base_path: '/v1',
      mcp: { path: '/mcp', name: 'orders' },
      paths: {
        '/orders/:id': {
          put: {
            tool: {
              name: 'change_order',
              description: 'Changes an order.',
              input: {
                type: 'object',
                properties: { id: { type: 'string' }, amount: { type: 'integer' } },
                required: ['id'],
                additionalProperties: false,
              },
            },
            action: {
              type: 'wamp_call',
              procedure: 'com.example.order.change',
              args: [read],
              kwargs: '{{request.body}}',
            },
            response: { on_result: { body: '{{action.result.kwargs}}' }, on_error: {} },
          },
        },
        '/keys': {
          get: {
            tool: { name: 'list_keys', description: 'Lists keys.' },
            security: { type: 'api_key', header_name: 'X-Own-Key' },
            action: { type: 'static', body: [] },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
}

async function explained(sent: Sent, more: object = {}, headers: object = {}) {
  const ask = askOf(sent, headers)
  const request = {
    ...{ method: 'post', path: '/v1/mcp', body: JSON.parse(ask.body ?? '') },
    headers: { ...ask.headers },
  }
  const explanation = await explain({ request, ...more }, [document])
  isExplanation(JSON.parse(JSON.stringify(explanation)))
  expect(isExplanation.errors ?? []).to.deep.equal([])
  return explanation
}

/** The result in the answer. */
const resultIn = ({ response }: Awaited<ReturnType<typeof explained>>): unknown =>
  (response?.body as { readonly result?: unknown } | undefined)?.result

describe('the explanation of a call of a tool', () => {
  it('tells the tool, and what the request to its operation has of the arguments', async () => {
    const { matched } = await explained(callOf('change_order', { id: 'a/b', amount: 2 }))
    expect(matched).to.deep.include({
      path: '/versions/1/mcp/path',
      method: 'post',
      endpoint: 'mcp',
    })
    expect(matched?.tool).to.deep.equal({
      ...{ name: 'change_order', path: `${at}/put`, method: 'put', pattern: '/v1/orders/:id' },
      ...{ bindings: { id: 'a/b' }, query_params: {}, body: { amount: 2 } },
    })
  })

  it('tells what would be called, from which expressions, and the answer', async () => {
    const outcome = { result: { kwargs: { amount: 2 } } }
    const told = await explained(callOf('change_order', { id: '7', amount: 2 }), { outcome })
    expect(told.action).to.deep.include({
      ...{ type: 'wamp_call', procedure: 'com.example.order.change', would_be_refused: null },
      ...{ args: ['7'], kwargs: { amount: 2 }, callees: 1 },
    })
    expect(told.expressions.find(({ expression }) => expression === read)).to.deep.include({
      ...{ at: `${at}/put/action/args/0`, value: '7' },
    })
    expect(told.checks.map(({ step, passed }) => `${step} ${passed}`)).to.deep.equal([
      'content_type true',
      'body true',
      'scheme true',
      'arguments true',
    ])
    expect(told.rules).to.have.property('timeout')
    expect(told.response).to.deep.include({
      status: 200,
      from: {
        status: 'rule: the response to a call of a tool',
        body: `${at}/put/response/on_result/body`,
      },
    })
    expect(resultIn(told)).to.deep.include({ structuredContent: { amount: 2 } })
    expect(told.problem).to.equal(null)
  })

  it('tells each argument that does not fit, and calls nothing', async () => {
    const { checks, action, problem } = await explained(callOf('change_order', { id: '', more: 1 }))
    expect(checks.at(-1)).to.deep.equal({
      ...{ step: 'arguments', passed: false, at: `${at}/put/tool/input` },
      details: [
        { path: '/more', message: 'unknown property' },
        { path: '/id', message: 'must not be empty' },
      ],
    })
    expect(action).to.equal(null)
    expect(problem).to.deep.include({ status: 400, code: 'service.error.validation_failed' })
  })

  it('tells why a tool is not seen', async () => {
    const told = await explained(callOf('list_keys'))
    expect(told.matched?.tool?.name).to.equal('list_keys')
    expect(told.checks.at(-1)).to.deep.include({ step: 'security', type: 'api_key', passed: false })
    expect(told.action).to.equal(null)
    expect(told.problem).to.deep.include({ status: 401, code: 'service.error.unauthorized' })
    expect(told.response?.status).to.equal(401)
  })

  it('is made as a user, like that of a path', async () => {
    const told = await explained(callOf('list_keys'), { as: { authid: 'ada' } })
    expect(told.checks.find(({ step }) => step === 'security')).to.deep.include({ passed: true })
    expect(resultIn(told)).to.deep.include({ structuredContent: [] })
  })

  it('hides the key of a tool, and secrets among its arguments', async () => {
    const key = { 'x-own-key': 'gk_12345678' }
    const args = { id: 'gk_12345678', password: 'swordfish' }
    const told = JSON.stringify(await explained(callOf('change_order', args), {}, key))
    expect(told).to.not.include('gk_12345678')
    expect(told).to.not.include('swordfish')
  })

  it('has no tool where the message calls none that there is', async () => {
    for (const sent of [callOf('none'), { method: 'tools/list' }]) {
      const { matched, response, checks } = await explained(sent)
      expect(matched).to.include({ endpoint: 'mcp' })
      expect(matched).to.not.have.property('tool')
      expect({ response, checks }).to.deep.equal({ response: null, checks: [] })
    }
  })
})
