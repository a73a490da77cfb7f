/** The forms of a path pattern as path templates of OpenAPI, and the forms of a base_path as servers. */

import { namesOf, parsePathPattern, type Segment } from '#component/syntax/path-pattern.ts'
import { encodeSegment } from '#component/syntax/percent-encoding.ts'

/** A variable of a template. */
export interface Variable {
  /** Its name in the template. */
  readonly name: string
  /** The name of the binding; undefined for a segment that is not bound. */
  readonly binding: string | undefined
  /** Whether it stands for any number of segments. */
  readonly isRest: boolean
}

/** One form of a pattern. */
export interface Template {
  /** `/orders/{id}` */
  readonly text: string
  /** Its segments in words, for the id of an operation: `orders_by_id`. */
  readonly words: string
  readonly variables: readonly Variable[]
  /** The same for templates that OpenAPI takes for one: those that differ in the names of variables only. */
  readonly shape: string
}

/** The templates of a pattern, the longest first; none for a broken one. */
export function templatesOf(pattern: string): readonly Template[] {
  const parsed = parsePathPattern(pattern)
  return 'problem' in parsed ? [] : parsed.forms.map(templateOf)
}

function templateOf(form: readonly Segment[]): Template {
  const variables = variablesOf(form)
  const rest = variables.values()
  const texts: string[] = []
  const shapes: string[] = []
  const words: string[] = []
  for (const segment of form) {
    if (segment.kind === 'literal') {
      const text = encodeSegment(segment.text)
      texts.push(text)
      shapes.push(text)
      words.push(segment.text)
    } else if (segment.kind === 'parts') {
      const all = segment.names.map(() => (rest.next().value as Variable).name)
      const parts = segment.texts.map(encodeSegment)
      const textWith = (inBraces: (name: string) => string): string =>
        parts.map((text, i) => text + (all[i] === undefined ? '' : inBraces(all[i]))).join('')
      texts.push(textWith((name) => `{${name}}`))
      shapes.push(textWith(() => '{}'))
      words.push(textWith((name) => `_by_${name}_`))
    } else {
      const { name, isRest } = rest.next().value as Variable
      texts.push(`{${name}}`)
      shapes.push('{}')
      words.push(isRest ? name : `by_${name}`)
    }
  }
  return {
    text: `/${texts.join('/')}`,
    words: words.map(wordOf).filter(Boolean).join('_'),
    variables,
    shape: `/${shapes.join('/')}`,
  }
}

const wordOf = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_|_$/g, '')

/** The variables of a form, the ones without a name numbered. */
function variablesOf(form: readonly Segment[]): readonly Variable[] {
  const names = new Set(form.flatMap(namesOf))
  let count = 0
  const freshName = (): string => {
    do count += 1
    while (names.has(`_${count}`))
    return `_${count}`
  }
  return form.flatMap((segment): Variable[] => {
    if (segment.kind === 'literal') return []
    if (segment.kind === 'rest') return [{ name: 'rest', binding: 'rest', isRest: true }]
    const written = segment.kind === 'parts' ? segment.names : [segment.name]
    return written.map((own) => {
      const isBound = own !== '_'
      const name = isBound ? own : freshName()
      return { name, binding: isBound ? name : undefined, isRest: false }
    })
  })
}

/** Where the paths of a version begin. */
export interface Bases {
  /** The forms of base_path, the longest first, `""` for the root. One with bindings is not among them. */
  readonly servers: readonly string[]
  /** What stands before every path: base_path, where it has bindings, which a server of OpenAPI cannot have. */
  readonly inPaths: string
}

/** Splits the address of a version into servers and paths. @param base_path without a slash at the end */
export function basesOf(base_path: string): Bases {
  const templates = templatesOf(base_path || '/')
  if (templates.some(({ variables }) => variables.length > 0)) {
    return { servers: [''], inPaths: base_path }
  }
  return { servers: templates.map(({ text }) => (text === '/' ? '' : text)), inPaths: '' }
}
