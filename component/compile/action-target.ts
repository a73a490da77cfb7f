/** Names what an action reaches, from its document alone. */
import { reachedBy } from '#component/action/kind.ts'
import { type ActionTarget, noTarget } from '#component/action/watching/action-target.ts'
import type { CompiledPath } from '#component/gateway/api.ts'
import { isMap } from '#component/syntax/values.ts'
import type { CompiledAction } from './compile-action.ts'

/** Characters of the longest expression that names a target: it is written with every series. */
const longestText = 200

/** Stands for an expression whose text stands elsewhere in the document. */
const computed = '{{…}}'

/** The text of a field that requests decide. */
function textOf(field: string, { members }: CompiledAction, written: unknown): string {
  const raw = isMap(written) ? written[field] : undefined
  if (typeof raw === 'string') return raw
  const value = members.get(field)
  if (value?.kind !== 'deferred') return computed
  return value.joined?.whole.text ?? (value.keys ? `{{${value.keys.join('.')}}}` : computed)
}

/** The target of an action. @param written the action in the document: a map, or an expression that yields it */
export function targetOf(
  action: CompiledAction,
  written: unknown,
  { version, pattern }: Pick<CompiledPath, 'version' | 'pattern'>,
): ActionTarget {
  const { kind, fixed } = action.plan
  const { type, reaches } = kind
  // events are handed to a delivery of the same document
  if (reaches === undefined) return kind.handsTo ? { ...noTarget, api: version.api } : noTarget
  const { field } = reaches
  const value = fixed[field]
  const literal = reachedBy(reaches, fixed) ?? (typeof value === 'string' ? value : undefined)
  const text = literal ?? textOf(field, action, written).slice(0, longestText)
  const { api, label } = version
  return { type, text, literal, api, version: label, served: version, route: pattern }
}
