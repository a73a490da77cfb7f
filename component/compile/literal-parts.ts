/** An operation without its literal parts, and these parts: JSON Schemas, whose braces are text, and what is written for people and tools. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { compile, keysOf, member, type Node } from '#component/expression/compile.ts'
import type { Scope } from '#component/expression/scope.ts'
import { isExpression } from '#component/spec/rules.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { knownPart } from './fold-check.ts'
import { isInheritedKey } from './inherited-values.ts'

const declarations = ['on_result', 'on_error']

/** Whether a value is written as a map: what else may stand there is an expression, as validation has found. */
const isWritten = (value: unknown): value is JsonMap => typeof value === 'object' && value !== null

function withoutSchema(declaration: unknown): unknown {
  if (!isWritten(declaration) || !Object.hasOwn(declaration, 'schema')) return declaration
  const { schema: _literal, ...evaluated } = declaration
  return evaluated
}

/** The response without the `schema` of `on_result` and `on_error`, as far as these are written as maps; the same one without any. */
function withoutSchemas(response: unknown): unknown {
  if (!isWritten(response)) return response
  const entries = Object.entries(response)
  const evaluated = entries.map(([key, value]): [string, unknown] => [
    key,
    declarations.includes(key) ? withoutSchema(value) : value,
  ])
  const isSame = evaluated.every(([, value], index) => value === entries[index]?.[1])
  return isSame ? response : Object.fromEntries(evaluated)
}

/** Keys of an operation that are evaluated as a part of it; the others are text, or merged into its scope. */
const isEvaluated = (key: string): boolean =>
  key === 'action' || key === 'response' || (isInheritedKey(key) && key !== 'headers')

/** Where an action for each item of a list may stand: itself, what yields it, and what yields one with others. */
const ofItems = /^\/action(?:\/\d+)?(?:\/action(?:\/.*)?)?$/s

/** Whether `_` may stand at a place of an operation: `checkItems` looks at what is yielded there. */
const mayHaveItem = (path: string, at: string): boolean =>
  path.startsWith(at) && ofItems.test(path.slice(at.length))

/** An operation as a map with known keys; undefined when it is not one. */
export function compileMap(
  raw: unknown,
  at: string,
  scope: Scope,
  issues: Issue[],
): Node | undefined {
  if (isMap(raw)) {
    const evaluated = Object.fromEntries(Object.entries(raw).filter(([key]) => isEvaluated(key)))
    if (isWritten(evaluated.response)) evaluated.response = withoutSchemas(evaluated.response)
    return compile(evaluated, at, scope, issues, (path) => mayHaveItem(path, at))
  }
  // a literal of another type has been reported by validation
  if (!isExpression(raw)) return undefined
  const node = compile(raw, at, scope, issues, () => true)
  if (node.kind === 'broken') return undefined
  if (keysOf(node) !== undefined) return node
  issues.push({ path: at, message: 'an operation must be a map that is known at load' })
  return undefined
}

/** A value of a document that is no expression, and its JSON Pointer. */
export interface Literal {
  readonly value: unknown
  readonly at: string
}

/**
 * A literal part of an operation; undefined where it has none. Where an expression yields the operation, or a map in it, the part is that of its
 * value, at the place of the expression; it must be known at load.
 * @param operation as written
 * @param node what it is compiled to
 */
export function literalAt(
  operation: unknown,
  at: string,
  node: Node,
  keys: readonly string[],
  issues: Issue[],
): Literal | undefined {
  let value = operation
  for (const [depth, key] of keys.entries()) {
    if (typeof value === 'string' && isExpression(value)) {
      return yielded(node, keys, depth, pointer(at, ...keys.slice(0, depth)), issues)
    }
    if (!isWritten(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return { value, at: pointer(at, ...keys) }
}

/** @param depth how many of the keys are written */
function yielded(
  from: Node,
  keys: readonly string[],
  depth: number,
  at: string,
  issues: Issue[],
): Literal | undefined {
  let node: Node | undefined = from
  for (const key of keys) node = node && member(node, key)
  if (node === undefined || node.kind === 'broken') return undefined
  if (node.kind === 'constant') return { value: node.value, at }
  const message = `${keys.slice(depth).join('/')} must be known when the specification is loaded: it may not depend on the request`
  issues.push({ path: at, message })
  return undefined
}

/** Whether the declarations of a response are maps as they are written. */
const isPlain = (response: unknown): boolean =>
  isWritten(response) && declarations.every((key) => !(key in response) || isWritten(response[key]))

/**
 * The map of an operation, with the members that its expressions yield at load.
 * @param raw as it is written: a map or an expression
 * @param operation what it compiles to
 */
export function writtenOf(raw: unknown, operation: Node): JsonMap {
  if (!isWritten(raw)) {
    const known = knownPart(operation)
    return isMap(known) ? known : {}
  }
  const response = member(operation, 'response')
  if (isPlain(raw.response) || response === undefined) return raw
  return { ...raw, response: knownPart(response) }
}
