/** A document of our own: whoever gave it cannot change it afterwards. */

import { isInParts, parseOwnJson, stringifyJson } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import type { Steps } from '#component/yielding.ts'

/** Largest document; bytes (behaviour: API Specifications). */
const maxBytes = 4 * 1024 * 1024

/**
 * A copy that nobody else holds, without the `ts` of an answer that is sent back. What is wrong in it is found later.
 * @throws ServiceError `service.error.payload_too_large`
 */
export function* ownCopy(document: unknown): Steps<unknown> {
  const copy = yield* new Copying().copy(document, 1)
  if (typeof copy === 'object' && copy !== null && 'ts' in copy) delete copy.ts
  return copy
}

/** What comes of the text of a document, text by text where it is long. */
class Copying {
  #bytesLeft = maxBytes;

  *copy(value: unknown, level: number): Steps<unknown> {
    yield
    if (!isInParts(value, level)) {
      const text = stringifyJson(value)
      this.#take(Buffer.byteLength(text))
      return parseOwnJson(text)
    }
    const isList = Array.isArray(value)
    const members: [string, unknown][] = []
    this.#take(2)
    for (const [key, member] of Object.entries(value)) {
      const comma = members.length > 0 ? 1 : 0
      this.#take(comma + (isList ? 0 : Buffer.byteLength(JSON.stringify(key)) + 1))
      members.push([key, yield* this.copy(member, level + 1)])
    }
    return isList ? members.map(([, member]) => member) : Object.fromEntries(members)
  }

  #take(bytes: number): void {
    this.#bytesLeft -= bytes
    if (this.#bytesLeft >= 0) return
    const message = `the document is larger than ${maxBytes} bytes`
    throw new ServiceError('service.error.payload_too_large', message)
  }
}
