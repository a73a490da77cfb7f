/** The rules of JSON Schemas in a document by their shape: where they stand. `component/schema` judges the schemas themselves. */
import { entriesAt } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import { hintOf } from './report.ts'
import {
  boolean,
  described,
  dynamic,
  mapOf,
  must,
  object,
  oneOf,
  type Rule,
  rule,
  type Shape,
} from './rules.ts'

/** What becomes of a request or an answer that does not fit its schema. */
export const validationModes = ['enforce', 'log', 'off'] as const
export type ValidationMode = (typeof validationModes)[number]

export const validationMode: Rule = dynamic(
  described(
    oneOf(validationModes),
    '`enforce`: refuse what does not fit its schema; `log`: only count and log it; `off`: schemas only document.',
  ),
)

/** A JSON Schema. It is never an expression, and none of its texts is. */
export const schema: Rule = described(
  must(
    'a JSON Schema: a map, true or false',
    (value) => isMap(value) || typeof value === 'boolean',
    {
      type: ['object', 'boolean'],
    },
  ),
  'A JSON Schema, draft 2020-12. {"$ref": "#/schemas/<name>"} uses a schema of the document.',
)

const namePattern = /^[A-Za-z0-9._-]{1,100}$/

/** `schemas` of a document. */
export const schemas: Rule = described(
  mapOf(
    schema,
    'a map of names to JSON Schemas',
    (name) =>
      namePattern.test(name)
        ? undefined
        : 'expected a name of 1 to 100 letters, digits, ".", "_" and "-"',
    { pattern: namePattern.source },
  ),
  'JSON Schemas by name. They are used as {"$ref": "#/schemas/<name>"}.',
)

const partKeys = {
  bindings: described(schema, 'Schema of the map of bindings.'),
  query_params: described(schema, 'Schema of the map of query parameters.'),
  headers: described(schema, 'Schema of the map of headers; their names are in lower case.'),
}

const bodyKeys = {
  body: described(schema, 'Schema of the decoded body.'),
  body_required: described(boolean, 'Whether a request without a body is refused.', {
    default: true,
  }),
}

/** An unknown key is an issue here: a check that its author believes in must not be missing. */
function requestOf(keys: Shape['keys'], otherwise: (key: string) => string): Rule {
  const known = Object.keys(keys)
  return described(
    rule(object('a request', { keys }).schema, (value, path, report) => {
      if (!isMap(value)) {
        return report.expected(path, `a map with ${known.join(', ')}; it is no expression`, value)
      }
      for (const [key, item, at] of entriesAt(value, path)) {
        const part = Object.hasOwn(keys, key) ? keys[key] : undefined
        if (part) part(item, at, report)
        else if (key !== 'comment')
          report.issue(at, `expected ${known.join(', ')}${otherwise(key)}`)
      }
    }),
    'What a request must look like.',
  )
}

const hint = (known: object) => (key: string) => hintOf(key.toLowerCase(), Object.keys(known))

/** `request` of an operation. */
export const operationRequest = requestOf(
  { ...partKeys, ...bodyKeys },
  hint({ ...partKeys, ...bodyKeys }),
)

/** `request` of a path: what holds for all of its operations. */
export const pathRequest = requestOf(partKeys, (key) =>
  Object.hasOwn(bodyKeys, key)
    ? `; ${key} is a key of the request of an operation`
    : hint(partKeys)(key),
)
