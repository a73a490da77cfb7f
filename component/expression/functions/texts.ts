/** Functions on text: letters, parts, and encodings. */
import { asBuffer } from '#component/codec/as-buffer.ts'
import { charge, entryCost } from '#component/expression/budget.ts'
import type { Site } from '#component/expression/site.ts'
import { textOf } from '#component/expression/text.ts'
import { isList, isNumber } from '#component/expression/values.ts'
import { percentEncoded } from '#component/syntax/percent-encoding.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { type FunctionTable, ofAnything, ofText, someText, text } from './function.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The base64 (RFC 4648 §4) of a text's UTF-8, or of bytes. */
function encodeBase64(value: unknown, site: Site): string | undefined {
  if (value instanceof Uint8Array) {
    charge(Math.ceil(value.byteLength / 3) * 4, site)
    return asBuffer(value).toString('base64')
  }
  if (typeof value !== 'string' || !value.isWellFormed()) return undefined
  charge(Math.ceil(Buffer.byteLength(value) / 3) * 4, site)
  return Buffer.from(value).toString('base64')
}

/** The text whose UTF-8 is given in base64; undefined for invalid base64 or UTF-8. */
function decodeBase64(value: unknown, site: Site): string | undefined {
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

/** Charges a text that may become longer, by what it has become. */
function changed(text: string, change: (text: string) => string, site: Site): string {
  charge(text.length, site)
  const result = change(text)
  charge(Math.max(0, result.length - text.length), site)
  return result
}

/** How often a text occurs in another one, without overlaps. */
function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++
  return count
}

/** Fields of a query, percent-encoded; `null` and empty lists give none. undefined for a value that no field can hold. */
function encodeForm(value: JsonMap, site: Site): string | undefined {
  const fields: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const items = isList(member) ? member : [member]
    for (const item of items) {
      if (item === null) continue
      if (typeof item === 'object') return undefined
      const text = textOf(item, site)
      if (!name.isWellFormed() || !text.isWellFormed()) return undefined
      charge(3 * (Buffer.byteLength(name) + Buffer.byteLength(text)) + entryCost, site)
      fields.push(`${percentEncoded(name)}=${percentEncoded(text)}`)
    }
  }
  return fields.join('&')
}

/** By name. */
export const texts: FunctionTable = {
  lower: {
    ...ofText,
    apply: (value: string, site) => changed(value, (text) => text.toLowerCase(), site),
  },
  upper: {
    ...ofText,
    apply: (value: string, site) => changed(value, (text) => text.toUpperCase(), site),
  },
  split: {
    ...ofText,
    usage: 'split or split(separator)',
    parameters: [someText],
    apply: (value: string, site, separator = ',') => {
      charge(value.length + (occurrences(value, separator) + 1) * entryCost, site)
      return value.split(separator)
    },
  },
  replace: {
    ...ofText,
    usage: 'replace(text, text)',
    least: 2,
    parameters: [someText, text],
    apply: (value: string, site, part: string, other: string) => {
      charge(value.length + occurrences(value, part) * other.length, site)
      return value.replaceAll(part, () => other)
    },
  },
  'base64:encode': {
    ...ofAnything,
    wanted: 'a string without lone surrogates, or binary data',
    apply: encodeBase64,
  },
  'base64:decode': { ...ofAnything, wanted: 'the base64 of UTF-8 text', apply: decodeBase64 },
  'url:encode': {
    ...ofAnything,
    takes: (value) => typeof value === 'string' || typeof value === 'boolean' || isNumber(value),
    wanted: 'a string without lone surrogates, a number or a boolean',
    isRaw: true,
    apply: (value: unknown, site) => {
      const text = textOf(value, site)
      if (!text.isWellFormed()) return undefined
      charge(3 * Buffer.byteLength(text), site)
      return percentEncoded(text)
    },
  },
  'url:form': {
    ...ofAnything,
    takes: isMap,
    wanted: 'a map of texts, numbers, booleans, null, and lists of them, without lone surrogates',
    isRaw: true,
    apply: encodeForm,
  },
  'url:raw': { ...ofText, isRaw: true, apply: (value: string) => value },
}
