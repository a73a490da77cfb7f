/** Writes protobuf messages, fields one after the other, into bytes that grow (protobuf.dev: Encoding). */
import { Buffer } from 'node:buffer'

/** Wire types. */
const varint = 0
const fixed64 = 1
const lengthDelimited = 2
const fixed32 = 5

const firstBytes = 4096
/** A tag and a number take no more. */
const longestNumber = 12
/** Shorter text is written character by character, which takes less time than a call of the platform. */
const shortText = 64

/** A message, or several that belong together. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(firstBytes)
  #at = 0

  /** What was written so far: a view. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  /** Begins a message that is a field; the result is for {@link end}. */
  begin(field: number): number {
    this.#room(longestNumber)
    this.#head(field, lengthDelimited)
    // the length of most takes one byte
    return ++this.#at
  }

  /** Ends the message that began there. */
  end(start: number): void {
    const length = this.#at - start
    const more = sizeOfVarint(length) - 1
    if (more > 0) {
      this.#room(more)
      this.#bytes.copyWithin(start + more, start, this.#at)
    }
    this.#at = start - 1
    this.#varint(length)
    this.#at += length
  }

  /** The head of a field of so many bytes, which follow. */
  head(field: number, length: number): void {
    this.#room(longestNumber)
    this.#head(field, lengthDelimited)
    this.#varint(length)
  }

  /** Text in UTF-8. */
  text(field: number, value: string): void {
    const start = this.begin(field)
    this.#room(value.length * 3)
    if (value.length > shortText || !this.#ascii(value)) {
      this.#at = start + this.#bytes.write(value, start)
    }
    this.end(start)
  }

  /** Bytes, from lower-case hexadecimal digits, fewer than 256. */
  digits(field: number, value: string): void {
    this.head(field, value.length / 2)
    this.#room(value.length)
    for (let index = 0; index < value.length; index += 2) {
      const byte = (digit(value.charCodeAt(index)) << 4) | digit(value.charCodeAt(index + 1))
      this.#bytes[this.#at++] = byte
    }
  }

  /** An integer of at most 53 bits, or a boolean as 0 or 1. */
  integer(field: number, value: number): void {
    this.#room(longestNumber)
    this.#head(field, varint)
    if (value >= 0) this.#varint(value)
    else this.#negative(value)
  }

  double(field: number, value: number): void {
    this.#room(longestNumber)
    this.#head(field, fixed64)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
  }

  fixed32(field: number, value: number): void {
    this.#room(longestNumber)
    this.#head(field, fixed32)
    this.#at = this.#bytes.writeUInt32LE(value, this.#at)
  }

  /** Milliseconds as nanoseconds, 64 bits. */
  nanoseconds(field: number, ms: number): void {
    this.#room(longestNumber)
    this.#head(field, fixed64)
    const seconds = Math.floor(ms / 1000)
    // two halves: a double holds 53 bits exactly
    const high = Math.floor(seconds / half) * 1e9
    const low =
      (high % half) * half + (seconds % half) * 1e9 + Math.round((ms - seconds * 1000) * 1e6)
    this.#at = this.#bytes.writeUInt32LE(low % word, this.#at)
    this.#at = this.#bytes.writeUInt32LE(Math.floor(high / half) + Math.floor(low / word), this.#at)
  }

  /** Writes text if it is ASCII. */
  #ascii(value: string): boolean {
    const bytes = this.#bytes
    let at = this.#at
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index)
      if (code > 0x7f) return false
      bytes[at++] = code
    }
    this.#at = at
    return true
  }

  #head(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType)
  }

  #varint(value: number): void {
    let left = value
    while (left > 0x7f) {
      this.#bytes[this.#at++] = (left % 0x80) | 0x80
      left = Math.floor(left / 0x80)
    }
    this.#bytes[this.#at++] = left
  }

  /** Two's complement of 64 bits: ten bytes. */
  #negative(value: number): void {
    let left = BigInt.asUintN(64, BigInt(value))
    for (; left > 0x7fn; left >>= 7n) this.#bytes[this.#at++] = Number(left & 0x7fn) | 0x80
    this.#bytes[this.#at++] = Number(left)
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

const half = 2 ** 16
const word = 2 ** 32

function sizeOfVarint(value: number): number {
  let size = 1
  for (let left = value; left > 0x7f; left = Math.floor(left / 0x80)) size += 1
  return size
}

/** The value of a lower-case hexadecimal digit. */
const digit = (code: number): number => (code & 0xf) + (code > 0x39 ? 9 : 0)
