/** What is done to a document as a whole, in steps, one for each path: a copy of our own, and its hash. */
import { createHash } from 'node:crypto'
import { ServiceError } from '#component/errors.ts'
import { canonicalJson, parseJson, stringifyJson } from '#component/json.ts'
import type { JsonMap } from '#component/spec/model.ts'
import type { Steps } from '#component/spec/steps.ts'

/** Wide enough for whatever was let in; documents have limits of their own. */
const limits = { depth: 256, values: 50_000_000 }

/** Largest document; bytes (behaviour: API Specifications). */
const maxBytes = 4 * 1024 * 1024

/** The levels down to the members of `paths`; below it a step is short. */
const levelsInSteps = 4

/** Characters that are hashed at once. */
const hashedAtOnce = 65_536

/** Is it a map or a list, and of a level that is taken apart? */
const isTakenApart = (value: unknown, level: number): value is JsonMap | readonly unknown[] =>
  level <= levelsInSteps &&
  typeof value === 'object' &&
  value !== null &&
  !('toJSON' in value) &&
  !ArrayBuffer.isView(value)

/**
 * A copy that nobody else holds, without the `ts` of an answer that is sent back. What is wrong in it is found later.
 * ServiceError 413 when it is too large.
 */
export function* ownCopy(document: unknown): Steps<unknown> {
  const copy = yield* copyOf(document, 1, { left: maxBytes })
  if (typeof copy === 'object' && copy !== null && 'ts' in copy) delete copy.ts
  return copy
}

function* copyOf(value: unknown, level: number, bytes: { left: number }): Steps<unknown> {
  if (!isTakenApart(value, level)) {
    const text = stringifyJson(value)
    take(bytes, text)
    yield
    return parseJson(text, { limits, allowLoneSurrogates: true, allowProtoKeys: true })
  }
  const isList = Array.isArray(value)
  const entries: [string, unknown][] = []
  for (const [key, member] of Object.entries(value)) {
    take(bytes, isList ? ',' : `${JSON.stringify(key)}:,`)
    entries.push([key, yield* copyOf(member, level + 1, bytes)])
  }
  return isList ? entries.map(([, member]) => member) : Object.fromEntries(entries)
}

function take(bytes: { left: number }, text: string): void {
  bytes.left -= Buffer.byteLength(text)
  if (bytes.left >= 0) return
  const message = `the document is larger than ${maxBytes} bytes`
  throw new ServiceError('service.error.payload_too_large', message)
}

/** SHA-256, hex, of the document's canonical JSON (RFC 8785). */
export function* hashOf(document: JsonMap): Steps<string> {
  const hash = createHash('sha256')
  let text = ''
  for (const piece of canonicalPieces(document, 1)) {
    text += piece
    if (text.length < hashedAtOnce) continue
    hash.update(text)
    text = ''
    yield
  }
  return hash.update(text).digest('hex')
}

/** The canonical JSON of a value in pieces that are short where the document is long. */
function* canonicalPieces(value: unknown, level: number): Generator<string, void, undefined> {
  if (!isTakenApart(value, level)) {
    yield canonicalJson(value)
    return
  }
  const isList = Array.isArray(value)
  const members = Object.entries(value).filter(([, member]) => isList || member !== undefined)
  if (!isList) members.sort(([a], [b]) => (a < b ? -1 : 1))
  let mark = isList ? '[' : '{'
  for (const [key, member] of members) {
    yield isList ? mark : `${mark}${JSON.stringify(key)}:`
    yield* canonicalPieces(member, level + 1)
    mark = ','
  }
  yield `${members.length === 0 ? mark : ''}${isList ? ']' : '}'}`
}
