/** What a load says of the schemas of a document, and where. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { call, documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'

function load(document: object) {
  const { issues, warnings, api } = compileDocument(document, { callTimeout: 30_000 })
  return { issues, warnings, api }
}

const at = '/versions/1.0/paths/~1x~1:id'
const get = `${at}/get`
const only = (operation: object, path: object = {}, more: object = {}) =>
  load(documentOf({ '/x/:id': { ...path, get: { ...call(), ...operation } } }, more))
const pathsOf = (found: readonly { path: string }[]) => found.map(({ path }) => path)

describe('the schemas of a document', () => {
  it('may name what the pattern binds, base_path included', () => {
    const bindings = { properties: { id: {}, tenant: {} }, required: ['tenant'] }
    const document = documentOf(
      { '/x/:id': { request: { bindings }, get: fixed() } },
      {},
      { base_path: '/:tenant' },
    )
    expect(load(document).issues).to.deep.equal([])
  })

  it('may not name a binding that the pattern lacks', () => {
    const bindings = { properties: { di: {} }, required: ['other'] }
    expect(only({ request: { bindings } }).issues).to.deep.equal([
      {
        path: `${get}/request/bindings/properties/di`,
        message: 'the path /v1/x/:id does not bind "di"; did you mean "id"?',
      },
      {
        path: `${get}/request/bindings/required/0`,
        message: 'the path /v1/x/:id does not bind "other"',
      },
    ])
  })

  it('are followed to a named schema for that', () => {
    const schemas = { Names: { properties: { no: {} } } }
    const { issues } = only({}, { request: { bindings: { $ref: '#/schemas/Names' } } }, { schemas })
    expect(pathsOf(issues)).to.deep.equal([`${at}/request/bindings`])
  })

  it('of headers may not refuse further headers, and name them in lower case', () => {
    const headers = {
      additionalProperties: false,
      unevaluatedProperties: false,
      properties: { 'X-Tenant': {} },
    }
    const { issues } = only({ request: { headers } })
    expect(issues).to.deep.equal([
      {
        path: `${get}/request/headers/additionalProperties`,
        message:
          'additionalProperties is not allowed for headers: clients send headers that nobody has asked for',
      },
      {
        path: `${get}/request/headers/unevaluatedProperties`,
        message:
          'unevaluatedProperties is not allowed for headers: clients send headers that nobody has asked for',
      },
      {
        path: `${get}/request/headers/properties/X-Tenant`,
        message: 'expected the name of a header in lower case: "x-tenant"',
      },
    ])
  })

  it('must be known at load where an expression yields them', () => {
    const variables = { r: { on_result: { schema: { const: '{{request.id}}' } } } }
    const { issues } = only({ response: '{{variables.r}}' }, {}, { variables })
    expect(issues).to.deep.equal([
      {
        path: `${get}/response`,
        message:
          'on_result/schema must be known when the specification is loaded: it may not depend on the request',
      },
    ])
  })

  it('make a load say that a forward holds the body', () => {
    const post = {
      request: { body: {} },
      action: { type: 'forward', host: 'http://up.example' },
      response: {},
    }
    const { warnings } = load(documentOf({ '/y': { post } }))
    expect(warnings).to.deep.equal([
      {
        path: '/versions/1.0/paths/~1y/post',
        message:
          'the schema of the body makes the gateway read the body before it is forwarded: it is held in memory, up to body_max_bytes',
      },
    ])
  })

  it('make a load say which answers are not checked', () => {
    const response = { on_result: { schema: {} }, on_error: { schema: {} } }
    const forward = { action: { type: 'forward', host: 'http://up.example' }, response }
    const paths = { '/y': { get: forward, post: { ...call(), response } } }
    const { warnings } = load(documentOf(paths, { defaults: { validate_responses: 'log' } }))
    expect(warnings).to.deep.equal([
      {
        path: '/versions/1.0/paths/~1y/get/response/on_result/schema',
        message:
          'the response of the upstream is passed on unread, so it is not checked: declare a body to have it checked',
      },
      {
        path: '/versions/1.0/paths/~1y/get/response/on_error/schema',
        message:
          'errors of an upstream are passed on unread, so they are not checked: declare a body to have them checked',
      },
      {
        path: '/versions/1.0/paths/~1y/post/response/on_result/schema',
        message: 'there is nothing to check: without the key body a success has an empty body',
      },
    ])
  })

  it('under options are judged, and make a load say that they have no effect', () => {
    const options = { request: { query_params: { $ref: '#/schemas/None' } }, ...call() }
    const { issues, warnings } = load(documentOf({ '/y': { options } }))
    expect(pathsOf(issues)).to.deep.equal([
      '/versions/1.0/paths/~1y/options/request/query_params/$ref',
    ])
    expect(warnings).to.deep.equal([
      {
        path: '/versions/1.0/paths/~1y/options/request',
        message: 'it has no effect: OPTIONS requests are never checked',
      },
    ])
  })

  it('make a load say that body_required needs a body', () => {
    expect(only({ request: { body_required: true } }).warnings).to.deep.equal([
      { path: `${get}/request/body_required`, message: 'it has no effect without body' },
    ])
  })
})

describe('what a gateway must know to serve a document', () => {
  const checked = { request: { query_params: {} } }
  const answered = { validate_responses: 'enforce', ...fixed('x', { schema: {} }) }

  for (const [title, operation, features] of [
    ['nothing without schemas', fixed(), []],
    ['request', { ...fixed(), ...checked }, ['request']],
    ['schema', answered, ['schema']],
    ['both', { ...answered, ...checked }, ['request', 'schema']],
    [
      'nothing where requests are only logged',
      { validate_requests: 'log', ...fixed(), ...checked },
      [],
    ],
    ['nothing where answers are not checked', fixed('x', { schema: {} }), []],
  ] as const) {
    it(`is ${title}`, () => {
      expect(load(documentOf({ '/x': { get: operation } })).api?.features).to.deep.equal(features)
    })
  }
})
