/** The rules that `rate_limit` and `quota` share: who shares a limit, what a request costs, and lists of limits. */
import { pointer } from '#component/codec/json.ts'
import { closedMap } from '#component/spec/closed-map.ts'
import {
  boolean,
  described,
  dynamic,
  integer,
  type JsonSchema,
  mapOf,
  must,
  oneOf,
  type Rule,
  rule,
} from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'

/** Who shares one limit; any other value of `per` is an expression. */
const sharers = ['user', 'client', 'address', 'role', 'all'] as const

/** The greatest amount. */
export const maxAmount = 1_000_000_000
const maxLimits = 10

/** A name that is sent as a quoted string (RFC 9651 §3.3.3) without escapes. */
const namePattern = /^[A-Za-z0-9._-]{1,64}$/
const name = must(
  'a name of 1 to 64 letters, digits, ".", "_" and "-"',
  (value) => typeof value === 'string' && namePattern.test(value),
  { type: 'string', pattern: namePattern.source },
)
const amount = dynamic(integer(1, maxAmount, ' of requests'))
const amounts = mapOf(amount, 'a map of roles and authids to amounts')

const shared = {
  name: described(name, 'What clients and metrics call the limit.', { default: 'default' }),
  amount: described(amount, 'Requests in a window.'),
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
  headers: described(boolean, 'Whether responses tell the limit in RateLimit fields.', {
    default: true,
  }),
  mode: described(oneOf(['enforce', 'log']), 'log: refuses nothing, and counts only.', {
    default: 'enforce',
  }),
}

/** What is told of a limit without a key that it needs. */
const needed = { amount: 'requests', window: 'seconds' } as const

const nameOf = (value: unknown): unknown => (isMap(value) ? (value.name ?? 'default') : undefined)

/**
 * One limit, or a list of limits with different names. `null` takes away what a level above sets.
 * @param own the keys beside the shared ones; `window` is required
 * @param noun what the members of a list are called
 */
export function limits(
  own: Readonly<Record<string, Rule>> & { readonly window: Rule },
  noun: string,
  description: string,
): Rule {
  const { name, amount, ...others } = shared
  const keys: Readonly<Record<string, Rule>> = { name, amount, ...own, ...others }
  // an unknown key is an issue: its author expects a limit that would not hold
  const limit = closedMap('a map {amount, window}', keys, needed)
  const { schema } = limit
  const list: JsonSchema = { type: 'array', items: schema, minItems: 1, maxItems: maxLimits }
  const either = rule({ anyOf: [schema, list, { type: 'null' }] }, (value, path, report) => {
    if (value === null) return
    if (!Array.isArray(value)) return limit(value, path, report)
    if (value.length === 0 || value.length > maxLimits) {
      return report.issue(path, `expected 1 to ${maxLimits} ${noun}, got ${value.length}`)
    }
    for (const [index, item] of value.entries()) {
      const at = pointer(path, index)
      limit(item, at, report)
      const first = value.findIndex((other) => nameOf(other) === nameOf(item))
      if (first < index) {
        report.issue(pointer(at, 'name'), 'expected a name of its own: an earlier limit has it')
      }
    }
  })
  return dynamic(described(either, description))
}
