/** The syntax of WAMP URIs, and the ways in which they are matched. No regular expressions: the router reads the URI of each message here; the judgement of the last ones is kept. */
import { remembered } from './remembered.ts'

/** How the URI of a registration, a subscription or a grant is compared with the URI of a message. */
export type Match = 'exact' | 'prefix' | 'wildcard'

/** The three ways, in the order of precedence. */
export const matches: readonly Match[] = ['exact', 'prefix', 'wildcard']

/** Whether the value names one of the three ways. */
export const isMatch = (value: unknown): value is Match =>
  (matches as readonly unknown[]).includes(value)

const dot = 0x2e

/** Refused by the loose rule of WAMP: the white space of ECMAScript's `\s`, and `#`. */
const loose = 1
/** Refused in what this gateway names: control characters and the white space of Python's `\s` as well. */
const strict = 2

/** By character up to U+00FF: the rules that refuse it. */
const refusedBy = new Uint8Array(0x100)
refusedBy.fill(strict, 0x00, 0x21)
refusedBy.fill(strict, 0x7f, 0xa0)
for (const character of '\t\n\v\f\r #\u00a0') refusedBy[character.charCodeAt(0)] = loose | strict

/** Whether a character beyond U+00FF is white space; Unicode, ECMAScript and Python agree on it. */
export const isWideSpace = (code: number): boolean =>
  code >= 0x1680 &&
  (code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff)

/**
 * The problem of a text under one of the two rules. The last component of a prefix may be empty, and any component of a
 * wildcard pattern.
 */
function problemOf(
  text: string,
  match: Match,
  rule: number,
): 'character' | 'component' | undefined {
  let isEmpty = true
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === dot) {
      if (isEmpty && match !== 'wildcard') return 'component'
      isEmpty = true
    } else {
      if (code < 0x100 ? ((refusedBy[code] ?? 0) & rule) !== 0 : isWideSpace(code))
        return 'character'
      isEmpty = false
    }
  }
  return isEmpty && match === 'exact' ? 'component' : undefined
}

/** Whether the text is a URI by the loose rule of WAMP, `^([^\s.#]+\.)*[^\s.#]+$`: what the router accepts of its clients. */
export const isLooseUri = (text: string, match: Match = 'exact'): boolean =>
  match === 'exact' ? isExactLoose(text) : problemOf(text, match, loose) === undefined

const isExactLoose = remembered((text) => problemOf(text, 'exact', loose) === undefined)

/**
 * Whether the gateway and its documents may name the URI: every router can read it. Some routers close the connection on a URI
 * with control characters, Python's white space or half of a surrogate pair, so these are refused beyond the loose rule.
 */
export const isUri = (text: string, match: Match = 'exact'): boolean =>
  match === 'exact' ? isExact(text) : uriProblem(text, match) === undefined

const isExact = remembered((text) => uriProblem(text) === undefined)

/** Why a text is not a URI by {@link isUri}: the end of a sentence about it; undefined when it is one. */
export function uriProblem(text: string, match: Match = 'exact'): string | undefined {
  const problem = problemOf(text, match, strict)
  if (problem === 'component') return 'a part of it is empty'
  if (problem === 'character') return 'it holds white space, "#" or a control character'
  return text.isWellFormed() ? undefined : 'it is not valid Unicode'
}

/** Whether a URI, or a wildcard pattern, matches a pattern. */
export function isMatched(uri: string, pattern: string, match: Match): boolean {
  if (match === 'exact') return uri === pattern
  if (match === 'prefix') return uri.startsWith(pattern)
  const wanted = pattern.split('.')
  const components = uri.split('.')
  if (wanted.length !== components.length) return false
  return wanted.every((component, index) => component === '' || component === components[index])
}

/** The URIs of the gateway and of the router begin with these: requests and grants reach them only where they are named. */
export const reservedPrefixes = ['service.', 'wamp.'] as const

/** Whether the URI belongs to the gateway or to the router. */
export const isReservedUri = (uri: string): boolean =>
  reservedPrefixes.some((prefix) => uri.startsWith(prefix))
