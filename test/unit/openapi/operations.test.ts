/** Parameters and bodies of an operation in a description, and what operators see of it. */
import { expect } from 'chai'
import { call, documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { anyOf, describeDocument, operationOf, type Seen } from './describe.ts'

const parametersOf = (operation: object, how?: Parameters<typeof operationOf>[1]): Seen[] =>
  operationOf(operation, how).parameters ?? []

const text = { type: 'string' }

describe('the parameters of an operation', () => {
  it('are the bindings of its pattern, as texts', () => {
    expect(parametersOf(call(), { pattern: '/:a/:_' })).to.deep.equal([
      { name: 'a', in: 'path', required: true, schema: text },
      { name: '_1', in: 'path', required: true, schema: text },
    ])
  })

  it('are the query parameters and headers that an expression reads, as optional texts', () => {
    const kwargs = {
      limit: '{{request.query_params.limit}}',
      all: '{{request.query_lists.tag}}',
      page: 'p{{request.headers.x-page}}',
      q: '{{request.query_params |> get(q, none)}}',
    }
    expect(parametersOf(call({ kwargs }))).to.deep.equal([
      { name: 'limit', in: 'query', schema: text },
      { name: 'tag', in: 'query', schema: text },
      { name: 'q', in: 'query', schema: text },
      { name: 'x-page', in: 'header', schema: text },
    ])
  })

  it('are not the headers that OpenAPI has other places for, nor credentials', () => {
    const kwargs = {
      a: '{{request.headers.accept}}',
      b: '{{request.headers.authorization}}',
      c: '{{request.headers.x-key}}',
    }
    const security = { type: 'api_key', header_name: 'X-Key' }
    expect(parametersOf({ ...call({ kwargs }), security })).to.deep.equal([])
  })

  it('are the properties of their schemas, with what these say', () => {
    const request = {
      bindings: { properties: { id: { type: 'integer', description: 'The order.' } } },
      query_params: {
        type: 'object',
        additionalProperties: false,
        required: ['limit', 'since'],
        properties: {
          limit: { type: 'integer', default: 20 },
          since: { type: 'string', format: 'date' },
          state: { type: 'array', items: { enum: ['open', 'sent'] } },
          old: { type: 'string', deprecated: true },
        },
      },
      headers: { properties: { 'x-page': { type: 'integer' } } },
    }
    const operation = { ...call({ kwargs: { a: '{{request.query_params.unread}}' } }), request }
    expect(parametersOf(operation, { pattern: '/:id' })).to.deep.equal([
      {
        ...{ name: 'id', in: 'path', required: true, description: 'The order.' },
        schema: { type: 'integer', description: 'The order.' },
      },
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } },
      { name: 'since', in: 'query', required: true, schema: { type: 'string', format: 'date' } },
      {
        ...{ name: 'state', in: 'query', style: 'form', explode: true },
        schema: { type: 'array', items: { enum: ['open', 'sent'] } },
      },
      { name: 'old', in: 'query', deprecated: true, schema: { type: 'string', deprecated: true } },
      { name: 'x-page', in: 'header', schema: { type: 'integer' } },
    ])
  })

  it('are found behind references and allOf', () => {
    const schemas = {
      Paging: { type: 'object', required: ['page'], properties: { page: { $ref: '#/schemas/N' } } },
      N: { type: 'integer' },
    }
    const query_params = {
      allOf: [{ $ref: '#/schemas/Paging' }, { properties: { q: { type: 'string' } } }],
    }
    const request = { query_params }
    expect(parametersOf({ ...call(), request }, { more: { schemas } })).to.deep.equal([
      {
        ...{ name: 'page', in: 'query', required: true },
        schema: { $ref: '#/components/schemas/N' },
      },
      { name: 'q', in: 'query', schema: text },
    ])
  })

  it('are those of the path where the operation says nothing', () => {
    const path = { request: { query_params: { properties: { a: text } } } }
    expect(parametersOf(call(), { path })).to.deep.equal([{ name: 'a', in: 'query', schema: text }])
  })

  it('are those of an operation that a variable holds', () => {
    const request = { query_params: { properties: { a: { type: 'integer' } } } }
    const variables = { one: { ...call(), request } }
    const how = { more: { variables } }
    const document = documentOf({ '/x': { get: '{{variables.one}}' } }, how.more)
    expect(describeDocument(document).paths['/x'].get.parameters).to.deep.equal([
      { name: 'a', in: 'query', schema: { type: 'integer' } },
    ])
  })
})

