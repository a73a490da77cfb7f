/** What an action for each item of a list is: the row of `each`. */
import { groupFields, groupKeys } from '#component/action/group.ts'
import { actionKind } from '#component/action/kind.ts'
import { boolean, described, dynamic, integer, list } from '#component/spec/rules.ts'

/** One action for each item of a list, some of them at once. */
export const each = actionKind({
  type: 'each',
  shape: {
    keys: {
      items: described(dynamic(list), 'The list; _ in the action is the item.'),
      at_once: described(integer(1, 32), 'How many actions run at once.', { default: 8 }),
      max_items: described(
        integer(1, 1000),
        'How many items the list may have: with more, nothing is sent.',
        { default: 100 },
      ),
      optional: described(
        boolean,
        'Whether the action may fail for some items: their results are null.',
        {
          default: false,
        },
      ),
      ...groupKeys,
    },
    required: { items: 'the list whose items the action is performed for' },
  },
  fields: {
    items: 'value',
    at_once: 'known',
    max_items: 'known',
    optional: 'known',
    ...groupFields,
  },
  branches: { field: 'action', of: 'items' },
})
