/** API Specifications made at random of what a version can say: patterns, actions, schemas, security, responses. */
import fc from 'fast-check'

type Json = Readonly<Record<string, unknown>>

const word = fc.constantFrom('orders', 'hats', 'a b', 'größe', 'x.y', 'v1', '%3Aid', '~', 'q')
const name = fc.constantFrom('id', 'page', 'user-id', 'x_1', 'rest_', '_')
const text = fc.oneof(
  fc.constantFrom('', 'A sentence.', '# Title\n\n- item'),
  fc.string({ maxLength: 20 }),
)

/** A pattern with at most two optional parts; each binding once. */
const pattern = fc
  .record({
    words: fc.array(word, { minLength: 1, maxLength: 3 }),
    names: fc.uniqueArray(name, { maxLength: 3 }),
    optional: fc.constantFrom('', '/[more]', '/[more/[:last]]'),
    rest: fc.boolean(),
  })
  .map(({ words, names, optional, rest }) => {
    const segments = words.flatMap((each, index) => {
      const binding = names[index]
      return binding === undefined ? [each] : [each, `:${binding}`]
    })
    const path = `/${segments.map((each) => each.replaceAll(' ', '%20')).join('/')}`
    return path + (rest && optional === '' ? '/[...]' : optional)
  })

const schema: fc.Arbitrary<unknown> = fc.letrec<{ readonly schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<unknown>(
      ...[true, {}, { type: 'string' }, { type: 'integer', format: 'int64', minimum: 0 }],
      ...[
        { type: ['string', 'null'], maxLength: 5 },
        { enum: ['a', 1, null] },
        { const: { a: [1] } },
      ],
      ...[
        { $ref: '#/schemas/Thing' },
        { $ref: '#/schemas/Thing/properties/id', description: 'An id.' },
      ],
    ),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c/d', 'type'), tie('schema'), { maxKeys: 3 })
      .map((properties) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).slice(0, 1),
      })),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), title: text }),
    fc.record({
      not: tie('schema'),
      examples: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
    }),
  ),
})).schema

const members = fc
  .dictionary(fc.constantFrom('limit', 'q', 'filter[x]', 'x-a'), schema, { maxKeys: 3 })
  .map((properties) => ({ type: 'object', properties }))

const sometimes = <Value>(value: fc.Arbitrary<Value>) =>
  fc.option(value, { nil: undefined, freq: 2 })

const action = fc.constantFrom<Json>(
  { type: 'static', body: { a: '{{request.query_params.q |> default(1)}}' } },
  { type: 'static', headers: { 'content-type': 'text/plain' }, body: 'text' },
  {
    type: 'wamp_call',
    procedure: 'com.example.f',
    args: ['{{request.body}}'],
    kwargs: '{{request.query_params |> with([limit])}}',
  },
  {
    type: 'wamp_publish',
    topic: 'com.example.t',
    kwargs: { a: '{{request.headers.x-a |> default(1)}}' },
  },
  { type: 'forward', host: 'http://up.example.com' },
)
const actions = fc.oneof(
  { weight: 5, arbitrary: action },
  fc.array(action, { minLength: 1, maxLength: 3 }),
)

const onResult = fc.record(
  {
    status_code: fc.constantFrom<unknown>(200, 204, '299', 303, '{{action.result.args |> head}}'),
    body: fc.constantFrom<unknown>('', { a: 1 }, '{{request.method}}'),
    headers: fc.constantFrom<Json>(
      { 'x-a': '1' },
      { 'content-type': 'text/csv', link: '{{request.path}}' },
    ),
    schema,
  },
  { requiredKeys: [] },
)

const security = fc.constantFrom<Json>(
  ...[
    {},
    { type: 'basic' },
    { type: 'mtls', authid: 'cn' },
    { type: 'api_key', header_name: 'x-key', description: 'd' },
  ],
  ...[{ type: 'oauth2', flow: 'client_credentials', token_path: '/token' }, { type: 'oidc' }],
  { type: 'oauth2', flow: 'resource_owner_password_credentials' },
  { type: 'jwt', issuer: 'corp', scopes: ['orders:read'] },
)

const responses = fc.dictionary(
  fc.constantFrom('200', '2XX', '404', 'default'),
  fc.record(
    {
      description: text,
      schema,
      headers: fc.constantFrom<Json>(
        { 'x-b': { description: 'd', schema: { type: 'integer' } } },
        {},
      ),
    },
    { requiredKeys: ['description'] },
  ),
)

