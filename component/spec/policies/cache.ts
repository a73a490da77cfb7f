/** The rule of `cache`: which answers are kept, for whom, and for how long. */
import { pointer } from '#component/codec/json.ts'
import {
  boolean,
  described,
  dynamic,
  integer,
  type JsonSchema,
  listOf,
  must,
  oneOf,
  type Rule,
  rule,
  text,
} from '#component/spec/rules.ts'
import { headerNameProblem } from '#component/spec/syntax.ts'
import { isMap } from '#component/syntax/values.ts'

/** Statuses that a cache may keep and whose meaning it needs not know (RFC 9110 §15.1; 206 it would have to). */
const statuses = [200, 203, 204, 300, 301, 308, 404, 410]

/** A year. */
const maxSeconds = 31_536_000
const seconds = (minimum: number): Rule => dynamic(integer(minimum, maxSeconds, ' of seconds'))

const keys: Readonly<Record<string, Rule>> = {
  ttl: described(
    seconds(1),
    'Seconds that an answer is fresh; less where it says so itself. Absent: as long as an upstream says, and other answers are not kept.',
  ),
  per: described(
    oneOf(['user', 'all']),
    'Who shares an answer. Absent: user where the path is secured, else all.',
  ),
  vary: described(
    listOf(dynamic(text('the name of a header field', headerNameProblem)), 'a list of names', 0),
    'Request fields that answers differ by, beside those that expressions read and answers name in Vary.',
    { default: [] },
  ),
  statuses: described(
    listOf(
      must(`one of ${statuses.join(', ')}`, (value) => statuses.includes(value as number), {
        enum: statuses,
      }),
      'a list of statuses',
    ),
    'Statuses of answers that are kept.',
    { default: [200] },
  ),
  stale_while_revalidate: described(
    seconds(0),
    'Seconds that a stale answer is served while a fresh one is fetched.',
    { default: 0 },
  ),
  stale_if_error: described(
    seconds(0),
    'Seconds that a stale answer is served where the action fails.',
    { default: 0 },
  ),
  coalesce: described(boolean, 'Whether requests for the same answer wait for the first of them.', {
    default: true,
  }),
}

const schema: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(keys).map(([key, known]) => [key, known.schema])),
  patternProperties: { '^comment$': {} },
  additionalProperties: false,
}

/** `null` takes away what a level above sets. An unknown key is an issue: its author expects answers to be told apart by it. */
export const cache: Rule = dynamic(
  described(
    rule({ anyOf: [schema, { type: 'null' }] }, (value, path, report) => {
      if (value === null) return
      if (!isMap(value)) return report.expected(path, 'a map such as {ttl: 60}', value)
      for (const [key, item] of Object.entries(value)) {
        const at = pointer(path, key)
        if (Object.hasOwn(keys, key)) keys[key]?.(item, at, report)
        else if (key !== 'comment') {
          report.issue(at, `expected one of ${Object.keys(keys).join(', ')}`)
        }
      }
    }),
    'Answers to GET and HEAD are kept in memory and served again. null: they are not.',
  ),
)
