/** The documents of the gateway as a sync would leave them: whether their routes fit beside each other. */
import type { Invocation } from '#component/cli/command.ts'
import { routingTableOf } from '#component/cli/routes.ts'
import type { Comparison } from './comparison.ts'
import type { FolderDocument } from './folder.ts'

/** The ids of the documents of the folder that clash with another document even after the last change. */
export function clashingAtTheEnd(
  documents: readonly FolderDocument[],
  { served, unmanaged }: Comparison,
  environment: Invocation['environment'],
): ReadonlySet<string> {
  const others = unmanaged.map((id) => served.get(id))
  const sources = [...others, ...documents.map(({ document }) => document)].map((document) => ({
    document,
    findings: () => [],
  }))
  const { clashes } = routingTableOf(sources, environment)
  return new Set(clashes.flatMap(({ api, otherApi }) => [api, otherApi]))
}
