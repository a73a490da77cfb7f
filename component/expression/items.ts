/** `_`, the item of a list: which values read it, how functions evaluate them for each item, and how many steps a request has for that. */

import { isMap } from '#component/syntax/values.ts'
import { type Context, type Costs, type Node, runOf } from './nodes.ts'
import type { Site } from './site.ts'
import { ownValue } from './values.ts'

/** The first key of paths into the item. */
export const itemName = '_'

/** A read is a path, and no other root begins like this. */
const isOfItem = (read: string): boolean => read.startsWith(itemName)

/** Whether a value depends on an item. */
export const readsItem = ({ reads }: Pick<Costs, 'reads'>): boolean => reads.some(isOfItem)

/** Whether it depends on nothing else that a load does not know. */
export const readsItemOnly = ({ reads }: Pick<Costs, 'reads'>): boolean =>
  reads.length > 0 && reads.every(isOfItem)

/**
 * What the evaluations of a value for each item of a list cost beside the list itself.
 * @param isBuilt whether the result is made of them: any part of what the document writes occurs in it once for each item
 */
export function costsOfItems(node: Node, isBuilt: boolean): Costs {
  const { reads, steps, depth, repeats } = node
  const isPath = node.kind === 'deferred' && node.keys?.[0] === itemName
  return {
    reads: reads.filter((read) => !isOfItem(read)),
    ...{ steps, depth, repeats: repeats || (isBuilt && !isPath) },
  }
}

/** The value of an argument for an item; undefined where the item has no such member. */
export type OfItem = (item: unknown) => unknown

/** What an argument is where it does not read the item: the key of a member, or a value. */
export type ItemForm = 'member' | 'value'

/** Makes the {@link OfItem} of an argument for each call of its function: what does not read the item is evaluated once. */
export function ofItems(node: Node, form: ItemForm): (context: Context) => OfItem {
  const run = runOf(node)
  if (readsItem(node)) {
    return (of) => {
      const { request, action, security, random } = of
      const context: { -readonly [key in keyof Context]: Context[key] } = {
        ...{ request, action, security, random, item: undefined },
        ...{ whole: of.whole ?? of, counted: of.counted ?? request },
      }
      return (item) => {
        context.item = item
        return run(context)
      }
    }
  }
  if (form === 'value') {
    return (context) => {
      const value = run(context)
      return () => value
    }
  }
  return (context) => {
    const key = run(context) as string
    return (item) => (isMap(item) ? ownValue(item, key) : undefined)
  }
}

/** What does not depend on an item is computed once for all items of an evaluation. */
export function once<T>(compute: (value: T, context: Context) => unknown): typeof compute {
  const known = new WeakMap<Context, unknown>()
  return (value, context) => {
    const { whole } = context
    if (whole === undefined) return compute(value, context)
    if (!known.has(whole)) known.set(whole, compute(value, context))
    return known.get(whole)
  }
}

/** At most this many steps of items a request: one for each item, and one for each path and function that is evaluated for it. */
const itemStepLimit = 500_000

/** Steps that are left, by what they are counted for. */
const budgets = new WeakMap<object, { left: number }>()

/** Takes steps of items from the budget of the request, before they are made. */
export function spend(steps: number, site: Site, { counted, request }: Context): void {
  const key = counted ?? request
  let budget = budgets.get(key)
  if (budget === undefined) {
    budget = { left: itemStepLimit }
    budgets.set(key, budget)
  }
  budget.left -= steps
  if (budget.left >= 0) return
  const limit = `more than ${itemStepLimit} steps are needed for the items of lists`
  site.fail(limit, `: ${limit}`)
}

/** Steps that have been taken. */
export const spent = ({ counted, request }: Context): number =>
  itemStepLimit - (budgets.get(counted ?? request)?.left ?? itemStepLimit)
