/** The rule of what an example expects. */
import {
  anything,
  described,
  listOf,
  must,
  object,
  type Rule,
  rule,
  string,
} from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { either, fields, isScalar } from './values.ts'

const foundValue = either(
  listOf(string, 'a list of texts'),
  Array.isArray,
  must(
    'a text, a number, a list of texts, or null for an absent header',
    (value) => {
      return value === null || isScalar(value)
    },
    { type: ['string', 'number', 'boolean', 'null'] },
  ),
)

const told: Rule = rule({ type: ['object', 'array', 'null'] }, (value, path, report) => {
  const isKnown = value === null || isMap(value) || (Array.isArray(value) && value.every(isMap))
  if (isKnown) return
  const allowed =
    'a map of what the action is told, a list of them, or null for an action that is not reached'
  report.expected(path, allowed, value)
})

const schema = must('a JSON Schema', (value) => isMap(value) || typeof value === 'boolean', {
  type: ['object', 'boolean'],
})

const textOrNull = must(
  'a text, or null for none',
  (value) => value === null || typeof value === 'string',
  { type: ['string', 'null'] },
)

const frame = object('a frame: {id, event, data}', {
  keys: {
    id: described(textOrNull, 'The id; null: it has none.'),
    event: described(textOrNull, 'The name; null: it has none.'),
    data: described(anything, 'The value of its data, equal as JSON.'),
    data_matches: described(schema, 'A JSON Schema that the value of its data fits.'),
  },
})

const status = must(
  '101, or an integer from 200 to 599',
  (value) =>
    value === 101 || (Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599),
  { anyOf: [{ const: 101 }, { type: 'integer', minimum: 200, maximum: 599 }] },
)

/** `action` of what is expected. */
export const expectAction = described(
  told,
  'What the action is told: only the members named are compared. A list for a list of actions; null: it is not reached.',
)

const expectations = {
  status: described(status, 'The HTTP status; 101 of a WebSocket.'),
  headers: described(
    fields(foundValue),
    'Header fields that the response has; null: it has no such field.',
  ),
  body: described(anything, 'The decoded body, equal as JSON; "" for none.'),
  body_matches: described(schema, 'A JSON Schema that the decoded body fits.'),
  frames: described(
    listOf(frame, 'a list of frames', 0),
    'The frames of a stream, all of them and in order: of each only the members named are compared.',
  ),
  action: expectAction,
  error_code: described(string, 'The code of the error that the response tells of.'),
}
const expectationNames = Object.keys(expectations)
const known = object('a map of what is expected', { keys: expectations })

/** Nothing expected is no example: it could not fail. */
export const expected: Rule = rule({ ...known.schema, minProperties: 1 }, (value, path, report) => {
  known(value, path, report)
  if (isMap(value) && !expectationNames.some((name) => Object.hasOwn(value, name)))
    report.issue(path, `expected at least one of ${expectationNames.join(', ')}`)
})
