/** The rule of a map whose unknown keys are issues: its author expects a policy that would not hold. */
import { entriesAt } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import { type Rule, rule } from './rules.ts'

/**
 * @param allowed describes the map where it is something else
 * @param keys the rules of its keys, which have no `~` and `/`; `comment` is for people
 * @param required what is expected of the keys that it must have, by their names
 */
export function closedMap(
  allowed: string,
  keys: Readonly<Record<string, Rule>>,
  required: Readonly<Record<string, string>> = {},
): Rule {
  const needed = Object.entries(required)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(keys).map(([key, { schema }]) => [key, schema])),
    patternProperties: { '^comment$': {} },
    ...(needed.length > 0 && { required: Object.keys(required) }),
    additionalProperties: false,
  }
  return rule(schema, (value, path, report) => {
    if (!isMap(value)) return report.expected(path, allowed, value)
    for (const [key, wanted] of needed) {
      if (!Object.hasOwn(value, key)) report.missing(path, key, wanted)
    }
    for (const [key, item, at] of entriesAt(value, path)) {
      if (Object.hasOwn(keys, key)) keys[key]?.(item, at, report)
      else if (key !== 'comment') {
        report.issue(at, `expected one of ${Object.keys(keys).join(', ')}`)
      }
    }
  })
}

/** The same value, or `null`, which takes away what a level above sets. */
export const orNull = (known: Rule): Rule =>
  rule({ anyOf: [known.schema, { type: 'null' }] }, (value, path, report) => {
    if (value !== null) known(value, path, report)
  })
