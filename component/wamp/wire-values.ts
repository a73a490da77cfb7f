/** Values on the wire: what the serializers' libraries would lose of integers and bytes, on the way out and on the way in. */
import { Buffer } from 'node:buffer'

const minInteger = -(2n ** 63n)
const maxInteger = 2n ** 64n - 1n

/**
 * A number where a double holds the integer exactly, else the BigInt.
 * @throws RangeError beyond 64 bits
 */
export function narrowInteger(value: bigint): number | bigint {
  if (value < minInteger || value > maxInteger) {
    throw new RangeError('the message holds an integer of more than 64 bits')
  }
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/**
 * Makes ready for a binary serializer: both libraries write integers beyond 32 bits as floats unless they are BigInt, and
 * mangle lone surrogates so that the receiver would drop the connection (reliability F5). Copies only what changes.
 */
export function widen(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return (value > 0xffff_ffff || value < -0x8000_0000) && Number.isSafeInteger(value)
        ? BigInt(value)
        : value
    case 'string':
      if (!value.isWellFormed()) throw new TypeError('the message holds text that is no Unicode')
      return value
    case 'bigint':
      narrowInteger(value)
      return value
    case 'undefined':
      return null
    case 'object':
      if (value === null || value instanceof Uint8Array) return value
      return Array.isArray(value) ? widenList(value) : widenMap(value as Record<string, unknown>)
    default:
      return value
  }
}

function widenList(list: readonly unknown[]): unknown {
  let copy: unknown[] | undefined
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    const wide = widen(item)
    if (wide !== item) {
      copy ??= [...list]
      copy[index] = wide
    }
  }
  return copy ?? list
}

function widenMap(map: Readonly<Record<string, unknown>>): unknown {
  let copy: Record<string, unknown> | undefined
  for (const key in map) {
    const wide = widen(map[key])
    if (wide !== map[key]) {
      copy ??= { ...map }
      copy[key] = wide
    }
  }
  return copy ?? map
}

/** Bytes in JSON: a NUL, then base64 (WAMP: Binary conversion of JSON strings). Anything else stays text. In place. */
export function restoreBytes(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.charCodeAt(0) !== 0) return value
    const text = value.slice(1)
    const bytes = Buffer.from(text, 'base64')
    return bytes.toString('base64') === text ? new Uint8Array(bytes) : value
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = restoreBytes(value[index])
  } else if (typeof value === 'object' && value !== null) {
    const map = value as Record<string, unknown>
    for (const key in map) map[key] = restoreBytes(map[key])
  }
  return value
}
