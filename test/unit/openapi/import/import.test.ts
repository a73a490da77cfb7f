/** OpenAPI documents as API Specifications: their names, addresses and actions. */
import { expect } from 'chai'
import { at, get, imported, pathOf } from './imported.ts'

describe('An import of an OpenAPI document', () => {
  it('names the API Specification by realm and title, and its version by the version', () => {
    expect(
      imported({ servers: [{ url: 'https://api.example.com/v1/' }], paths: {} }).document,
    ).to.deep.equal({
      id: 'com.example.orders',
      name: 'Orders',
      host: '_',
      realm_uri: 'com.example',
      versions: { '1.0': { base_path: '/v1', info: { title: 'Orders' }, paths: {} } },
    })
  })

  it('takes id and host from the options', () => {
    const { document } = imported({ paths: {} }, { id: 'mine', host: 'api.example.com' })
    expect(document).to.include({ id: 'mine', host: 'api.example.com' })
  })

  it('fills the variables of the first server with their defaults, and tells further servers', () => {
    const { document, losses } = imported({
      servers: [
        { url: '/{stage}/v2', variables: { stage: { default: 'live' } } },
        { url: 'https://other.example.com' },
      ],
    })
    expect(at(document, 'versions', '1.0', 'base_path')).to.equal('/live/v2')
    expect(losses.map(({ path }) => path)).to.deep.equal([
      '/servers/1',
      '/servers/0/variables/stage',
    ])
  })

  it('publishes contact, license, terms and tags', () => {
    const { document } = imported({
      info: {
        title: 'Orders',
        version: '1.0',
        contact: { email: 'a@b.c' },
        license: { name: 'MIT' },
        termsOfService: 'https://x',
      },
      tags: [{ name: 'orders', description: 'All.' }],
    })
    expect(at(document, 'versions', '1.0', 'openapi')).to.deep.equal({
      contact: { email: 'a@b.c' },
      license: { name: 'MIT' },
      terms_of_service: 'https://x',
      tags: [{ name: 'orders', description: 'All.' }],
    })
  })

  it('calls a procedure of the prefix and the words of the operationId', () => {
    const rows = [
      ['getOrderById', 'com.example.get.order.by.id'],
      ['orders/list-all', 'com.example.orders.list.all'],
      ['HTTPServerInfo_v2', 'com.example.http.server.info.v2'],
    ]
    for (const [operationId = '', procedure] of rows)
      expect(at(get({ operationId }).operation, 'action', 'procedure')).to.equal(procedure)
  })

  it('calls a procedure of method and path where there is no operationId', () => {
    const found = imported(
      { paths: { '/orders/{id}': { put: { parameters: [] } } } },
      { prefix: 'shop' },
    )
    expect(at(pathOf(found, '/orders/{id}'), 'put', 'action', 'procedure')).to.equal(
      'shop.put.orders.id',
    )
  })

  it('keeps an operationId in the characters that the gateway has, and only once', () => {
    const found = imported({
      paths: { '/a': { get: { operationId: 'meta/root' }, put: { operationId: 'meta root' } } },
    })
    expect(at(pathOf(found, '/a'), 'get', 'operation_id')).to.equal('meta_root')
    expect(at(pathOf(found, '/a'), 'put')).not.to.have.property('operation_id')
    expect(found.losses.map(({ path }) => path)).to.include.members([
      '/paths/~1a/get/operationId',
      '/paths/~1a/put/operationId',
    ])
  })

  it('sends bindings and declared query parameters as kwargs, and the body as the only argument', () => {
    const found = imported({
      paths: {
        '/orders/{id}': {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          patch: {
            parameters: [
              { name: 'dry', in: 'query', schema: { type: 'boolean' } },
              { name: "it's", in: 'query', schema: { type: 'string' } },
            ],
            requestBody: {
              required: true,
              content: { 'application/json': { schema: { type: 'object' } } },
            },
          },
        },
      },
    })
    expect(at(pathOf(found, '/orders/{id}'), 'patch', 'action')).to.deep.equal({
      type: 'wamp_call',
      procedure: 'com.example.patch.orders.id',
      args: ['{{request.body}}'],
      kwargs: "{{request.query_params |> with([dry, 'it''s']) |> merge({{request.bindings}})}}",
    })
    expect(at(pathOf(found, '/orders/{id}'), 'request')).to.deep.equal({
      bindings: { type: 'object', properties: { id: { type: 'integer' } } },
    })
  })

  it('publishes to x-wamp-topic, calls x-wamp-procedure, and lays x-wamp-gateway over the operation', () => {
    expect(at(get({ 'x-wamp-topic': 'com.t' }).operation, 'action')).to.deep.equal({
      type: 'wamp_publish',
      topic: 'com.t',
    })
    const { operation } = get({
      'x-wamp-procedure': 'com.p',
      'x-wamp-gateway': { timeout: 5, hidden: true },
    })
    expect(operation).to.deep.include({
      timeout: 5,
      hidden: true,
      action: { type: 'wamp_call', procedure: 'com.p' },
    })
  })

  it('forwards to a URL in place of the server', () => {
    const forwarded = (url: string, template = '/files/{name}', pattern = template) => {
      const paths = { [template]: { get: {} } }
      const found = imported({ servers: [{ url: '/v1' }], paths }, { forward: new URL(url) })
      expect(at(found.document, 'variables', 'upstream')).to.equal(new URL(url).origin)
      return at(pathOf(found, pattern), 'get', 'action')
    }
    const host = '{{variables.upstream}}'
    expect(forwarded('http://127.0.0.1:8080/v1')).to.deep.equal({ type: 'forward', host })
    expect(forwarded('http://127.0.0.1:8080')).to.deep.equal({
      type: 'forward',
      host,
      strip_prefix: '/v1',
    })
    expect(forwarded('https://up.example.com/x/')).to.deep.equal({
      ...{ type: 'forward', host, path: '/x/files/{{request.bindings.name}}' },
    })
    expect(forwarded('https://up.example.com/x/', '/', '/[_]')).to.deep.equal({
      ...{ type: 'forward', host, path: '/x/' },
    })
  })

  // where the path of the upstream is written, a segment that may be absent makes two paths
  const written: readonly (readonly [what: string, options: object, paths: readonly string[]])[] = [
    [
      'a forward to a path',
      { forward: new URL('https://a.example/x') },
      ['', '/x/hats', '/x/hats/{{request.bindings.page}}'],
    ],
    ['a forward without one', { forward: new URL('https://a.example') }, ['[:page]']],
    ['calls', {}, ['[:page]']],
  ]
  for (const [what, options, [merged, ...sent]] of written) {
    it(`keeps the optional segment of an export unless its absence has to be written: ${what}`, () => {
      const operation = { get: { 'x-wamp-gateway': { pattern: '/v1/hats/[:page]' } } }
      const paths = { '/hats': operation, '/hats/{page}': operation }
      const found = imported({ servers: [{ url: '/v1' }], paths }, options)
      const patterns = merged === '' ? ['/hats', '/hats/{page}'] : [`/hats/${merged}`]
      expect(Object.keys(at(found.document, 'versions', '1.0', 'paths') as object)).to.deep.equal(
        patterns,
      )
      expect(at(found.document, 'versions', '1.0', 'base_path')).to.equal('/v1')
      const told = patterns.map((each) => at(pathOf(found, each), 'get', 'action', 'path'))
      expect(told.filter((each) => each !== undefined)).to.deep.equal(sent)
    })
  }

  it('writes both paths of the optional segment of an export for procedures', () => {
    const operation = { get: { 'x-wamp-gateway': { pattern: '/hats/[:page]' } } }
    const paths = { '/hats': operation, '/hats/{page}': operation }
    const { document } = imported(
      { paths },
      { isTurned: true, forward: new URL('https://a.example') },
    )
    expect(JSON.stringify(document)).to.not.include('[:page]')
    expect(Object.keys(document.procedures as object)).to.have.length(2)
  })

  it('reads the export for operators back: pattern, procedure and what is hidden', () => {
    const hats = {
      operationId: 'hats',
      'x-wamp-gateway': {
        action: 'wamp_call',
        procedure: 'com.hats',
        pattern: '/[v1]/hats/[:page]/:_',
        hidden: true,
      },
    }
    const parameters = ['page', '_1'].map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }))
    const { document, losses } = imported({
      paths: {
        '/hats/{page}/{_1}': { get: { ...hats, parameters } },
        '/hats/{_1}': { get: { ...hats, operationId: 'hats_2', parameters: parameters.slice(1) } },
      },
    })
    expect(at(document, 'versions', '1.0', 'base_path')).to.equal('/[v1]')
    expect(at(document, 'versions', '1.0', 'paths')).to.deep.equal({
      '/hats/[:page]/:_': {
        request: { bindings: { type: 'object', properties: { page: { type: 'string' } } } },
        get: {
          operation_id: 'hats',
          action: { type: 'wamp_call', procedure: 'com.hats', kwargs: '{{request.bindings}}' },
          response: { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} },
          hidden: true,
        },
      },
    })
    expect(losses).to.deep.equal([])
  })

  const optional = [
    ['the base path itself', '/v1/a', '/[x]', ['/a', '/x', '/']],
    ['several optional segments', '/v1/a', '/[a]/[b]', ['/a', '/a/b', '/b', '/']],
    ['an optional binding', '/[v1]/a', '/[:x]', ['/a', '/{x}', '/']],
  ] as const
  for (const [what, first, pattern, templates] of optional) {
    it(`reads the export of a pattern back: ${what}`, () => {
      const base = first.slice(0, -2)
      const paths = Object.fromEntries(
        templates.map((template, index) => {
          const whole = index === 0 ? first : base + pattern
          return [template, { get: { 'x-wamp-gateway': { pattern: whole } } }]
        }),
      )
      const { document } = imported({ paths })
      expect(at(document, 'versions', '1.0', 'base_path')).to.equal(base)
      const found = at(document, 'versions', '1.0', 'paths') as object
      expect(Object.keys(found)).to.deep.equal(['/a', pattern])
    })
  }
})
