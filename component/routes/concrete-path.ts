/** Fills in a base_path: optional segments present, bindings replaced by their values. */
import { parsePathPattern, type Segment } from '#component/syntax/path-pattern.ts'

type Bindings = Readonly<Record<string, string>>

/** Characters that may stand in a segment as they are (RFC 3986 §3.3), though encodeURIComponent escapes them. */
const plain = /%(?:2[46BC]|3[ABD]|40)/g

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(plain, decodeURIComponent)

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
  return longest.map((text) => `/${encode(text)}`).join('')
}
