/** The syntax of path patterns: `/a/:name/{part}.json/[optional]/[...]` ─▶ every form the pattern stands for. */
import { decodeEscapes, isDotSegment } from './request-target.ts'

/** A segment of text and bindings, such as `{name}.{ext}`. */
export interface PartSegment {
  readonly kind: 'parts'
  /** What stands before, between and after the bindings: one more than names. Percent-decoded; only the first and the last may be empty. */
  readonly texts: readonly string[]
  /** `_` matches without binding. */
  readonly names: readonly string[]
}

/** One segment of a form. */
export type Segment =
  | { readonly kind: 'literal' /** Percent-decoded. */; readonly text: string }
  | PartSegment
  | { readonly kind: 'binding' /** `_` matches without binding. */; readonly name: string }
  /** Any number of segments, also none; always the last. It is bound as `rest`. */
  | { readonly kind: 'rest' }

/** A pattern, its optional segments expanded: the fullest form first, no two equal but for binding names. */
export interface PathPattern {
  readonly forms: readonly (readonly Segment[])[]
}

/** Why a text is no pattern: one lower-case sentence. */
export interface Problem {
  readonly problem: string
}

/** Behaviour: Limits. 2^8 forms at most. */
const maxOptional = 8

/** Behaviour: Limits. */
const maxParts = 4

type Item = Segment | { readonly kind: 'optional'; readonly items: readonly Item[] }

const isSegment = (item: Item): item is Segment => item.kind !== 'optional'

const restItem: Item = { kind: 'rest' }

/** Thrown inside the parser only; {@link parsePathPattern} turns it into a {@link Problem}. */
class PatternError extends Error {}

/** Parses `base_path + path` or either of them; hand-written, linear but for the capped expansion. */
export function parsePathPattern(text: string): PathPattern | Problem {
  try {
    if (text[0] !== '/') throw new PatternError('a path pattern must begin with "/"')
    const items = new PatternParser(text).parse()
    // a copy has no room to grow: there are thousands
    const forms = items.every(isSegment) ? [items.slice()] : expand(items)
    for (const form of forms) checkForm(form)
    return { forms: forms.length > 1 ? distinct(forms) : forms }
  } catch (error) {
    if (error instanceof PatternError) return { problem: error.message }
    throw error
  }
}

/** A form, and a text that is the same for equal forms only. */
export interface KeyedForm {
  readonly key: string
  readonly form: readonly Segment[]
}

/** The forms of a pattern, each with its {@link formKey}. */
export const keyedForms = ({ forms }: PathPattern): KeyedForm[] =>
  forms.map((form) => ({ key: formKey(form), form }))

/** A form as text with its binding names removed: two forms are equal when these are (behaviour: Requests). */
function formKey(form: readonly Segment[]): string {
  let key = ''
  for (const segment of form) {
    key += segmentKey(segment)
  }
  return key
}

/** A segment as text without the names of its bindings. A slash cannot occur in a decoded literal, so these marks cannot be mistaken for one. */
export function segmentKey(segment: Segment): string {
  if (segment.kind === 'literal') return `/${segment.text}`
  if (segment.kind === 'parts') return `//{${segment.texts.join('//,')}//}`
  return segment.kind === 'rest' ? '//*' : '//:'
}

/** The names that a segment binds; `rest` is what `[...]` matches. */
export function namesOf(segment: Segment): readonly string[] {
  if (segment.kind === 'literal') return []
  if (segment.kind === 'rest') return ['rest']
  const names = segment.kind === 'parts' ? segment.names : [segment.name]
  return names.filter((name) => name !== '_')
}

/**
 * What the bindings of a segment are in a text: none is empty, and earlier ones take as much as they can.
 * @param text decoded
 * @returns undefined where the text does not match
 */
export function partsIn({ texts }: Pick<PartSegment, 'texts'>, text: string): string[] | undefined {
  const last = texts.length - 1
  const [before = '', after = ''] = [texts[0], texts[last]]
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined
  const values: string[] = []
  let end = text.length - after.length
  // each text as far to the right as it can stand: then every binding before it is as long as it can be
  for (let index = last - 1; index > 0; index -= 1) {
    const between = texts[index] ?? ''
    const at = end - 1 - between.length
    const found = at < 0 ? -1 : text.lastIndexOf(between, at)
    if (found < 0) return undefined
    values[index] = text.slice(found + between.length, end)
    end = found
  }
  if (end <= before.length) return undefined
  values[0] = text.slice(before.length, end)
  return values
}

/** A segment with bindings as its author could have written it. */
export function segmentText(segment: Segment): string {
  if (segment.kind === 'literal') return segment.text
  if (segment.kind === 'rest') return '[...]'
  if (segment.kind === 'binding') return `:${segment.name}`
  const { texts, names } = segment
  return texts.map((text, index) => text + (names[index] ? `{${names[index]}}` : '')).join('')
}

/** Reads the items between brackets; segments are separated by `/`, which may stand inside or outside of a bracket. */
class PatternParser {
  readonly #text: string
  #at = 0
  /** Whether there was a `/` since the last segment: only then another one may begin. */
  #isSeparated = false
  #optionals = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Item[] {
    const items = this.#items()
    if (this.#at < this.#text.length) throw new PatternError('a "]" has no matching "["')
    return items
  }

