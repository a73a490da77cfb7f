/** Reads regular expressions of ECMA-262, without what RE2 cannot match in time that grows with the text: look-around and back-references. */
import { type AST, RegExpParser, RegExpSyntaxError } from '@eslint-community/regexpp'
import { type CharSet, complementOf, everyCharacter, setOf } from './char-set.ts'

/** A regular expression as a tree. Groups capture nothing: only whether a text matches counts. */
export type Expression =
  /** One character. `property`: RE2's text where the set is a property of Unicode; `set` then holds more than that. */
  | { readonly kind: 'character'; readonly set: CharSet; readonly text?: string }
  /** Start, end, or (no) boundary of a word; consumes nothing. */
  | { readonly kind: 'assertion'; readonly text: '^' | '$' | '\\b' | '\\B' }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | {
      readonly kind: 'repeat'
      readonly part: Expression
      readonly least: number
      readonly most: number
    }
  /** Upper and lower case count as equal. */
  | { readonly kind: 'caseless'; readonly part: Expression }

/** A pattern that cannot be used. */
export class PatternError extends Error {
  /** @param at index of the character */
  constructor(message: string, at: number) {
    super(`${message}, at character ${at + 1}`)
    this.name = 'PatternError'
  }
}

/** RE2 repeats no more often. */
const mostRepeats = 1_000

/** Groups within groups; RE2 has a limit of its own, which is larger. */
const mostLevels = 50

const digits: CharSet = [[0x30, 0x39]]
/** 0-9, A-Z, _ and a-z. */
const word: CharSet = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
/** ECMA-262: WhiteSpace and LineTerminator. */
const space: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
const lineEnds: CharSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]

const escaped = { digit: digits, space, word }

/** Long names of general categories, as ECMA-262 allows them and RE2 does not. */
const categories: Readonly<Record<string, string>> = {
  Letter: 'L',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  digit: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  punct: 'P',
  Symbol: 'S',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Other: 'C',
  Control: 'Cc',
}

const parser = new RegExpParser()

/** Reads a pattern. @throws PatternError */
export function parsePattern(pattern: string): Expression {
  const { text, origins } = withFlagU(pattern)
  const isCaseless = text.startsWith('(?i)')
  try {
    const tree = parser.parsePattern(text, isCaseless ? 4 : 0, text.length, { unicode: true })
    const part = choiceOf(tree, 0)
    return isCaseless ? { kind: 'caseless', part } : part
  } catch (cause) {
    if (!(cause instanceof RegExpSyntaxError)) throw cause
    const message = cause.message.split(': ').at(-1) ?? ''
    // the index of regexpp is the one after what is wrong, except here
    const at = message.startsWith('Unmatched') ? cause.index : cause.index - 1
    throw new PatternError(message.charAt(0).toLowerCase() + message.slice(1), origins[at] ?? 0)
  }
}

/** What a pattern consists of: the braces of `\p{…}`, `\u{…}` and a repetition are not single braces. */
const tokens = /\\[pPu]\{[^}]*\}|\\.?|\{\d+,?\d*\}|\(\?P<|./gsu

/**
 * The pattern in the grammar of the flag `u`, and for each index of it the index in `pattern`. Only the grammar without the flag has
 * escapes such as `\-`, single braces and brackets, and classes such as `[\w-.]`; only Python and RE2 have `(?P<name>`.
 */
function withFlagU(pattern: string): { text: string; origins: readonly number[] } {
  let text = ''
  const origins: number[] = []
  let isInClass = false
  let before = ''
  for (const { 0: token, index } of pattern.matchAll(tokens)) {
    let written = token
    if (/^\\[^A-Za-z0-9^$\\.*+?()[\]{}|/]/u.test(token)) {
      written = `\\u{${token.codePointAt(1)?.toString(16)}}`
    } else if (isInClass) {
      if (token === '-' && /^\\[dDsSwWpP]/.test(before)) written = '\\-'
    } else if (/^[{}\]]$/.test(token)) written = `\\${token}`
    else if (token === '(?P<') written = '(?<'
    if (token === '[') isInClass = true
    if (token === ']') isInClass = false
    text += written
    origins.push(...Array<number>(written.length).fill(index))
    before = token
  }
  return { text, origins }
}

