/** `parallel`: several actions at once, and their results by name. */
import type { Action } from '#component/action/action.ts'
import { type GroupPorts, runBranches } from '#component/action/group.ts'
import { setOwn } from '#component/syntax/values.ts'

/** Performs all of its actions. Its result is a map of theirs; one that failed and is optional is absent. */
export const parallelAction = (ports: GroupPorts): Action => ({
  async perform(fields, run) {
    const branches = run.branches?.(undefined) ?? []
    const bounds = { atOnce: branches.length, fields, run }
    const { results, errors, failed, isOfUser } = await runBranches(ports, branches, bounds)
    const more = { errors, ...(isOfUser && { isOfUser }) }
    if (failed) return { ...failed, ...more }
    const result: Record<string, unknown> = {}
    for (const [index, { key }] of branches.entries()) {
      if (results[index] !== undefined) setOwn(result, key, results[index])
    }
    return { result, ...more }
  },
})