/** Policies, which are inherited. */
const limit = fc.constantFrom<unknown>(
  ...[null, { amount: 10, window: 1 }, { name: 'log', amount: 1, window: 1, mode: 'log' }],
  ...[
    [
      { name: 'quiet', amount: 5, window: 60, headers: false },
      { name: 'tenant', amount: 5, window: 60, per: '{{request.headers.x-tenant}}' },
    ],
  ],
)
const idempotency = fc.record({ required: fc.boolean() }, { requiredKeys: [] })
const policies = {
  rate_limit: sometimes(limit),
  etag: sometimes(fc.boolean()),
  idempotency: sometimes(idempotency),
  cache: sometimes(fc.constantFrom({ ttl: 60 }, { ttl: 1, statuses: [200, 204, 404] })),
  circuit_breaker: sometimes(fc.constant({})),
  errors: sometimes(fc.constantFrom('plain', 'problem')),
}

const operation = (hasBody: boolean) =>
  fc
    .record({
      action: actions,
      on_result: onResult,
      summary: sometimes(text),
      description: sometimes(text),
      tags: sometimes(fc.uniqueArray(fc.constantFrom('one', 'two'), { maxLength: 2 })),
      hidden: sometimes(fc.boolean()),
      security: sometimes(security),
      accepts: sometimes(
        fc.constantFrom(
          ['application/json'],
          ['application/x-www-form-urlencoded', 'application/json; charset=utf-8'],
        ),
      ),
      provides: sometimes(fc.constant(['application/msgpack'])),
      ...policies,
      responses: sometimes(responses),
      request: sometimes(
        fc.record(
          {
            query_params: members,
            headers: members,
            ...(hasBody && { body: schema, body_required: fc.boolean() }),
          },
          { requiredKeys: [] },
        ),
      ),
    })
    .map(({ on_result, ...rest }) => present({ ...rest, response: { on_result, on_error: {} } }))

const present = (map: Json): Json =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined))

/** Answers that are streams, or may be. */
const streamed = fc
  .record({
    action: fc.constantFrom<Json>(
      { type: 'wamp_subscribe', topic: 'com.example.t' },
      { type: 'wamp_subscribe', topic: 'com.example.t', max_events: 1 },
      { type: 'wamp_call', procedure: 'com.example.f' },
    ),
    body: fc.constantFrom<unknown>({ a: '{{request.query_params.q}}' }, 'text'),
    headers: fc.constantFrom<Json>({ 'x-a': '{{request.path}}' }, { 'content-type': 'text/csv' }),
    responses: sometimes(responses),
  })
  .map(({ action, body, headers, ...rest }) => {
    const isCall = action.type === 'wamp_call'
    const response = isCall
      ? { on_progress: { body }, on_result: { headers, body: '' } }
      : { on_event: { body } }
    return present({ ...rest, action, response: { ...response, on_error: {} } })
  })

const path = fc
  .record({
    summary: sometimes(text),
    get: sometimes(fc.oneof({ weight: 4, arbitrary: operation(false) }, streamed)),
    head: sometimes(operation(false)),
    post: sometimes(operation(true)),
    delete: sometimes(operation(false)),
  })
  .map(present)

/** A document of one version. Some are refused, as where two patterns clash. */
export const randomDocument: fc.Arbitrary<Json> = fc
  .record({
    base_path: fc.constantFrom('/', '/v1', '/[v1]', '/:tenant/api'),
    defaults: sometimes(fc.record(policies).map(present)),
    is_deprecated: fc.boolean(),
    info: sometimes(fc.record({ title: text, description: text })),
    openapi: sometimes(
      fc.constantFrom<Json>(
        { tags: [{ name: 'one', description: 'd' }], contact: { email: 'a@example.com' } },
        {
          servers: ['https://api.example.com/v1'],
          license: { name: 'MIT' },
          terms_of_service: 'https://example.com/terms',
        },
      ),
    ),
    paths: fc.dictionary(pattern, path, { minKeys: 1, maxKeys: 4 }),
  })
  .map((version) => ({
    ...{ id: 'random', host: '_', realm_uri: 'com.example' },
    schemas: {
      Thing: {
        type: 'object',
        properties: { id: { type: 'integer' }, up: { $ref: '#/schemas/Thing' } },
      },
    },
    versions: { '1.0': present(version) },
  }))
