/** Evaluates the fields of an action and the bounds of its attempts for one request. */
import type { ActionFields, Attempts } from '#component/action/action.ts'
import type { Context } from '#component/expression/nodes.ts'
import { attempts as rules } from '#component/spec/http-rules.ts'
import { Report } from '#component/spec/report.ts'
import type { ActionPlan, AttemptsPlan } from './api.ts'
import { unfit } from './failure.ts'

/** The fields of an action; ExpressionError when one cannot be evaluated. */
export function evaluateFields({ fixed, computed }: ActionPlan, context: Context): ActionFields {
  if (computed.length === 0) return fixed
  const fields = { ...fixed }
  for (const [name, node] of computed) fields[name] = node.evaluate(context)
  return fields
}

/** Times and counts; ExpressionError for a value that would be refused as a literal of the document. */
export function evaluateAttempts({ fixed, computed }: AttemptsPlan, context: Context): Attempts {
  if (computed.length === 0) return fixed
  const attempts: Record<keyof Attempts, number> = { ...fixed }
  for (const [name, { node, path }] of computed) {
    const value = node.evaluate(context)
    const report = new Report()
    rules[name](value, path, report)
    if (typeof value !== 'number' || report.issues.length > 0) {
      throw unfit(node, path, `an integer within the limits of ${name}`)
    }
    attempts[name] = value
  }
  return attempts
}
