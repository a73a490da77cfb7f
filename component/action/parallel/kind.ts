/** What actions at once are: the row of `parallel`. */

import { groupFields, groupKeys } from '#component/action/group.ts'
import { actionKind } from '#component/action/kind.ts'
import { pointer } from '#component/codec/json.ts'
import { described, list, listOf, rule, string } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'

const names = listOf(string, 'a list of names of actions', 0)

/** Several actions at once, by name. */
export const parallel = actionKind({
  type: 'parallel',
  shape: {
    keys: {
      optional: described(
        rule(names.schema, (value, path, report) =>
          Array.isArray(value) ? names(value, path, report) : list(value, path, report),
        ),
        'The names of actions that may fail: the response is made without them.',
      ),
      ...groupKeys,
    },
  },
  check({ optional, actions }, path, report) {
    if (!Array.isArray(optional) || !isMap(actions)) return
    for (const [index, name] of optional.entries()) {
      if (typeof name !== 'string' || Object.hasOwn(actions, name)) continue
      report.issue(
        pointer(path, 'optional', index),
        `there is no action ${JSON.stringify(name)} in actions`,
      )
    }
  },
  fields: { optional: 'known', ...groupFields },
  branches: { field: 'actions', of: 'names' },
})
