/** What the author of an operation says for people and tools, as far as it is well-formed. */
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'

/** The parts of one operation that are not derived. */
export interface Authored {
  readonly id: string | undefined
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly tags: readonly string[]
  readonly isHidden: boolean
  /** Of the tool that it is. */
  readonly toolName: string | undefined
  /** By status. */
  readonly responses: JsonMap
  /** By name. */
  readonly examples: JsonMap
  /** Schemas of the parts of the request, those of the path included, and `body_required`. */
  readonly request: JsonMap
  readonly resultSchema: unknown
  readonly errorSchema: unknown
}

/**
 * @param operation the map of the operation, whose members may be expressions
 * @param path the map of its path
 * @param isHidden whether it is not published unless its author says so
 */
export function authoredOf(operation: JsonMap, path: JsonMap, isHidden = false): Authored {
  const { info, tags } = operation
  const { response } = operation
  return {
    id: textOf(operation.operation_id),
    summary: textOf(operation.summary) ?? textOf(memberOf(info, 'title')),
    description:
      textOf(operation.description) ?? textOf(info) ?? textOf(memberOf(info, 'description')),
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    isHidden: (operation.hidden ?? isHidden) === true,
    toolName: textOf(memberOf(operation.tool, 'name')),
    responses: mapOf(operation.responses),
    examples: mapOf(operation.examples),
    request: { ...mapOf(path.request), ...mapOf(operation.request) },
    resultSchema: memberOf(memberOf(response, 'on_result'), 'schema'),
    errorSchema: memberOf(memberOf(response, 'on_error'), 'schema'),
  }
}

/** A text that says something. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const mapOf = (value: unknown): JsonMap => (isMap(value) ? value : {})
