/** Text with `{{ }}` in it to its tree: a lone expression, or texts and expressions to be joined (behaviour §2, Grammar). */
import type { Argument, Expression, Pipe, Template } from './ast.ts'
import { isBlank, Lexer } from './lexer.ts'

/** At most this many functions in a row. */
const mostPipes = 64

/** At most this many levels of nested expressions. */
const deepestNesting = 16

/** Functions among whose arguments `_` stands for the piped value. */
const takesPiped: ReadonlySet<string> = new Set(['merge', 'equal'])

/**
 * Parses the expression whose `{{` stands at `start`.
 * @returns the expression and the offset behind its `}}`
 * @throws ExpressionError with the column of the error
 */
export function parseExpression(
  text: string,
  path: string,
  start: number,
): { expression: Expression; end: number } {
  const lexer = new Lexer(text, path, start)
  lexer.next()
  const expression = readExpression(lexer, 1)
  return { expression, end: lexer.end }
}

/** From `{{` to `}}`, which is left as the current token. */
function readExpression(lexer: Lexer, nesting: number): Expression {
  const opening = lexer.site
  if (nesting > deepestNesting) {
    opening.fail(`expressions are nested more than ${deepestNesting} levels deep`)
  }
  lexer.next()
  const path = readPath(lexer)
  const pipes: Pipe[] = []
  while (lexer.kind === '|>') {
    if (pipes.length === mostPipes) lexer.site.fail(`more than ${mostPipes} functions in a row`)
    lexer.next()
    pipes.push(readPipe(lexer, nesting))
  }
  if (lexer.kind === 'end of text') opening.fail('{{ is not closed: expected }}')
  if (lexer.kind !== '}}') {
    const hint = lexer.kind === '[' ? '; write |> nth(n) for an item of a list' : ''
    lexer.site.fail(`expected |> or }}, found ${found(lexer)}${hint}`)
  }
  return { ...path, pipes }
}

/** Keys and dots; white space is free, so a path may come as several words. */
function readPath(lexer: Lexer): Pick<Expression, 'keys' | 'start' | 'end'> {
  const { start } = lexer
  if (lexer.kind !== 'word') lexer.site.fail(`expected a path, found ${found(lexer)}`)
  let words = lexer.value
  let { end } = lexer
  const site = lexer.site
  lexer.next()
  while (lexer.kind === 'word' && (words.endsWith('.') || lexer.value.startsWith('.'))) {
    words += lexer.value
    end = lexer.end
    lexer.next()
  }
  const keys = words.split('.')
  if (keys.includes('')) site.at(start, end).fail('a key between the dots of the path is missing')
  return { keys, start, end }
}

function readPipe(lexer: Lexer, nesting: number): Pipe {
  if (lexer.kind !== 'word') {
    lexer.site.fail(`expected the name of a function, found ${found(lexer)}`)
  }
  const { value: name, start, end } = lexer
  lexer.next()
  if (lexer.kind !== '(') return { name, start, end, arguments: [] }
  return { name, start, end, arguments: readArguments(lexer, ')', name, nesting) }
}

/** From behind the opening bracket to behind the closing one. */
function readArguments(
  lexer: Lexer,
  closing: ')' | ']',
  name: string,
  nesting: number,
): readonly Argument[] {
  const opening = lexer.site
  const items: Argument[] = []
  lexer.next()
  if (lexer.kind === closing) {
    lexer.next()
    return items
  }
  for (;;) {
    items.push(readArgument(lexer, name, nesting))
    if (lexer.kind === 'end of text') opening.fail(`the bracket is not closed: expected ${closing}`)
    if (lexer.kind === closing) break
    if (lexer.kind !== ',') lexer.site.fail(`expected , or ${closing}, found ${found(lexer)}`)
    lexer.next()
  }
  lexer.next()
  return items
}

function readArgument(lexer: Lexer, name: string, nesting: number): Argument {
  const { kind, value, start, end } = lexer
  if (kind === '{{') {
    const expression = readExpression(lexer, nesting + 1)
    lexer.next()
    return { kind: 'expression', expression, start, end: lexer.endBefore }
  }
  if (kind === '[') {
    if (nesting >= deepestNesting) {
      lexer.site.fail(`lists are nested more than ${deepestNesting} levels deep`)
    }
    const items = readArguments(lexer, ']', name, nesting + 1)
    return { kind: 'list', items, start, end: lexer.endBefore }
  }
  if (kind !== 'word' && kind !== 'quoted') {
    lexer.site.fail(`expected an argument, found ${found(lexer)}`)
  }
  if (kind === 'word' && value === '_' && !takesPiped.has(name)) {
    const others = "write {{_}} for the item of a list, '_' for the text"
    lexer.site.fail(`_ stands for the piped value, in merge and equal only; ${others}`)
  }
  lexer.next()
  if (kind === 'word' && value === '_') return { kind: 'piped', start, end }
  if (kind === 'word' && value === '$map') return { kind: 'map', start, end }
  return { kind: 'text', text: value, start, end }
}

/** The current token, for messages. */
function found(lexer: Lexer): string {
  if (lexer.kind === 'word') return `"${lexer.value.slice(0, 40)}"`
  return lexer.kind === 'quoted' ? 'quoted text' : lexer.kind
}

/** Whether the text may hold an expression. */
export const hasExpression = (text: string): boolean => text.includes('{{')

/**
 * Parses a text.
 * @param path JSON Pointer of the text, for errors
 * @throws ExpressionError with the column of the error
 */
export function parseTemplate(text: string, path: string): Template {
  const parts: (string | Expression)[] = []
  let from = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', from)) {
    if (open > from) parts.push(text.slice(from, open))
    const { expression, end } = parseExpression(text, path, open)
    parts.push(expression)
    from = end
  }
  if (from < text.length) parts.push(text.slice(from))
  const unquoted = withoutQuotes(parts)
  if (unquoted) return { parts: unquoted, isLone: false }
  const filled = parts.filter((part) => typeof part !== 'string' || !isAllBlank(part))
  const isLone = filled.length === 1 && typeof filled[0] === 'object'
  return { parts: isLone ? filled : parts, isLone }
}

function isAllBlank(text: string): boolean {
  for (let offset = 0; offset < text.length; offset++) {
    if (!isBlank(text.charCodeAt(offset))) return false
  }
  return true
}

/** The parts of a text that is wrapped in its own pair of double quotes, without them; undefined for any other text. */
function withoutQuotes(
  parts: readonly (string | Expression)[],
): (string | Expression)[] | undefined {
  const first = parts[0]
  const last = parts.at(-1)
  if (parts.length < 3 || typeof first !== 'string' || typeof last !== 'string') return undefined
  if (!first.startsWith('"') || !last.endsWith('"')) return undefined
  const inner = [first.slice(1), ...parts.slice(1, -1), last.slice(0, -1)]
  // A third quote means that these two do not belong to each other: "{{a}}", "{{b}}".
  if (inner.some((part) => typeof part === 'string' && part.includes('"'))) return undefined
  return inner.filter((part) => part !== '')
}
