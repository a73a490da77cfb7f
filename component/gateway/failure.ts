/** Expressions that fail for a request and values that do not fit: whose fault that is (behaviour §2, stage 2). */
import { FieldError } from '#component/action/field-error.ts'
import { ExpressionError } from '#component/errors.ts'
import { member } from '#component/expression/compile.ts'
import type { Node } from '#component/expression/nodes.ts'
import { nameOf, originOf } from '#component/expression/origin.ts'
import type { ActionPlan } from './api.ts'

/**
 * The failure of a value that does not fit its place.
 * @param node of the value: when all of it comes from the request, the request is at fault
 * @param place in words or as a JSON Pointer; clients see it only when the document is at fault
 */
export function unfit(node: Node, place: string, wanted: string): ExpressionError {
  const origin = originOf(node)
  const detail = `${place}: expected ${wanted}`
  if (!origin) return new ExpressionError(detail)
  return new ExpressionError(`${nameOf(origin)}: expected ${wanted}`, { detail, isOfRequest: true })
}

/** The failure of a field of an action, with its fault found: that of the node which gave the value. */
export function failureOf(error: ExpressionError, { computed }: ActionPlan): ExpressionError {
  if (!(error instanceof FieldError)) return error
  const [name = '', ...keys] = error.keys
  // keys below the last node are data
  const place = [name]
  let node = computed.find(([field]) => field === name)?.[1]
  for (const key of keys) {
    const below = node && member(node, key)
    if (below === undefined || below.kind === 'broken') break
    node = below
    place.push(key)
  }
  return node ? unfit(node, place.join(': '), error.wanted) : error
}
