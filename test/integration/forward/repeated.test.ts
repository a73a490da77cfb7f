/** Parameters and form fields that repeat: what schemas judge is what an upstream gets. */
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { recordedForwards } from './recorded.setup.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

const user = { enum: ['user'] }
const texts = { type: 'array', items: user }
const role = (schema: unknown) => ({ properties: { role: schema } })

/** The schemas, what is sent, and the names that are refused for being repeated; undefined: it is sent on. */
const rows: readonly (readonly [what: string, schema: object, sent: string, refused?: string])[] = [
  // a schema that is no array
  ['an enum', role(user), 'role=admin&role=user', 'role'],
  ['an enum that all values fit', role(user), 'role=user&role=user', 'role'],
  ['a text', role({ type: 'string' }), 'role=a&role=user', 'role'],
  ['an integer', role({ type: 'integer', maximum: 9 }), 'role=50&role=5', 'role'],
  ['a boolean', role({ type: 'boolean' }), 'role=false&x=1&role=true', 'role'],
  ['a text or null', role({ type: ['string', 'null'] }), 'role=a&role=b', 'role'],
  ['a pattern', role({ pattern: '^u' }), 'role=a&role=user', 'role'],
  ['a constant', role({ const: 'user' }), 'role=admin&role=user', 'role'],
  ['a name by escapes', role(user), 'r%6Fle=admin&role=user', 'role'],
  ['three values', role(user), 'role=a&role=b&role=user', 'role'],
  ['an empty value', role(user), 'role=&role=user', 'role'],
  ['a schema by its name', role({ $ref: '#/schemas/User' }), 'role=admin&role=user', 'role'],
  ['a map by its name', { $ref: '#/schemas/Roles' }, 'role=admin&role=user', 'role'],
  ['a map that refers to another one', { $ref: '#/schemas/Both' }, 'role=admin&role=user', 'role'],
  ['allOf', { allOf: [{}, role(user)] }, 'role=admin&role=user', 'role'],
  ['anyOf', { anyOf: [role(user), role({ const: 'x' })] }, 'role=admin&role=user', 'role'],
  ['oneOf', { oneOf: [role(user), role({ const: 'x' })] }, 'role=admin&role=user', 'role'],
  ['not', { not: role({ const: 'admin' }) }, 'role=admin&role=user', 'role'],
  ['if', { if: role(user), else: false }, 'role=admin&role=user', 'role'],
  ['else', { if: false, else: role(user) }, 'role=admin&role=user', 'role'],
  ['dependentSchemas', { dependentSchemas: { role: role(user) } }, 'role=admin&role=user', 'role'],
  ['patternProperties', { patternProperties: { '^ro': user } }, 'role=admin&role=user', 'role'],
  ['additionalProperties', { additionalProperties: user }, 'role=admin&role=user', 'role'],
  ['unevaluatedProperties', { unevaluatedProperties: user }, 'role=admin&role=user', 'role'],
  ['an enum of maps', { enum: [{ role: 'user' }] }, 'role=admin&role=user', 'role'],
  ['a constant map', { const: { role: 'user' } }, 'role=admin&role=user', 'role'],
  [
    'a name of every object',
    { properties: { constructor: user } },
    'constructor=a&constructor=user',
    'constructor',
  ],
  [
    'a name that needs an escape in a pointer',
    { properties: { 'a/b': user } },
    'a/b=1&a/b=user',
    'a~1b',
  ],
  // an array takes all
  ['an array', role(texts), 'role=user&role=user'],
  ['an array of one', role(texts), 'role=user'],
  ['an array by its name', role({ $ref: '#/schemas/Users' }), 'role=user&role=user'],
  ['an array or a text', role({ type: ['array', 'string'] }), 'role=a&role=b'],
  ['an integer or an array', role({ type: ['integer', 'array'] }), 'role=1&role=2'],
  ['an array among alternatives', role({ anyOf: [user, texts] }), 'role=user&role=user'],
  ['an array by allOf', role({ allOf: [texts] }), 'role=user&role=user'],
  ['additional arrays', { additionalProperties: texts }, 'role=user&role=user'],
  // without a schema nothing changes
  ['a name without a schema', role(user), 'role=user&tag=a&tag=b'],
  ['true', role(true), 'role=admin&role=user'],
  ['an empty schema', role({}), 'role=admin&role=user'],
  ['words alone', role({ title: 'Role', description: 'x', examples: ['a'] }), 'role=a&role=user'],
  ['a name that a pattern does not match', { patternProperties: { '^x': user } }, 'role=a&role=b'],
  ['a name that must be there', { required: ['role'] }, 'role=admin&role=user'],
  [
    'alternatives that need other names',
    { anyOf: [{ required: ['a'] }, { required: ['role'] }] },
    'role=a&role=b',
  ],
  ['further names of any value', { ...role(user), additionalProperties: true }, 'tag=a&tag=b'],
  ['different names', role(user), 'role=user&rolf=a&ROLE=b'],
  ['empty fields', role(user), '&&role=user&&'],
]

