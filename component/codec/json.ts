/** JSON that keeps 64-bit integers: text in, values out, and back (behaviour: integers keep every digit or are refused). */
import { Buffer, isUtf8 } from 'node:buffer'
import { ServiceError } from '#component/errors.ts'
import type { Steps } from '#component/yielding.ts'
import { asBuffer } from './as-buffer.ts'
import { readWithBigIntegers } from './json-integers.ts'
import { PiecedValue } from './json-pieces.ts'
import { type ComingText, refill, Scanner, scanJson, scanPieces } from './json-scan.ts'
import {
  bodyRules,
  checkDocumentSize,
  maxDocumentBytes,
  maxTextLength,
  type ReadRules,
  stepLength,
  trustedRules,
} from './limits.ts'
import { jsonWalk, mapLeaves, Walk } from './walk.ts'

/** The part of ES2026 that the compiler's library does not know yet. */
const json = JSON as unknown as { rawJSON(text: string): unknown }

/** What some programs write before a text in UTF-8; it is no part of it (RFC 3629 §6, RFC 8259 §8.1). */
const byteOrderMark = '\ufeff'

/** The text of bytes, without a byte order mark. @throws ServiceError 400 for what is not UTF-8 */
export function decodeUtf8(bytes: Uint8Array, format = 'JSON'): string {
  checkUtf8(bytes, format)
  const text = asBuffer(bytes).toString()
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

/** @throws ServiceError 400 */
function checkUtf8(bytes: Uint8Array, format: string): void {
  if (isUtf8(bytes)) return
  throw new ServiceError('service.error.bad_request', `the ${format} text is not valid UTF-8`)
}

/** The text of bytes, part by part: a character a byte. */
class LatinText implements ComingText {
  protected readonly bytes: Buffer
  protected at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = asBuffer(bytes)
  }

  get length(): number {
    return this.bytes.length
  }

  get hasMore(): boolean {
    return this.at < this.length
  }

  next(length = this.length): string {
    const start = this.at
    this.at = Math.min(start + length, this.length)
    return this.bytes.toString('latin1', start, this.at)
  }
}

/** The text of bytes in UTF-8, part by part, without a byte order mark. */
class CheckedText extends LatinText {
  #isWhole = false

  /** @throws ServiceError 400 for what is not UTF-8 */
  constructor(bytes: Uint8Array) {
    super(bytes)
    checkUtf8(bytes, 'JSON')
  }

  /** From now on all of it comes at once. */
  rewind(): void {
    this.at = 0
    this.#isWhole = true
  }

  override next(length = this.length): string {
    const start = this.at
    this.at = this.#isWhole ? this.length : Math.min(start + length, this.length)
    // not within a character
    while (((this.bytes[this.at] ?? 0) & 0xc0) === 0x80) this.at++
    const text = this.bytes.toString('utf8', start, this.at)
    return start === 0 && text.startsWith(byteOrderMark) ? text.slice(1) : text
  }
}

/**
 * Decodes bytes or text. Integers beyond 2^53 become BigInt, up to int64 and uint64.
 * @throws ServiceError 400, or 413 for too many values; the message names the position, never data
 */
export function parseJson(source: string | Uint8Array, rules: ReadRules = bodyRules): unknown {
  const text = typeof source === 'string' ? source : decodeUtf8(source)
  return scanned(text, scanJson(text, rules), rules)
}

/** Most items of a head: no message has more fields. */
const maxItems = 8

/** The first items of a list, up to the first that cannot be read; in steps of at most this many characters. */
export function* headingJson(
  bytes: Uint8Array,
  rules: ReadRules,
  characters: number,
): Steps<readonly unknown[]> {
  const items: unknown[] = []
  // a character a byte, so that what is no UTF-8 is found in its item
  const text = new LatinText(bytes)
  const scanner = new Scanner('', rules, bytes.length)
  const comes = () => refill(scanner, scanner.position, text, characters)
  try {
    comes()
    if (scanner.next() !== 0x5b) return items
    do {
      scanner.position++
      scanner.next()
      const start = scanner.place
      comes()
      while (!scanner.read(characters)) {
        yield
        comes()
      }
      const item = bytes.subarray(start, scanner.place)
      items.push(yield* parsingJson(item, rules, characters))
      comes()
    } while (items.length < maxItems && scanner.next() === 0x2c)
  } catch {
    // it ends here
  }
  return items
}

