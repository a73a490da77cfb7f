/** `x-wamp-gateway` of operations: keys that an author sets, and what an export for operators tells of them. */
import { kindOf } from '#component/action/kinds.ts'
import { pointer } from '#component/codec/json.ts'
import { keyedForms, parsePathPattern } from '#component/syntax/path-pattern.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import type { Pattern } from './path-templates.ts'
import type { Place, Source } from './source.ts'

/** The name of the extension, of operations and of security schemes. */
export const extensionKey = 'x-wamp-gateway'

/** What is read of the extension of one operation. */
export interface Extension {
  /** Keys of the operation that stand as they are. */
  readonly keys: JsonMap
  /** The action in words, as an export tells it: its type, and procedure, topic or host. */
  readonly action: JsonMap | undefined
}

/** @returns no keys where the operation has no such extension */
export function extensionOf({ map, at }: Place, source: Source): Extension {
  const extension = map[extensionKey]
  if (extension === undefined) return { keys: {}, action: undefined }
  const path = pointer(at, extensionKey)
  if (!isMap(extension)) {
    source.losses.tell(path, 'expected a map of keys of an operation')
    return { keys: {}, action: undefined }
  }
  const { action, procedure, topic, host, pattern: _, ...keys } = extension
  if (Array.isArray(action)) {
    source.losses.tell(pointer(path, 'action'), 'an export does not tell the steps of a list')
    return { keys, action: undefined }
  }
  if (typeof action !== 'string')
    return { keys: action === undefined ? keys : { action, ...keys }, action: undefined }
  if (kindOf(action)?.answers)
    source.losses.tell(path, 'an export does not tell the body of the action')
  const told = Object.entries({ procedure, topic, host }).filter(([, value]) => value !== undefined)
  return { keys, action: { type: action, ...Object.fromEntries(told) } }
}

/** A pattern, and the base_path of its version, without a slash at the end. */
export interface Exported extends Pattern {
  readonly base: string
}

/**
 * The pattern that an export has turned into this template; undefined: no export has made it.
 * @param base of the templates before; undefined: they tell none
 */
export function exportedPattern(
  operations: readonly Place[],
  template: Pattern,
  base: string | undefined,
): Exported | undefined {
  for (const { map } of operations) {
    const whole = memberOf(map[extensionKey], 'pattern')
    const found = typeof whole === 'string' ? splitAt(whole, template, base) : undefined
    if (found) return { ...found, bindings: withoutUnbound(template.bindings, found.pattern) }
  }
  return undefined
}

const keysOf = (pattern: string): string[] => {
  const parsed = parsePathPattern(pattern)
  return 'forms' in parsed ? keyedForms(parsed).map(({ key }) => key) : []
}

/** Splits a pattern behind the base, else where what follows has the form of the template. */
function splitAt(
  whole: string,
  template: Pattern,
  base: string | undefined,
): Omit<Exported, 'bindings'> | undefined {
  // the shortest form: of the pattern of "/", it alone is that of the template
  const key = keysOf(template.pattern).at(-1)
  const slashes = Array.from(whole.matchAll(/\//g), ({ index }) => index).reverse()
  const known = base !== undefined && whole.startsWith(base) ? [base.length] : []
  const at = [...known, ...slashes].find(
    (each) => key !== undefined && keysOf(whole.slice(each)).includes(key),
  )
  return at === undefined ? undefined : { base: whole.slice(0, at), pattern: whole.slice(at) }
}

/** A segment that is not bound has a name in a template only. */
function withoutUnbound(bindings: Pattern['bindings'], pattern: string): Pattern['bindings'] {
  const named = new Set(Array.from(pattern.matchAll(/[:{]([\w-]+)/g), ([, name]) => name))
  return new Map(
    [...bindings].map(([name, binding]) => [
      name,
      binding === 'rest' || named.has(binding) ? binding : undefined,
    ]),
  )
}