describe('the body of a request', () => {
  const schema = { type: 'object', required: ['a'] }
  const reading = call({ args: ['{{request.body}}'] })

  for (const [what, method, operation, body] of [
    ['is absent where nothing reads it', 'get', call(), undefined],
    ['has no meaning in a GET', 'get', reading, undefined],
    ['is any value that an expression reads', 'post', reading, { content: anyOf({}) }],
    ['is what its schema says', 'post', { ...call(), request: { body: schema } }, required(schema)],
    [
      'is optional where it says so',
      'post',
      { ...call(), request: { body: schema, body_required: false } },
      { content: anyOf(schema) },
    ],
    [
      'has the types of accepts, each once',
      'post',
      { ...reading, accepts: ['application/json', 'application/json; charset=utf-8'] },
      { content: { 'application/json': { schema: {} } } },
    ],
    [
      'is of any type that is accepted',
      'post',
      { ...reading, accepts: ['image/*', 'application/vnd.api+json'] },
      { content: { 'image/*': { schema: {} }, 'application/vnd.api+json': { schema: {} } } },
    ],
    [
      'is told where it is streamed',
      'put',
      { ...call(), accepts: ['video/mp4'], body: 'stream' },
      { content: { 'video/mp4': { schema: {} } } },
    ],
    [
      'of a form has the files that are read',
      'post',
      {
        ...call({ args: ['{{request.files.cover.content}}', '{{request.file_lists.more}}'] }),
        accepts: ['multipart/form-data'],
        request: { body: { type: 'object', properties: { title: { type: 'string' } } } },
      },
      {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: {
                title: { type: 'string' },
                cover: { type: 'string', format: 'binary' },
                more: { type: 'array', items: { type: 'string', format: 'binary' } },
              },
            },
          },
        },
      },
    ],
    [
      'is anything where an upstream gets it unread',
      'post',
      { action: { type: 'forward', host: 'localhost:1' }, response: {} },
      { content: { '*/*': { schema: {} } } },
    ],
  ] as const) {
    it(what, () => {
      expect(operationOf(operation, { method }).requestBody).to.deep.equal(body)
    })
  }
})

function required(schema: object) {
  return { required: true, content: anyOf(schema) }
}

describe('the view of operators', () => {
  const viewOf = (action: object, more: object = {}) => {
    const operation = { action, response: {}, ...more }
    const document = documentOf({ '/x': { get: operation } })
    return describeDocument(document, { isInternal: true }).paths['/x'].get['x-wamp-gateway']
  }

  for (const [action, seen] of [
    [
      { type: 'wamp_call', procedure: 'com.a' },
      { action: 'wamp_call', procedure: 'com.a' },
    ],
    [
      { type: 'wamp_publish', topic: 'com.a' },
      { action: 'wamp_publish', topic: 'com.a' },
    ],
    [
      { type: 'forward', host: 'a.example' },
      { action: 'forward', host: 'a.example' },
    ],
    [{ type: 'static', body: 'a' }, { action: 'static' }],
    [
      { type: 'wamp_call', procedure: 'com.{{request.bindings.id}}' },
      { action: 'wamp_call', procedure: 'com.{{request.bindings.id}}' },
    ],
  ] as const) {
    it(`says what lies behind ${JSON.stringify(action)}`, () => {
      const document = documentOf({ '/:id': { get: { action, response: {} } } })
      const { paths } = describeDocument(document, { isInternal: true })
      expect(paths['/{id}'].get['x-wamp-gateway']).to.deep.equal({ ...seen, pattern: '/v1/:id' })
    })
  }

  it('has hidden operations', () => {
    expect(viewOf({ type: 'static' }, { hidden: true })).to.deep.equal({
      action: 'static',
      pattern: '/v1/x',
      hidden: true,
    })
  })

  it('is not that of the public', () => {
    const document = documentOf({ '/x': { get: call() } })
    expect(JSON.stringify(describeDocument(document))).not.to.contain('x-wamp-gateway"')
  })
})

describe('schemas of the document', () => {
  it('refer to their new place, and data that looks like a reference stays', () => {
    const schemas = {
      A: {
        properties: { $ref: { $ref: '#/schemas/B' }, const: { $ref: '#/schemas/B/items' } },
        items: { anyOf: [{ $ref: '#/schemas/A' }] },
        oneOf: [true],
        examples: [{ $ref: '#/schemas/B' }],
        discriminator: { propertyName: 'a', mapping: { b: '#/schemas/B', c: 'other' } },
      },
      B: { type: 'array', items: { type: 'string' } },
    }
    const { components } = describeDocument(documentOf({}, { schemas }))
    expect(components.schemas.A).to.deep.equal({
      properties: {
        $ref: { $ref: '#/components/schemas/B' },
        const: { $ref: '#/components/schemas/B/items' },
      },
      items: { anyOf: [{ $ref: '#/components/schemas/A' }] },
      oneOf: [true],
      examples: [{ $ref: '#/schemas/B' }],
      discriminator: { propertyName: 'a', mapping: { b: '#/components/schemas/B', c: 'other' } },
    })
  })
})

describe('an operation that is a tool', () => {
  const tool = { name: 'get_x', description: 'Gets x.' }
  const toolOf = (version: object) =>
    describeDocument(documentOf({ '/x': { get: { ...call(), tool } } }, {}, version)).paths['/x']
      .get['x-mcp-tool']

  it('names it as x-mcp-tool, where the version has an endpoint for language models', () => {
    expect(toolOf({ mcp: { path: '/mcp' } })).to.equal('get_x')
    expect(toolOf({})).to.equal(undefined)
  })
})
