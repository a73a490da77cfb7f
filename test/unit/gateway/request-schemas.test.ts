/** Requests that do and do not fit the schemas of their operation, and what expressions see of them. */
import { expect } from 'chai'
import { type Ask, bodyOf, call, documentOf, serve } from './fake-exchange.ts'

const schemas = {
  Item: {
    type: 'object',
    required: ['sku', 'count'],
    additionalProperties: false,
    properties: {
      sku: { type: 'string', pattern: '^[A-Z0-9-]{3,20}$' },
      count: { type: 'integer', minimum: 1, maximum: 1000 },
    },
  },
  NewOrder: {
    type: 'object',
    required: ['customer', 'items'],
    properties: {
      customer: { type: 'string', format: 'uuid' },
      items: { type: 'array', minItems: 1, maxItems: 100, items: { $ref: '#/schemas/Item' } },
    },
  },
}

const list = {
  request: {
    query_params: {
      type: 'object',
      additionalProperties: false,
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        state: { type: 'array', items: { enum: ['open', 'sent'] } },
      },
    },
  },
  ...call({ kwargs: '{{request.query_params}}' }),
}
const create = {
  request: { body: { $ref: '#/schemas/NewOrder' } },
  ...call({ args: ['{{request.body}}'] }),
}
const orders = documentOf(
  {
    '/orders': { get: list, post: create },
    '/orders/:id': {
      request: {
        bindings: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } },
      },
      get: call({ args: ['{{request.bindings.id}}', 'order-{{request.bindings.id}}'] }),
    },
  },
  { schemas },
)

/** The answer to a request, and the arguments of the call that it has set off. */
async function ask(document: object, line: string, more?: Ask) {
  const { ask, performed } = serve(document)
  const reply = await ask(line, more)
  const { args, kwargs } = performed[0]?.fields ?? {}
  return { status: reply.status, body: bodyOf(reply), reply, calls: performed.length, args, kwargs }
}

describe('a request with schemas', () => {
  it('is refused with every mistake, and performs nothing', async () => {
    const body = JSON.stringify({ customer: 7, items: [{ sku: 'a', count: 0, x: 1 }] })
    const { reply, ...refused } = await ask(orders, 'POST /v1/orders', { body })
    expect(refused).to.deep.equal({
      status: 400,
      body: {
        code: 'service.error.validation_failed',
        message: '4 mistakes, the first at /body/customer: must be string',
        description: 'The request does not fit its schema.',
        details: [
          { path: '/body/customer', message: 'must be string' },
          { path: '/body/items/0/x', message: 'unknown property' },
          { path: '/body/items/0/sku', message: 'must match pattern "^[A-Z0-9-]{3,20}$"' },
          { path: '/body/items/0/count', message: 'must be >= 1' },
        ],
      },
      calls: 0,
      args: undefined,
      kwargs: undefined,
    })
    expect(reply.failure).to.equal(undefined)
  })

  it('that fits is served as without them', async () => {
    const order = {
      customer: '6e6f6e65-0000-4000-8000-000000000000',
      items: [{ sku: 'ABC', count: 1 }],
    }
    const { status, args } = await ask(orders, 'POST /v1/orders', { body: JSON.stringify(order) })
    expect({ status, args }).to.deep.equal({ status: 204, args: [order] })
  })

  it('without a body needs one', async () => {
    const { status, body } = await ask(orders, 'POST /v1/orders')
    expect(status).to.equal(400)
    expect(body).to.deep.include({
      message: '1 mistake, at /body: is required',
      details: [{ path: '/body', message: 'is required' }],
    })
  })

  it('may lack the body where body_required is false', async () => {
    const post = { ...create, request: { ...create.request, body_required: false } }
    const { status } = await ask(documentOf({ '/x': { post } }, { schemas }), 'POST /v1/x')
    expect(status).to.equal(204)
  })

  it('is told about all parts at once, in their order', async () => {
    const text = { type: 'object', required: ['x-tenant'] }
    const any = { type: 'object', properties: { n: { type: 'integer' } } }
    const request = { bindings: any, query_params: any, headers: text, body: any }
    const post = { request, ...call() }
    const { body } = await ask(documentOf({ '/:n': { post } }), 'POST /v1/a?n=b', {
      body: '{"n":"c"}',
    })
    expect((body as { details: { path: string }[] }).details.map(({ path }) => path)).to.deep.equal(
      ['/bindings/n', '/query_params/n', '/headers/x-tenant', '/body/n'],
    )
  })

  it('is told in problem+json, too', async () => {
    const headers = { accept: 'application/problem+json, application/json;q=0.5' }
    const { body } = await ask(orders, 'GET /v1/orders/a', { headers })
    expect(body).to.deep.include({
      status: 400,
      title: 'The request does not fit its schema.',
      details: [{ path: '/bindings/id', message: 'must be integer' }],
    })
  })

  it('is checked for HEAD as for GET, and never for OPTIONS', async () => {
    const paths = {
      '/orders/:id': {
        ...(orders.versions['1.0'].paths['/orders/:id' as never] as object),
        options: call(),
      },
    }
    const document = documentOf(paths)
    expect((await ask(document, 'HEAD /v1/orders/a')).status).to.equal(400)
    expect((await ask(document, 'OPTIONS /v1/orders/a')).status).to.equal(200)
  })
})

