/** Regular expressions of schemas, by RE2: in time that grows with the text, never with its square. */
import { RE2JS } from 're2js'
import { spendUnits } from './budget.ts'

/** Most characters of a pattern. */
const longestPattern = 1_000

/** Most instructions of a compiled pattern. */
const largestProgram = 2_100

/** What a call costs beside the characters, in units. */
const callUnits = 10

/** A compiled pattern, as ajv takes it. */
export interface Pattern {
  test(text: string): boolean
  /** Different for different patterns: ajv compares them by it. */
  toString(): string
}

const compile = (pattern: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(pattern))

/** The size of the program of a pattern, or its problem. */
export function sizeOfPattern(pattern: string): number | string {
  if (pattern.length > longestPattern) return `a pattern has at most ${longestPattern} characters`
  try {
    const size = compile(pattern).programSize()
    if (size <= largestProgram) return size
    return `the pattern is too large: ${size} instructions, and at most ${largestProgram} are allowed`
  } catch (cause) {
    return `not a regular expression of RE2: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** Compiles a pattern that has no {@link sizeOfPattern}. A test spends of the budget. */
export function compilePattern(pattern: string): Pattern {
  const compiled = compile(pattern)
  return {
    test(text) {
      spendUnits(callUnits + text.length)
      return compiled.test(text)
    },
    toString: () => pattern,
  }
}
