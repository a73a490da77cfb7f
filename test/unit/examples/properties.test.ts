/** Whatever an example holds, running it ends with a result: a shape that is accepted at load never fails for another reason. */
import { expect } from 'chai'
import fc from 'fast-check'
import { testDocument } from '#component/examples/examples.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { call, documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { examplePorts } from './ports.ts'

const json = fc.jsonValue({ maxDepth: 3 })
const map = fc.dictionary(fc.string(), json, { maxKeys: 3 })
const scalar = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean())
const scalars = (names: fc.Arbitrary<string>) => fc.dictionary(names, scalar, { maxKeys: 3 })
const name = fc.oneof(fc.constantFrom('id', 'rest', '_'), fc.string())
const field = fc.oneof(
  fc.constantFrom(
    'accept',
    'content-type',
    'content-length',
    'host',
    'Transfer-Encoding',
    'expect',
    'last-event-id',
  ),
  fc.string(),
)
const body = fc.oneof(json, fc.constantFrom('{', 'a=1', '\u0000AAAA'))

const sent = fc.record(
  {
    bindings: scalars(name),
    query_params: scalars(fc.string({ unit: 'binary' })),
    headers: scalars(field),
    body,
    scheme: fc.constantFrom('http', 'https'),
    host: fc.oneof(fc.string(), fc.constantFrom('a.example', '[::1]', 'a:99999')),
  },
  { requiredKeys: [] },
)
const outcome = fc.oneof(
  fc.record({ result: map }),
  fc.record({ result: fc.record({ args: json, kwargs: json, details: json, status_code: json }) }),
  fc.record({
    result: fc.record({ status_code: fc.integer({ min: 0, max: 999 }), headers: map, body: json }),
  }),
  fc.record({
    error: fc.record(
      {
        error_uri: fc.constantFrom('com.example.error', 'wamp.error.timeout'),
        args: fc.array(json),
        kwargs: map,
        status_code: fc.integer({ min: 200, max: 599 }),
        body: json,
        headers: map,
      },
      { requiredKeys: ['error_uri'] },
    ),
  }),
)
const given = { args: fc.array(json), kwargs: map, details: map }
const topic = fc.constantFrom('com.example.t', 'com.example.t.x', 'com.example.other')
const events = fc.array(
  fc.record(
    { ...given, topic, publication_id: fc.integer({ min: 1 }), retained: fc.boolean() },
    { requiredKeys: [] },
  ),
  { maxLength: 5 },
)
const pieces = fc.array(fc.record(given, { requiredKeys: [] }), { maxLength: 5 })
const snapshot = fc.oneof(
  fc.record({ result: fc.record({ args: json, kwargs: json }) }),
  fc.record({ error: fc.record({ error_uri: fc.constant('com.example.error') }) }),
)
const streamed = fc.oneof(
  fc.record({ events, snapshot }, { requiredKeys: ['events'] }),
  fc.record({ pieces }),
  fc.record({ pieces, result: map }),
  fc.record({ pieces, error: fc.record({ error_uri: fc.constant('com.example.error') }) }),
)
const frame = fc.record(
  { id: fc.constantFrom('1', null), event: fc.string(), data: json, data_matches: fc.boolean() },
  { requiredKeys: [] },
)
const expected = fc.record(
  {
    frames: fc.array(frame, { maxLength: 3 }),
    status: fc.constant(200),
    body: json,
    action: fc.oneof(map, fc.constant(null), fc.array(map)),
    headers: fc.dictionary(field, fc.oneof(fc.string(), fc.constant(null))),
    body_matches: fc.constantFrom<unknown>({ type: 'string' }, true, { required: ['a'] }),
    error_code: fc.string(),
  },
  { requiredKeys: ['status'] },
)
const user = fc.oneof(
  fc.constantFrom(null, 'anonymous'),
  fc.record({ authid: fc.string(), authroles: fc.array(fc.string()) }),
)
const example = fc.record(
  {
    request: sent,
    as: user,
    outcome: fc.oneof(outcome, streamed, fc.array(outcome, { minLength: 1 })),
    expect: expected,
  },
  { requiredKeys: ['expect'] },
)

const operations = [
  call(
    { args: ['{{request.bindings.id |> default(1)}}'], kwargs: '{{request.query_params}}' },
    { body: { a: '{{action.result.args |> default([])}}' } },
    { body: '{{action.error}}' },
  ),
  call({ type: 'wamp_publish', topic: 'com.example.t', args: ['{{request.body}}'] }),
  {
    action: {
      type: 'forward',
      host: 'http://up.example',
      headers: { 'x-a': '{{request.query_params |> get(a, b)}}' },
    },
    response: { on_result: {}, on_error: { body: '{{action.error.body}}' } },
  },
  { action: { type: 'static', body: '{{request.headers}}' }, response: {} },
  {
    action: {
      type: 'wamp_subscribe',
      topic: "com.example.t{{request.bindings.id |> default('')}}.",
      match: 'prefix',
      options: { get_retained: true },
      filter: '{{action.event.kwargs |> get(ok, true)}}',
      snapshot: { procedure: 'com.example.get' },
    },
    response: {
      on_event: { event: '{{action.event.kwargs |> get(name, x)}}', body: '{{action.event}}' },
      on_error: {},
    },
  },
  {
    ...call({}, { body: '{{action.result.args}}' }),
    response: {
      on_progress: { body: '{{action.progress}}' },
      on_result: { body: '{{action.result.args}}' },
      on_error: {},
    },
  },
]

describe('an example of accepted shape', () => {
  for (const [index, operation] of operations.entries()) {
    it(`ends with a result, whatever it holds: ${index + 1} of ${operations.length}`, async () => {
      await fc.assert(
        fc.asyncProperty(example, fc.constantFrom('get', 'post'), async (one, method) => {
          const paths = { '/x/[:id]/[...]': { [method]: { ...operation, examples: { one } } } }
          const more = { defaults: { security: { type: 'basic' } } }
          const { report, issues } = await testDocument(documentOf(paths, more), examplePorts)
          if (report === undefined) expect(issues).to.not.deep.equal([])
          else expect(report.results).to.have.length(1)
        }),
        { numRuns: rounds(50, 2000), seed: 20_261_123 + index },
      )
    })
  }
})
