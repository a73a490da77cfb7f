/** Tools of a document at load: their definitions, and what is wrong with them. */
import { expect } from 'chai'
import { compileSpec } from '#component/compile/compile.ts'
import type { ToolSet } from '#component/gateway/api.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { call, documentOf, fixed, issuesOf } from '#test/unit/gateway/fake-exchange.ts'
import { tool, toolsOf } from '#test/unit/gateway/tools/fixture.ts'

const compiled = (document: unknown) => {
  const { spec } = validateSpec(document)
  if (!spec) throw new Error('no specification')
  return compileSpec(spec, { callTimeout: 30_000 })
}

/** The tools of the only version. */
function setOf(document: unknown): ToolSet {
  const { api, issues } = compiled(document)
  const routes = api?.entries.flatMap((entry) => Object.values(entry.routes)) ?? []
  const found = routes.find(({ kind }) => kind === 'mcp')
  if (found?.kind !== 'mcp') throw new Error(JSON.stringify(issues))
  return found.tools
}

const warningsOf = (document: unknown) => compiled(document).warnings
const at = '/versions/1.0/paths'
const x = `${at}/~1x/get/tool`

const object = (more: object) => ({ type: 'object', ...more })
const one = (path: string, more: object = {}, operation: object = fixed()) =>
  toolsOf({ [path]: { get: tool('x', more, operation) } })

const nested = (levels: number): object =>
  levels === 1 ? { type: 'object' } : { type: 'object', not: nested(levels - 1) }

/** Title, document, JSON Pointer and message of its only issue. */
const rows: readonly (readonly [title: string, document: object, at: string, message: string])[] = [
  [
    'two tools of one name in a version',
    toolsOf({ '/x': { get: tool('x', {}, fixed()) }, '/y': { get: tool('x', {}, fixed()) } }),
    `${at}/~1y/get/tool/name`,
    `the tool name "x" is already used by ${x}/name`,
  ],
  [
    'input with type: "array"',
    one('/x', { input: { type: 'array' } }),
    `${x}/input/type`,
    'the arguments of a tool are a map: expected a schema with "type": "object"',
  ],
  [
    'an invalid schema',
    one('/x', { input: object({ properties: { a: { type: 'text' } } }) }),
    `${x}/input/properties/a/type`,
    'expected one of string, integer, number, boolean, array, object, null, or a list of them',
  ],
  [
    '$ref to elsewhere',
    one('/x', { input: object({ properties: { a: { $ref: 'https://a.example/s.json' } } }) }),
    `${x}/input/properties/a/$ref`,
    'expected a reference to a schema of this document: #/schemas/<name>',
  ],
  [
    'depth > 32',
    one('/x', { input: nested(33) }),
    `${x}/input${'/not'.repeat(32)}`,
    'the schema of a tool is nested at most 32 levels deep',
  ],
  [
    'depth > 32 of its output',
    one('/x', { output: nested(33) }),
    `${x}/output${'/not'.repeat(32)}`,
    'the schema of a tool is nested at most 32 levels deep',
  ],
  [
    '> 64 kB',
    one('/x', { input: object({ description: 'x'.repeat(65_536) }) }),
    `${x}/input`,
    'the schema of a tool has at most 65536 characters',
  ],
  [
    'a header field for an argument',
    one('/x', { input: object({ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }) }),
    `${x}/input/properties/a/x-mcp-header`,
    'x-mcp-header is not allowed: arguments are no headers',
  ],
  [
    'binding not in input.properties',
    one('/x/:id', { input: object({}) }),
    `${at}/~1x~1:id/get/tool/input/properties`,
    'the path /v1/x/:id binds "id": expected it among properties',
  ],
  [
    'binding not required',
    one('/x/:id', { input: object({ properties: { id: { type: 'string' } } }) }),
    `${at}/~1x~1:id/get/tool/input/required`,
    'the path /v1/x/:id binds "id": expected it among required',
  ],
  [
    'mcp.path equal to a path of the version',
    toolsOf({ '/mcp': { post: tool('x', {}, fixed()) } }),
    `${at}/~1mcp`,
    'the route /v1/mcp matches the same requests as /v1/mcp, generated for /versions/1.0/mcp/path',
  ],
  [
    'OPTIONS as a tool',
    toolsOf({ '/x': { options: tool('x', {}, fixed()) } }),
    `${at}/~1x/options/tool`,
    'OPTIONS cannot be a tool',
  ],
  [
    'a tool on a stream',
    one('/x', {}, { action: { type: 'wamp_subscribe', topic: 'a.b' }, response: { on_error: {} } }),
    x,
    'a stream of events cannot be a tool',
  ],
  [
    'a tool that webhooks call',
    toolsOf({
      '/x': { security: { type: 'webhook', sender: 'a' }, post: tool('x', {}, fixed()) },
    }),
    `${at}/~1x/post/tool`,
    'a path for webhooks cannot be a tool: no client could sign its call',
  ],
  [
    'more than 512 tools',
    toolsOf(
      Object.fromEntries(
        Array.from({ length: 513 }, (_, i) => [`/x${i}`, { get: tool(`x${i}`, {}, fixed()) }]),
      ),
    ),
    '/versions/1.0/mcp',
    'expected at most 512 tools in a version, got 513',
  ],
]

