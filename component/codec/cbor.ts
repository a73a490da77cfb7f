/** CBOR (RFC 8949) as WAMP peers send it: 64-bit integers keep every digit, and what JSON lacks is read as docs/router.md says. */
import { Encoder } from 'cbor-x'
import { isInteger64 } from '#component/syntax/integers.ts'
import { ByteReader, type Opened } from './byte-reader.ts'
import { bodyRules, maxDigits, maxTextLength, maxWrittenValues, type ReadRules } from './limits.ts'
import { jsonWalk, toBinary, Walk } from './walk.ts'
import { dateText, maxIntegerBytes, timeOfSeconds, uuidText } from './wamp-values.ts'

/** The first byte that ends a container of unannounced size. */
const breakCode = 0xff

/** Additional information 31: the size is not announced. */
const indefinite = 31

class Reader extends ByteReader {
  value(depth: number): unknown {
    const head = this.byte()
    const info = head & 0x1f
    switch (head >> 5) {
      case 0:
        return info < 24 ? info : this.#argument(info)
      case 1:
        return this.#negative(this.#argument(info))
      case 2:
        return info === indefinite ? this.#chunks(2) : this.binary(this.#size(info))
      case 3:
        return info === indefinite ? this.#chunks(3) : this.text(this.#size(info))
      case 4:
        return this.list(info === indefinite ? Infinity : this.#size(info), depth)
      case 5:
        return this.map(info === indefinite ? Infinity : this.#size(info), depth)
      case 6:
        return this.untagged(this.#tag(info, depth), this.value(depth + 1))
      default:
        return this.#simple(info)
    }
  }

  protected override opened(depth: number): Opened | undefined {
    const head = this.bytes[this.position] ?? 0
    const major = head >> 5
    if (major < 4 || major > 6) return undefined
    this.position++
    const info = head & 0x1f
    if (major === 6) return { kind: 'tagged', tag: this.#tag(info, depth) }
    const size = info === indefinite ? Infinity : this.#size(info)
    return { kind: major === 4 ? 'list' : 'map', size }
  }

  override hasMore(size: number): boolean {
    if (size !== Infinity) return true
    if (this.bytes[this.position] === breakCode) {
      this.position++
      return false
    }
    this.count(1)
    return true
  }

  #argument(info: number): number | bigint {
    if (info < 24) return info
    if (info === 27) return this.unsigned64()
    return info < 27 ? this.unsigned(2 ** (info - 24)) : this.fail('an unknown head')
  }

  #size(info: number): number {
    return info < 24 ? info : Number(this.#argument(info))
  }

  /** RFC 8949 §3.2.3: bytes or text of unannounced size; Jackson writes long text so. */
  #chunks(major: 2 | 3): Uint8Array | string {
    const chunks: Uint8Array[] = []
    let text = ''
    while (this.hasMore(Infinity)) {
      const head = this.byte()
      if (head >> 5 !== major || (head & 0x1f) === indefinite) this.fail('a chunk of another kind')
      const size = this.#size(head & 0x1f)
      if (major === 2) chunks.push(this.binary(size))
      else text += this.text(size)
    }
    return major === 2 ? new Uint8Array(Buffer.concat(chunks)) : text
  }

  #negative(argument: number | bigint): number | bigint | string {
    const number = -1 - Number(argument)
    return Number.isSafeInteger(number) ? number : this.#integer(-1n - BigInt(argument))
  }

  /** Beyond 64 bits: text of all digits. */
  #integer(value: bigint): number | bigint | string {
    const number = Number(value)
    if (Number.isSafeInteger(number)) return number
    if (isInteger64(value)) return value
    return this.rules.isWamp ? String(value) : this.fail('an integer of more than 64 bits')
  }

