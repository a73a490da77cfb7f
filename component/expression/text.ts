/** Values as text, for `string` and concatenation. */
import { stringifyJson } from '#component/codec/json.ts'
import { charge, treeSize } from './budget.ts'
import type { Site } from './site.ts'
import { kindOf } from './values.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Strings as they are, everything else as JSON; charged to the running evaluation. */
export function textOf(value: unknown, site: Site): string {
  let text: string
  if (typeof value === 'string') text = value
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) site.fail('expected a finite number')
    text = String(value)
  } else if (typeof value === 'object' && value !== null) return jsonOf(value, site)
  else text = String(value)
  charge(text.length, site)
  return text
}

/** Charges the size before the text is built, and the characters that escaping adds afterwards. */
function jsonOf(value: object, site: Site): string {
  const kind = kindOf(value)
  if (kind === 'binary data') site.fail('binary data cannot be written as text')
  const size = treeSize(value)
  charge(size, site)
  const text = stringifyJson(value)
  charge(Math.max(0, text.length - size), site)
  return text
}

/** The base64 (RFC 4648 §4) of a text's UTF-8, or of bytes. */
export function encodeBase64(value: unknown, site: Site): string | undefined {
  if (value instanceof Uint8Array) {
    charge(Math.ceil(value.byteLength / 3) * 4, site)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
  }
  if (typeof value !== 'string' || !value.isWellFormed()) return undefined
  charge(Math.ceil(Buffer.byteLength(value) / 3) * 4, site)
  return Buffer.from(value).toString('base64')
}

/** The text whose UTF-8 is given in base64; undefined for invalid base64 or UTF-8. */
export function decodeBase64(value: unknown, site: Site): string | undefined {
  if (typeof value !== 'string') return undefined
  charge(value.length, site)
  const bytes = Buffer.from(value, 'base64')
  // Buffer skips invalid characters: only canonical base64 survives the round trip
  if (bytes.toString('base64') !== value) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined // not UTF-8: the caller names function and place
  }
}
