/** The tools that the conformance suite calls, as an API Specification. */
import { toolsDocument } from '#test/support/examples/tools-api.ts'

const fixed = (body: unknown, status_code = 200) => ({
  action: { type: 'static', body },
  response: { on_result: { status_code }, on_error: {} },
})

const named = (name: string, input: object = { type: 'object', additionalProperties: false }) => ({
  tool: { name, description: `What the conformance suite calls ${name}.`, input },
})

/** A schema with the vocabulary of draft 2020-12, which the suite wants to find in the list as it is. */
const wide = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/schemas/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** What a document calls `#/schemas/address`, a list `#/$defs/address`. */
const address = {
  type: 'object',
  properties: { street: { type: 'string' }, city: { type: 'string' } },
}

/** The procedure behind the tool that tells how far it is: three progressive results, then an answer. */
const countProcedure = 'com.example.pieces.count'

/** All of them, on any host. */
export const conformanceDocument = {
  ...toolsDocument({
    '/text': {
      get: {
        ...named('test_simple_text'),
        ...fixed('This is a simple text response for testing.'),
      },
    },
    '/error': {
      post: {
        ...named('test_error_handling'),
        ...fixed({ message: 'This tool intentionally returns an error for testing' }, 500),
      },
    },
    '/progress': {
      post: {
        ...named('test_tool_with_progress'),
        action: { type: 'wamp_call', procedure: countProcedure, args: [3] },
        response: {
          on_progress: { body: '{{action.progress.args |> head}}' },
          on_result: { body: '{{action.result.args |> head}}' },
          on_error: {},
        },
      },
    },
    '/schema': { post: { ...named('json_schema_2020_12_tool', wide), ...fixed('ok') } },
    // ordinary tools: the suite watches what else comes with their answers
    '/logging': { post: { ...named('test_logging_tool'), ...fixed('ok') } },
    '/elicitation': { post: { ...named('test_streaming_elicitation'), ...fixed('ok') } },
    '/reconnection': { post: { ...named('test_reconnection'), ...fixed('ok') } },
  }),
  schemas: { address },
}
