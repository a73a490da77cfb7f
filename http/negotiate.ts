/** Content negotiation (RFC 9110 §12): type by Accept, language by Accept-Language; headers repeat, so results are cached. */
import { covers, essenceOf, hasKnownCharset, unknownType } from '#component/syntax/media-type.ts'
import { weight } from '#component/syntax/weight.ts'

interface Range {
  /** `type/subtype`, or a language range; lower case. */
  readonly name: string
  /** 0–1. */
  readonly q: number
}

/** Caches the results of a function of texts; the cache is emptied when it is full. */
function remember<V>(make: (text: string) => V, most = 500): (text: string) => V {
  const known = new Map<string, V>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined || known.has(text)) return found as V
    const value = make(text)
    if (known.size >= most) known.clear()
    // long texts are not kept: clients choose them
    if (text.length <= 500) known.set(text, value)
    return value
  }
}

const knownEssence = remember(essenceOf)
const isKnownCharset = remember(hasKnownCharset)

/** The ranges of a list; malformed ones are skipped. */
const parseRanges = remember((header: string): readonly Range[] =>
  header.split(',').flatMap((element) => {
    const [name = '', ...parameters] = element.split(';')
    const q = weight(parameters)
    const range = name.trim().toLowerCase()
    return range === '' || q === undefined ? [] : [{ name: range, q }]
  }),
)

/** The weight of a media type, or of a range that is provided: of the most specific range that matches it (RFC 9110 §12.5.1). */
function weightOf(type: string, accepted: readonly Range[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`
  const isRange = type.includes('*')
  let best = 0
  let specificity = 0
  for (const { name, q } of accepted) {
    const isSame = name === type || (isRange && covers(type, name))
    const level = isSame ? 3 : name === family ? 2 : name === '*/*' ? 1 : 0
    if (level > specificity || (level === specificity && level > 0 && q > best)) {
      best = q
      specificity = level
    }
  }
  return best
}

const jsonType = 'application/json'

/**
 * The type to answer with: greatest weight, the preferred one when equal, else the first.
 * @param accept the Accept field; absent or empty accepts all
 * @param provides media types, perhaps with parameters
 * @param preferred without parameters
 * @returns one of `provides`; undefined when none is accepted
 */
export function negotiateType(
  accept: string | undefined,
  provides: readonly string[],
  preferred = jsonType,
): string | undefined {
  const ranges = accept === undefined ? [] : parseRanges(accept)
  let chosen: string | undefined
  let best = 0
  for (const type of provides) {
    const essence = knownEssence(type)
    const q = ranges.length === 0 ? 1 : weightOf(essence, ranges)
    if (q > best || (q > 0 && q === best && essence === preferred && !isOf(chosen, preferred))) {
      chosen = type
      best = q
    }
  }
  return chosen
}

const isOf = (type: string | undefined, essence: string): boolean =>
  type !== undefined && knownEssence(type) === essence

/**
 * The language to answer in: by weight, then by the order of the header; a range matches a language that it is equal
 * to or a prefix of, and falls back to its own prefixes (RFC 4647 §3.4).
 * @returns one of `languages`, the first one when none fits; `en` when there are none
 */
export function negotiateLanguage(
  accept: string | undefined,
  languages: readonly string[],
): string {
  const first = languages[0] ?? 'en'
  if (accept === undefined || languages.length < 2) return first
  const ranges = parseRanges(accept).toSorted((a, b) => b.q - a.q)
  const refused = ranges.filter(({ q }) => q === 0).map(({ name }) => name)
  const wanted = languages.filter((language) => !refused.some((range) => fits(language, range)))
  for (const { name, q } of ranges) {
    if (q === 0) break
    const found = name === '*' ? wanted[0] : lookUp(name, wanted)
    if (found !== undefined) return found
  }
  return first
}

/** Whether the language is the range, or one below it (RFC 4647 §3.3.1). */
function fits(language: string, range: string): boolean {
  const tag = language.toLowerCase()
  return tag === range || tag.startsWith(`${range}-`)
}

function lookUp(range: string, languages: readonly string[]): string | undefined {
  for (let end = range.length; end > 0; end = range.lastIndexOf('-', end - 1)) {
    const prefix = range.slice(0, end)
    const found =
      languages.find((language) => language.toLowerCase() === prefix) ??
      languages.find((language) => fits(language, prefix))
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether the Content-Type is one of the media types or ranges, in a charset that is read. A body without one is bytes that nobody has named. */
export function isAcceptedType(
  contentType: string | undefined,
  accepts: readonly string[],
): boolean {
  const type = contentType ?? unknownType
  if (!isKnownCharset(type)) return false
  const essence = knownEssence(type)
  return accepts.some((range) => covers(knownEssence(range), essence))
}