describe('A document with tools is refused', () => {
  for (const [title, document, path, message] of rows) {
    it(`for ${title}`, () => {
      expect(issuesOf(document)).to.deep.equal([{ path, message }])
    })
  }
})

describe('A document with tools is loaded with a warning', () => {
  it('where the version has no endpoint', () => {
    const document = documentOf({ '/x': { get: tool('x', {}, fixed()) } })
    expect(warningsOf(document)).to.deep.equal([
      { path: x, message: 'it has no effect without the key mcp of the version' },
    ])
  })

  it('where the endpoint has no tools', () => {
    expect(warningsOf(toolsOf({ '/x': { get: fixed() } }))).to.deep.equal([
      { path: '/versions/1.0/mcp', message: 'no operation of the version has the key tool' },
    ])
  })

  const many = (count: number, more: object = {}) =>
    toolsOf(
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`/x${i}`, { get: tool(`x${i}`, more, fixed()) }]),
      ),
    )

  it('of more than 40 tools, with both figures', () => {
    expect(warningsOf(many(40))).to.deep.equal([])
    const [warning] = warningsOf(many(41))
    expect(warning?.path).to.equal('/versions/1.0/mcp')
    expect(warning?.message).to.match(/^41 tools with \d{4} characters of definitions/)
  })

  it('of more than 64 kB of definitions, with both figures', () => {
    const [warning] = warningsOf(many(20, { description: 'x'.repeat(4_000) }))
    expect(warning?.message).to.match(/^20 tools with 8\d{4} characters of definitions/)
  })
})