describe('texts of a request', () => {
  it('become the types of their schema, with every digit', async () => {
    const small = await ask(orders, 'GET /v1/orders/42')
    expect(small.args).to.deep.equal([42, 'order-42'])
    const { args } = await ask(orders, 'GET /v1/orders/9007199254740993')
    expect(args).to.deep.equal([9007199254740993n, 'order-9007199254740993'])
  })

  it('become lists, and defaults take the place of absent ones', async () => {
    expect((await ask(orders, 'GET /v1/orders')).kwargs).to.deep.equal({ limit: 20 })
    expect((await ask(orders, 'GET /v1/orders?state=open&limit=5')).kwargs).to.deep.equal({
      limit: 5,
      state: ['open'],
    })
    const twice = await ask(orders, 'GET /v1/orders?state=open&state=sent')
    expect(twice.kwargs).to.deep.equal({ limit: 20, state: ['open', 'sent'] })
  })

  for (const [query, path] of [
    ['limit=', '/query_params/limit'],
    ['limit=5.0', '/query_params/limit'],
    ['limit=05', '/query_params/limit'],
    ['limit=101', '/query_params/limit'],
    ['state=open,sent', '/query_params/state/0'],
    ['secret=1', '/query_params/secret'],
  ]) {
    it(`${query} does not fit`, async () => {
      const { status, body, calls } = await ask(orders, `GET /v1/orders?${query}`)
      expect({ status, calls }).to.deep.equal({ status: 400, calls: 0 })
      expect(
        (body as { details: { path: string }[] }).details.map((one) => one.path),
      ).to.deep.equal([path])
    })
  }

  it('of headers are read for the check alone', async () => {
    const request = {
      headers: { type: 'object', properties: { 'x-page': { type: 'integer', minimum: 1 } } },
    }
    const get = { request, ...call({ args: ['{{request.headers.x-page}}'] }) }
    const document = documentOf({ '/x': { get } })
    expect((await ask(document, 'GET /v1/x', { headers: { 'x-page': '2' } })).args).to.deep.equal([
      '2',
    ])
    expect((await ask(document, 'GET /v1/x', { headers: { 'x-page': '0' } })).status).to.equal(400)
  })

  it('reach a forward without query_string as they came', async () => {
    const get = {
      ...list,
      action: {
        type: 'forward',
        host: 'http://up.example',
        path: '/{{request.query_params.limit}}',
      },
    }
    const { ask, performed } = serve(documentOf({ '/x': { get } }), () => ({
      result: { status_code: 200, headers: {}, body: '', uri: '' },
    }))
    await ask('GET /v1/x?state=open')
    expect(performed[0]?.run.request.query_string).to.equal('state=open')
    expect(performed[0]?.fields.path).to.equal('/20')
  })

  it('of a JSON body are never read', async () => {
    const body = { type: 'object', properties: { n: { type: 'integer', default: 5 } } }
    const post = { request: { body }, ...call({ args: ['{{request.body}}'] }) }
    const document = documentOf({ '/x': { post } })
    expect((await ask(document, 'POST /v1/x', { body: '{"n":"7"}' })).status).to.equal(400)
    expect((await ask(document, 'POST /v1/x', { body: '{}' })).args).to.deep.equal([{}])
  })
})

describe('validate_requests', () => {
  for (const mode of ['log', 'off']) {
    it(`${mode} answers as if there were no schemas`, async () => {
      const { status, kwargs } = await ask(
        { ...orders, defaults: { validate_requests: mode } },
        'GET /v1/orders?limit=no&x=1',
      )
      expect({ status, kwargs }).to.deep.equal({ status: 200, kwargs: { limit: 'no', x: '1' } })
    })
  }

  it('of an operation stands before the one of its path, and that before defaults', async () => {
    const get = { ...list, validate_requests: 'enforce' }
    const document = documentOf(
      { '/x': { validate_requests: 'off', get, post: list } },
      { defaults: { validate_requests: 'log' } },
    )
    expect((await ask(document, 'GET /v1/x?limit=no')).status).to.equal(400)
    expect((await ask(document, 'POST /v1/x?limit=no')).status).to.equal(204)
  })

  it('may be an expression that is known at load', async () => {
    const document = {
      ...orders,
      variables: { mode: 'off' },
      defaults: { validate_requests: '{{variables.mode}}' },
    }
    expect((await ask(document, 'GET /v1/orders?limit=no')).status).to.equal(200)
  })
})

describe('the schemas of a path', () => {
  const path = {
    request: {
      bindings: { properties: { id: { type: 'integer' } } },
      query_params: { properties: { page: { type: 'integer' } } },
    },
    get: call(),
    delete: { request: { query_params: true }, ...call() },
  }
  const document = documentOf({ '/:id': path })

  it('hold for its operations, unless one has a schema for the same part', async () => {
    expect((await ask(document, 'GET /v1/1?page=x')).status).to.equal(400)
    expect((await ask(document, 'DELETE /v1/1?page=x')).status).to.equal(204)
    expect((await ask(document, 'DELETE /v1/x?page=x')).status).to.equal(400)
  })

  it('are one object for operations with equal ones', () => {
    const { api } = serve(documentOf({ '/a/:id': path, '/b/:id': path }))
    const [a, b] = api.entries.map(({ routes }) => routes.get)
    expect(a?.kind === undefined && a?.checks).to.be.an('object')
    expect(a?.kind === undefined && a?.checks).to.equal(b?.kind === undefined && b?.checks)
  })

  it('hold for an operation that an expression yields', async () => {
    const variables = {
      op: { request: { query_params: { properties: { n: { type: 'integer' } } } }, ...call() },
    }
    const yielded = documentOf({ '/x': { get: '{{variables.op}}' } }, { variables })
    expect((await ask(yielded, 'GET /v1/x?n=x')).status).to.equal(400)
    expect((await ask(yielded, 'GET /v1/x?n=1')).status).to.equal(200)
  })
})
