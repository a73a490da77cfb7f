/** Checks values that expressions yield at load by the same rules as literals: fold first, then check. */

import { keysOfPointer, pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import type { Node } from '#component/expression/compile.ts'
import { checkField, type FieldName } from '#component/spec/fields.ts'
import { isExpression } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** Stands for a value that is not known yet: rules do not check expressions. */
const unknown = '{{}}'

/** The known part of a node as a literal; `{{}}` stands for what is not known. */
export function knownPart(node: Node): unknown {
  switch (node.kind) {
    case 'constant':
      return node.value
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, value]) => [key, knownPart(value)]))
    case 'list':
      return node.items.map(knownPart)
    default:
      return unknown
  }
}

/** Whether an expression has yielded the value, or a part of it: all else is what the document writes. */
function isYielded(raw: unknown, value: unknown): boolean {
  if (value === raw) return false
  if (typeof raw !== 'object' || raw === null) return true
  if (typeof value !== 'object' || value === null) return true
  for (const key in value)
    if (isYielded((raw as JsonMap)[key], (value as JsonMap)[key])) return true
  return false
}

/** Whether an expression in the value has become known; validation has checked the literals. */
function isFolded(raw: unknown, node: Node): boolean {
  if (node.kind === 'broken' || node.kind === 'deferred') return false
  if (node.kind === 'constant') return isYielded(raw, node.value)
  if (typeof raw !== 'object') return isExpression(raw)
  if (node.kind === 'list') return node.items.some((item, at) => isFolded((raw as [])[at], item))
  for (const [key, member] of node.entries) if (isFolded((raw as JsonMap)[key], member)) return true
  return false
}

/** The JSON Pointer at which the document writes a folded member of `path`: that of the expression that yields it, or its own. */
export function written(raw: unknown, path: string, ...keys: readonly string[]): string {
  let value = raw
  for (const [depth, key] of keys.entries()) {
    if (typeof value !== 'object' || value === null) {
      if (!isExpression(value)) break
      return pointer(path, ...keys.slice(0, depth))
    }
    if (!Object.hasOwn(value, key)) break
    value = (value as JsonMap)[key]
  }
  return pointer(path, ...keys)
}

/** Issues and warnings of compiling. */
export interface Findings {
  readonly issues: Issue[]
  readonly warnings: Issue[]
}

/** Checks a compiled value against the rule of its field, leaving out issues that validation has found in literals. */
export function checkFolded(
  field: FieldName,
  raw: unknown,
  node: Node,
  path: string,
  { issues, warnings }: Findings,
): void {
  if (!isFolded(raw, node)) return
  const noted: Issue[] = []
  const found = checkField(field, knownPart(node), path, noted)
  if (found.length === 0 && noted.length === 0) return
  const notedBefore: Issue[] = []
  const foundBefore = checkField(field, raw, path, notedBefore)
  issues.push(...atSource(found, foundBefore, raw, path))
  warnings.push(...atSource(noted, notedBefore, raw, path))
}

/** The new issues, each at the place where the document writes the value. */
function atSource(found: Issue[], before: Issue[], raw: unknown, path: string): Issue[] {
  if (found.length === 0) return found
  const known = new Set(before.map((issue) => issue.path))
  return found
    .filter((issue) => !known.has(issue.path))
    .map((issue) => {
      const keys = keysOfPointer(issue.path.slice(path.length))
      const at = written(raw, path, ...keys)
      const inside = issue.path.slice(at.length + 1)
      return { path: at, message: inside === '' ? issue.message : `${inside}: ${issue.message}` }
    })
}

/** Each issue once: every path that inherits a broken value finds it. */
export function distinct(issues: readonly Issue[]): Issue[] {
  const seen = new Set<string>()
  return issues.filter(({ path, message }) => {
    const key = `${path}\n${message}`
    return !seen.has(key) && seen.add(key)
  })
}
