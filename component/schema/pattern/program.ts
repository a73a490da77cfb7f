/** What is made of a regular expression: its text for RE2, and whether each character of a text has one place in it. */
import { type CharSet, everyCharacter, overlap, setOf } from './char-set.ts'
import { type Expression, rangesText } from './syntax.ts'

/** The most parts of a plain pattern that may be absent: where it fails, each is tried at each character. */
const mostOptional = 4

/**
 * The expression in the syntax of ECMA-262 with the flag `u`, where the engine of Node matches it in time that grows with the text: a
 * sequence of characters, each once or repeated. Where each character of a text has one place, an engine that goes back never comes to
 * the same place of a text twice, and finds {@link mostOptional} ways on from there.
 */
export function plainText(expression: Expression): string | undefined {
  const parts = expression.kind === 'sequence' ? expression.parts : [expression]
  const texts = parts.map(plainPart)
  const optional = parts.filter((part) => part.kind === 'repeat' && part.least === 0)
  if (optional.length > mostOptional || texts.includes(undefined)) return undefined
  return hasSmallAutomaton(expression) ? texts.join('') : undefined
}

function plainPart(part: Expression): string | undefined {
  if (part.kind === 'assertion') return part.text.startsWith('\\') ? undefined : part.text
  if (part.kind === 'repeat') {
    const { least, most } = part
    const repeated = part.part.kind === 'character' ? plainPart(part.part) : undefined
    return repeated && `${repeated}{${least},${most === Infinity ? '' : most}}`
  }
  if (part.kind !== 'character' || part.text !== undefined) return undefined
  const ranges = part.set.map(([first, last]) => `${escapeOf(first)}-${escapeOf(last)}`)
  return `[${ranges.join('')}]`
}

const escapeOf = (point: number): string => `\\u{${point.toString(16)}}`

/** An expression in the syntax of RE2. */
export function re2Text(expression: Expression): string {
  switch (expression.kind) {
    case 'character':
      if (expression.text !== undefined) return expression.text
      // RE2 has no empty class
      return expression.set.length === 0
        ? '[^\\x{0}-\\x{10ffff}]'
        : `[${rangesText(expression.set)}]`
    case 'assertion':
      return expression.text
    case 'sequence':
      return expression.parts.map(atomText).join('')
    case 'choice':
      return expression.options.map(re2Text).join('|')
    case 'repeat': {
      const { part, least, most } = expression
      return `${atomText(part)}{${least},${most === Infinity ? '' : most}}`
    }
    case 'caseless':
      return `(?i:${re2Text(expression.part)})`
  }
}

function atomText(part: Expression): string {
  const text = re2Text(part)
  const isAtom = part.kind === 'character' || part.kind === 'assertion' || part.kind === 'caseless'
  return isAtom ? text : `(?:${text})`
}

/** The places of an expression: positions in its pattern that a character of a text may take. */
interface Places {
  /** Copies of repetitions included. */
  readonly count: number
  /** Whether the expression matches the empty text. */
  readonly isEmpty: boolean
  /** Characters that can begin it. */
  readonly first: CharSet
  /** Characters that can go on where it may also end. */
  readonly more: CharSet
  /** Whether each character of a text can take one place only. */
  readonly isSingle: boolean
}

const nowhere: Places = { count: 0, isEmpty: true, first: [], more: [], isSingle: true }

const union = (a: CharSet, b: CharSet): CharSet => setOf([...a, ...b])

function placesOf(expression: Expression): Places {
  switch (expression.kind) {
    case 'character':
      return { count: 1, isEmpty: false, first: expression.set, more: [], isSingle: true }
    case 'assertion':
      return nowhere
    case 'sequence':
      return expression.parts.map(placesOf).reduce(following, nowhere)
    case 'choice':
      return expression.options.map(placesOf).reduce(besides)
    case 'repeat':
      return repeated(placesOf(expression.part), expression.least, expression.most)
    case 'caseless': {
      // letters have more forms than are told here
      const { first, more, ...rest } = placesOf(expression.part)
      const wide = (set: CharSet) => (set.length === 0 ? set : everyCharacter)
      return { ...rest, first: wide(first), more: wide(more), isSingle: rest.count <= 1 }
    }
  }
}

const following = (a: Places, b: Places): Places => ({
  count: a.count + b.count,
  isEmpty: a.isEmpty && b.isEmpty,
  first: a.isEmpty ? union(a.first, b.first) : a.first,
  more: b.isEmpty ? union(b.more, union(a.more, b.first)) : b.more,
  isSingle:
    a.isSingle &&
    b.isSingle &&
    !overlap(a.more, b.first) &&
    !(a.isEmpty && overlap(a.first, b.first)),
})

const besides = (a: Places, b: Places): Places => ({
  count: a.count + b.count,
  isEmpty: a.isEmpty || b.isEmpty,
  first: union(a.first, b.first),
  more: union(a.more, b.more),
  isSingle: a.isSingle && b.isSingle && !overlap(a.first, b.first),
})

function repeated(part: Places, least: number, most: number): Places {
  if (most === 0) return nowhere
  const isEmpty = part.isEmpty || least === 0
  if (most === 1) return { ...part, isEmpty }
  const copies = most === Infinity ? Math.max(least, 1) : most
  return {
    count: part.count * copies,
    isEmpty,
    first: part.first,
    more: least === most ? part.more : union(part.more, part.first),
    // copies of what may be empty are places for the same character
    isSingle: part.isSingle && !overlap(part.more, part.first) && !(part.isEmpty && copies > 1),
  }
}

/** Whether a match can begin at the start of a text only. */
function isAnchored(expression: Expression): boolean {
  switch (expression.kind) {
    case 'assertion':
      return expression.text === '^'
    case 'sequence':
      return expression.parts[0] !== undefined && isAnchored(expression.parts[0])
    case 'choice':
      return expression.options.every(isAnchored)
    case 'caseless':
      return isAnchored(expression.part)
    default:
      return false
  }
}

/** Ranges of characters that a property of Unicode has, about. */
const setsOfProperty = 700

/** Sets of characters that an expression tells apart, at most. */
function countSets(expression: Expression): number {
  switch (expression.kind) {
    case 'character':
      return expression.text === undefined ? expression.set.length : setsOfProperty
    case 'sequence':
      return expression.parts.reduce((sum, part) => sum + countSets(part), 0)
    case 'choice':
      return expression.options.reduce((sum, option) => sum + countSets(option), 0)
    case 'repeat':
    case 'caseless':
      return countSets(expression.part)
    default:
      return 0
  }
}

/** States and transitions together; an automaton of this size is small. */
const mostTransitions = 50_000

/**
 * Whether RE2 matches the expression with a small automaton, so that each character is one look-up: a match begins at the start of the
 * text, and each character has one place. Where characters may have several, the automaton may have a state for each set of places.
 */
export function hasSmallAutomaton(expression: Expression): boolean {
  const { count, isSingle } = placesOf(expression)
  return isAnchored(expression) && isSingle && count * countSets(expression) <= mostTransitions
}
