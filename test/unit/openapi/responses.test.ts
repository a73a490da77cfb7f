/** The answers of an operation in a description. */
import { expect } from 'chai'
import { call, documentOf, fixed, issuesOf } from '#test/unit/gateway/fake-exchange.ts'
import { anyOf, describeDocument, operationOf, type Seen } from './describe.ts'

/** The answers that are no shared error. */
const ownResponses = (operation: object, method = 'get'): Seen => {
  const { responses } = operationOf(operation, { method })
  return Object.fromEntries(
    Object.entries(responses as Record<string, Seen>).filter(([, { $ref }]) => $ref === undefined),
  )
}

const forward = { type: 'forward', host: 'localhost:1' }

describe('the answer to a success', () => {
  for (const [what, method, operation, statuses] of [
    ['is the declared status', 'get', fixed('a', { status_code: 203 }), ['203']],
    ['is 200 for a fixed body', 'post', fixed('a'), ['200']],
    ['is 204 without a body', 'post', call(), ['204']],
    ['is 200 for a GET without a body', 'get', call(), ['200']],
    ['is 201 with a uri', 'post', call({}, { uri: '/a', body: 1 }), ['201']],
    ['is that of the upstream', 'get', { action: forward, response: {} }, ['2XX', 'default']],
    [
      'is computed',
      'get',
      call({}, { status_code: '{{action.result.kwargs.status}}' }),
      ['2XX', 'default'],
    ],
  ] as const) {
    it(what, () => {
      expect(Object.keys(ownResponses(operation, method))).to.deep.equal(statuses)
    })
  }

  it('has the schema of on_result in the types of provides', () => {
    const operation = call({}, { body: '{{action.result.args}}', schema: { type: 'array' } })
    expect(ownResponses(operation)['200'].content).to.deep.equal(anyOf({ type: 'array' }))
  })

  it('has the declared type', () => {
    const operation = fixed('a', { headers: { 'content-type': 'text/csv; charset=utf-8' } })
    expect(Object.keys(ownResponses(operation)['200'].content)).to.deep.equal(['text/csv'])
  })

  it('has no content where there is no body', () => {
    expect(ownResponses(call(), 'delete')).to.deep.equal({ '204': { description: 'No Content' } })
  })

  it('has the names of headers, and not their values', () => {
    const headers = { 'X-Secret': 'hunter2', 'x-page': '{{action.result.kwargs.page}}' }
    const operation = call({}, { headers, uri: '/a' })
    const seen = ownResponses(operation)['200']
    expect(Object.keys(seen.headers)).to.deep.equal(['X-Secret', 'X-Page', 'Location'])
    expect(JSON.stringify(seen)).not.to.contain('hunter2')
  })

  it('has no content in answer to HEAD', () => {
    const { responses } = operationOf(fixed('a'), { method: 'head' })
    expect(responses['200']).to.deep.equal({ description: 'OK' })
  })
})

