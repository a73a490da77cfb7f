/** What holds for a document as a whole, before anything is read from it: depth, keys, text. */
import { pointer } from '#component/json.ts'
import type { Report } from './report.ts'

/** Behaviour: Limits. The document itself is the first level. */
const maxNesting = 64

/**
 * Reports `__proto__` keys, lone surrogates in keys and texts, and what is nested too deeply.
 * @returns false when the document must not be walked any further
 */
export function checkDocument(document: unknown, report: Report): boolean {
  return check(document, '', 1, report)
}

function check(value: unknown, path: string, level: number, report: Report): boolean {
  if (typeof value === 'string') {
    if (!value.isWellFormed())
      report.issue(path, 'the text holds a lone surrogate: it is no valid Unicode')
    return true
  }
  if (typeof value !== 'object' || value === null) return true
  if (level > maxNesting) {
    report.issue(path, `expected at most ${maxNesting} levels of nesting, got more`)
    return false
  }
  let isShallow = true
  for (const [key, member] of Object.entries(value)) {
    const at = pointer(path, key)
    if (key === '__proto__') report.issue(at, 'the key __proto__ is not allowed')
    else if (!key.isWellFormed())
      report.issue(at, 'the key holds a lone surrogate: it is no valid Unicode')
    isShallow = check(member, at, level + 1, report) && isShallow
  }
  return isShallow
}
