/** The issuer of a version's tokens: the public base URL and the concrete base_path (RFC 8414 §2). */
import type { Endpoint } from '#component/gateway/api.ts'
import { parsePathPattern, type Segment } from '#component/spec/path-pattern.ts'

type Bindings = Readonly<Record<string, string>>

/** Characters that may stand in a segment as they are (RFC 3986 §3.3), though encodeURIComponent escapes them. */
const plain = /%(?:2[46BC]|3[ABD]|40)/g

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(plain, decodeURIComponent)

/** One segment as a request has it; undefined when its binding is not known. */
function segmentText(segment: Segment, bindings: Bindings): string | undefined {
  if (segment.kind === 'literal') return segment.text
  return segment.kind === 'binding' ? bindings[segment.name] : undefined
}

/**
 * The issuer's URL: the longest form of base_path, so that all forms have one issuer; of those whose bindings the request
 * has filled.
 * @param issuerBase without a slash at the end
 */
export function issuerOf(
  issuerBase: string,
  { base }: Pick<Endpoint, 'base'>,
  bindings: Bindings,
): string {
  const parsed = parsePathPattern(base || '/')
  const forms = 'problem' in parsed ? [] : parsed.forms
  let longest: readonly string[] = []
  for (const form of forms) {
    const texts = form.map((segment) => segmentText(segment, bindings))
    const known = texts.filter((text) => text !== undefined)
    if (known.length === texts.length && known.length > longest.length) longest = known
  }
  return [issuerBase, ...longest.map(encode)].join('/')
}
