/** The rules of `rate_limit`: how many requests are served in a time. */
import { pointer } from '#component/codec/json.ts'
import {
  boolean,
  described,
  dynamic,
  integer,
  type JsonSchema,
  must,
  oneOf,
  type Rule,
  rule,
} from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'

/** Who shares one limit; any other value of `per` is an expression. */
const sharers = ['user', 'client', 'address', 'role', 'all'] as const

const maxAmount = 1_000_000_000
const maxLimits = 10

/** A name that is sent as a quoted string (RFC 9651 §3.3.3) without escapes. */
const namePattern = /^[A-Za-z0-9._-]{1,64}$/
const name = must(
  'a name of 1 to 64 letters, digits, ".", "_" and "-"',
  (value) => typeof value === 'string' && namePattern.test(value),
  { type: 'string', pattern: namePattern.source },
)
const amount = dynamic(integer(1, maxAmount, ' of requests'))
const amounts: Rule = rule(
  { type: 'object', additionalProperties: amount.schema },
  (value, path, report) => {
    if (!isMap(value)) return report.expected(path, 'a map of roles and authids to amounts', value)
    for (const [key, item] of Object.entries(value)) amount(item, pointer(path, key), report)
  },
)

const keys: Readonly<Record<string, Rule>> = {
  name: described(name, 'What clients and metrics call the limit.', { default: 'default' }),
  amount: described(amount, 'Requests in a window.'),
  window: described(dynamic(integer(1, 86_400, ' of seconds')), 'Seconds.'),
  burst: described(
    dynamic(integer(1, maxAmount, ' of requests')),
    'How many requests may come at once. Absent: as many as the amount.',
  ),
  per: described(
    dynamic(oneOf(sharers)),
    'Who shares the limit; an expression over request and security: all with an equal value.',
    { default: 'user' },
  ),
  cost: described(
    dynamic(integer(0, 1000)),
    'How much of the amount a request takes; an expression over request and security, without the body.',
    { default: 1 },
  ),
  by: described(amounts, 'Other amounts for roles and authids; the greatest that fits holds.'),
  separate: described(boolean, 'Whether each operation has a limit of its own.', {
    default: false,
  }),
  scope: described(
    oneOf(['all', 'process']),
    'all: all processes and nodes share the limit, as far as they hear of each other. process: each counts for itself.',
    { default: 'all' },
  ),
  headers: described(boolean, 'Whether answers tell the limit in RateLimit fields.', {
    default: true,
  }),
  mode: described(oneOf(['enforce', 'log']), 'log: refuses nothing, and counts only.', {
    default: 'enforce',
  }),
}
const required = ['amount', 'window'] as const

const limitSchema: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(keys).map(([key, { schema }]) => [key, schema])),
  patternProperties: { '^comment$': {} },
  required,
  additionalProperties: false,
}

/** An unknown key is an issue: its author expects a limit that would not hold. */
const limit: Rule = rule(limitSchema, (value, path, report) => {
  if (!isMap(value)) return report.expected(path, 'a map {amount, window}', value)
  for (const key of required) {
    if (!Object.hasOwn(value, key))
      report.missing(path, key, key === 'amount' ? 'requests' : 'seconds')
  }
  for (const [key, item] of Object.entries(value)) {
    const at = pointer(path, key)
    if (Object.hasOwn(keys, key)) keys[key]?.(item, at, report)
    else if (key !== 'comment') {
      report.issue(at, `expected one of ${Object.keys(keys).join(', ')}`)
    }
  }
})

const nameOf = (value: unknown): unknown => (isMap(value) ? (value.name ?? 'default') : undefined)

/** One limit, or a list. `null` takes away what a level above sets. */
export const rateLimit: Rule = dynamic(
  described(
    rule(
      {
        anyOf: [
          limitSchema,
          { type: 'array', items: limitSchema, minItems: 1, maxItems: maxLimits },
          { type: 'null' },
        ],
      },
      (value, path, report) => {
        if (value === null) return
        if (!Array.isArray(value)) return limit(value, path, report)
        if (value.length === 0 || value.length > maxLimits) {
          return report.issue(path, `expected 1 to ${maxLimits} limits, got ${value.length}`)
        }
        for (const [index, item] of value.entries()) {
          const at = pointer(path, index)
          limit(item, at, report)
          const first = value.findIndex((other) => nameOf(other) === nameOf(item))
          if (first < index) {
            report.issue(pointer(at, 'name'), 'expected a name of its own: an earlier limit has it')
          }
        }
      },
    ),
    'How many requests are served in a time. Further ones are refused with 429. null: any number.',
  ),
)
