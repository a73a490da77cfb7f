/** URIs and references to them as RFC 3986 writes them. */
import { ofLibrary } from './library-formats.ts'

const escaped = '%[0-9a-f]{2}'
const plain = String.raw`\w\-.~!$&'()*+,;=`
const character = `(?:[${plain}:@]|${escaped})`
const host = String.raw`\[(?<literal>[^\]]*)\]|(?:[${plain}]|${escaped})*`
const authority = String.raw`(?:(?:[${plain}:]|${escaped})*@)?(?:${host})(?::\d*)?`
const segments = `(?:/${character}*)*`
/** With an authority; from the root; or with a first segment. */
const hierarchy = (first: string) =>
  `(?://${authority}${segments}|/(?:${character}+${segments})?|${first}+${segments}|)`
const rest = String.raw`(?:\?(?:${character}|[/?])*)?(?:#(?:${character}|[/?])*)?`
const scheme = String.raw`[a-z][a-z\d+.-]*:`

const absolute = new RegExp(`^${scheme}${hierarchy(character)}${rest}$`, 'i')
/** Without a scheme, a first segment has no colon (§4.2). */
const relative = new RegExp(`^${hierarchy(`(?:[${plain}@]|${escaped})`)}${rest}$`, 'i')

const later = new RegExp(String.raw`^v[0-9a-f]+\.[${plain}:]+$`, 'i')
const isIpv6 = ofLibrary('ipv6')

function fits(text: string, form: RegExp): boolean {
  const found = form.exec(text)
  const literal = found?.groups?.literal
  return found !== null && (literal === undefined || isIpv6(literal) || later.test(literal))
}

/** `URI` (§3). */
export const isUri = (text: string): boolean => fits(text, absolute)

/** `URI-reference` (§4.1). */
export const isUriReference = (text: string): boolean => fits(text, relative) || isUri(text)
