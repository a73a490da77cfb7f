/** The request target and the Host field: which bytes may stand there (reliability §3.2; RFC 3986, RFC 9112 §3.2). */
import { remembered } from './remembered.ts'

/** The parts of a request that an ASCII character may stand in as it is. */
export const inPath = 1
export const inQuery = 2
const inHost = 4

/** By character: the parts. */
const allowed = new Uint8Array(128)
const allow = (characters: string, places: number) => {
  for (const character of characters) {
    const code = character.charCodeAt(0)
    allowed[code] = (allowed[code] ?? 0) | places
  }
}
allow('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~', inPath | inQuery)
allow("%!$&'()*+,;=:@/", inPath | inQuery)
allow('?[]', inQuery)
allow('abcdefghijklmnopqrstuvwxyz0123456789-._', inHost)

/** Whether a character may stand in a part as it is; elsewhere it is escaped. */
export const mayStand = (code: number, part: number): boolean => ((allowed[code] ?? 0) & part) !== 0

/** The characters that may stand in a part, but for some, as a class of a regular expression has them between its brackets. */
export const classOf = (part: number, but = ''): string =>
  [...allowed.keys()]
    .filter((code) => mayStand(code, part) && !but.includes(String.fromCharCode(code)))
    .map((code) => `\\x${code.toString(16)}`)
    .join('')

/** A path that is in its only form and is valid as it stands: it has no escape, and no segment that begins with a dot. Most paths are. */
export const plainPath = new RegExp(`^(?:/(?!\\.)[${classOf(inPath, '%/')}]*)+$`)

/** What URLs and their clients leave as it is, though it may not stand there (WHATWG URL, path and query percent-encode sets). */
const unescapedInPath = /[[\]^`{|}]/g
const unescapedInQuery = /[[\\\]^`{|}]/g

/**
 * The path of a request in its only form: what URLs leave as it is, is escaped. Other characters that must be escaped stay, for
 * {@link pathProblem}.
 */
export const escapePath = (path: string): string =>
  isOf(path, inPath) ? path : path.replace(unescapedInPath, encodeURIComponent)

/** {@link escapePath} for a query, and {@link queryProblem}: what may stand in a path needs no escape here. */
export const escapeQuery = (query: string): string =>
  isOf(query, inPath) ? query : query.replace(unescapedInQuery, encodeURIComponent)

const isOf = (text: string, part: number): boolean => {
  for (let at = 0; at < text.length; at++) {
    if (((allowed[text.charCodeAt(at)] ?? 0) & part) === 0) return false
  }
  return true
}

/** Percent-decodes; undefined for bad escapes, and invalid or overlong UTF-8. */
export function decodeEscapes(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // URIError says nothing more than that the escapes are wrong
    return undefined
  }
}

/** {@link decodeEscapes}; undefined for NUL, too. */
export function percentDecode(text: string): string | undefined {
  const decoded = decodeEscapes(text)
  return decoded?.includes('\0') ? undefined : decoded
}

/** Whether a decoded segment is `.` or `..`, with or without `;parameters`. */
export const isDotSegment = (segment: string): boolean => {
  if (segment.charCodeAt(0) !== 0x2e) return false
  const semicolon = segment.indexOf(';')
  const name = semicolon < 0 ? segment : segment.slice(0, semicolon)
  return name === '.' || name === '..'
}

/** Why a path with an escaped slash is refused. */
export const escapedSlash = 'the path holds an escaped slash or backslash'

/** Whether a path holds an escaped slash. */
export const hasEscapedSlash = (path: string): boolean => path.includes('%') && /%2f/i.test(path)

/** Escaped slashes with nothing before or behind them, which may be read as one slash. */
const emptyPiece = /(?:\/|%2f)%2f|%2f(?:\/|$)/i

/**
 * The problem of a path; undefined when it is valid.
 * @param keepsSlashes whether an escaped slash is text of its segment
 */
export function pathProblem(path: string, keepsSlashes = false): string | undefined {
  if (path.charCodeAt(0) !== 0x2f) return 'the target is no path'
  if (!isOf(path, inPath)) return 'the path holds a character that must be escaped'
  let decoded = path
  if (path.includes('%')) {
    if (holdsEscaped(path, keepsSlashes)) return escapedSlash
    if (keepsSlashes && emptyPiece.test(path)) return 'a piece between escaped slashes is empty'
    const text = percentDecode(path)
    if (text === undefined) return 'the path holds a bad escape'
    decoded = text
  }
  if (!decoded.includes('/.')) return undefined
  return decoded.split('/').some(isDotSegment) ? 'the path holds a dot segment' : undefined
}

/** Whether a path holds an escaped backslash, or slash where they are not kept. */
function holdsEscaped(path: string, keepsSlashes: boolean): boolean {
  for (let at = path.indexOf('%'); at >= 0; at = path.indexOf('%', at + 1)) {
    const digits = path.slice(at + 1, at + 3).toLowerCase()
    if (digits === '5c' || (digits === '2f' && !keepsSlashes)) return true
  }
  return false
}

/** The problem of a query; undefined when it is valid. */
export function queryProblem(query: string): string | undefined {
  if (query === '') return undefined
  if (!isOf(query, inQuery)) return 'the query holds a character that must be escaped'
  return percentDecode(query) === undefined ? 'the query holds a bad escape' : undefined
}

/** A Host field: name or address in lower case, and the port as text, `""` when none is given. */
export interface Authority {
  readonly host: string
  readonly port: string
}

/** Parses `host[:port]`; undefined when it is empty, has user information or a wrong character. */
export const parseAuthority = remembered((text) => readAuthority(text.toLowerCase()))

function readAuthority(text: string): Authority | undefined {
  const bracket = text.startsWith('[') ? text.indexOf(']') : -1
  const colon = text.indexOf(':', bracket + 1)
  const host = colon < 0 ? text : text.slice(0, colon)
  const port = colon < 0 ? '' : text.slice(colon + 1)
  if (host === '' || host.length > 255) return undefined
  if (!/^\d{0,5}$/.test(port) || Number(port) > 65_535) return undefined
  // of an address only the characters: nothing is looked up by it
  const isHost = bracket < 0 ? isOf(host, inHost) : /^\[[\da-f:.]{2,}\]$/.test(host)
  return isHost ? { host, port } : undefined
}
