/** Text with `{{ }}` in it: a lone expression, or texts and expressions to be joined. */
import type { Expression, Template } from './ast.ts'
import { isBlank } from './lexer.ts'
import { parseExpression } from './parser.ts'

/** Whether the text may hold an expression. */
export const hasExpression = (text: string): boolean => text.includes('{{')

/** Documents repeat texts ("{{action.error}}"): the last ones are parsed once. */
const known = new Map<string, Template>()
const mostKnown = 1000
const longestKnown = 500

/**
 * Parses a text.
 * @param path JSON Pointer of the text, for errors
 * @throws ExpressionError with the column of the error
 */
export function parseTemplate(text: string, path: string): Template {
  const found = known.get(text)
  if (found) return found
  const template = readTemplate(text, path)
  if (text.length > longestKnown) return template
  if (known.size >= mostKnown) known.clear()
  known.set(text, template)
  return template
}

function readTemplate(text: string, path: string): Template {
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
