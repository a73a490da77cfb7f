/** The request target and the Host field: which bytes may stand there (reliability §3.2; RFC 3986, RFC 9112 §3.2). */

const inPath = 1
const inQuery = 2
const inHost = 4

/** Where an ASCII character may stand. */
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

const isOf = (text: string, start: number, end: number, place: number): boolean => {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code > 127 || ((allowed[code] ?? 0) & place) === 0) return false
  }
  return true
}

/** Percent-decodes; undefined for bad escapes, invalid or overlong UTF-8, and NUL. */
export function percentDecode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text)
    return decoded.includes('\0') ? undefined : decoded
  } catch {
    // URIError says nothing more than that the escapes are wrong
    return undefined
  }
}

/** Whether a decoded segment is `.` or `..`, with or without `;parameters`. */
export const isDotSegment = (segment: string): boolean => {
  if (segment.charCodeAt(0) !== 0x2e) return false
  const semicolon = segment.indexOf(';')
  const name = semicolon < 0 ? segment : segment.slice(0, semicolon)
  return name === '.' || name === '..'
}

/** The problem of a path; undefined when it is valid. */
export function pathProblem(path: string): string | undefined {
  if (path.charCodeAt(0) !== 0x2f) return 'the target is no path'
  if (!isOf(path, 0, path.length, inPath)) return 'the path holds a character that must be escaped'
  let decoded = path
  if (path.includes('%')) {
    if (hasEscapedSlash(path)) return 'the path holds an escaped slash or backslash'
    const text = percentDecode(path)
    if (text === undefined) return 'the path holds a bad escape'
    decoded = text
  }
  if (!decoded.includes('/.')) return undefined
  return decoded.split('/').some(isDotSegment) ? 'the path holds a dot segment' : undefined
}

function hasEscapedSlash(path: string): boolean {
  for (let at = path.indexOf('%'); at >= 0; at = path.indexOf('%', at + 1)) {
    const digits = path.slice(at + 1, at + 3).toLowerCase()
    if (digits === '2f' || digits === '5c') return true
  }
  return false
}

/** The problem of a query; undefined when it is valid. */
export function queryProblem(query: string): string | undefined {
  if (!isOf(query, 0, query.length, inQuery)) {
    return 'the query holds a character that must be escaped'
  }
  if (query.includes('%') && percentDecode(query) === undefined) {
    return 'the query holds a bad escape'
  }
  return undefined
}

/** A Host field: name or address in lower case, and the port as text, `""` when none is given. */
export interface Authority {
  readonly host: string
  readonly port: string
}

/** Hosts repeat: the last ones parsed are kept. */
const known = new Map<string, Authority>()
const maxKnown = 1000

/** Parses `host[:port]`; undefined when it is empty, has user information or a wrong character. */
export function parseAuthority(text: string): Authority | undefined {
  const found = known.get(text)
  if (found) return found
  const authority = readAuthority(text.toLowerCase())
  if (authority) {
    if (known.size >= maxKnown) known.clear()
    known.set(text, authority)
  }
  return authority
}

function readAuthority(text: string): Authority | undefined {
  const bracket = text.startsWith('[') ? text.indexOf(']') : -1
  const colon = text.indexOf(':', bracket + 1)
  const host = colon < 0 ? text : text.slice(0, colon)
  const port = colon < 0 ? '' : text.slice(colon + 1)
  if (host === '' || host.length > 255 || port.length > 5) return undefined
  for (let at = 0; at < port.length; at++) {
    const code = port.charCodeAt(at)
    if (code < 0x30 || code > 0x39) return undefined
  }
  if (Number(port) > 65_535) return undefined
  if (bracket < 0) return isOf(host, 0, host.length, inHost) ? { host, port } : undefined
  return bracket === host.length - 1 && isAddress(host.slice(1, -1)) ? { host, port } : undefined
}

/** Only the characters: nothing is looked up by it. */
const isAddress = (text: string): boolean =>
  text.length > 1 && [...text].every((character) => '0123456789abcdef:.'.includes(character))
