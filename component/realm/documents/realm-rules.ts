/** Pieces that the shape of a realm document is written in: each judges a value and tells the report. */

import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { suggest } from '#component/expression/suggest.ts'

/** What was found in a document. */
export interface Report {
  readonly issues: Issue[]
  readonly warnings: Issue[]
}

/** Judges the value at a JSON Pointer. */
export type Rule = (value: unknown, path: string, report: Report) => void

/** Is the value a JSON object? */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `, did you mean "…"?`, or nothing. */
export const hint = (word: string, known: Iterable<string>): string => {
  const near = suggest(word, [...known])
  return near === undefined ? '' : `; did you mean "${near}"?`
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const kind =
  (isKind: (value: unknown) => boolean, name: string): Rule =>
  (value, path, { issues }) => {
    if (!isKind(value)) issues.push({ path, message: `expected ${name}, got ${nameOf(value)}` })
  }

/** `true` or `false`. */
export const flag = kind((value) => typeof value === 'boolean', 'a boolean')
/** A string. */
export const text = kind((value) => typeof value === 'string', 'a string')
/** An object with any keys. */
export const map = kind(isMap, 'an object')
/** Whatever it is, it is kept and not used. */
export const unused: Rule = (_value, path, { warnings }) => {
  warnings.push({ path, message: 'this key is stored but not used' })
}
/** Whatever it is. */
export const anything: Rule = () => undefined

/** A string about which there is more to say. */
export const textThat =
  (judge: (value: string, path: string, report: Report) => void): Rule =>
  (value, path, report) => {
    if (typeof value === 'string') judge(value, path, report)
    else text(value, path, report)
  }

/** A string that is not empty. */
export const name = textThat((value, path, { issues }) => {
  if (value === '') issues.push({ path, message: 'expected a name, got an empty string' })
})

/** `null`, or a value under a rule. */
export const orNull =
  (rule: Rule): Rule =>
  (value, path, report) => {
    if (value !== null) rule(value, path, report)
  }

/** A list whose items obey a rule. */
export const listOf =
  (rule: Rule): Rule =>
  (value, path, report) => {
    if (!Array.isArray(value)) {
      report.issues.push({ path, message: `expected an array, got ${nameOf(value)}` })
      return
    }
    for (const [index, item] of value.entries()) rule(item, pointer(path, index), report)
  }

/** A string, or a list of strings, each under one rule. */
export const oneOrMore =
  (rule: Rule): Rule =>
  (value, path, report) => {
    if (Array.isArray(value)) listOf(rule)(value, path, report)
    else rule(value, path, report)
  }

/** An object: rules of the known keys, which of them must be there, and what holds for the whole. Unknown keys are warned of. */
export const object =
  (rules: Readonly<Record<string, Rule>>, required: readonly string[], whole?: Rule): Rule =>
  (value, path, report) => {
    if (!isMap(value)) {
      map(value, path, report)
      return
    }
    for (const key of required) {
      if (Object.hasOwn(value, key)) continue
      report.issues.push({ path: pointer(path, key), message: `the key ${key} is missing` })
    }
    for (const [key, member] of Object.entries(value)) {
      const at = pointer(path, key)
      const rule = Object.hasOwn(rules, key) ? rules[key] : undefined
      if (rule) rule(member, at, report)
      else {
        const message = `unknown key${hint(key, Object.keys(rules))}`
        report.warnings.push({ path: at, message })
      }
    }
    whole?.(value, path, report)
  }
