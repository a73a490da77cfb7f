/** Finds routes of one document that would answer the same requests. */
import type { Issue } from '#component/errors.ts'
import { clashesAmong, type RouteEntry } from '#component/routes/routing-table.ts'
import type { Steps } from '#component/yielding.ts'

/**
 * An issue for each of them, whether or not their operations compile.
 * @param generated the routes that the document does not declare
 */
export function* ownClashes(
  generated: readonly RouteEntry<unknown>[],
  declared: readonly RouteEntry<never>[],
): Steps<Issue[]> {
  const shared = new Set<string>()
  const sources = new Set<string>()
  for (const { path, isShared } of generated) {
    sources.add(path)
    if (isShared) shared.add(path)
  }
  const clashes = yield* clashesAmong([...generated, ...declared])
  return clashes.map(({ path, otherPath, otherPattern, pattern }) => {
    const other = sources.has(otherPath) ? `${otherPattern}, generated for ${otherPath}` : otherPath
    const message = shared.has(path)
      ? `its security generates the route ${pattern} with a different flow or purpose than ${other}`
      : `the route ${pattern} matches the same requests as ${other}`
    return { path, message }
  })
}
