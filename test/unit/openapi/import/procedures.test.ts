/** OpenAPI operations as procedures: their URIs, their input, and the request that handles a call. */
import { expect } from 'chai'
import { at, imported, type Json } from './imported.ts'

const servers = [{ url: 'https://shop.example.com/v1' }]
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const query = (name: string, more: object = {}) => ({ name, in: 'query', ...more })

/** The import of one operation of `/a/{id}`. */
const turned = (operation: Json, parts: Json = {}, method = 'get') =>
  imported(
    {
      servers,
      paths: { '/a/{id}': { [method]: { operationId: 'find', parameters: [id], ...operation } } },
      ...parts,
    },
    { isTurned: true },
  )
const procedure = (found: ReturnType<typeof imported>, uri = 'com.example.find') =>
  at(found.document, 'procedures', uri)

describe('OpenAPI operations as procedures', () => {
  it('are a document of procedures only, at the first server', () => {
    const { document, issues, losses } = turned({})
    expect({ issues, losses }).to.deep.equal({ issues: [], losses: [] })
    expect(document).to.deep.equal({
      ...{ id: 'com.example.orders', name: 'Orders', realm_uri: 'com.example' },
      variables: { upstream: 'https://shop.example.com' },
      procedures: {
        'com.example.find': {
          input: {
            kwargs: {
              ...{ type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
            },
          },
          action: {
            ...{ type: 'forward', host: '{{variables.upstream}}', http_method: 'get' },
            path: '/v1/a/{{invocation.kwargs.id}}',
          },
        },
      },
    })
  })

  for (const [what, operation, path, expected] of [
    [
      'query parameters',
      { parameters: [id, query('q', { required: true }), query('a b')] },
      ['action', 'query_string'],
      "{{invocation.kwargs |> with([q, 'a b']) |> url:form}}",
    ],
    [
      'what is required',
      { parameters: [id, query('q', { required: true }), query('p')] },
      ['input', 'kwargs', 'required'],
      ['id', 'q'],
    ],
    [
      'header parameters, of which an empty one is not sent',
      {
        parameters: [
          id,
          { name: 'X-Tenant', in: 'header', required: true },
          { name: 'X-Other', in: 'header' },
        ],
      },
      ['action', 'headers'],
      {
        'x-tenant': '{{invocation.kwargs |> get(x-tenant)}}',
        'x-other': "{{invocation.kwargs |> get(x-other, '')}}",
      },
    ],
    [
      'a required body',
      { requestBody: { required: true, ...json({ type: 'object' }) } },
      ['input', 'args'],
      { type: 'array', minItems: 1, maxItems: 1, prefixItems: [{ type: 'object' }] },
    ],
    [
      'a body that may be left out',
      { requestBody: json({ type: 'object' }) },
      ['input', 'args'],
      { type: 'array', maxItems: 1, prefixItems: [{ type: 'object' }] },
    ],
    [
      'a body as the one argument',
      { requestBody: json(true) },
      ['action', 'body'],
      '{{invocation.args |> head}}',
    ],
    [
      'JSON before other types',
      { requestBody: { content: { 'text/plain': {}, 'application/json': {} } } },
      ['action', 'headers'],
      undefined,
    ],
    [
      'the type of a form',
      { requestBody: { content: { 'application/x-www-form-urlencoded': {} } } },
      ['action', 'headers', 'content-type'],
      'application/x-www-form-urlencoded',
    ],
    [
      'bytes of a range of types',
      { requestBody: { content: { 'image/*': {} } } },
      ['action', 'headers', 'content-type'],
      'application/octet-stream',
    ],
    ['texts for readers', { summary: 'One' }, ['summary'], 'One'],
  ] as const) {
    it(`have ${what}`, () => {
      const found = turned(operation as Json, {}, 'requestBody' in operation ? 'put' : 'get')
      expect(at(procedure(found), ...path)).to.deep.equal(expected)
    })
  }

  for (const [what, operation, parts, expected] of [
    [
      'a form with files, which is left out',
      { requestBody: { content: { 'multipart/form-data': {} } } },
      {},
      [['/paths/~1a~1{id}/put', 'a forward makes no body of the type multipart/form-data']],
    ],
    [
      'credentials that the service wants',
      {},
      { security: [{ key: [] }], components: { securitySchemes: { key: { type: 'http' } } } },
      [['/paths/~1a~1{id}/put/security', 'the service wants credentials']],
    ],
    ['no credentials of an open operation', { security: [] }, { security: [{ key: [] }] }, []],
    [
      'an operation that publishes',
      { 'x-wamp-topic': 'com.example.topic' },
      {},
      [['/paths/~1a~1{id}/put', 'it calls no procedure']],
    ],
    [
      'that an operation is deprecated',
      { deprecated: true },
      {},
      [['/paths/~1a~1{id}/put/deprecated', 'procedures do not tell it']],
    ],
    [
      'nothing of responses, which pass as they come',
      {
        responses: {
          200: { description: '', content: { 'text/event-stream': { itemSchema: {} } } },
        },
      },
      {},
      [],
    ],
  ] as const) {
    it(`tell ${what}`, () => {
      const { losses } = turned(operation as Json, parts as Json, 'put')
      const told = losses.filter(({ path }) => path.startsWith('/paths'))
      expect(told.map(({ path }) => path)).to.deep.equal(expected.map(([path]) => path))
      told.forEach(({ message }, index) => {
        expect(message).to.contain(expected[index]?.[1])
      })
    })
  }

  it('have one URI each: the second operation of a URI is left out, and told', () => {
    const operation = { 'x-wamp-procedure': 'com.example.find' }
    const paths = { '/a': { get: operation, post: operation } }
    const { document, losses } = imported({ servers, paths }, { isTurned: true })
    expect(at(document, 'procedures', 'com.example.find', 'action', 'http_method')).to.equal('get')
    expect(losses.map(({ path }) => path)).to.deep.equal(['/paths/~1a/post'])
  })

  it('keep the schemas that their input refers to', () => {
    const components = { schemas: { A: { type: 'string' }, B: { type: 'number' } } }
    const ref = (name: string) => json({ $ref: `#/components/schemas/${name}` })
    const operation = {
      requestBody: ref('A'),
      responses: { 200: { description: '', ...ref('B') } },
    }
    const { document } = turned(operation, { components }, 'put')
    expect(Object.keys(document.schemas as object)).to.deep.equal(['A'])
  })

  it('are handled at --forward, whose path stands in place of that of the server', () => {
    const { document } = imported(
      { servers, paths: { '/a': { get: { operationId: 'find' } } } },
      { isTurned: true, forward: new URL('http://127.0.0.1:9000/api/') },
    )
    expect(document.variables).to.deep.equal({ upstream: 'http://127.0.0.1:9000' })
    expect(at(document, 'procedures', 'com.example.find', 'action', 'path')).to.equal('/api/a')
  })

  for (const [what, parts, path] of [
    ['a server without a host', { servers: [{ url: '/v1' }] }, '/servers'],
    ['no server', { servers: [] }, '/servers'],
    ['no operation', { paths: {} }, '/paths'],
  ] as const) {
    it(`need more than a document with ${what}`, () => {
      expect(turned({}, parts).issues.map((issue) => issue.path)).to.deep.equal([path])
    })
  }
})
