/** Examples of one operation: which hold, and what is told of those that do not. */
import { expect } from 'chai'
import { Examples, testDocument } from '#component/examples/examples.ts'
import { call, documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { examplePorts } from './ports.ts'

const examples = new Examples(examplePorts)

/** The problems of the examples of one operation, as `member: message` of the first line. */
async function problemsOf(
  operation: object,
  written: object,
  more: object = {},
  path = '/x',
  method = 'get',
): Promise<readonly string[]> {
  const document = documentOf({ [path]: { [method]: { ...operation, examples: written } } }, more)
  const { report, issues } = await testDocument(document, examplePorts)
  expect(issues).to.deep.equal([])
  const problems = report?.results.flatMap((result) => result.problems) ?? []
  return problems.map(
    ({ path: at, message }) => `${at.split('/examples/')[1]}: ${message.split('\n')[0]}`,
  )
}

const secured = { security: { type: 'basic' } }
const asks = (action: object, on_result = {}) => call(action, { body: '', ...on_result })

describe('examples', () => {
  for (const [what, operation, example, more] of [
    ['a fixed answer', fixed({ a: 1 }), { expect: { status: 200, body: { a: 1 } } }, {}],
    ['a result without arguments', call(), { expect: { status: 200, body: '' } }, {}],
    [
      'a result that is completed',
      call({}, { body: '{{action.result.details}}' }),
      { outcome: { result: { args: [1] } }, expect: { body: {} } },
      {},
    ],
    [
      'an error',
      call(),
      {
        outcome: { error: { error_uri: 'com.example.gone' } },
        expect: { status: 410, error_code: 'com.example.gone' },
      },
      { status_codes: { 'com.example.gone': 410 } },
    ],
    [
      'the user "example"',
      asks({ args: ['{{security.authid}}'] }),
      { expect: { action: { args: ['example'], session_of: 'example' } } },
      { defaults: secured },
    ],
    [
      'another user with roles',
      asks({ args: ['{{security.authid}}', '{{security.authroles}}'] }),
      {
        as: { authid: 'ada', authroles: ['staff'] },
        expect: { action: { args: ['ada', ['staff']] } },
      },
      { defaults: secured },
    ],
    [
      'the user whom the path asks for, with a role and as a group',
      asks({ args: ['{{security.authid}}', '{{security.authroles}}', '{{security.groups}}'] }),
      { expect: { action: { args: ['ada', ['staff'], ['staff']] } } },
      { defaults: { security: { type: 'basic', roles: ['staff', 'admins'], authids: ['ada'] } } },
    ],
    [
      'a user whom the path does not ask for',
      asks({}),
      { as: { authid: 'bob' }, expect: { status: 403, error_code: 'wamp.error.not_authorized' } },
      { defaults: { security: { type: 'basic', authids: ['ada'] } } },
    ],
    [
      'a user without a role of the path',
      asks({}),
      {
        as: { authid: 'ada', authroles: ['buyers'] },
        expect: { status: 403, error_code: 'wamp.error.not_authorized' },
      },
      { defaults: { security: { type: 'basic', roles: ['staff'] } } },
    ],
    [
      'a user with claims of an identity provider',
      asks({ args: ['{{security.claims.email}}', '{{security.claims.address.country}}'] }),
      {
        as: { authid: 'ada', claims: { email: 'ada@example.com', address: { country: 'AT' } } },
        expect: { action: { args: ['ada@example.com', 'AT'] } },
      },
      { defaults: secured },
    ],
    [
      'a webhook that nobody has signed',
      asks({ args: ['{{security.webhook_id}}', '{{security.webhook_timestamp}}'] }),
      { expect: { action: { args: ['msg_example', 1_767_225_600], session_of: 'example' } } },
      { defaults: { security: { type: 'webhook', sender: 'hub' } } },
    ],
    [
      'a webhook with an id of the example',
      asks({ args: ['{{security.sender}}', '{{security.webhook_id}}'] }),
      { as: { authid: 'h', webhook_id: 'a' }, expect: { action: { args: ['hub', 'a'] } } },
      { defaults: { security: { type: 'webhook', sender: 'hub' } } },
    ],
    [
      'nobody on a secured path',
      call(),
      { as: null, expect: { status: 401, action: null, error_code: 'service.error.unauthorized' } },
      { defaults: secured },
    ],
    [
      'nobody on an open path',
      asks({ args: ['{{security.authid}}'] }),
      { expect: { action: { args: ['anonymous'], session_of: null } } },
      {},
    ],
    [
      'a request over http where https is needed',
      call(),
      { request: { scheme: 'http' }, expect: { status: 403 } },
      { defaults: { schemes: ['https'] } },
    ],
    [
      'the media type that the client accepts',
      fixed([1]),
      {
        request: { headers: { accept: 'application/msgpack' } },
        expect: { headers: { 'content-type': 'application/msgpack' }, body: [1] },
      },
      {},
    ],
    [
      'query parameters and headers',
      asks({ kwargs: { a: '{{request.query_params.a}}', b: '{{request.headers.x-b}}' } }),
      {
        request: { query_params: { a: 'x&y' }, headers: { 'X-B': 7 } },
        expect: { action: { kwargs: { a: 'x&y', b: '7' } } },
      },
      {},
    ],
    [
      'a fixed id of the request',
      fixed('{{request.id}}'),
      { expect: { body: '01890000-0000-7000-8000-000000000000' } },
      {},
    ],
    [
      'texts with braces, which are no expressions',
      asks({ args: ['{{request.query_params.a}}'] }),
      {
        request: { query_params: { a: '{{nonsense' } },
        expect: { action: { args: ['{{nonsense'] } },
      },
      {},
    ],
    [
      'a body that fits a schema of the document',
      fixed({ id: 7 }),
      { expect: { body_matches: { $ref: '#/schemas/Thing' } } },
      { schemas: { Thing: { type: 'object', required: ['id'] } } },
    ],
    [
      'a 64-bit integer',
      call({}, { body: '{{action.result.args |> head}}' }),
      { outcome: { result: { args: [2n ** 60n] } }, expect: { body: 2n ** 60n } },
      {},
    ],
    [
      'an empty body, which is the text ""',
      call({}, { status_code: 204 }),
      { expect: { status: 204, body: '' } },
      {},
    ],
  ] as const) {
    it(`hold: ${what}`, async () => {
      expect(await problemsOf(operation, { one: example }, more)).to.deep.equal([])
    })
  }

  it('send a body, and see what a forward sends', async () => {
    const forward = {
      action: { type: 'forward', host: 'http://up.example:8080', path: '/things' },
      response: { on_result: {}, on_error: {} },
    }
    const one = {
      request: { body: { a: 1 } },
      outcome: { result: { status_code: 201, headers: { 'x-a': 'b' }, body: { id: 1 } } },
      expect: {
        status: 201,
        headers: { 'x-a': 'b' },
        body: { id: 1 },
        action: { http_method: 'post', path: '/things', body: { a: 1 } },
      },
    }
    expect(await problemsOf(forward, { one }, {}, '/x', 'post')).to.deep.equal([])
  })

  for (const [status_code, status] of [
    [100, 504],
    [599, 599],
    [804, 504],
  ] as const) {
    it(`come to ${status} where an upstream answers ${status_code}`, async () => {
      const forward = {
        action: { type: 'forward', host: 'http://up.example' },
        response: { on_result: {}, on_error: {} },
      }
      const one = {
        request: { body: 'x' },
        outcome: { result: { status_code } },
        expect: { status },
      }
      expect(await problemsOf(forward, { one }, {}, '/x', 'post')).to.deep.equal([])
    })
  }

  it('give each action of a list its outcome', async () => {
    const action = (procedure: string) => ({ type: 'wamp_call', procedure, args: [] })
    const operation = {
      action: [action('com.example.a'), action('com.example.b')],
      response: { on_result: { body: '{{action.results}}' }, on_error: {} },
    }
    const one = {
      outcome: [{ result: { args: [1] } }, { result: { args: [2] } }],
      expect: { action: [{ procedure: 'com.example.a' }, { procedure: 'com.example.b' }] },
    }
    expect(await problemsOf(operation, { one })).to.deep.equal([])
  })

  it('have equal random numbers in each run, and others under another name', async () => {
    const operation = fixed('{{request.id |> random(1000000)}}')
    const told = () =>
      problemsOf(operation, { one: { expect: { body: -1 } }, two: { expect: { body: -1 } } })
    const [first, second] = [await told(), await told()]
    expect(first).to.deep.equal(second)
    const [one, two] = first.map((line) => line.split('found ')[1])
    expect(one).to.not.equal(two)
  })

  for (const [what, operation, example, lines] of [
    [
      'of a failed expression',
      call({ args: ['{{request.query_params.n |> integer}}'] }),
      { expect: { status: 200 } },
      [
        'one/expect/status: expected 200, found 400; service.error.http_gateway.invalid_request: there is no "request.query_params.n"',
      ],
    ],
    [
      'of a body that does not fit',
      fixed({ id: 7 }),
      { expect: { body_matches: { properties: { id: { type: 'string' } } } } },
      ['one/expect/body_matches: /id: must be string'],
    ],
    [
      'of a path that is served by nothing',
      fixed(),
      { request: { path: '/v1/nothing' }, expect: { status: 200 } },
      ['one/request: the request GET /v1/nothing is served by no operation of this document'],
    ],
  ] as const) {
    it(`fail, and tell why: ${what}`, async () => {
      const found = await problemsOf(operation, { one: example })
      expect(found.map((line, i) => line.slice(0, lines[i]?.length))).to.deep.equal([...lines])
    })
  }

  it('of an operation that a variable yields run under each of its paths', async () => {
    const get = { ...fixed('{{request.path}}'), examples: { one: { expect: { body: '/v1/a' } } } }
    const paths = { '/a': { get: '{{variables.get}}' }, '/b': { get: '{{variables.get}}' } }
    const { results } = await examples.test(documentOf(paths, { variables: { get } }))
    expect(results.map(({ path, passed }) => [path, passed])).to.deep.equal([
      ['/versions/1.0/paths/~1a/get/examples/one', true],
      ['/versions/1.0/paths/~1b/get/examples/one', false],
    ])
  })

  it('that fail tell of their expressions, the first 20 of them', async () => {
    const one = { outcome: { result: { args: [1] } }, expect: { body: 2 } }
    const names = Array.from({ length: 30 }, (_, i) => `e${i}`)
    const get = {
      ...call({}, { body: '{{action.result.args |> head}}' }),
      examples: Object.fromEntries(names.map((name) => [name, one])),
    }
    const { results } = await examples.test(documentOf({ '/x': { get } }))
    const messages = results.flatMap(({ problems }) => problems.map(({ message }) => message))
    expect(
      messages.filter((message) => message.includes('action.result.args = [1]')),
    ).to.have.length(20)
    expect(messages.filter((message) => message === 'expected 2, found 1')).to.have.length(10)
  })

  it('that fail tell of expressions of variables, where the answer is made of one', async () => {
    const get = {
      ...call({}, { body: '{{variables.first}}' }),
      examples: { one: { outcome: { result: { args: [1] } }, expect: { body: 2 } } },
    }
    const variables = { first: '{{action.result.args |> head}}' }
    const { results } = await examples.test(documentOf({ '/x': { get } }, { variables }))
    expect(results[0]?.problems[0]?.message).to.equal(
      'expected 2, found 1\n{{variables.first}}: variables.first = 1',
    )
    const whole = { ...get, response: { on_result: '{{variables.response}}' } }
    const more = { variables: { response: { body: variables.first } } }
    const told = await examples.test(documentOf({ '/x': { get: whole } }, more))
    expect(told.results[0]?.problems[0]?.message).to.equal(
      'expected 2, found 1\n{{action.result.args |> head}}: action.result.args = [1] |> head = 1',
    )
  })

  it('have no schema that a document may not have', async () => {
    const written = { one: { expect: { body_matches: { type: 'nonsense' } } } }
    const document = documentOf({ '/x': { get: { ...fixed(), examples: written } } })
    const { issues } = await testDocument(document, examplePorts)
    expect(issues.map(({ path }) => path)).to.deep.equal([
      '/versions/1.0/paths/~1x/get/examples/one/expect/body_matches/type',
    ])
  })
})
