/** Evaluates tags of kept answers. */
import { ExpressionError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { TagPlan } from './plan.ts'

/** The texts; undefined where an expression fails, or yields what is no text, number, or is empty. */
export function evaluateTags(
  plans: readonly TagPlan[],
  context: Context,
): readonly string[] | undefined {
  const tags: string[] = []
  for (const { node } of plans) {
    const tag = textOf(() => node.evaluate(context))
    if (tag === undefined) return undefined
    tags.push(tag)
  }
  return tags
}

function textOf(evaluate: () => unknown): string | undefined {
  try {
    const value = evaluate()
    if (typeof value === 'string') return value === '' ? undefined : value
    return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
  } catch (error) {
    if (error instanceof ExpressionError) return undefined
    throw error
  }
}
