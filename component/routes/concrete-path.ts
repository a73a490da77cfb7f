/** Fills in a base_path: optional segments present, bindings replaced by their values. */
import { parsePathPattern, type Segment } from '#component/syntax/path-pattern.ts'
import { encodeSegment } from '#component/syntax/percent-encoding.ts'

type Bindings = Readonly<Record<string, string>>

/** The texts that a segment stands for; undefined when its binding is not known. */
function segmentTexts(segment: Segment, bindings: Bindings): readonly string[] | undefined {
  if (segment.kind === 'literal') return [segment.text]
  if (segment.kind === 'rest') return bindings.rest === '' ? [] : bindings.rest?.split('/')
  if (segment.kind === 'parts') {
    const values = segment.names.map((name) => bindings[name])
    if (values.includes(undefined)) return undefined
    return [segment.texts.map((text, index) => text + (values[index] ?? '')).join('')]
  }
  const text = bindings[segment.name]
  return text === undefined ? undefined : [text]
}

/**
 * The longest form whose bindings are all known, filled in: percent-encoded, beginning with a slash, `""` for the root;
 * undefined when a binding of every form is unknown.
 */
export function longestPath(
  forms: readonly (readonly Segment[])[],
  bindings: Bindings,
): string | undefined {
  let longest: readonly string[] | undefined
  for (const form of forms) {
    const texts = form.map((segment) => segmentTexts(segment, bindings))
    const known = texts.filter((text) => text !== undefined)
    if (known.length < texts.length) continue
    if (longest === undefined || known.flat().length > longest.length) longest = known.flat()
  }
  return longest?.map((text) => `/${encodeSegment(text)}`).join('')
}

/**
 * The longest form of the pattern whose bindings are all known, so that every form of a base_path yields one path.
 * @param base a base_path as written
 * @returns percent-encoded, beginning with a slash; `""` for the root
 */
export function concretePath(base: string, bindings: Bindings): string {
  const parsed = parsePathPattern(base || '/')
  return 'problem' in parsed ? '' : (longestPath(parsed.forms, bindings) ?? '')
}