/** {@link parseJson} in steps of about this many characters. */
export function* parsingJson(
  source: Uint8Array,
  rules: ReadRules = bodyRules,
  characters = stepLength,
): Steps<unknown> {
  const text = new CheckedText(source)
  yield
  try {
    return yield* parsingParts(text, rules, characters)
  } catch (error) {
    // a key or number is longer than the part of the text in memory; or as wrong in the whole text
    if (isTooLarge(error)) throw error
    text.rewind()
    return yield* parsingParts(text, rules, characters)
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof ServiceError && error.uri === 'service.error.payload_too_large'

function* parsingParts(coming: ComingText, rules: ReadRules, characters: number): Steps<unknown> {
  const pieced = new PiecedValue()
  for (const piece of scanPieces(coming, rules, characters)) {
    if (piece) pieced.add(piece, (part) => scanned(part, piece.hasGreatNumbers, rules))
    yield
  }
  return pieced.value
}

/** The value of text that the scan has accepted. */
function scanned(text: string, hasGreatNumbers: boolean, rules: ReadRules): unknown {
  const value: unknown = hasGreatNumbers
    ? readWithBigIntegers(text, rules.allowGreatIntegers)
    : JSON.parse(text)
  return rules.isWamp && text.includes(escapedNul) ? mapLeaves(value, decodeBinary) : value
}

/** Integers beyond 2^53 have at least this many digits. */
const longDigits = /\d{16}/

/** Decodes text that {@link stringifyJson} has made. @throws ServiceError for an integer beyond 64 bits */
export const parseOwnJson = (text: string): unknown =>
  longDigits.test(text) ? parseJson(text, trustedRules) : JSON.parse(text)

/**
 * Whether a number is beyond 64-bit integers and JSON.stringify writes all its digits, as it does below 10^21. Readers would
 * take it for an integer, and many drop a message that holds such a one, ours included.
 */
const isGreatFloat = (value: number): boolean =>
  (value >= 2 ** 64 && value < 1e21) || (value <= -(2 ** 63) && value > -1e21)

/** Prepares a leaf for JSON.stringify: integers raw, great floats with an exponent, bytes by the WAMP rule, undefined as null. */
function jsonLeaf(value: unknown): unknown {
  if (typeof value === 'bigint') return json.rawJSON(String(value))
  if (typeof value === 'number' && isGreatFloat(value)) return json.rawJSON(value.toExponential())
  if (value === undefined) return null
  return value instanceof Uint8Array ? encodeBinary(value) : value
}

/** Binary data in JSON: a NUL, then base64 (WAMP: Binary conversion of JSON strings). */
export const encodeBinary = (bytes: Uint8Array): string => `\0${asBuffer(bytes).toString('base64')}`

/** How every encoder writes the NUL of {@link encodeBinary}: JSON text holds no raw one. */
const escapedNul = '"\\u0000'

/** The bytes of text that {@link encodeBinary} may have made; anything else stays text. */
function decodeBinary(value: unknown): unknown {
  if (typeof value !== 'string' || value.charCodeAt(0) !== 0) return value
  const text = value.slice(1)
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : value
}

/**
 * Encodes a value. Undefined becomes null.
 * @param maxLength characters, without indentation; a value shared by several parents counts each time
 * @param indent spaces of each level; absent: one line
 * @throws ExpressionError when the text would be longer
 */
export function stringifyJson(value: unknown, maxLength = maxTextLength, indent?: number): string {
  const walk = new Walk(jsonWalk, maxLength)
  walk.visit(value)
  const written = walk.hasSpecials ? mapLeaves(value, jsonLeaf) : value
  return JSON.stringify(written, undefined, indent) ?? 'null'
}

/** The canonical text of a JSON value (RFC 8785): for hashes. Big integers are written in full. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return stringifyJson(value)
  if (value instanceof Uint8Array) return stringifyJson(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  let text = ''
  for (const key of canonicalKeys(value)) {
    const mark = text === '' ? '' : ','
    text += `${mark}${JSON.stringify(key)}:${canonicalJson((value as Members)[key])}`
  }
  return `{${text}}`
}

type Members = Readonly<Record<string, unknown>>

/** RFC 8785 §3.2.3: by UTF-16 code units, which is how JavaScript compares strings. */
const canonicalKeys = (map: object): string[] =>
  Object.keys(map)
    .filter((key) => (map as Members)[key] !== undefined)
    .sort()

/** The levels of a document down to the members of `paths`: a member is small. */
const levelsInParts = 4

/** Whether the members of a value are worked on one by one, by its level in a document; the document itself is level 1. */
export const isInParts = (value: unknown, level: number): value is Members | readonly unknown[] =>
  level <= levelsInParts &&
  typeof value === 'object' &&
  value !== null &&
  !('toJSON' in value) &&
  !ArrayBuffer.isView(value)

/** How JSON is written. */
interface Style {
  readonly keysOf: (map: object) => readonly string[]
  readonly textOf: (value: unknown) => string
}

const plain: Style = { keysOf: Object.keys, textOf: (value) => stringifyJson(value) }
const canonical: Style = { keysOf: canonicalKeys, textOf: canonicalJson }

type Parts = Generator<string, void, undefined>

function* partsOf(value: unknown, level: number, style: Style): Parts {
  if (!isInParts(value, level)) {
    yield style.textOf(value)
    return
  }
  const isList = Array.isArray(value)
  let mark = isList ? '[' : '{'
  for (const key of isList ? value.keys() : style.keysOf(value)) {
    yield isList ? mark : `${mark}${JSON.stringify(key)}:`
    yield* partsOf((value as Members)[key], level + 1, style)
    mark = ','
  }
  yield `${mark === ',' ? '' : mark}${isList ? ']' : '}'}`
}

/** The text of a document as {@link stringifyJson} writes it, in parts that are short even where it is long. */
export const jsonParts = (document: unknown): Parts => partsOf(document, 1, plain)

/**
 * Copies a document by way of its text; a long value is copied member by member.
 * @param left the key of a member that is left out
 * @throws ServiceError `service.error.payload_too_large`
 */
export function* copyingJson(
  document: unknown,
  left?: string,
): Steps<{ readonly value: unknown; readonly text: string }> {
  let text = ''
  let bytes = 0
  const write = (part: string) => {
    text += part
    bytes += Buffer.byteLength(part)
    if (bytes > maxDocumentBytes) checkDocumentSize(bytes)
  }
  function* copy(value: unknown, level: number): Steps<unknown> {
    yield
    if (!isInParts(value, level)) {
      const part = stringifyJson(value)
      write(part)
      return parseOwnJson(part)
    }
    const isList = Array.isArray(value)
    const members: [string, unknown][] = []
    let mark = isList ? '[' : '{'
    for (const [key, member] of Object.entries(value)) {
      if (level === 1 && key === left) continue
      write(isList ? mark : `${mark}${JSON.stringify(key)}:`)
      members.push([key, yield* copy(member, level + 1)])
      mark = ','
    }
    write(`${mark === ',' ? '' : mark}${isList ? ']' : '}'}`)
    return isList ? members.map(([, member]) => member) : Object.fromEntries(members)
  }
  const value = yield* copy(document, 1)
  return { value, text }
}

/** The text of a map with one more member; all are text. */
export const withMember = (map: string, key: string, member: string): string =>
  `${map.slice(0, -1)}${map === '{}' ? '' : ','}${JSON.stringify(key)}:${member}}`

/** The canonical text of a document, in parts. */
export const canonicalParts = (document: unknown): Parts => partsOf(document, 1, canonical)

const escapeKey = (key: string): string =>
  key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key

/** Appends keys to a JSON Pointer (RFC 6901 §3). */
export function pointer(base: string, ...keys: readonly (string | number)[]): string {
  let path = base
  for (const key of keys) path += `/${typeof key === 'number' ? key : escapeKey(key)}`
  return path
}

/** The members of a map with their keys and their JSON Pointers. @param path JSON Pointer of the map */
export const entriesAt = (
  map: object,
  path: string,
): (readonly [key: string, value: unknown, at: string])[] =>
  Object.entries(map).map(([key, value]) => [key, value, `${path}/${escapeKey(key)}`])

/** The keys of a JSON Pointer (RFC 6901 §4). */
export const keysOfPointer = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((key) => (key.includes('~') ? key.replaceAll('~1', '/').replaceAll('~0', '~') : key))
