/** The JSON Schema of an explanation, for programs that read one; a test holds explanations to it. */
import { actionKinds, noAction } from '#component/action/kinds.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const text: JsonSchema = { type: 'string' }
const pointer: JsonSchema = { type: 'string', description: 'JSON Pointer into the document.' }
const flag: JsonSchema = { type: 'boolean' }
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const mapOf = (additionalProperties: JsonSchema): JsonSchema => ({
  type: 'object',
  additionalProperties,
})

/** A map of these members; those of `more` may be absent. */
const map = (members: JsonSchema, more: JsonSchema = {}, isOpen = false): JsonSchema => ({
  type: 'object',
  properties: { ...members, ...more },
  required: Object.keys(members),
  ...(!isOpen && { additionalProperties: false }),
})

/** A value of the request, or of what is made of it; `"‹redacted›"` in place of a secret. */
const value: JsonSchema = {}

const matched = map(
  {
    ...{ id: text, version: text, host: text, pattern: text, path: pointer, method: text },
    bindings: mapOf(value),
  },
  {
    endpoint: { type: 'string', description: 'Of a generated path. Only calls of tools are run.' },
    tool: map({
      ...{ name: text, path: pointer, method: text, pattern: text },
      ...{ bindings: mapOf(value), query_params: mapOf(value), body: value },
    }),
  },
)

const procedure = map({ id: text, realm_uri: text, uri: text, match: text, path: pointer })

const nearMiss = map({ id: orNull(text), why: text }, { pattern: text })

const check = map(
  {
    step: {
      type: 'string',
      description:
        'scheme, rate_limit, security, caller, accept, language, content_type, body, arguments, schema: in the order in which they are made; rate_limit once for each limit.',
    },
    passed: flag,
  },
  { problem: map({ code: text, message: text }, { details: list(value) }) },
  true,
)

const expression = map(
  {
    at: pointer,
    expression: text,
    steps: list({
      anyOf: [map({ read: text }, { value }), map({ function: text, arguments: value }, { value })],
    }),
  },
  {
    stage: { const: 1, description: 'Known since the document was loaded.' },
    value,
    failure: { type: 'string', description: 'What was wrong, and the expression with a caret.' },
  },
)

const action = map(
  {
    type: { enum: [...actionKinds, noAction].map(({ type }) => type) },
    would_be_refused: orNull(text),
  },
  { callees: orNull({ type: 'integer', minimum: 0 }), branch: text },
  true,
)

const frame = map({ data: value }, { id: text, event: text })

const response = map(
  {
    is_sample: { type: 'boolean', description: 'Whether the outcome of the action was not given.' },
    status: { type: 'integer' },
    headers: { type: 'object' },
    body: value,
    from: map({ status: text, body: text }),
  },
  {
    frames: { ...list(frame), description: 'Of a stream: its events.' },
    is_cut: { const: true, description: 'Of a stream: the gateway cuts the connection.' },
  },
)

const payload = { args: list(value), kwargs: mapOf(value) }

/** Of a call. */
const answer = map(
  {
    is_sample: { type: 'boolean', description: 'Whether the outcome of the action was not given.' },
  },
  {
    result: map(payload),
    error: map({ error_uri: text, ...payload }),
    progress: { ...list(map(payload)), description: 'The progressive results before it.' },
  },
)

const problem = map(
  { status: { type: 'integer' }, code: text, message: text, description: text },
  { details: list(value), at: pointer, expression: text, column: { type: 'integer', minimum: 1 } },
  true,
)

const run: JsonSchema = {
  expressions: list(expression),
  action: { anyOf: [action, list(action), { type: 'null' }] },
  response: orNull(response),
  problem: orNull(problem),
}

const ofCall: JsonSchema = {
  answer: { ...answer, description: 'Of a call: what its caller gets.' },
}

/** Of the answer of `service.explain_request`. */
export const explanationSchema: JsonSchema = map(
  {
    matched: orNull(matched),
    near_misses: { ...list(nearMiss), maxItems: 10 },
    checks: list(check),
    rules: mapOf(map({ value, at: orNull(pointer) })),
    ...run,
  },
  {
    ...ofCall,
    procedure: { ...orNull(procedure), description: 'Of a call: the procedure that handles it.' },
    outcomes: mapOf(map(run, ofCall)),
    truncated: { const: true },
  },
)