describe('the errors of an operation', () => {
  const statusesOf = (operation: object, method = 'get'): string[] =>
    Object.keys(operationOf(operation, { method }).responses)

  it('are those of its route', () => {
    expect(statusesOf(fixed('a'))).to.deep.equal(['200', '406'])
    expect(statusesOf({ ...fixed('a'), security: { type: 'basic' } })).to.include.members([
      ...['401', '403', '429'],
    ])
    expect(statusesOf({ ...fixed('a'), schemes: ['https'] })).to.include('403')
    expect(statusesOf(fixed('a'), 'post')).to.include.members(['400', '408', '413', '415'])
    expect(statusesOf(fixed('{{request.id}}'))).to.include.members(['400', '500'])
  })

  it('are named after their status, and share their bodies', () => {
    const { responses } = operationOf(fixed('{{request.id}}'))
    expect(responses['500']).to.deep.equal({
      $ref: '#/components/responses/Error',
      description: 'Internal Server Error',
    })
  })

  it('are the statuses of status_codes for a call', () => {
    const status_codes = { 'com.example.gone': 410 }
    expect(statusesOf({ ...call(), status_codes })).to.include.members([
      ...['400', '403', '404', '410', '500', '501', '502', '503', '504'],
    ])
  })

  it('have the refusal of an open circuit where there is a circuit breaker', () => {
    const answerOf = (path: object) => operationOf(call(), { path }).responses['503']
    expect(answerOf({}).$ref).to.equal('#/components/responses/Error')
    const { content } = answerOf({ circuit_breaker: {} })
    expect(JSON.stringify(content)).to.include('#/components/schemas/ActionError')
  })

  it('have the refusal of an upstream without targets where a forward names one', () => {
    const answerOf = (to: object) =>
      JSON.stringify(
        operationOf({ action: { type: 'forward', ...to }, response: {} }, {}).responses['503'],
      )
    expect(answerOf({ host: 'http://10.0.0.5' })).to.include('components/responses/Error"')
    expect(answerOf({ upstream: 'billing' })).to.include('components/responses/ActionError"')
  })

  it('are problems first where the document declares them', () => {
    const paths = { '/a': { errors: 'problem', get: call() }, '/b': { get: call() } }
    const { components } = describeDocument(documentOf(paths))
    expect(Object.keys(components.responses)).to.deep.equal([
      ...['Error', 'ActionError', 'Error_2', 'ActionError_2'],
    ])
    const { content } = components.responses.ActionError
    expect(Object.keys(content)).to.deep.equal([
      ...['application/problem+json', 'application/json', 'application/msgpack'],
    ])
    expect(components.schemas.Problem.required).to.deep.equal(['title', 'status', 'code'])
    expect(components.schemas.Problem_2.required).to.include('message')
  })

  it('are the declared one', () => {
    expect(statusesOf(call({}, {}, { status_code: 422 }))).to.deep.equal([
      ...['200', '406', '422', '503', '504'],
    ])
    expect(statusesOf(call({}, {}, { status_code: '{{action.error.kwargs.a}}' }))).to.include(
      'default',
    )
  })

  it('share their responses', () => {
    const paths = { '/a': { get: call() }, '/b': { get: call() } }
    const { components } = describeDocument(documentOf(paths))
    expect(Object.keys(components.responses)).to.deep.equal(['Error', 'ActionError'])
    expect(Object.keys(components.schemas)).to.have.members(['Error', 'Problem', 'ActionError'])
  })

  it('leave names to the schemas of the document', () => {
    const schemas = { Error: { type: 'string' } }
    const { components } = describeDocument(documentOf({ '/a': { get: fixed('a') } }, { schemas }))
    expect(components.schemas.Error).to.deep.equal({ type: 'string' })
    expect(components.responses.Error.content['application/json'].schema).to.deep.equal({
      $ref: '#/components/schemas/Error_2',
    })
  })

  it('have the schema of on_error beside that of the gateway', () => {
    const schema = { type: 'object', title: 'Mine' }
    const { responses } = operationOf(call({}, {}, { body: 'a', schema }))
    expect(responses['404'].content['application/json'].schema).to.deep.equal({
      anyOf: [schema, { $ref: '#/components/schemas/Error' }],
    })
  })
})

describe('the errors of an action of deliveries', () => {
  const more = {
    deliveries: {
      sent: { topic: 'com.example.order', to: { url: 'https://shop.example.com/' } },
      own: { topic: 'com.example.order', to: { endpoints: {} } },
    },
  }
  const security = { type: 'basic' }
  const response = { on_result: {}, on_error: {} }
  const ofUser = ['400', '401', '403', '406', '429', '500', '503']
  for (const [action, errors] of [
    [
      { type: 'deliver', delivery: 'sent', topic: 'com.example.order' },
      ['400', '406', '413', '500', '503'],
    ],
    [{ do: 'list' }, ofUser],
    [{ do: 'add', url: 'https://ada.example' }, ofUser],
    [{ do: 'remove', id: 'ep_1' }, [...ofUser, '404']],
    [{ do: 'rotate', id: '{{request.query_params.id}}' }, [...ofUser, '404']],
  ] as const) {
    it(`are those that it has: ${JSON.stringify(action)}`, () => {
      const isEvent = 'type' in action
      const operation = isEvent
        ? { action, response: { on_result: { body: 'kept' }, on_error: {} } }
        : { action: { type: 'delivery_endpoint', delivery: 'own', ...action }, security, response }
      const { responses } = operationOf(operation, { more })
      const statuses = Object.keys(responses).filter((status) => Number(status) >= 400)
      expect(statuses).to.have.members(errors)
    })
  }
})

describe('what the author says of answers', () => {
  it('has schemas that are judged at load', () => {
    const responses = {
      '404': { schema: { $ref: '#/schemas/None' } },
      '409': { headers: { ETag: { schema: { pattern: '(?=a)' } } } },
    }
    const found = issuesOf(documentOf({ '/x': { get: { ...call(), responses } } }))
    const at = '/versions/1.0/paths/~1x/get/responses'
    expect(found.map(({ path }) => path)).to.have.members([
      `${at}/404/schema/$ref`,
      `${at}/409/headers/ETag/schema/pattern`,
    ])
  })

  it('stands in place of what is derived', () => {
    const responses = {
      '200': { description: 'The order.' },
      '404': { description: 'No order.', schema: { type: 'string' }, headers: { 'X-A': {} } },
      '409': { description: 'Sold.' },
    }
    const seen = operationOf({ ...call({}, { body: 'a' }), responses }).responses
    expect(seen['200'].description).to.equal('The order.')
    expect(seen['200'].content).to.deep.equal(anyOf({}))
    expect(seen['404']).to.deep.equal({
      description: 'No order.',
      headers: { 'X-A': { schema: { type: 'string' } } },
      content: anyOf({ type: 'string' }),
    })
    expect(seen['409'].content['application/json'].schema.anyOf).to.have.length(2)
  })
})
