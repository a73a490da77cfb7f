/** The paths that the gateway itself serves: they have metrics, too. */
import { ownPath, type ServedPath } from '#component/metrics/place.ts'
import { type Procedure, pathsOf } from '#procedures/definition/procedure.ts'
import { healthPaths } from './admin.ts'
import { pagePath } from './admin-page.ts'

/** The paths of the console: its page, with all that is below, and its events. */
export const consolePaths = { page: '/console/', events: '/events' } as const

/** Lists those of management, health and metrics, and then those of documents. */
export function withOwnPaths(
  procedures: readonly Procedure[],
  ofDocuments: () => Iterable<ServedPath>,
): () => Iterable<ServedPath> {
  const own = [
    pagePath,
    ...Object.values(consolePaths),
    ...healthPaths,
    ...procedures.flatMap(pathsOf),
  ].map(ownPath)
  return function* () {
    yield* own
    yield* ofDocuments()
  }
}
