/** Checks a document as a whole before its members are read: depth, keys, text. */
import { entriesAt, isInParts, pointer } from '#component/codec/json.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'
import type { Report } from './report.ts'

/** Behaviour: Limits. The document itself is the first level. */
const maxNesting = 64

/** Levels whose members are looked at one by one; a member below is small. */
const levelsInSteps = 4

/**
 * Reports `__proto__` keys, lone surrogates in keys and texts, and values that are nested too deeply.
 * @returns false when the document must not be walked further
 */
export function* checkDocument(document: JsonMap, report: Report): Steps<boolean> {
  return (yield* areSound(document, 1)) || (yield* checkMembers(document, '', 1, report))
}

/** Whether the members of a list or map have no issue; it builds no JSON Pointers. */
function* areSound(map: object, level: number): Steps<boolean> {
  for (const key of Object.keys(map)) {
    yield
    if (!isSoundKey(key)) return false
    const member = (map as JsonMap)[key]
    const isLarge = level < levelsInSteps && typeof member === 'object' && member !== null
    if (!(isLarge ? yield* areSound(member, level + 1) : isSound(member, level + 1))) return false
  }
  return true
}

function* checkMembers(map: object, path: string, level: number, report: Report): Steps<boolean> {
  let isShallow = true
  for (const [key, member] of Object.entries(map)) {
    yield
    const isLarge = isInParts(member, level + 1)
    if (!isLarge && isSoundKey(key) && isSound(member, level + 1)) continue
    const at = pointer(path, key)
    checkKey(key, at, report)
    const isMemberShallow = isLarge
      ? yield* checkMembers(member, at, level + 1, report)
      : check(member, at, level + 1, report)
    isShallow &&= isMemberShallow
  }
  return isShallow
}

/** Whether the value has no issue; a fast check that builds no JSON Pointers. */
function isSound(value: unknown, level: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (level > maxNesting) return false
  for (const key of Object.keys(value)) {
    if (!isSoundKey(key)) return false
    if (!isSound((value as JsonMap)[key], level + 1)) return false
  }
  return true
}

const isSoundKey = (key: string): boolean => key !== '__proto__' && key.isWellFormed()

function checkKey(key: string, at: string, report: Report): void {
  if (key === '__proto__') report.issue(at, 'the key __proto__ is not allowed')
  else if (!key.isWellFormed())
    report.issue(at, 'the key holds a lone surrogate: it is not valid Unicode')
}

function check(value: unknown, path: string, level: number, report: Report): boolean {
  if (typeof value === 'string') {
    if (!value.isWellFormed())
      report.issue(path, 'the text holds a lone surrogate: it is not valid Unicode')
    return true
  }
  if (typeof value !== 'object' || value === null) return true
  if (level > maxNesting) {
    report.issue(path, `expected at most ${maxNesting} levels of nesting, got more`)
    return false
  }
  let isShallow = true
  for (const [key, member, at] of entriesAt(value, path)) {
    checkKey(key, at, report)
    isShallow = check(member, at, level + 1, report) && isShallow
  }
  return isShallow
}
