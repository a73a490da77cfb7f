/** `each`: one action for each item of a list, and their results in its order. */
import type { Action } from '#component/action/action.ts'
import { FieldError } from '#component/action/field-error.ts'
import { type GroupPorts, runBranches } from '#component/action/group.ts'

/** Performs its action for each item. Its result is a list of theirs; null stands for one that failed and is optional. */
export const eachAction = (ports: GroupPorts): Action => ({
  async perform(fields, run) {
    const { items, max_items = 100, at_once = 8 } = fields
    if (!Array.isArray(items)) throw new FieldError(['items'], 'a list')
    if (items.length > Number(max_items)) {
      throw new FieldError(['items'], `a list of at most ${max_items} items (max_items)`)
    }
    const branches = run.branches?.(items) ?? []
    const bounds = { atOnce: Number(at_once), fields, run }
    const { results, errors, failed, isOfUser } = await runBranches(ports, branches, bounds)
    const more = { errors, ...(isOfUser && { isOfUser }) }
    if (failed) return { ...failed, ...more }
    // expressions take a list like any other value
    const result: object = branches.map((_, index) => results[index] ?? null)
    return { result: result as Readonly<Record<string, unknown>>, ...more }
  },
})
