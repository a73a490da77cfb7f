/** The rule of a map whose unknown keys are issues: its author expects a policy that would not hold. */
import { pointer } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import { type Rule, rule } from './rules.ts'

/** @param allowed describes the map where it is something else */
export const closedMap = (allowed: string, keys: Readonly<Record<string, Rule>>): Rule =>
  rule(
    {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(keys).map(([key, { schema }]) => [key, schema]),
      ),
      patternProperties: { '^comment$': {} },
      additionalProperties: false,
    },
    (value, path, report) => {
      if (!isMap(value)) return report.expected(path, allowed, value)
      for (const [key, item] of Object.entries(value)) {
        const at = pointer(path, key)
        if (Object.hasOwn(keys, key)) keys[key]?.(item, at, report)
        else if (key !== 'comment') {
          report.issue(at, `expected one of ${Object.keys(keys).join(', ')}`)
        }
      }
    },
  )
