/** Reads regular expressions of ECMA-262, without what RE2 cannot match in time that grows with the text: look-around and back-references. */
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

const code = (character: string): number => character.codePointAt(0) ?? 0
const range = (from: string, to = from): readonly [number, number] => [code(from), code(to)]

const digits = setOf([range('0', '9')])
const word = setOf([range('0', '9'), range('A', 'Z'), range('_'), range('a', 'z')])
/** ECMA-262: WhiteSpace and LineTerminator. */
const space = setOf([
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
])
const lineEnds = setOf([range('\n'), range('\r'), [0x2028, 0x2029]])

const classes: Readonly<Record<string, CharSet>> = {
  d: digits,
  D: complementOf(digits),
  w: word,
  W: complementOf(word),
  s: space,
  S: complementOf(space),
}

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 }

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

/** Reads a pattern. @throws PatternError */
export function parsePattern(pattern: string): Expression {
  return new Parser(pattern).whole()
}

class Parser {
  readonly #text: string
  #at = 0
  #level = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): Expression {
    const caseless = this.#take('(?i)')
    const part = this.#choice()
    if (this.#at < this.#text.length) this.#fail('a ) closes no group')
    return caseless ? { kind: 'caseless', part } : part
  }

  #fail(message: string, at = this.#at): never {
    throw new PatternError(message, at)
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  /** What a sticky expression matches here. */
  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)
    if (found) this.#at = expression.lastIndex
    return found
  }

  #choice(): Expression {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
  }

  #sequence(): Expression {
    const parts: Expression[] = []
    while (this.#at < this.#text.length && !/[|)]/.test(this.#text.charAt(this.#at))) {
      parts.push(this.#repeated())
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'sequence', parts }
  }

  #repeated(): Expression {
    const start = this.#at
    const part = this.#single()
    const found = this.#match(/([*+?]|\{(\d+)(,?)(\d*)\})\??/y)
    if (!found) return part
    const [, sign = '', from = '0', comma = '', to = ''] = found
    const least = sign === '+' ? 1 : Number(from)
    const isEndless = sign === '*' || sign === '+' || (comma !== '' && to === '')
    const most = sign === '?' ? 1 : isEndless ? Infinity : Number(to || from)
    if (part.kind === 'assertion') this.#fail('^, $, \\b and \\B cannot be repeated', start)
    if (most < least) this.#fail('the repetition has a greatest number below its least', start)
    if (Math.max(least, most === Infinity ? 0 : most) > mostRepeats) {
      this.#fail(`a repetition goes up to ${mostRepeats}`, start)
    }
    if (/[*+?]/.test(this.#text.charAt(this.#at))) this.#fail('a repetition cannot be repeated')
    return { kind: 'repeat', part, least, most }
  }

  #single(): Expression {
    const start = this.#at
    const character = String.fromCodePoint(this.#text.codePointAt(start) ?? 0)
    this.#at += character.length
    switch (character) {
      case '^':
      case '$':
        return { kind: 'assertion', text: character }
      case '.':
        return { kind: 'character', set: complementOf(lineEnds) }
      case '(':
        return this.#group(start)
      case '[':
        return this.#class(start)
      case '\\':
        return this.#escape(start)
      case '*':
      case '+':
      case '?':
        return this.#fail('nothing stands before the repetition', start)
      default:
        return { kind: 'character', set: [range(character)] }
    }
  }

  #group(start: number): Expression {
    if (this.#match(/\?<?[=!]/y)) this.#fail('look-around is not allowed', start)
    const isCaseless = this.#take('?i:')
    const isPlain = isCaseless || this.#match(/\?:|\?P?<[A-Za-z_$][\w$]*>/y) !== null
    if (!isPlain && this.#take('?')) this.#fail('no such group is known', start)
    if (++this.#level > mostLevels)
      this.#fail(`groups are nested up to ${mostLevels} levels`, start)
    const part = this.#choice()
    this.#level--
    if (!this.#take(')')) this.#fail('the group is not closed', start)
    return isCaseless ? { kind: 'caseless', part } : { kind: 'sequence', parts: [part] }
  }

  #escape(start: number): Expression {
    if (this.#match(/[bB]/y)) {
      return { kind: 'assertion', text: this.#text.charAt(this.#at - 1) === 'b' ? '\\b' : '\\B' }
    }
    if (this.#match(/[1-9]|k</y)) this.#fail('back-references are not allowed', start)
    return { kind: 'character', ...this.#escapedSet(start) }
  }

  /** A class or a character after a backslash. */
  #escapedSet(start: number): { set: CharSet; text?: string } {
    const property = this.#match(/([pP])\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}/y)
    if (property) {
      const [, sign = '', name = ''] = property
      const short = Object.hasOwn(categories, name) ? categories[name] : name
      return { set: everyCharacter, text: `\\${sign}{${short}}` }
    }
    const letter = this.#text.charAt(this.#at)
    const known = Object.hasOwn(classes, letter) ? classes[letter] : undefined
    if (known) this.#at++
    return { set: known ?? [this.#escapedCharacter(start)] }
  }

  #escapedCharacter(start: number): readonly [number, number] {
    const hex = this.#match(/x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}/y)
    if (hex) {
      let point = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16)
      const isHigh = point >= 0xd800 && point < 0xdc00
      const low = isHigh ? this.#match(/\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y) : null
      if (low)
        point = 0x10000 + ((point - 0xd800) << 10) + Number.parseInt(low[1] ?? '', 16) - 0xdc00
      if (point > 0x10ffff) this.#fail('no character has this number', start)
      return [point, point]
    }
    const control = this.#match(/c([A-Za-z])/y)
    if (control) return [code(control[1] ?? '') % 32, code(control[1] ?? '') % 32]
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
    if (this.#at >= this.#text.length) this.#fail('a backslash ends the pattern', start)
    this.#at += character.length
    const point = Object.hasOwn(controls, character) ? controls[character] : undefined
    if (point !== undefined) return [point, point]
    if (/[A-Za-z0-9]/.test(character))
      this.#fail(`\\${character} is no escape that is known`, start)
    return range(character)
  }

  #class(start: number): Expression {
    const isNegated = this.#take('^')
    const ranges: (readonly [number, number])[] = []
    const properties: string[] = []
    while (!this.#take(']')) {
      if (this.#at >= this.#text.length) this.#fail('the class is not closed', start)
      const itemAt = this.#at
      const from = this.#classItem()
      const single = from.set.length === 1 && from.set[0]?.[0] === from.set[0]?.[1] && from.set[0]
      if (single && this.#match(/-(?!\])/y)) {
        const [to] = this.#classItem().set
        if (to === undefined || to[0] !== to[1] || to[0] < single[0]) {
          this.#fail('the range of the class has no order', itemAt)
        }
        ranges.push([single[0], to[0]])
      } else if (from.text === undefined) ranges.push(...from.set)
      else properties.push(from.text)
    }
    const plain = setOf(ranges)
    if (properties.length === 0) {
      return { kind: 'character', set: isNegated ? complementOf(plain) : plain }
    }
    const text = `[${isNegated ? '^' : ''}${properties.join('')}${rangesText(plain)}]`
    return { kind: 'character', set: everyCharacter, text }
  }

  #classItem(): { set: CharSet; text?: string } {
    const start = this.#at
    if (this.#take('\\')) {
      if (this.#take('b')) return { set: [[8, 8]] }
      return this.#escapedSet(start)
    }
    const character = String.fromCodePoint(this.#text.codePointAt(start) ?? 0)
    this.#at += character.length
    return { set: [range(character)] }
  }
}

const hexText = (point: number): string => `\\x{${point.toString(16)}}`

/** Ranges in the syntax of RE2, within a class. */
export const rangesText = (set: CharSet): string =>
  set
    .map(([first, last]) =>
      first === last ? hexText(first) : `${hexText(first)}-${hexText(last)}`,
    )
    .join('')
