/** Regular expressions of schemas, matched by RE2: in time that grows with the text and not with its square, at a known price. */
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { hasSmallAutomaton, plainText, re2Text } from './program.ts'
import { PatternError, parsePattern } from './syntax.ts'

/** Most characters of a pattern. */
const longestPattern = 1_000

/** Most instructions of a compiled pattern. */
const largestProgram = 2_100

/** Compiled patterns that schemas share, by their number and by the instructions of all of them. */
const mostKept = 1_000
const mostInstructions = 50_000

/** The longest text that the engine of Node matches, where it may: it keeps a place to go back to for each character. */
const longestNative = 1_000

/** What a match costs beside the characters of the text, in units. */
const unitsOfMatch = { native: 10, re2: 30 }

/** A compiled pattern. */
export interface Pattern {
  /** Whether a part of the text matches. */
  test(text: string): boolean
  /** What a match takes beside the characters of the text, in the same units. */
  readonly unitsPerMatch: number
  /** The most that a character of a text takes, in units of the time that it takes a plain pattern. */
  readonly unitsPerCharacter: number
  /** The number of its instructions: what it takes of memory grows with it. */
  readonly size: number
  /** The pattern as it was written. */
  toString(): string
}

const kept = new LRUCache<string, Pattern>({
  max: mostKept,
  maxSize: mostInstructions,
  sizeCalculation: ({ size }) => size,
})

/** @throws PatternError, or what re2js throws */
function compiled(pattern: string): Pattern {
  const known = kept.get(pattern)
  if (known) return known
  const expression = parsePattern(pattern)
  const program = RE2JS.compile(re2Text(expression))
  const size = program.programSize()
  const isSmall = hasSmallAutomaton(expression)
  const plain = plainText(expression)
  const native = plain === undefined ? undefined : new RegExp(plain, 'u')
  const made: Pattern = {
    size,
    unitsPerMatch: native ? unitsOfMatch.native : unitsOfMatch.re2,
    // each instruction may be active at each character
    unitsPerCharacter: isSmall ? 1 : size,
    // an automaton may have a state for each set of instructions, which takes memory: a search for the place of the match builds none
    test: isSmall ? testOf(program, native) : (text) => program.matcher(text).find(),
    toString: () => pattern,
  }
  kept.set(pattern, made)
  return made
}

/** @param native the same pattern, which is several times faster for short texts */
const testOf = (program: RE2JS, native: RegExp | undefined) => (text: string) =>
  native && text.length <= longestNative ? native.test(text) : program.test(text)

/** The number of instructions of a pattern, or the problem that it has. */
export function sizeOfPattern(pattern: string): number | string {
  if (pattern.length > longestPattern) return `a pattern has at most ${longestPattern} characters`
  try {
    const { size } = compiled(pattern)
    if (size <= largestProgram) return size
    return `the pattern is too large: ${size} instructions, and at most ${largestProgram} are allowed`
  } catch (cause) {
    if (cause instanceof PatternError) return `the pattern is not allowed: ${cause.message}`
    return `RE2 cannot compile the pattern: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** Compiles a pattern that {@link sizeOfPattern} has accepted. */
export const compilePattern = (pattern: string): Pattern => compiled(pattern)
