/** Path templates of OpenAPI as path patterns: they stay as they are where a pattern can say the same. */

import { parsePathPattern } from '#component/syntax/path-pattern.ts'

/** A pattern, and the names of its bindings by those of the template; undefined: the segment is not bound. */
export interface Pattern {
  readonly pattern: string
  readonly bindings: ReadonlyMap<string, string | undefined>
}

/**
 * Turns a template into a pattern.
 * @param rest names of parameters that stand for any number of segments
 * @returns or why there is no such pattern: one lower-case sentence
 */
export function patternOf(template: string, rest: ReadonlySet<string>): Pattern | string {
  if (!template.startsWith('/')) return 'a path begins with "/"'
  const [, sent, mark] = /^([^?#]*)([?#])/.exec(template) ?? []
  if (sent !== undefined) {
    const why = mark === '#' ? 'what follows "#" is not sent' : 'a query is no part of a path'
    return `${why}: the requests are those of ${JSON.stringify(sent)}, and this path is left out`
  }
  const bindings = new Map<string, string | undefined>()
  const segments: string[] = []
  for (const segment of template.slice(1).split('/')) {
    const [, name] = /^\{([^{}]+)\}$/.exec(segment) ?? []
    if (name !== undefined && rest.has(name)) {
      bindings.set(name, 'rest')
      segments.push('[...]')
      continue
    }
    const written = literal(segment).replaceAll(/\{([^{}]+)\}/g, (_, part: string) => {
      const binding = unused(part.replaceAll(/[^\w-]/g, '_'), bindings)
      bindings.set(part, binding)
      return `{${binding}}`
    })
    const parsed = parsePathPattern(`/${written}`)
    if (written.includes('{') && 'problem' in parsed)
      return `the segment ${JSON.stringify(segment)}: ${parsed.problem}`
    segments.push(written)
  }
  return { pattern: `/${segments.join('/')}`, bindings }
}

/**
 * The pattern of the template `/`, which no API Specification has: an optional segment that no template begins with.
 * @param templates of the document
 */
export function rootPattern(templates: readonly string[]): Pattern {
  let segment = '_'
  while (templates.some((each) => each.split('/')[1] === segment)) segment += '_'
  return { pattern: `/[${segment}]`, bindings: new Map() }
}

function unused(name: string, bindings: Pattern['bindings']): string {
  const taken = [...bindings.values()]
  let found = name
  for (let number = 2; taken.includes(found); number++) found = `${name}_${number}`
  return found
}

/** A segment in which nothing has a meaning for patterns. */
export const literal = (segment: string): string =>
  segment.replaceAll(/^:|[[\]\\\s]/g, (character) => encodeURIComponent(character))
