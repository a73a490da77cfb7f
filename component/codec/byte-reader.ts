/** Reads values from bytes: what MessagePack and CBOR have in common, within the limits. */
import { type Buffer, isUtf8 } from 'node:buffer'
import { ServiceError } from '#component/errors.ts'
import { setOwn } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'
import { asBuffer } from './as-buffer.ts'
import { KeyCount } from './key-count.ts'
import type { ReadRules } from './limits.ts'
import { keyText } from './wamp-values.ts'

/** Shorter text is looked at byte by byte, which takes less time than a call of the platform. */
const shortText = 32

const cachedKeys = 1024

/** Short keys, by a hash of their bytes. */
const keys: (string | undefined)[] = new Array<string | undefined>(cachedKeys).fill(undefined)

/** The head of a list, map or tagged value. `size` counts items, or pairs of key and value; Infinity: the head announces no number. */
export type Opened =
  | { readonly kind: 'list' | 'map'; readonly size: number }
  | { readonly kind: 'tagged'; readonly tag: number }

/** A position in the bytes of one value. Failures name the position, never data. */
export abstract class ByteReader {
  readonly bytes: Buffer
  readonly rules: ReadRules
  readonly #form: string
  position = 0
  /** The items of the outermost list, as far as it is read. */
  items: readonly unknown[] = []
  /** Values that may still come. */
  #left: number
  #isKey = false
  readonly #keys: KeyCount
  /** Where the step ends, and how long the next one is. */
  #stepEnd = 0
  #stepLength = 0

  /** @param form its name in messages */
  constructor(form: string, bytes: Uint8Array, rules: ReadRules) {
    this.#form = form
    this.bytes = asBuffer(bytes)
    this.rules = rules
    this.#left = rules.values
    this.#keys = new KeyCount(rules, bytes.length)
  }

  /** Reads one value. */
  abstract value(depth: number): unknown

  /** @throws ServiceError 400, or 413 for too many values */
  whole(): unknown {
    this.count(1)
    const value = this.value(0)
    if (this.position < this.bytes.length) this.fail('more bytes after the value')
    return value
  }

  /** Moves past the head of a value that holds others, if one begins here. */
  protected abstract opened(depth: number): Opened | undefined

  /** What a tagged value stands for. */
  protected untagged(_tag: number, value: unknown): unknown {
    return value
  }

  /** {@link whole} in steps of about this many bytes. */
  *reading(stepLength: number): Steps<unknown> {
    this.#stepLength = stepLength
    this.#stepEnd = stepLength
    this.count(1)
    const opened = this.opened(0)
    const value = opened ? yield* this.#within(opened, 0) : this.value(0)
    if (this.position < this.bytes.length) this.fail('more bytes after the value')
    return value
  }

  /** The items of a list up to the first that cannot be read, in such steps. */
  *heading(stepLength: number): Steps<readonly unknown[]> {
    try {
      yield* this.reading(stepLength)
    } catch {
      // it ends here
    }
    return this.items
  }

  /** {@link value} behind the head of one that holds others, in steps. */
  *#within(opened: Opened, depth: number): Steps<unknown> {
    if (opened.kind === 'tagged') {
      const inner = this.opened(depth + 1)
      const value = inner ? yield* this.#within(inner, depth + 1) : this.value(depth + 1)
      return this.untagged(opened.tag, value)
    }
    const { kind, size } = opened
    const isMap = kind === 'map'
    this.#enter(isMap, size, depth)
    const items: unknown[] = []
    const map: Record<string, unknown> = {}
    if (!isMap && depth === 0) this.items = items
    for (let count = 0; count < size && this.hasMore(size); count++) {
      let key = ''
      if (isMap) {
        this.#isKey = true
        const inner = this.opened(depth + 1)
        const read = inner ? yield* this.#within(inner, depth + 1) : this.value(depth + 1)
        key = this.#checkedKey(read, map, count)
      }
      const inner = this.opened(depth + 1)
      const value = inner ? yield* this.#within(inner, depth + 1) : this.value(depth + 1)
      if (isMap) this.#set(map, key, value)
      else items.push(value)
      if (this.position < this.#stepEnd) continue
      yield
      this.#stepEnd = this.position + this.#stepLength
    }
    return isMap ? map : items
  }

  fail(problem: string, isTooLarge = false): never {
    throw new ServiceError(
      isTooLarge ? 'service.error.payload_too_large' : 'service.error.bad_request',
      `${problem} at position ${this.position} of the ${this.#form}`,
    )
  }

