/** MessagePack, strictly: what JSON could not say as well is refused, and 64-bit integers keep every digit. */
import { isUtf8 } from 'node:buffer'
import { Encoder } from '@msgpack/msgpack'
import { ExpressionError, ServiceError } from '#component/errors.ts'

const maxDepth = 64
const maxValues = 200_000

/** Most values of an answer, shared ones counted each time. */
const maxEncoded = 4_000_000

class Reader {
  readonly bytes: Buffer
  position = 0
  values = 0

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  fail(problem: string): never {
    throw new ServiceError(
      'service.error.bad_request',
      `${problem} at position ${this.position} of the MessagePack body`,
    )
  }

  /** Moves over `size` bytes; where they begin. */
  take(size: number): number {
    const start = this.position
    if (start + size > this.bytes.length) this.fail('an unexpected end')
    this.position = start + size
    return start
  }

  unsigned(size: number): number {
    return this.bytes.readUIntBE(this.take(size), size)
  }

  value(depth: number): unknown {
    if (++this.values > maxValues) {
      const message = `the body holds more than ${maxValues} values`
      throw new ServiceError('service.error.payload_too_large', message)
    }
    const code = this.unsigned(1)
    if (code < 0x80) return code
    if (code < 0x90) return this.map(code & 0x0f, depth)
    if (code < 0xa0) return this.list(code & 0x0f, depth)
    if (code < 0xc0) return this.text(code & 0x1f)
    if (code >= 0xe0) return code - 256
    const read = readers[code]
    if (!read) return this.fail('an extension type or unknown code')
    return read(this, depth)
  }

  text(size: number): string {
    const start = this.take(size)
    const bytes = this.bytes.subarray(start, start + size)
    if (!isUtf8(bytes)) this.fail('text that is not UTF-8')
    return bytes.toString('utf8')
  }

  binary(size: number): Uint8Array {
    const start = this.take(size)
    return Uint8Array.prototype.slice.call(this.bytes, start, start + size)
  }

  enter(depth: number): void {
    if (depth >= maxDepth) this.fail(`nesting deeper than ${maxDepth}`)
  }

  list(size: number, depth: number): unknown[] {
    this.enter(depth)
    const items: unknown[] = []
    for (let count = 0; count < size; count++) items.push(this.value(depth + 1))
    return items
  }

  map(size: number, depth: number): Record<string, unknown> {
    this.enter(depth)
    const map: Record<string, unknown> = {}
    for (let count = 0; count < size; count++) {
      const key = this.value(depth + 1)
      if (typeof key !== 'string') this.fail('a key that is no text')
      if (key === '__proto__') this.fail('the key __proto__, which is not allowed,')
      if (Object.hasOwn(map, key)) this.fail('a key that its map has already')
      map[key] = this.value(depth + 1)
    }
    return map
  }

  float(value: number): number {
    if (!Number.isFinite(value)) this.fail('a number that is not finite')
    return value
  }
}

/** A number where it is exact. */
const narrow = (value: bigint): number | bigint => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** What follows a code, by the table of the MessagePack specification; extension types have no row. */
const readers: Readonly<Record<number, (reader: Reader, depth: number) => unknown>> = {
  192: () => null,
  194: () => false,
  195: () => true,
  196: (reader) => reader.binary(reader.unsigned(1)),
  197: (reader) => reader.binary(reader.unsigned(2)),
  198: (reader) => reader.binary(reader.unsigned(4)),
  202: (reader) => reader.float(reader.bytes.readFloatBE(reader.take(4))),
  203: (reader) => reader.float(reader.bytes.readDoubleBE(reader.take(8))),
  204: (reader) => reader.unsigned(1),
  205: (reader) => reader.unsigned(2),
  206: (reader) => reader.unsigned(4),
  207: (reader) => narrow(reader.bytes.readBigUInt64BE(reader.take(8))),
  208: (reader) => reader.bytes.readInt8(reader.take(1)),
  209: (reader) => reader.bytes.readInt16BE(reader.take(2)),
  210: (reader) => reader.bytes.readInt32BE(reader.take(4)),
  211: (reader) => narrow(reader.bytes.readBigInt64BE(reader.take(8))),
  217: (reader) => reader.text(reader.unsigned(1)),
  218: (reader) => reader.text(reader.unsigned(2)),
  219: (reader) => reader.text(reader.unsigned(4)),
  220: (reader, depth) => reader.list(reader.unsigned(2), depth),
  221: (reader, depth) => reader.list(reader.unsigned(4), depth),
  222: (reader, depth) => reader.map(reader.unsigned(2), depth),
  223: (reader, depth) => reader.map(reader.unsigned(4), depth),
}

/**
 * Decodes one value.
 * @throws ServiceError 400, or 413 for too many values; the message names the position, never data
 */
export function parseMsgpack(bytes: Uint8Array): unknown {
  const reader = new Reader(bytes)
  const value = reader.value(0)
  if (reader.position < bytes.length) reader.fail('more bytes after the value')
  return value
}

const encoder = new Encoder({ useBigInt64: true, maxDepth: 500 })

/** With BigInt on, the encoder writes great numbers as doubles: those that are integers become BigInt first. */
class Prepare {
  left = maxEncoded

  value(value: unknown): unknown {
    if (--this.left < 0) throw new ExpressionError('the value is too large to be encoded')
    if (typeof value === 'number') {
      const isGreat = Number.isSafeInteger(value) && (value > 0xffff_ffff || value < -0x8000_0000)
      return isGreat ? BigInt(value) : value
    }
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
    if (Array.isArray(value)) return value.map((item) => this.value(item))
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.value(value.toJSON())
    const map: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(value)) map[key] = this.value(member)
    return map
  }
}

/** Encodes a value; ExpressionError when it is too large. */
export const stringifyMsgpack = (value: unknown): Uint8Array =>
  encoder.encode(new Prepare().value(value))