const schemas = {
  User: user,
  Users: texts,
  Roles: role(user),
  Both: { allOf: [{ $ref: '#/schemas/Roles' }, { $ref: '#/schemas/Roles' }] },
}

const documentOf = (host: string) => {
  const rest = { action: { type: 'forward', host }, response: { on_result: {}, on_error: {} } }
  const paths: Record<string, object> = {
    '/none': { get: rest, post: { ...rest, accepts: [form['content-type']] } },
    '/log': {
      validate_requests: 'log',
      get: { request: { query_params: role(user) }, ...rest },
      post: { request: { body: role(user) }, ...rest, accepts: [form['content-type']] },
    },
  }
  for (const [index, [, schema]] of rows.entries()) {
    paths[`/${index}`] = {
      get: { request: { query_params: schema }, ...rest },
      post: { request: { body: schema }, ...rest, accepts: [form['content-type']] },
    }
  }
  return {
    ...{ id: 'com.example.repeated', host: '_', realm_uri: 'com.example.test', schemas },
    versions: { 1: { base_path: '/v1', paths } },
  }
}

interface Refusal {
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

describe('A parameter that repeats', () => {
  const recorded = recordedForwards(documentOf)

  /** How it is answered as a query and as a form, and what has arrived. */
  const asked = async (path: string, sent: string) => {
    const { gateway, upstream } = recorded()
    const query = await send(gateway.url, `/v1${path}?${sent}`)
    const [ofQuery] = upstream.take()
    const body = { method: 'POST', headers: form, body: sent }
    const posted = await send(gateway.url, `/v1${path}`, body)
    const [ofForm] = upstream.take()
    return [
      ['query_params', query, ofQuery?.target.split('?')[1]] as const,
      ['body', posted, ofForm && String(ofForm.body)] as const,
    ]
  }

  for (const [index, [what, , sent, refused]] of rows.entries()) {
    it(`${refused === undefined ? 'is sent on' : 'is refused'}, as a query and in a form: ${what}, ${sent}`, async () => {
      for (const [part, { status, text }, arrived] of await asked(`/${index}`, sent)) {
        const { details = [] } = (text === '' ? {} : JSON.parse(text)) as Refusal
        const repeated = details.filter(({ message }) => message.startsWith('repeated'))
        expect([status, arrived, repeated], text).to.deep.equal(
          refused === undefined
            ? [200, sent, []]
            : [
                400,
                undefined,
                [{ path: `/${part}/${refused}`, message: 'repeated: it takes one value' }],
              ],
        )
      }
    })
  }

  for (const path of ['/none', '/log']) {
    it(`is sent on where nothing is refused: ${path}`, async () => {
      const sent = 'role=admin&role=user'
      for (const [, { status }, arrived] of await asked(path, sent)) {
        expect([status, arrived]).to.deep.equal([200, sent])
      }
    })
  }

  it('is counted where it is only logged', async () => {
    const lines = await (await fetch(`${recorded().gateway.adminUrl}/metrics`)).text()
    expect(lines).to.include('route="/v1/log",part="query_params",mode="log"} 1')
    expect(lines).to.include('route="/v1/log",part="body",mode="log"} 1')
  })
})
