/** The list of tools as clients of a revision read it. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Era } from './eras.ts'

/** What clients are told of a tool; its schemas stand alone. */
export interface ToolDefinition {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonMap
  readonly outputSchema?: unknown
  readonly annotations: Readonly<Record<string, boolean>>
}

/** @param isPublic whether everybody gets the same list */
export const listed = (
  definitions: readonly ToolDefinition[],
  era: Era,
  isPublic: boolean,
): JsonMap => ({
  tools: definitions.map((definition) => shownTo(era, definition)),
  ...era.caching(isPublic),
})

/** Without the schema of a result where this result could not be shown. */
function shownTo(era: Era, definition: ToolDefinition): JsonMap {
  const { outputSchema, ...rest } = definition
  if (outputSchema === undefined) return rest
  const isOfMaps = isMap(outputSchema) && outputSchema.type === 'object'
  return era.isStructured(isOfMaps ? {} : undefined) ? { ...rest, outputSchema } : rest
}
