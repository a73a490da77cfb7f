/** One look at a payload before it is sent: what no router or serializer can carry is refused here (reliability F5). */
import { Buffer } from 'node:buffer'
import type { ErrorUri } from '#component/errors.ts'
import { failure } from './failure.ts'
import { uris } from './uris.ts'

/** Deepest nesting: a document of 64 levels with room around it; routers stop at 80 and more. */
const maxDepth = 72
/** Most values of one message; routers stop at a million. */
const maxValues = 500_000

const minInteger = -(2n ** 63n)
const maxInteger = 2n ** 64n - 1n

const refuse = (uri: ErrorUri, message: string): never => {
  throw failure(uri, message, false)
}

/** What was seen on the way. */
export class Survey {
  /** At least so many bytes in any serializer but for the few that binary ones save. */
  size = 0
  /** Integers of more than 32 bits, BigInt or undefined: what binary serializers must be helped with. */
  isWide = false
  #values = 0
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws WampError with wasSent false */
  look(value: unknown, depth = 0): void {
    this.#values++
    switch (typeof value) {
      case 'string':
        this.#text(value)
        break
      case 'number':
        this.size += 1
        if (value > 0xffff_ffff || value < -0x8000_0000) this.isWide = true
        break
      case 'boolean':
        this.size += 1
        break
      case 'bigint':
        if (value < minInteger || value > maxInteger) {
          refuse(uris.errors.invalidArgument, 'an integer of the payload has more than 64 bits')
        }
        this.size += 8
        this.isWide = true
        break
      case 'undefined':
        this.size += 1
        this.isWide = true
        break
      case 'object':
        if (value === null) this.size += 1
        else this.#container(value, depth)
        break
      default:
        refuse(uris.errors.invalidArgument, 'the payload holds a value that is no data')
    }
    if (this.size > this.#maxBytes || this.#values > maxValues) tooLarge()
  }

  #text(text: string): void {
    if (!text.isWellFormed()) {
      refuse(uris.errors.invalidArgument, 'a text of the payload is no valid Unicode')
    }
    this.size += (text.length < 256 ? text.length : Buffer.byteLength(text)) + 1
  }

  #container(value: object, depth: number): void {
    if (depth >= maxDepth) {
      refuse(uris.errors.invalidArgument, `the payload is nested deeper than ${maxDepth} levels`)
    }
    this.size += 1
    if (Array.isArray(value)) {
      for (const item of value) this.look(item, depth + 1)
      return
    }
    if (value instanceof Uint8Array) {
      this.size += value.byteLength
      return
    }
    const prototype = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) {
      refuse(uris.errors.invalidArgument, 'the payload holds an object that is no plain map')
    }
    for (const key of Object.keys(value)) {
      this.#text(key)
      this.look((value as Record<string, unknown>)[key], depth + 1)
    }
  }
}

/** @throws WampError `wamp.error.payload_size_exceeded` */
export const tooLarge = (): never =>
  refuse(uris.errors.payloadSizeExceeded, 'the payload is larger than the router carries')
