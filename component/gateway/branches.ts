/** The branches of an action that performs others, for one request. */
import type { Branch, Run } from '#component/action/action.ts'
import { ExpressionError } from '#component/errors.ts'
import type { Context, Node } from '#component/expression/nodes.ts'
import { enterItems, leaveItems } from '#component/expression/origin.ts'
import { Aborts } from './aborts.ts'
import { type PreparedAction, prepareList } from './action-list.ts'
import type { ActionPlan } from './api.ts'
import { failureOf } from './failure.ts'

/** Evaluates the expressions of an action. @param onCancel takes a callback for when it is given up @param branch its key */
export type Prepare = (
  plan: ActionPlan,
  context: Context,
  onCancel: Run['onCancel'],
  branch: string,
) => PreparedAction

/** Runs a task in which `_` is an item of the list: whose fault a failure is, is found in there. */
function among<T>(list: Node | undefined, plan: ActionPlan, task: () => T): T {
  const outer = list && enterItems(list)
  try {
    return task()
  } catch (error) {
    throw error instanceof ExpressionError ? failureOf(error, plan) : error
  } finally {
    if (list) leaveItems(outer)
  }
}

/**
 * The branches of an action, each prepared: an expression that fails is the failure of its branch.
 * @param items those of the list that its branch is performed for; undefined: each branch is performed once
 */
export function branchesOf(
  { branches }: ActionPlan,
  context: Context,
  items: readonly unknown[] | undefined,
  prepare: Prepare,
): readonly Branch[] {
  if (branches === undefined) return []
  const { list, all } = branches
  const prepareBranch = (index: number, within: Context, key: string): Branch => {
    const { plans, isList, isOptional } = all[index] as (typeof all)[number]
    const aborts = new Aborts()
    const onCancel: Run['onCancel'] = (callback) => aborts.add(callback)
    const one = (plan: ActionPlan, seen: Context): PreparedAction => {
      const prepared = among(list, plan, () => prepare(plan, seen, onCancel, key))
      if (list === undefined) return prepared
      const perform = () =>
        prepared.perform().catch((error: unknown) =>
          among(list, plan, () => {
            throw error
          }),
        )
      return { ...prepared, perform }
    }
    const first = plans[0] as ActionPlan
    const prepared = isList
      ? prepareList(plans, (plan, progress) =>
          one(plan, plan === first ? within : { ...within, action: progress }),
        )
      : one(first, within)
    return {
      key,
      isOptional,
      perform: () => prepared.perform(),
      cancel: (reason) => aborts.abort(reason),
    }
  }
  const failing = (key: string, error: unknown): Branch => ({
    key,
    isOptional: true,
    perform: () => Promise.reject(error),
    cancel: () => {},
  })
  const attempt = (index: number, within: Context, key: string): Branch => {
    try {
      return prepareBranch(index, within, key)
    } catch (error) {
      if (!all[index]?.isOptional) throw error
      return failing(key, error)
    }
  }
  if (items === undefined) return all.map(({ name }, index) => attempt(index, context, name))
  const shared = { whole: context, counted: context.counted ?? context.request }
  return items.map((item, at) => attempt(0, { ...context, item, ...shared }, String(at + 1)))
}