/** Refuses what regexpp reads, by an error of the same kind. */
function refuse(message: string, { start }: AST.Node): never {
  throw new RegExpSyntaxError(message, start + 1)
}

/** @param level groups around it */
function choiceOf(node: AST.Pattern | AST.Group | AST.CapturingGroup, level: number): Expression {
  if (level > mostLevels) refuse(`groups are nested up to ${mostLevels} levels`, node)
  const options = node.alternatives.map(({ elements }): Expression => {
    const parts = elements.map((element) => expressionOf(element, level))
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'sequence', parts }
  })
  return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
}

function expressionOf(node: AST.Element, level: number): Expression {
  switch (node.type) {
    case 'Group':
      if (!node.modifiers) return choiceOf(node, level + 1)
      if (!node.raw.startsWith('(?i:')) refuse('the only modifier is i', node)
      return { kind: 'caseless', part: choiceOf(node, level + 1) }
    case 'CapturingGroup':
      return choiceOf(node, level + 1)
    case 'Quantifier': {
      const { min: least, max: most } = node
      if (Math.max(least, most === Infinity ? 0 : most) > mostRepeats) {
        refuse(`a repetition goes up to ${mostRepeats}`, node)
      }
      return { kind: 'repeat', part: expressionOf(node.element, level), least, most }
    }
    case 'Assertion':
      if (node.kind === 'start') return { kind: 'assertion', text: '^' }
      if (node.kind === 'end') return { kind: 'assertion', text: '$' }
      if (node.kind === 'word') return { kind: 'assertion', text: node.negate ? '\\B' : '\\b' }
      return refuse('look-around is not allowed', node)
    case 'Backreference':
      return refuse('back-references are not allowed', node)
    case 'CharacterClass':
      return classOf(node)
    default:
      return { kind: 'character', ...membersOf(node) }
  }
}

function classOf({ elements, negate }: AST.CharacterClass): Expression {
  const members = elements.map(membersOf)
  const plain = setOf(members.flatMap(({ set, text }) => (text === undefined ? set : [])))
  const properties = members.map(({ text = '' }) => text).join('')
  if (properties === '') return { kind: 'character', set: negate ? complementOf(plain) : plain }
  const text = `[${negate ? '^' : ''}${properties}${rangesText(plain)}]`
  return { kind: 'character', set: everyCharacter, text }
}

/** The characters that a part of a class, or one outside of any, stands for. */
function membersOf(node: AST.Element | AST.CharacterClassElement): { set: CharSet; text?: string } {
  if (node.type === 'Character') return { set: [[node.value, node.value]] }
  if (node.type === 'CharacterClassRange') return { set: [[node.min.value, node.max.value]] }
  // others need the flag `v`
  if (node.type !== 'CharacterSet') return refuse('this is not known', node)
  if (node.kind === 'any') return { set: complementOf(lineEnds) }
  if (node.kind !== 'property') {
    return { set: node.negate ? complementOf(escaped[node.kind]) : escaped[node.kind] }
  }
  const { key, value, negate } = node
  if (/^(?:Script_Extensions|scx)$/.test(key))
    return refuse('the property is not known to RE2', node)
  const name = value ?? key
  const short = Object.hasOwn(categories, name) ? categories[name] : name
  return { set: everyCharacter, text: `\\${negate ? 'P' : 'p'}{${short}}` }
}

const hexText = (point: number): string => `\\x{${point.toString(16)}}`

/** Ranges in the syntax of RE2, within a class. */
export const rangesText = (set: CharSet): string =>
  set
    .map(([first, last]) =>
      first === last ? hexText(first) : `${hexText(first)}-${hexText(last)}`,
    )
    .join('')