describe('The definition of a tool', () => {
  const definitionOf = (document: unknown) => setOf(document).tools[0]?.definition

  it('has the bindings of the path as required texts, without input', () => {
    expect(definitionOf(one('/x/:a/[:b]'))).to.deep.include({
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        required: ['a'],
        additionalProperties: false,
      },
    })
  })

  it('has no bindings of base_path: they are those of the endpoint', () => {
    const document = toolsOf(
      { '/x/:id': { get: tool('x', {}, fixed()) } },
      { base_path: '/:tenant/v1' },
    )
    const [found] = setOf(document).tools
    expect(found?.definition.inputSchema.required).to.deep.equal(['id'])
    expect([...(found?.bindings ?? [])]).to.deep.equal(['id'])
  })

  it('needs bindings that some forms of the path lack neither among properties nor required', () => {
    expect(issuesOf(one('/x/[:id]', { input: object({}) }))).to.deep.equal([])
  })

  it('has the title of the tool, else the summary', () => {
    expect(definitionOf(one('/x', {}, { ...fixed(), summary: 'An x' }))?.title).to.equal('An x')
    const both = one('/x', { title: 'X' }, { ...fixed(), summary: 'An x' })
    expect(definitionOf(both)?.title).to.equal('X')
  })

  for (const [method, annotations] of [
    ['get', { readOnlyHint: true, idempotentHint: true }],
    ['put', { idempotentHint: true }],
    ['delete', { destructiveHint: true, idempotentHint: true }],
    ['post', {}],
    ['patch', {}],
  ] as const) {
    it(`has the annotations of ${method}, and those of the document over them`, () => {
      const of = (more: object) => toolsOf({ '/x': { [method]: tool('x', more, fixed()) } })
      expect(definitionOf(of({}))?.annotations).to.deep.equal(annotations)
      const own = { idempotentHint: false, openWorldHint: true }
      const both = { ...annotations, ...own }
      expect(definitionOf(of({ annotations: own }))?.annotations).to.deep.equal(both)
    })
  }

  it('stands alone: what its schemas refer to is in their $defs', () => {
    const schemas = {
      Order: {
        type: 'object',
        properties: { next: { $ref: '#/schemas/Order' }, id: { $ref: '#/schemas/Id' } },
      },
      Id: { type: 'string' },
      Unused: { type: 'number' },
    }
    const $ref = '#/schemas/Order'
    const document = {
      ...one('/x', { input: object({ properties: { order: { $ref } } }), output: { $ref } }),
      schemas,
    }
    expect(issuesOf(document)).to.deep.equal([])
    const $defs = {
      Id: { type: 'string' },
      Order: {
        type: 'object',
        properties: { next: { $ref: '#/$defs/Order' }, id: { $ref: '#/$defs/Id' } },
      },
    }
    expect(definitionOf(document)).to.deep.include({
      inputSchema: { type: 'object', properties: { order: { $ref: '#/$defs/Order' } }, $defs },
      outputSchema: { $ref: '#/$defs/Order', $defs },
    })
  })

  it('comes from the value of an expression that yields the operation', () => {
    const document = toolsOf(
      { '/x': { get: '{{variables.op}}' } },
      { variables: { op: tool('x', {}, fixed()) } },
    )
    expect(definitionOf(document)?.name).to.equal('x')
  })
})

describe('The tools of a version', () => {
  it('are judged together where their protections are equal', () => {
    const security = { type: 'api_key' }
    const document = toolsOf({
      '/a': { security, get: tool('a', {}, fixed()) },
      '/b': { security, timeout: 7, get: tool('b', {}, call()) },
      '/c': { security: { type: 'api_key', header_name: 'x-key' }, get: tool('c', {}, fixed()) },
      '/d': { get: tool('d', {}, fixed()) },
    })
    const groups = setOf(document).groups.map(({ tools }) =>
      tools.map(({ definition }) => definition.name),
    )
    expect(groups).to.deep.equal([['a', 'b'], ['c'], ['d']])
  })

  it('have metadata where a token opens one of them', () => {
    const linesOf = (security: object) =>
      compiled(toolsOf({ '/a': { security, get: tool('a', {}, fixed()) } }))
        .api?.entries.filter(({ routes }) =>
          Object.values(routes).some(({ kind }) => kind?.startsWith('mcp')),
        )
        .map(({ pattern }) => pattern)
    expect(linesOf({ type: 'api_key' })).to.deep.equal(['/v1/mcp'])
    expect(linesOf({ type: 'jwt', issuer: 'corp' })).to.deep.equal([
      '/v1/mcp',
      '/.well-known/oauth-protected-resource/v1/mcp',
    ])
  })

  it('are served over plain http where one of them is', () => {
    const endpointOf = (schemes: string[]) =>
      compiled(toolsOf({ '/a': { schemes, get: tool('a', {}, fixed()) } })).api?.entries.find(
        ({ pattern }) => pattern === '/v1/mcp',
      )?.routes.post?.path.inherited.admitsHttp
    expect([endpointOf(['https']), endpointOf(['http'])]).to.deep.equal([false, true])
  })
})
