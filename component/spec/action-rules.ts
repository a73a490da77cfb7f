/** The rules of actions, by type, and of lists of them. */
import type { ActionKind } from '#component/action/kind.ts'
import { actionKinds, kindOf } from '#component/action/kinds.ts'
import { pointer } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import { dynamic, emptyMap, listOf, mapOf, type Rule, rule, type Shape, variants } from './rules.ts'

/** Enough for what one request may set off; more is a program, which belongs behind the gateway. */
const maxActions = 8

/** At most this many actions of one `parallel`. */
const maxBranches = 16

/** At most this many in an operation. */
const maxInAll = 64

/** An action of some types. @param variants of its keys */
const actionOf = (known: Rule): Rule =>
  dynamic(
    rule(known.schema, (value, path, report) => {
      known(value, path, report)
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

const branchKinds = actionKinds.filter(({ isBranch }) => isBranch)
const branchAction = actionOf(
  variants(
    'an action of a branch',
    Object.fromEntries(branchKinds.map(({ type, shape }) => [type, shape])),
  ),
)
const branchList = listOf(branchAction, 'a list of actions')

/** The action of a branch, or a list of actions in order. */
const branch: Rule = rule(
  { anyOf: [branchAction.schema, { ...branchList.schema, maxItems: maxActions }] },
  (value, path, report) => {
    const isList = Array.isArray(value)
    if (isList && value.length > maxActions) {
      report.issue(path, `expected at most ${maxActions} actions, got ${value.length}`)
    } else if (isList) branchList(value, path, report)
    else branchAction(value, path, report)
  },
)

const branchMap = mapOf(branch, 'a map of names to actions', (name) =>
  /^[\w-]{1,64}$/.test(name) && name !== '__proto__'
    ? undefined
    : 'expected a name of letters, digits, _ and -, of at most 64 characters',
)

const namedBranches: Rule = rule(
  { ...branchMap.schema, minProperties: 1, maxProperties: maxBranches },
  (value, path, report) => {
    const { length } = isMap(value) ? Object.keys(value) : ['']
    if (length > 0 && length <= maxBranches) branchMap(value, path, report)
    else report.issue(path, `expected 1 to ${maxBranches} actions, got ${length}`)
  },
)

/** The keys of a type, with those of its branches. */
function shapeOf({ shape, branches }: ActionKind): Shape {
  if (branches === undefined) return shape
  const { field, of } = branches
  const [known, wanted] =
    of === 'names' ? [namedBranches, 'the actions, by name'] : [branch, 'the action of each item']
  return {
    keys: { ...shape.keys, [field]: known },
    required: { ...shape.required, [field]: wanted },
  }
}

const singleAction = actionOf(
  variants('an action', Object.fromEntries(actionKinds.map((kind) => [kind.type, shapeOf(kind)]))),
)

const actionList = listOf(singleAction, 'a list of actions')

/** How many actions an action, or a list of them, is. */
function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + countOf(one), 0)
  if (!isMap(value)) return 1
  const field = kindOf(value.type)?.branches?.field
  const inner = field === undefined ? undefined : value[field]
  if (field === undefined || !isMap(inner)) return Array.isArray(inner) ? countOf(inner) : 1
  return kindOf(value.type)?.branches?.of === 'items' ? 1 : countOf(Object.values(inner))
}

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
    const count = countOf(value)
    if (count > maxInAll) {
      report.issue(path, `expected at most ${maxInAll} actions in an operation, got ${count}`)
    }
  },
)

/** The action under `options`. */
export const optionsAction = rule({ anyOf: [action.schema, emptyMap] }, (value, path, report) =>
  action(value, path, report),
)