  #items(): Item[] {
    const items: Item[] = []
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]
      if (character === ']') break
      if (character === '/') this.#slash()
      else if (character === '[') items.push(this.#bracket())
      else items.push(this.#segment())
    }
    return items
  }

  #slash(): void {
    this.#at += 1
    if (this.#text[this.#at] === '/') throw new PatternError('"//" is an empty segment')
    this.#isSeparated = true
  }

  #bracket(): Item {
    if (this.#text.startsWith('[...]', this.#at)) {
      this.#at += 5
      this.#begin()
      return restItem
    }
    this.#optionals += 1
    if (this.#optionals > maxOptional) {
      throw new PatternError(`a pattern has at most ${maxOptional} optional segments`)
    }
    this.#at += 1
    const items = this.#items()
    if (this.#text[this.#at] !== ']') throw new PatternError('a "[" is not closed')
    if (items.length === 0) throw new PatternError('"[]" is an empty optional segment')
    this.#at += 1
    return { kind: 'optional', items }
  }

  #segment(): Segment {
    const start = this.#at
    while (this.#at < this.#text.length && !'/[]'.includes(this.#text[this.#at] ?? '')) {
      const end = this.#text[this.#at] === '{' ? this.#text.indexOf('}', this.#at) : -1
      this.#at = Math.max(end, this.#at) + 1
    }
    this.#begin()
    return readSegment(this.#text.slice(start, this.#at))
  }

  #begin(): void {
    if (!this.#isSeparated) {
      throw new PatternError(
        'brackets must enclose whole segments, with a "/" between two segments',
      )
    }
    this.#isSeparated = false
  }
}

function readSegment(text: string): Segment {
  if (text[0] === ':') return { kind: 'binding', name: readName(text.slice(1)) }
  if (text.includes('{{')) {
    throw new PatternError('a pattern must not contain an expression; write a binding as :name')
  }
  if (text.includes('{') || text.includes('}')) return readParts(text)
  const literal = readLiteral(text)
  if (isDotSegment(literal)) throw new PatternError(unreachable)
  return { kind: 'literal', text: literal }
}

/** Reads a segment with braces. */
function readParts(text: string): Segment {
  const texts: string[] = []
  const names: string[] = []
  let at = 0
  for (let open = text.indexOf('{'); open >= 0; open = text.indexOf('{', at)) {
    const close = text.indexOf('}', open)
    if (close < 0) throw new PatternError('a "{" is not closed; a literal brace is %7B')
    texts.push(readLiteral(text.slice(at, open)))
    names.push(readPartName(text.slice(open + 1, close)))
    if (texts.length > 1 && texts.at(-1) === '') {
      throw new PatternError('two bindings need text between them')
    }
    at = close + 1
  }
  texts.push(readLiteral(text.slice(at)))
  if (names.length > maxParts) {
    throw new PatternError(`a segment has at most ${maxParts} bindings`)
  }
  const [name] = names
  const isWhole = name !== undefined && texts.every((each) => each === '')
  return isWhole ? { kind: 'binding', name } : { kind: 'parts', texts, names }
}

function readPartName(name: string): string {
  if (!isName(name)) throw new PatternError('a binding is {name}; "[...]" is the rest')
  return readName(name)
}

const unreachable = '"." and "..", encoded slashes and control characters never match a request'

/** Reads text that is compared as it is. */
function readLiteral(text: string): string {
  for (const character of text) {
    if (character <= ' ' || '?#\\\u007f'.includes(character)) {
      throw new PatternError(
        'a segment must not contain "?", "#", a backslash, a blank or a control character',
      )
    }
    if (character === '}')
      throw new PatternError('a "}" has no matching "{"; a literal brace is %7D')
  }
  const literal = decodeEscapes(text)
  if (literal === undefined) throw new PatternError('a segment has an invalid percent escape')
  if (hasUnreachable(literal)) throw new PatternError(unreachable)
  return literal
}

/** Letters, digits, `_` and `-`, so that `{{request.bindings.<name>}}` can read it. */
function readName(name: string): string {
  if (name === '__proto__') throw new PatternError('a binding must not be named __proto__')
  if (name === '') throw new PatternError('a ":" must be followed by the name of a binding')
  if (isName(name)) return name
  const [, begin, text] = /^([\w-]+)(.+)$/s.exec(name) ?? []
  const advice = begin ? `: where text follows it, write {${begin}}${text}` : ''
  throw new PatternError(
    `the name of a binding may contain only letters, digits, "_" and "-"${advice}`,
  )
}

const isName = (text: string): boolean => /^[\w-]+$/.test(text)

function hasUnreachable(literal: string): boolean {
  for (const character of literal) {
    if (character < ' ' || '/\\\u007f'.includes(character)) return true
  }
  return false
}

/** Every way to take or leave the optional items, taken ones first. */
function expand(items: readonly Item[]): Segment[][] {
  let forms: Segment[][] = [[]]
  for (const item of items) {
    const choices: Segment[][] = item.kind === 'optional' ? [...expand(item.items), []] : [[item]]
    forms = forms.flatMap((form) => choices.map((choice) => [...form, ...choice]))
  }
  return forms
}

function checkForm(form: readonly Segment[]): void {
  let names: Set<string> | undefined
  for (const [index, segment] of form.entries()) {
    if (segment.kind === 'rest' && index < form.length - 1) {
      throw new PatternError('"[...]" is allowed only at the end')
    }
    for (const name of namesOf(segment)) {
      if (names?.has(name)) {
        throw new PatternError(
          segment.kind === 'rest'
            ? '"[...]" is bound as rest: a binding beside it needs another name'
            : `two bindings are named ${name}`,
        )
      }
      names = (names ?? new Set()).add(name)
    }
  }
}

function distinct(forms: readonly (readonly Segment[])[]): (readonly Segment[])[] {
  const found = new Map<string, readonly Segment[]>()
  for (const form of forms) {
    const key = formKey(form)
    if (!found.has(key)) found.set(key, form)
  }
  return [...found.values()]
}
