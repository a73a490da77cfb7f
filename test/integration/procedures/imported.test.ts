/** Procedures that an import makes of an OpenAPI document: calls of them reach the service that the document describes. */
import { expect } from 'chai'
import { importOpenApi } from '#component/openapi/import/import.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type Caller, openCaller, openService, realm, type Service } from './procedures.setup.ts'

const parameter = (name: string, within: string, more: object = {}) => ({
  ...{ name, in: within, required: within === 'path', schema: { type: 'string' } },
  ...more,
})
const ids = [parameter('id', 'path')]
const body = (type: string, schema: unknown, required = true) => ({
  requestBody: { required, content: { [type]: { schema } } },
})
const paths = {
  '/books/{id}': {
    get: {
      operationId: 'getBook',
      parameters: [
        ...ids,
        parameter('tags', 'query', { schema: { type: 'array', items: { type: 'string' } } }),
        parameter('page', 'query', { schema: { type: 'integer' } }),
        parameter('X-Tenant', 'header'),
      ],
    },
    put: {
      operationId: 'putBook',
      parameters: ids,
      ...body('application/json', { type: 'object', required: ['title'] }),
    },
    patch: { operationId: 'touchBook', parameters: ids, ...body('application/json', {}, false) },
  },
  '/covers/{id}': {
    put: {
      operationId: 'putCover',
      parameters: ids,
      ...body('image/png', { type: 'string', format: 'binary' }),
    },
  },
  '/forms': {
    post: {
      operationId: 'sendForm',
      ...body('application/x-www-form-urlencoded', { type: 'object' }),
    },
  },
}

describe('an imported procedure', () => {
  let gateway: TestGateway
  let service: Service
  let caller: Caller

  before(async () => {
    service = await openService(({ method, url, headers }, response, sent) => {
      const [type, tenant] = [headers['content-type'], headers['x-tenant']]
      const told = {
        ...{ method, url, body: sent.toString('latin1') },
        ...(type && { type }),
        ...(tenant && { tenant }),
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told))
    })
    gateway = await startGateway()
    const openapi = { openapi: '3.1.0', info: { title: 'Books', version: '1' }, paths }
    const options = { realm_uri: realm, isTurned: true, forward: new URL(`${service.origin}/v1`) }
    const judge = () => ({ issues: [], warnings: [] })
    await gateway.mustLoad(importOpenApi(openapi, options, judge).document as never)
    caller = await openCaller(gateway.routerUrl)
  })
  after(async () => {
    await caller?.close()
    service?.close()
    await gateway?.stop()
  })

  for (const [name, args, kwargs, expected] of [
    ['get.book', [], { id: '7 8' }, { method: 'GET', url: '/v1/books/7%208', body: '' }],
    [
      'get.book',
      [],
      { id: '7', tags: ['a b', 'c'], page: 2, 'x-tenant': 't' },
      { method: 'GET', url: '/v1/books/7?tags=a%20b&tags=c&page=2', body: '', tenant: 't' },
    ],
    [
      'put.book',
      [{ title: 'Walden' }],
      { id: '7' },
      {
        ...{ method: 'PUT', url: '/v1/books/7', body: '{"title":"Walden"}' },
        type: 'application/json',
      },
    ],
    ['touch.book', [], { id: '7' }, { method: 'PATCH', url: '/v1/books/7', body: '' }],
    [
      'put.cover',
      ['\0iVAA/w=='],
      { id: '7' },
      { method: 'PUT', url: '/v1/covers/7', body: '\x89P\0\xff', type: 'image/png' },
    ],
    [
      'send.form',
      [{ a: '1 2' }],
      {},
      {
        method: 'POST',
        url: '/v1/forms',
        body: 'a=1+2',
        type: 'application/x-www-form-urlencoded',
      },
    ],
  ] as const) {
    it(`asks the service as ${name} of ${JSON.stringify(kwargs)} says`, async () => {
      const answer = await caller.call(`${realm}.${name}`, args, kwargs)
      expect(answer).to.deep.equal({ args: [expected], kwargs: {} })
    })
  }

  for (const [name, args, kwargs, path] of [
    ['get.book', [], {}, '/kwargs/id'],
    ['get.book', [], { id: '7', page: 'x' }, '/kwargs/page'],
    ['put.book', [], { id: '7' }, '/args'],
    ['put.book', [{}], { id: '7' }, '/args/0/title'],
  ] as const) {
    it(`does not ask it as ${name} where ${path} does not fit`, async () => {
      const { error, kwargs: told } = await caller.call(`${realm}.${name}`, args, kwargs)
      expect(error).to.equal('wamp.error.invalid_argument')
      expect((told.errors as { path: string }[]).map((each) => each.path)).to.deep.equal([path])
    })
  }
})
