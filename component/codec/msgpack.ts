/** MessagePack: 64-bit integers keep every digit; extension types are read in messages of WAMP, and refused in bodies. */
import { Encoder } from '@msgpack/msgpack'
import { ByteReader, type Opened } from './byte-reader.ts'
import {
  bodyRules,
  maxTextLength,
  maxWrittenDepth,
  maxWrittenValues,
  type ReadRules,
} from './limits.ts'
import { jsonWalk, toBinary, Walk } from './walk.ts'
import { timestampText } from './wamp-values.ts'

class Reader extends ByteReader {
  value(depth: number): unknown {
    const code = this.byte()
    if (code < 0x80) return code
    if (code < 0x90) return this.map(code & 0x0f, depth)
    if (code < 0xa0) return this.list(code & 0x0f, depth)
    if (code < 0xc0) return this.text(code & 0x1f)
    if (code >= 0xe0) return code - 256
    const read = readers[code]
    return read ? read(this, depth) : this.fail('an unknown code')
  }

  protected override opened(): Opened | undefined {
    const code = this.bytes[this.position] ?? 0
    if (code < 0x80 || (code >= 0xa0 && code < 220) || code > 223) return undefined
    this.position++
    if (code < 0x90) return { kind: 'map', size: code & 0x0f }
    if (code < 0xa0) return { kind: 'list', size: code & 0x0f }
    return { kind: code < 222 ? 'list' : 'map', size: this.unsigned(code % 2 === 0 ? 2 : 4) }
  }

  signed64(): number | bigint {
    const start = this.take(8)
    const number = this.bytes.readInt32BE(start) * 2 ** 32 + this.bytes.readUInt32BE(start + 4)
    return Number.isSafeInteger(number) ? number : this.bytes.readBigInt64BE(start)
  }

  /** A timestamp as text, any other extension as bytes. One without bytes is what nexus makes of a tag of CBOR, whose value is lost. */
  extension(size: number): unknown {
    if (!this.rules.isWamp) this.fail('an extension type')
    if (size === 0) this.fail('an extension without data')
    const type = this.bytes.readInt8(this.take(1))
    const data = this.binary(size)
    return (type === timestamp ? timestampText(data) : undefined) ?? data
  }
}

/** The type of timestamps. */
const timestamp = -1

/** Readers of the content after a code, by the table of the MessagePack specification. */
const readers: Readonly<Record<number, (reader: Reader, depth: number) => unknown>> = {
  192: () => null,
  194: () => false,
  195: () => true,
  196: (reader) => reader.binary(reader.byte()),
  197: (reader) => reader.binary(reader.unsigned(2)),
  198: (reader) => reader.binary(reader.unsigned(4)),
  199: (reader) => reader.extension(reader.byte()),
  200: (reader) => reader.extension(reader.unsigned(2)),
  201: (reader) => reader.extension(reader.unsigned(4)),
  202: (reader) => reader.float(reader.bytes.readFloatBE(reader.take(4))),
  203: (reader) => reader.float(reader.bytes.readDoubleBE(reader.take(8))),
  204: (reader) => reader.byte(),
  205: (reader) => reader.unsigned(2),
  206: (reader) => reader.unsigned(4),
  207: (reader) => reader.unsigned64(),
  208: (reader) => reader.bytes.readInt8(reader.take(1)),
  209: (reader) => reader.bytes.readInt16BE(reader.take(2)),
  210: (reader) => reader.bytes.readInt32BE(reader.take(4)),
  211: (reader) => reader.signed64(),
  212: (reader) => reader.extension(1),
  213: (reader) => reader.extension(2),
  214: (reader) => reader.extension(4),
  215: (reader) => reader.extension(8),
  216: (reader) => reader.extension(16),
  217: (reader) => reader.text(reader.byte()),
  218: (reader) => reader.text(reader.unsigned(2)),
  219: (reader) => reader.text(reader.unsigned(4)),
  220: (reader, depth) => reader.list(reader.unsigned(2), depth),
  221: (reader, depth) => reader.list(reader.unsigned(4), depth),
  222: (reader, depth) => reader.map(reader.unsigned(2), depth),
  223: (reader, depth) => reader.map(reader.unsigned(4), depth),
}

/**
 * Decodes one value; bytes in it are views of the given ones.
 * @throws ServiceError 400, or 413 for too many values; the message names the position, never data
 */
export const decodeMsgpack = (bytes: Uint8Array, rules: ReadRules = bodyRules): unknown =>
  new Reader('MessagePack data', bytes, rules).whole()

/** {@link decodeMsgpack} in steps of about this many bytes. */
export const decodingMsgpack = (bytes: Uint8Array, rules: ReadRules, step: number) =>
  new Reader('MessagePack data', bytes, rules).reading(step)

/** The items of a list up to the first that cannot be read, in such steps. */
export const headingMsgpack = (bytes: Uint8Array, rules: ReadRules, step: number) =>
  new Reader('MessagePack data', bytes, rules).heading(step)

/** Nothing that {@link toBinary} gives is one: a Date is text. */
const noExtensions = { tryToEncode: () => null, decode: (data: Uint8Array) => data }

const encoder = new Encoder({
  useBigInt64: true,
  maxDepth: maxWrittenDepth,
  extensionCodec: noExtensions,
})

/** Encodes what {@link toBinary} has prepared. */
export const encodeMsgpack = (value: unknown): Uint8Array => encoder.encode(value)

/** Encodes a body within the limits of one in JSON. @throws ExpressionError when it is too large, or holds what no reader accepts */
export function encodeMsgpackBody(value: unknown): Uint8Array {
  new Walk({ ...jsonWalk, maxValues: maxWrittenValues }, maxTextLength).visit(value)
  return encodeMsgpack(toBinary(value))
}