  #bignum(bytes: Uint8Array): bigint {
    if (bytes.length > maxIntegerBytes) this.fail(`an integer of more than ${maxDigits} digits`)
    return BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  }

  #simple(info: number): unknown {
    switch (info) {
      case 20:
        return false
      case 21:
        return true
      case 22: // null
      case 23: // undefined
        return null
      case 25:
        return this.float(half(this.unsigned(2)))
      case 26:
        return this.float(this.bytes.readFloatBE(this.take(4)))
      case 27:
        return this.float(this.bytes.readDoubleBE(this.take(8)))
      default:
        return this.fail('an unknown simple value')
    }
  }

  #tag(info: number, depth: number): number {
    const tag = this.#size(info)
    if (depth >= this.rules.depth) this.fail(`nesting deeper than ${this.rules.depth}`)
    if (references.has(tag)) this.fail('a reference to a value before it')
    return tag
  }

  protected override untagged(tag: number, value: unknown): unknown {
    const plain = this.#plain(tag, value)
    if (plain !== undefined) return plain
    return this.rules.isWamp ? value : this.fail(`the tag ${tag}, which is not plain data,`)
  }

  /** RFC 8949 §3.4, RFC 8746, RFC 8943 and the registry of tags: what a tagged value stands for; undefined where the tag is not known. */
  #plain(tag: number, value: unknown): unknown {
    if (tag === 55799) return value // the data says of itself that it is CBOR
    if (value instanceof Uint8Array) {
      if (tag === 64) return value
      if (tag === 2) return this.#integer(this.#bignum(value))
      if (tag === 3) return this.#integer(-1n - this.#bignum(value))
    }
    if (Array.isArray(value) && value.length === 2) {
      const [exponent, mantissa] = value
      if (!isNumber(exponent) || !(isNumber(mantissa) || isDigits(mantissa))) return undefined
      if (tag === 4) return this.float(Number(`${mantissa}e${exponent}`))
      if (tag === 5) return this.float(Number(mantissa) * 2 ** Number(exponent))
    }
    if (!this.rules.isWamp) return undefined
    if (tag === 37 && value instanceof Uint8Array) return uuidText(value)
    if (tag === 1 && typeof value === 'number') return timeOfSeconds(value)
    if (tag === 100 && typeof value === 'number') return dateText(value)
    return undefined
  }
}

/** Tags of values that say which value before them they are: the one below them is a number without meaning. */
const references: ReadonlySet<number> = new Set([25, 29])

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

/** What an integer beyond 64 bits is read as. */
const isDigits = (value: unknown): value is string =>
  typeof value === 'string' && /^-?\d{19,}$/.test(value)

/** IEEE 754 binary16 (RFC 8949 Appendix D). */
function half(bits: number): number {
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  const sign = bits & 0x8000 ? -1 : 1
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN
  return exponent === 0
    ? sign * fraction * 2 ** -24
    : sign * (1024 + fraction) * 2 ** (exponent - 25)
}

/**
 * Decodes one value; bytes in it are views of the given ones.
 * @throws ServiceError 400, or 413 for too many values; the message names the position, never data
 */
export const decodeCbor = (bytes: Uint8Array, rules: ReadRules = bodyRules): unknown =>
  new Reader('CBOR data', bytes, rules).whole()

/** {@link decodeCbor} in steps of about this many bytes. */
export const decodingCbor = (bytes: Uint8Array, rules: ReadRules, step: number) =>
  new Reader('CBOR data', bytes, rules).reading(step)

/** The items of a list up to the first that cannot be read, in such steps. */
export const headingCbor = (bytes: Uint8Array, rules: ReadRules, step: number) =>
  new Reader('CBOR data', bytes, rules).heading(step)

const encoder = new Encoder({
  ...{ useRecords: false, mapsAsObjects: true, tagUint8Array: false },
  variableMapSize: true, // else the size of every map takes two bytes
})

/** Encodes what {@link toBinary} has prepared: integers and lengths in their shortest form (RFC 8949 §4.1), floats in 64 bits. */
export const encodeCbor = (value: unknown): Uint8Array => encoder.encode(value)

/** Encodes a body within the limits of one in JSON. @throws ExpressionError when it is too large, or holds what no reader accepts */
export function encodeCborBody(value: unknown): Uint8Array {
  new Walk({ ...jsonWalk, maxValues: maxWrittenValues }, maxTextLength).visit(value)
  return encodeCbor(toBinary(value))
}
