/** Fills in a base_path: optional segments present, bindings replaced by their values. */
import { parsePathPattern, type Segment } from '#component/syntax/path-pattern.ts'
import { encodeSegment } from '#component/syntax/percent-encoding.ts'

type Bindings = Readonly<Record<string, string>>

/** The text of a segment; undefined when its binding is not known. */
function segmentText(segment: Segment, bindings: Bindings): string | undefined {
  if (segment.kind === 'literal') return segment.text
  return segment.kind === 'binding' ? bindings[segment.name] : undefined
}

/**
 * The longest form of the pattern whose bindings are all known, so that every form of a base_path yields one path.
 * @param base a base_path as written
 * @returns percent-encoded, beginning with a slash; `""` for the root
 */
export function concretePath(base: string, bindings: Bindings): string {
  const parsed = parsePathPattern(base || '/')
  const forms = 'problem' in parsed ? [] : parsed.forms
  let longest: readonly string[] = []
  for (const form of forms) {
    const texts = form.map((segment) => segmentText(segment, bindings))
    const known = texts.filter((text) => text !== undefined)
    if (known.length === texts.length && known.length > longest.length) longest = known
  }
  return longest.map((text) => `/${encodeSegment(text)}`).join('')
}
