/** The rules of actions, by type, and of lists of them. */
import { actionKinds, kindOf } from '#component/action/kinds.ts'
import { pointer } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import { dynamic, emptyMap, listOf, type Rule, rule, variants } from './rules.ts'

/** The keys of each type. */
const shapes = Object.fromEntries(actionKinds.map(({ type, shape }) => [type, shape]))

const actionVariants = variants('an action', shapes)

/** Enough for what one request may set off; more is a program, which belongs behind the gateway. */
const maxActions = 8

const singleAction: Rule = dynamic(
  rule(actionVariants.schema, (value, path, report) => {
    actionVariants(value, path, report)
    if (!isMap(value)) return
    kindOf(value.type)?.check(value, path, report)
    for (const [name, alias] of [
      ['args', 'arguments'],
      ['kwargs', 'arguments_kw'],
    ] as const) {
      if (Object.hasOwn(value, name) && Object.hasOwn(value, alias)) {
        report.issue(
          pointer(path, alias),
          `${alias} is another name for ${name}: give only one of them`,
        )
      }
    }
  }),
)

const actionList = listOf(singleAction, 'a list of actions')

/** `{}` is allowed under `options` only, where it answers 200 (behaviour: OPTIONS). */
export const action: Rule = rule(
  { anyOf: [singleAction.schema, { ...actionList.schema, maxItems: maxActions }] },
  (value, path, report) => {
    const isEmpty = isMap(value) && Object.keys(value).length === 0
    if (isEmpty && path.endsWith('/options/action')) return
    const isList = Array.isArray(value)
    if (isList && value.length > maxActions) {
      report.issue(path, `expected at most ${maxActions} actions, got ${value.length}`)
    } else if (isList) actionList(value, path, report)
    else singleAction(value, path, report)
  },
)

/** The action under `options`. */
export const optionsAction = rule({ anyOf: [action.schema, emptyMap] }, (value, path, report) =>
  action(value, path, report),
)