  /** Counts values that have been announced. */
  count(values: number): void {
    this.#left -= values
    if (this.#left < 0) this.fail(`more than ${this.rules.values} values`, true)
  }

  /** Moves past a number of bytes; their start. */
  take(size: number): number {
    const start = this.position
    if (size > this.bytes.length - start) this.fail('an unexpected end')
    this.position = start + size
    return start
  }

  byte(): number {
    const byte = this.bytes[this.position]
    if (byte === undefined) return this.fail('an unexpected end')
    this.position++
    return byte
  }

  /** An unsigned integer of at most 4 bytes. */
  unsigned(size: number): number {
    const { bytes } = this
    const start = this.take(size)
    let value = 0
    for (let at = start; at < start + size; at++) value = value * 256 + (bytes[at] ?? 0)
    return value
  }

  /** An unsigned integer of 8 bytes: a number where it is exact. */
  unsigned64(): number | bigint {
    const start = this.take(8)
    const number = this.bytes.readUInt32BE(start) * 2 ** 32 + this.bytes.readUInt32BE(start + 4)
    return Number.isSafeInteger(number) ? number : this.bytes.readBigUInt64BE(start)
  }

  float(value: number): number | null {
    if (Number.isFinite(value)) return value
    return this.rules.isWamp ? null : this.fail('a number that is not finite')
  }

  text(size: number): string {
    const { bytes } = this
    const start = this.take(size)
    const end = this.position
    if (size <= shortText) {
      let hash = size
      let at = start
      for (; at < end; at++) {
        const code = bytes[at] ?? 0
        if (code >= 0x80) break
        hash = (hash * 31 + code) & (cachedKeys - 1)
      }
      if (at === end)
        return this.#isKey ? this.#cached(hash, start, end) : bytes.toString('latin1', start, end)
    }
    if (!isUtf8(bytes.subarray(start, end))) this.fail('text that is not UTF-8')
    return bytes.toString('utf8', start, end)
  }

  /** Messages repeat their keys: one that is known takes neither a new string nor the search for an equal one. */
  #cached(hash: number, start: number, end: number): string {
    const { bytes } = this
    const known = keys[hash]
    if (known?.length === end - start) {
      let at = start
      while (at < end && known.charCodeAt(at - start) === bytes[at]) at++
      if (at === end) return known
    }
    const key = bytes.toString('latin1', start, end)
    keys[hash] = key
    return key
  }

  /** A view of the bytes. */
  binary(size: number): Uint8Array {
    const start = this.take(size)
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + start, size)
  }

  /** @param size items, Infinity when it is not announced */
  list(size: number, depth: number): unknown[] {
    this.#enter(false, size, depth)
    const items: unknown[] = []
    if (depth === 0) this.items = items
    for (let count = 0; count < size && this.hasMore(size); count++)
      items.push(this.value(depth + 1))
    return items
  }

  /** @param size pairs of key and value, Infinity when it is not announced */
  map(size: number, depth: number): Record<string, unknown> {
    this.#enter(true, size, depth)
    const map: Record<string, unknown> = {}
    for (let count = 0; count < size && this.hasMore(size); count++) {
      this.#isKey = true
      const key = this.#checkedKey(this.value(depth + 1), map, count)
      this.#set(map, key, this.value(depth + 1))
    }
    return map
  }

  /** Whether a container has another item; one of unannounced size counts it. */
  hasMore(_size: number): boolean {
    return true
  }

  #enter(isMap: boolean, size: number, depth: number): void {
    // its text would be escaped anew at each level
    if (isMap && this.#isKey) this.fail('a map in a key')
    if (depth >= this.rules.depth) this.fail(`nesting deeper than ${this.rules.depth}`)
    if (size === Infinity) return
    const items = isMap ? 2 * size : size
    // each item takes a byte at least: the size of what is there bounds what can be announced
    if (items > this.bytes.length - this.position) this.fail('an unexpected end')
    this.count(items)
  }

  /** The text of a key that was just read. @param count of keys before it */
  #checkedKey(read: unknown, map: object, count: number): string {
    this.#isKey = false
    const key = typeof read === 'string' ? read : this.#keyText(read)
    const tooMany = this.#keys.problemOf(key, count + 1)
    if (tooMany) this.fail(tooMany, true)
    if ((map as Record<string, unknown>)[key] !== undefined && Object.hasOwn(map, key))
      this.fail('a duplicate key')
    return key
  }

  #keyText(key: unknown): string {
    return this.rules.isWamp ? keyText(key) : this.fail('a key that is not text')
  }

  #set(map: Record<string, unknown>, key: string, value: unknown): void {
    if (key === '__proto__' && !this.rules.allowProtoKeys) this.fail('the forbidden key __proto__')
    setOwn(map, key, value)
  }
}
